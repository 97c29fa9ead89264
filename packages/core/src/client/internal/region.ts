/** The policy of a call: that of the configuration for its service, with the fields that its region of the program overrides. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { DeadlineExceeded, type InvalidInput } from "../CallError.ts"
import type { LanguageServiceConfig, ServiceName } from "../LanguageServiceConfig.ts"
import * as ResiliencePolicy from "../ResiliencePolicy.ts"
import { invalid } from "./checks.ts"

/** The deadline that is over, if there is one. */
const over = ({ deadline, documentDeadline }: ResiliencePolicy.Options): Duration.Duration | undefined =>
  [deadline, documentDeadline]
    .map((time) => time === undefined ? undefined : Option.getOrUndefined(Duration.fromInput(time)))
    .find((time) => time !== undefined && Duration.toMillis(time) <= 0)

/** Overrides fields of a policy. A deadline that is over ends the call as any other does. */
export const override = (
  base: ResiliencePolicy.ResiliencePolicy,
  fields: ResiliencePolicy.Options
): Effect.Effect<ResiliencePolicy.ResiliencePolicy, DeadlineExceeded | InvalidInput> => {
  // Most calls are in no region.
  if (Object.keys(fields).length === 0) return Effect.succeed(base)
  const deadline = over(fields)
  if (deadline !== undefined) return new DeadlineExceeded({ deadline, outcome: "refused" })
  return Result.match(ResiliencePolicy.override(base, fields), {
    onSuccess: Effect.succeed,
    onFailure: ({ field, problem }) =>
      invalid(`ResiliencePolicy.Override.${field}`, "an invalid value", `a valid one: it ${problem}`)
  })
}

/** The policy of a service in the region of the current fiber. */
export const policyOf = (config: LanguageServiceConfig["Service"], service: ServiceName) => {
  const base = config.serviceResilience[service] ?? config.resilience
  return Effect.flatMap(ResiliencePolicy.Override, (fields) => override(base, fields))
}
