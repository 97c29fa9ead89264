export * as DocumentTools from "./DocumentTools.ts"
export * as Settings from "./Settings.ts"
