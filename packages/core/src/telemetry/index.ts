export * as ClientState from "./ClientState.ts"
export * as Events from "./Events.ts"
export * as Metrics from "./Metrics.ts"
