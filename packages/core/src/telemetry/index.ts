export { ClientState } from "./ClientState.ts"
export { Events } from "./Events.ts"
export * as Metrics from "./Metrics.ts"
