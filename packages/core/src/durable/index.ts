export * as DocumentExecutions from "./DocumentExecutions.ts"
export * as DocumentStore from "./DocumentStore.ts"
export * as DocumentWorkflow from "./DocumentWorkflow.ts"
