export * as NodeFiles from "./NodeFiles.ts"
