export * as SharedState from "./SharedState.ts"
export * as Tenant from "./Tenant.ts"
