export * from "./formats/index.ts"
export * as Localization from "./Localization.ts"
export * from "./projects/index.ts"
