export * as Settings from "./Settings.ts"
