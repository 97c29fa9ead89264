export * as Documents from "./Documents.ts"
export * as DocumentsApi from "./DocumentsApi.ts"
export * as Journal from "./Journal.ts"
