export * as Admin from "./Admin.ts"
export * as AdminApi from "./AdminApi.ts"
export * as Usage from "./Usage.ts"
export * as UsageApi from "./UsageApi.ts"
