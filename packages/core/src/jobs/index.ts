export * as Progress from "./Progress.ts"
export * as SignedUrl from "./SignedUrl.ts"
export * as Upload from "./Upload.ts"
