export * as JobProgress from "./JobProgress.ts"
export * as DocumentProgress from "./Progress.ts"
export * as SignedUrl from "./SignedUrl.ts"
