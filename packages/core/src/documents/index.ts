export * as Documents from "./Documents.ts"
export * as Journal from "./Journal.ts"
