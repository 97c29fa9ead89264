/**
 * One deadline for several calls, such as the calls of a request handler. A policy's `deadline` applies to each call separately.
 *
 * @since 0.3.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Monotonic from "../contract/internal/monotonic.ts"
import * as Rules from "./internal/options.ts"
import { CurrentEnd, setting } from "./internal/region.ts"
import type { DurationInput } from "./ResiliencePolicy.ts"

/**
 * Limits the total time of an effect's calls. Of nested deadlines and policies, the earliest deadline applies. Ends only calls of this library: for
 * other effects, use `Effect.timeout`.
 *
 * **Details**
 *
 * At the deadline a call fails with `DeadlineExceeded`, whose `deadline` is the time that was left when the call began. With a `time` of zero or
 * less, nothing is sent; an invalid duration fails calls with `InvalidInput`. A started download continues, because the service has deleted the
 * document.
 *
 * @category combinators
 * @since 0.3.0
 */
export const within = setting(CurrentEnd, (end, time: DurationInput, context) => {
  // Calls fail with `InvalidInput` for NaN.
  const millis = Result.match(Rules.duration()(time, ""), { onFailure: () => Number.NaN, onSuccess: Duration.toMillis })
  return Math.min(end, Monotonic.nowUnsafe(Context.get(context, Clock.Clock)) + millis)
})

/**
 * The time that {@link within} leaves: zero after the deadline, `Option.none` without a deadline.
 *
 * @category getters
 * @since 0.3.0
 */
export const remaining: Effect.Effect<Option.Option<Duration.Duration>> = Effect.map(
  Effect.all([CurrentEnd, Monotonic.now]),
  ([end, now]) => Number.isFinite(end) ? Option.some(Duration.millis(Math.max(0, end - now))) : Option.none()
)
