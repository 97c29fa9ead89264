export * as Admin from "./Admin.ts"
export * as Usage from "./Usage.ts"
