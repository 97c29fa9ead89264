export * as NodeProxy from "./NodeProxy.ts"
