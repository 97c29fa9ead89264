export * as Decorator from "./Decorator.ts"
export * as DocumentTools from "./DocumentTools.ts"
export * as Settings from "./Settings.ts"
