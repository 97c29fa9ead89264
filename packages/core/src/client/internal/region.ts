/** The policy of a call: the configured one of its service, with the overrides of its region of the program. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { DeadlineExceeded, type InvalidInput } from "../CallError.ts"
import type { LanguageServiceConfig, ServiceName } from "../LanguageServiceConfig.ts"
import * as ResiliencePolicy from "../ResiliencePolicy.ts"
import { invalid } from "./checks.ts"
import { overrideForRegion } from "./sharedSettings.ts"

/** The deadline if it has passed, else `undefined`. */
const over = ({ deadline, jobDeadline }: ResiliencePolicy.Options): Duration.Duration | undefined =>
  [deadline, jobDeadline]
    .map((time) => time === undefined ? undefined : Option.getOrUndefined(Duration.fromInput(time)))
    .find((time) => time !== undefined && Duration.toMillis(time) <= 0)

/** Overrides fields of a policy. A passed deadline fails the call with `DeadlineExceeded`. */
export const override = (
  base: ResiliencePolicy.ResiliencePolicy,
  fields: ResiliencePolicy.Options
): Result.Result<ResiliencePolicy.ResiliencePolicy, DeadlineExceeded | InvalidInput> => {
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

/** The policy of a service in the region of the current fiber. */
export const policyOf = (config: LanguageServiceConfig["Service"], service: ServiceName) => {
  const base = config.serviceResilience[service] ?? config.resilience
  return Effect.flatMap(ResiliencePolicy.Override, (fields) => Effect.fromResult(override(base, fields)))
}
