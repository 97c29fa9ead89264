/** The rules of a resilience policy: of each field, and of fields that depend on each other. */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import type { Breaker, RateLimit, ResiliencePolicy, RetryBudget } from "../ResiliencePolicy.ts"
import * as Options from "./options.ts"

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1

const count = Options.number(isCount, "must be a whole number from 1")
export const countOrInfinity = Options.number(
  (value) => isCount(value) || value === Number.POSITIVE_INFINITY,
  "must be a whole number from 1, or Infinity"
)
const factor = Options.number((value) => value >= 1, "must be 1 or more")
const positive = Options.duration((millis) => millis > 0, "must be more than 0")
const notNegative = Options.duration((millis) => millis >= 0, "must not be negative")
const tokens = Options.number((value) => value >= 0, "must not be negative")

const finite = Options.number((value) => value >= 0 && Number.isFinite(value), "must be 0 or more, and finite")

const retryBudget = Options.struct<RetryBudget>({
  tokens,
  refused: tokens,
  unknown: tokens,
  success: tokens,
  perSecond: finite
})

const breaker = Options.struct<Breaker>({
  failureRate: Options.number((value) => value > 0 && value <= 1, "must be above 0 and up to 1"),
  attempts: count,
  open: positive,
  openCap: positive
})

export const rate = Options.struct<RateLimit>({ requests: count, window: positive })

/** Decodes a policy. */
export const decode = Options.struct<ResiliencePolicy>({
  attempts: count,
  backoffBase: positive,
  throttleBase: positive,
  backoffFactor: factor,
  backoffCap: positive,
  retryAfterCap: notNegative,
  attemptTimeout: positive,
  documentTimeout: positive,
  bodyIdleTimeout: positive,
  minDownloadRate: finite,
  deadline: positive,
  jobDeadline: positive,
  polling: Options.flag,
  pollBase: positive,
  pollFactor: factor,
  pollCap: positive,
  repeatMetered: Options.oneOf("never", "once", "always"),
  maxBodyBytes: Options.number((value) => value > 0, "must be more than 0"),
  retryBudget: Options.optional(retryBudget),
  breaker: Options.optional(breaker),
  rate: Options.optional(rate),
  adaptiveRate: Options.flag,
  concurrency: countOrInfinity,
  openStreams: countOrInfinity,
  quotaGate: notNegative
})

/** Checks the fields of a policy that depend on each other. */
export const check = (policy: ResiliencePolicy): Result.Result<ResiliencePolicy, Options.Problem> => {
  const { breaker, rate } = policy
  const problems: ReadonlyArray<readonly [field: string, isBroken: boolean, problem: string]> = [
    ["backoffCap", Duration.isLessThan(policy.backoffCap, policy.backoffBase), "is below backoffBase"],
    ["deadline", Duration.isLessThan(policy.deadline, policy.attemptTimeout), "is below attemptTimeout"],
    ["pollCap", Duration.isLessThan(policy.pollCap, policy.pollBase), "is below pollBase"],
    [
      "breaker.openCap",
      breaker !== undefined && Duration.isLessThan(breaker.openCap, breaker.open),
      "is below breaker.open"
    ],
    [
      "rate.requests",
      rate !== undefined && rate.requests > Duration.toMillis(rate.window),
      "must be at most one in a millisecond"
    ]
  ]
  const broken = problems.find(([, isBroken]) => isBroken)
  return broken === undefined ? Result.succeed(policy) : Result.fail({ field: broken[0], problem: broken[2] })
}
