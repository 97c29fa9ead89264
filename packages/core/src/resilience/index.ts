export * as SharedState from "./SharedState.ts"
