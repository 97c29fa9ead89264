export * as Ids from "./Ids.ts"
export * as Language from "./Language.ts"
export * as Limits from "./Limits.ts"
