/** Policy overrides of `serviceResilience` and `ResiliencePolicy.within`. Settings that all calls of a client share can only be switched off. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import { isObject } from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Struct from "effect/Struct"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { DeadlineExceeded, type InvalidInput } from "../../errors/CallError.ts"
import { invalid, typeOf } from "../../errors/internal/checks.ts"
import * as ResiliencePolicy from "../ResiliencePolicy.ts"
import { duration, type Problem } from "./options.ts"
import { CurrentEnd, CurrentPolicy } from "./region.ts"

const offValues = {
  concurrency: "Infinity",
  openStreams: "Infinity",
  rate: "undefined"
} as const

export const overrideForPart = (
  base: ResiliencePolicy.ResiliencePolicy,
  fields: ResiliencePolicy.Options
): Result.Result<ResiliencePolicy.ResiliencePolicy, Problem> =>
  Result.flatMap(ResiliencePolicy.override(base, fields), (policy) => {
    const field = Struct.keys(offValues).find((field) =>
      !Equal.equals(policy[field], base[field]) && !Equal.equals(policy[field], ResiliencePolicy.none[field])
    )
    return field === undefined ? Result.succeed(policy) : Result.fail({
      field,
      problem: `is shared by all calls of the client: leave it out, or switch it off with ${offValues[field]}`
    })
  })

const areSchedules = (schedules: unknown): schedules is ResiliencePolicy.Schedules =>
  isObject(schedules) &&
  Object.entries(schedules).every(([name, schedule]) =>
    ["throttled", "transient", "polls"].includes(name) && (schedule === undefined || Schedule.isSchedule(schedule))
  )

/** The first deadline of zero or less, if any. */
const expiredDeadline = ({ deadline, jobDeadline }: ResiliencePolicy.Options): Duration.Duration | undefined =>
  [deadline, jobDeadline]
    .map((time) => Result.getOrUndefined(duration()(time, "")))
    .find((time) => time !== undefined && Duration.toMillis(time) <= 0)

const overrideFields = (
  base: ResiliencePolicy.ResiliencePolicy,
  region: ResiliencePolicy.RegionOptions
): Result.Result<ResiliencePolicy.ResiliencePolicy, DeadlineExceeded | InvalidInput> => {
  if (!isObject(region)) return Result.fail(invalid("ResiliencePolicy.within", typeOf(region), "an object"))
  const { schedules = {}, ...fields } = region
  if (!areSchedules(schedules)) {
    return Result.fail(invalid("ResiliencePolicy.within.schedules", "an invalid value", "schedules by name"))
  }
  const deadline = expiredDeadline(fields)
  if (deadline !== undefined) return Result.fail(new DeadlineExceeded({ deadline, outcome: "refused" }))
  return Result.mapError(
    overrideForPart(base, fields),
    ({ field, problem }) =>
      invalid(`ResiliencePolicy.within.${field}`, "an invalid value", `a valid one: it ${problem}`)
  )
}

/** The policy of a call that begins at `now`: with fields of `ResiliencePolicy.within`, limited by `Deadline.within`. */
export const overridden = (
  base: ResiliencePolicy.ResiliencePolicy,
  context: Context.Context<never>,
  now: number
): Result.Result<ResiliencePolicy.ResiliencePolicy, DeadlineExceeded | InvalidInput> => {
  const fields = Context.get(context, CurrentPolicy)
  const end = Context.get(context, CurrentEnd)
  // Fast path: most calls are outside of `ResiliencePolicy.within`.
  const policy = fields === CurrentPolicy.defaultValue() ? Result.succeed(base) : overrideFields(base, fields)
  if (end === Number.POSITIVE_INFINITY) return policy
  if (Number.isNaN(end)) {
    return Result.fail(invalid("Deadline.within", "an invalid value", "a duration such as \"5 seconds\""))
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

export const policyOf = <Name extends string>(config: {
  readonly resilience: ResiliencePolicy.ResiliencePolicy
  readonly serviceResilience: { readonly [_ in Name]?: ResiliencePolicy.ResiliencePolicy }
}, service: Name) => {
  const base = config.serviceResilience[service] ?? config.resilience
  return Effect.contextWith((context: Context.Context<never>) =>
    Effect.fromResult(overridden(base, context, Monotonic.nowUnsafe(Context.get(context, Clock.Clock))))
  )
}
