export * as Contract from "./Contract.ts"
export * as Service from "./Service.ts"
export * as Settings from "./Settings.ts"
