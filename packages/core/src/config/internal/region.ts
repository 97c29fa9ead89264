/**
 * The policy of a call: the configured one of its service, with the overrides of its region of the program. A region can only switch
 * off the settings that all calls of a client share.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import { isObject } from "effect/Predicate"
import * as Result from "effect/Result"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { DeadlineExceeded, type InvalidInput } from "../../errors/CallError.ts"
import { invalid, typeOf } from "../../errors/internal/checks.ts"
import type { LanguageServiceConfig, ServiceName } from "../LanguageServiceConfig.ts"
import * as ResiliencePolicy from "../ResiliencePolicy.ts"
import type { Problem } from "./options.ts"
import * as RegionDeadline from "./regionDeadline.ts"
import type { ClientTransform } from "./settings.ts"

/** The transform of the HTTP client in a region of a program. */
export const CurrentTransform = Context.Reference<ClientTransform | undefined>(
  "@effect-lingua/core/config/internal/region/CurrentTransform",
  { defaultValue: () => undefined }
)

/** The settings with the value that switches each off. */
const off = {
  concurrency: "Infinity",
  openStreams: "Infinity",
  rate: "undefined",
  quotaGate: "0"
} as const

const ofService = ["concurrency", "openStreams", "rate"] as const

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
const overrideForRegion = overrideExcept([...ofService, "quotaGate"])

/** The deadline if it has passed, else `undefined`. */
const over = ({ deadline, jobDeadline }: ResiliencePolicy.Options): Duration.Duration | undefined =>
  [deadline, jobDeadline]
    .map((time) => time === undefined ? undefined : Option.getOrUndefined(Duration.fromInput(time)))
    .find((time) => time !== undefined && Duration.toMillis(time) <= 0)

/** Overrides fields of a policy. A passed deadline fails the call with `DeadlineExceeded`. */
const overrideFields = (
  base: ResiliencePolicy.ResiliencePolicy,
  fields: ResiliencePolicy.Options
): Result.Result<ResiliencePolicy.ResiliencePolicy, DeadlineExceeded | InvalidInput> => {
  if (!isObject(fields)) return Result.fail(invalid("ResiliencePolicy.Override", typeOf(fields), "an object"))
  // Most calls have no override.
  if (Object.keys(fields).length === 0) return Result.succeed(base)
  const deadline = over(fields)
  if (deadline !== undefined) return Result.fail(new DeadlineExceeded({ deadline, outcome: "refused" }))
  return Result.mapError(
    overrideForRegion(base, fields),
    ({ field, problem }) =>
      invalid(`ResiliencePolicy.Override.${field}`, "an invalid value", `a valid one: it ${problem}`)
  )
}

/** The policy of a call that begins now: with the fields of its region, and at most the time that the region has left. */
export const overridden = (
  base: ResiliencePolicy.ResiliencePolicy,
  context: Context.Context<never>,
  now: number
): Result.Result<ResiliencePolicy.ResiliencePolicy, DeadlineExceeded | InvalidInput> => {
  const own = overrideFields(base, Context.get(context, ResiliencePolicy.Override))
  const region = Context.get(context, RegionDeadline.Current)
  if (region === undefined) return own
  return Result.flatMap(own, (policy) => {
    const deadline = RegionDeadline.cut(region, policy.deadline, now)
    const jobDeadline = RegionDeadline.cut(region, policy.jobDeadline, now)
    return Duration.isZero(deadline)
      ? Result.fail(new DeadlineExceeded({ deadline, outcome: "refused" }))
      : Result.succeed({
        ...policy,
        deadline,
        jobDeadline,
        attemptTimeout: Duration.min(policy.attemptTimeout, deadline),
        documentTimeout: Duration.min(policy.documentTimeout, jobDeadline)
      })
  })
}

/** Fields with the rest of a deadline, to which an attempt timeout among them is cut. */
export const within = (
  { attemptTimeout, ...fields }: ResiliencePolicy.Options,
  deadline: Duration.Duration
): ResiliencePolicy.Options => ({
  ...fields,
  deadline,
  ...(attemptTimeout === undefined
    ? undefined
    : { attemptTimeout: Duration.min(Duration.fromInputUnsafe(attemptTimeout), deadline) })
})

/** The policy of a service in the region of the current fiber. */
export const policyOf = (config: LanguageServiceConfig["Service"], service: ServiceName) => {
  const base = config.serviceResilience[service] ?? config.resilience
  return Effect.contextWith((context: Context.Context<never>) =>
    Effect.fromResult(overridden(base, context, Monotonic.nowUnsafe(Context.get(context, Clock.Clock))))
  )
}
