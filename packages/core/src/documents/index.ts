export * as Documents from "./Documents.ts"
export * as DocumentsApi from "./DocumentsApi.ts"
