export * as Resource from "./Resource.ts"
