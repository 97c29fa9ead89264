export * as DocumentJournal from "./DocumentJournal.ts"
export * as DocumentProgress from "./DocumentProgress.ts"
export * as JobProgress from "./JobProgress.ts"
export * as SignedUrl from "./SignedUrl.ts"
