export * as SharedRate from "./SharedRate.ts"
export * as Tenant from "./Tenant.ts"
