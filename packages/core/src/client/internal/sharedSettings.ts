/** The settings that all calls of a client share. A part of the client, such as a region, can only switch them off. */
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as ResiliencePolicy from "../ResiliencePolicy.ts"
import type { Problem } from "./options.ts"

/** The settings with the value that switches each off. */
const off = {
  breaker: "undefined",
  concurrency: "Infinity",
  openStreams: "Infinity",
  rate: "undefined",
  retryBudget: "undefined",
  quotaGate: "0"
} as const

const ofService = ["breaker", "concurrency", "openStreams", "rate", "retryBudget"] as const

/** Replaces fields of a policy. Fails for other values of shared settings. */
const overrideExcept = (shared: ReadonlyArray<keyof typeof off>) =>
(
  base: ResiliencePolicy.ResiliencePolicy,
  fields: ResiliencePolicy.Options
): Result.Result<ResiliencePolicy.ResiliencePolicy, Problem> =>
  Result.flatMap(ResiliencePolicy.override(base, fields), (policy) => {
    const field = shared.find((field) =>
      !Equal.equals(policy[field], base[field]) && !Equal.equals(policy[field], ResiliencePolicy.none[field])
    )
    return field === undefined ? Result.succeed(policy) : Result.fail({
      field,
      problem: `is shared by all calls of the client: leave it out, or switch it off with ${off[field]}`
    })
  })

/** Replaces fields of the policy of a client for one service. */
export const overrideForService = overrideExcept(ofService)

/** Replaces fields of the policy of a client or service for a region. */
export const overrideForRegion = overrideExcept([...ofService, "quotaGate"])
