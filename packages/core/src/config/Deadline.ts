/**
 * One deadline for several calls, such as the calls of a request handler. A policy's `deadline` begins anew with each call.
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
 * Gives a region of a program a time that its calls share. The nearest region's deadline counts, and so do the deadlines of policies. End
 * other effects with `Effect.timeout`.
 *
 * **Details**
 *
 * A call that it ends fails with `DeadlineExceeded`, whose `deadline` is what was left when the call began. With zero or less nothing is
 * sent; an invalid duration is an `InvalidInput`. The stream of a started download continues, because the service has deleted the document.
 *
 * @category combinators
 * @since 0.3.0
 */
export const within = setting(CurrentEnd, (end, time: DurationInput, context) => {
  // The calls refuse NaN.
  const millis = Result.match(Rules.duration()(time, ""), { onFailure: () => Number.NaN, onSuccess: Duration.toMillis })
  return Math.min(end, Monotonic.nowUnsafe(Context.get(context, Clock.Clock)) + millis)
})

/**
 * The time left in the region, zero if it has passed; none without a deadline.
 *
 * @category getters
 * @since 0.3.0
 */
export const remaining: Effect.Effect<Option.Option<Duration.Duration>> = Effect.map(
  Effect.all([CurrentEnd, Monotonic.now]),
  ([end, now]) => Number.isFinite(end) ? Option.some(Duration.millis(Math.max(0, end - now))) : Option.none()
)
