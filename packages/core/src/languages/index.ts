export * as Languages from "./Languages.ts"
