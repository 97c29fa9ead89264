export * as NodeFiles from "./NodeFiles.ts"
export * as NodeStores from "./NodeStores.ts"
