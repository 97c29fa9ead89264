export * as NodePool from "./NodePool.ts"
export * as NodeProxy from "./NodeProxy.ts"
