/**
 * One deadline for several calls, such as those of a request handler. A policy's `deadline` begins anew with each call.
 *
 * **Example** (A handler of two calls)
 *
 * ```ts import.meta.vitest
 * import { Deadline, Detection, Translation } from "@effect-lingua/core"
 * import { FakeLanguageService } from "@effect-lingua/testing"
 * import { Effect } from "effect"
 *
 * const handler = Effect.gen(function*() {
 *   const detected = yield* Detection.use((detection) => detection.detect("Protonenstrahl"))
 *   const { text } = yield* Translation.use(({ translate }) => translate("Hello", { targetLanguage: "de" }))
 *   return [detected._tag, text]
 * }).pipe(Deadline.within("2 seconds"))
 * await handler.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise) // => ["Detected", "[de] Hello"]
 * ```
 *
 * @since 0.3.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Monotonic from "../contract/internal/monotonic.ts"
import * as Rules from "./internal/options.ts"
import { CurrentEnd } from "./internal/region.ts"
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
export const within: {
  (time: DurationInput): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(self: Effect.Effect<A, E, R>, time: DurationInput): Effect.Effect<A, E, R>
} = dual(2, <A, E, R>(self: Effect.Effect<A, E, R>, time: DurationInput): Effect.Effect<A, E, R> => {
  // The calls refuse NaN.
  const millis = Result.match(Rules.duration()(time, ""), { onFailure: () => Number.NaN, onSuccess: Duration.toMillis })
  return Effect.flatMap(
    Monotonic.now,
    (now) => Effect.updateService(self, CurrentEnd, (end) => Math.min(end, now + millis))
  )
})

/**
 * Limits one step of an `ExecutionPlan` to a part (0 to 1) of the time left at its start: `Layer.merge(eu, Deadline.layerShare(0.5))` leaves
 * at least half to later steps. Without a region's deadline it changes nothing.
 *
 * @category layers
 * @since 0.3.0
 */
export const layerShare = (part: number): Layer.Layer<never> =>
  Layer.effect(
    CurrentEnd,
    Effect.map(
      Effect.all([CurrentEnd, Monotonic.now]),
      ([end, now]) => Number.isFinite(end) ? Math.min(end, now + (end - now) * part) : end
    )
  )

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
