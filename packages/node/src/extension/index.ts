export * as NodeStores from "./NodeStores.ts"
