/** The policies of the goodput benchmark. */
import type { ResiliencePolicy } from "@effect-lingua/core/config/ResiliencePolicy"
import { Duration } from "effect"
import type { Order } from "./protocol.ts"

const perSecond = (requests: number): Partial<ResiliencePolicy> => ({ rate: { requests, window: Duration.seconds(1) } })

/** A client's settings that differ from the defaults. */
export const policyOf = (
  { capacity, kind, processes }: Pick<Order, "capacity" | "kind" | "processes">
): Partial<ResiliencePolicy> => {
  if (kind === "rate") return perSecond(capacity / processes)
  if (kind === "redis") return perSecond(capacity)
  return {}
}
