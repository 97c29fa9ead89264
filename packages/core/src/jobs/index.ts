export * as JobProgress from "./JobProgress.ts"
export * as DocumentProgress from "./Progress.ts"
