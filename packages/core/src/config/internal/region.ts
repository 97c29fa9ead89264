/**
 * Overrides of a program's region for its calls. Settings that all calls of a client share can only be switched off.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import { isObject } from "effect/Predicate"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { DeadlineExceeded, type InvalidInput } from "../../errors/CallError.ts"
import { invalid, typeOf } from "../../errors/internal/checks.ts"
import * as ResiliencePolicy from "../ResiliencePolicy.ts"
import { duration, type Problem } from "./options.ts"
import type { ClientTransform } from "./settings.ts"

/** The end of the region's time, in milliseconds of `Monotonic`; NaN for an invalid time. */
export const CurrentEnd = Context.Reference<number>("@effect-lingua/core/config/internal/region/CurrentEnd", {
  defaultValue: () => Number.POSITIVE_INFINITY
})

/** The queue in the client's limits, by default the operation's. A run of many calls has its queue, so that it does not delay others. */
export const CurrentQueue = Context.Reference<string | undefined>(
  "@effect-lingua/core/config/internal/region/CurrentQueue",
  { defaultValue: () => undefined }
)

export const CurrentTransform = Context.Reference<ClientTransform | undefined>(
  "@effect-lingua/core/config/internal/region/CurrentTransform",
  { defaultValue: () => undefined }
)

const off = {
  concurrency: "Infinity",
  openStreams: "Infinity",
  rate: "undefined"
} as const

export const overrideForPart = (
  base: ResiliencePolicy.ResiliencePolicy,
  fields: ResiliencePolicy.Options
): Result.Result<ResiliencePolicy.ResiliencePolicy, Problem> =>
  Result.flatMap(ResiliencePolicy.override(base, fields), (policy) => {
    const field = Struct.keys(off).find((field) =>
      !Equal.equals(policy[field], base[field]) && !Equal.equals(policy[field], ResiliencePolicy.none[field])
    )
    return field === undefined ? Result.succeed(policy) : Result.fail({
      field,
      problem: `is shared by all calls of the client: leave it out, or switch it off with ${off[field]}`
    })
  })

const over = ({ deadline, jobDeadline }: ResiliencePolicy.Options): Duration.Duration | undefined =>
  [deadline, jobDeadline]
    .map((time) => Result.getOrUndefined(duration()(time, "")))
    .find((time) => time !== undefined && Duration.toMillis(time) <= 0)

const overrideFields = (
  base: ResiliencePolicy.ResiliencePolicy,
  fields: ResiliencePolicy.Options
): Result.Result<ResiliencePolicy.ResiliencePolicy, DeadlineExceeded | InvalidInput> => {
  if (!isObject(fields)) return Result.fail(invalid("ResiliencePolicy.Override", typeOf(fields), "an object"))
  const deadline = over(fields)
  if (deadline !== undefined) return Result.fail(new DeadlineExceeded({ deadline, outcome: "refused" }))
  return Result.mapError(
    overrideForPart(base, fields),
    ({ field, problem }) =>
      invalid(`ResiliencePolicy.Override.${field}`, "an invalid value", `a valid one: it ${problem}`)
  )
}

/** The policy of a call that begins now: with its region's fields, and at most its region's remaining time. */
export const overridden = (
  base: ResiliencePolicy.ResiliencePolicy,
  context: Context.Context<never>,
  now: number
): Result.Result<ResiliencePolicy.ResiliencePolicy, DeadlineExceeded | InvalidInput> => {
  const fields = Context.get(context, ResiliencePolicy.Override)
  const end = Context.get(context, CurrentEnd)
  // Most calls have no override.
  const policy = isObject(fields) && Object.keys(fields).length === 0
    ? Result.succeed(base)
    : overrideFields(base, fields)
  if (end === Number.POSITIVE_INFINITY) return policy
  if (Number.isNaN(end)) {
    return Result.fail(invalid("Deadline.within", "another value", "a duration such as \"5 seconds\""))
  }
  return Result.flatMap(policy, (policy) => {
    const left = Duration.millis(Math.max(0, end - now))
    const deadline = Duration.min(policy.deadline, left)
    const jobDeadline = Duration.min(policy.jobDeadline, left)
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

/** The policy of a service in the current region. */
export const policyOf = <Name extends string>(config: {
  readonly resilience: ResiliencePolicy.ResiliencePolicy
  readonly serviceResilience: { readonly [_ in Name]?: ResiliencePolicy.ResiliencePolicy }
}, service: Name) => {
  const base = config.serviceResilience[service] ?? config.resilience
  return Effect.contextWith((context: Context.Context<never>) =>
    Effect.fromResult(overridden(base, context, Monotonic.nowUnsafe(Context.get(context, Clock.Clock))))
  )
}
