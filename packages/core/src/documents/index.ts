export { Documents } from "./Documents.ts"
export { Journal } from "./Journal.ts"
