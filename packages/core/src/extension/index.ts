export * as Decorator from "./Decorator.ts"
export * as Settings from "./Settings.ts"
