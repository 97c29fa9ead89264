/**
 * One deadline for several calls: for a request handler, or for a plan of several attempts. The `deadline` of a policy begins anew with
 * each call.
 *
 * **Example** (A handler of two calls)
 *
 * ```ts import.meta.vitest
 * import * as Deadline from "@effect-lingua/core/config/Deadline"
 * import { Detection } from "@effect-lingua/core/texts/Detection"
 * import { Translation } from "@effect-lingua/core/texts/Translation"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
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
import { CurrentEnd } from "./internal/regionDeadline.ts"
import type { DurationInput } from "./ResiliencePolicy.ts"

/**
 * Gives a region of a program a time that all of its calls share, with their attempts, waits, polls and uploads, from the start of the
 * effect on. Of nested regions the nearest deadline counts; the deadlines of policies still apply. Other effects go on: use
 * `Effect.timeout` to end them.
 *
 * **Details**
 *
 * A call that it ends fails with `DeadlineExceeded`, whose `deadline` is what was left when the call began. With a time of zero or
 * less all calls fail so, and nothing is sent; with one that is no duration, with `InvalidInput`. The stream of a started
 * download continues, as the service has deleted the document with it.
 *
 * @param time The time, in any form that `Duration` accepts: `"2 seconds"`, or the milliseconds of a header such as `grpc-timeout`.
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
 * A part of the time that is left, for one step of an `ExecutionPlan`: `Layer.merge(eu, Deadline.layerShare(0.5))` leaves the steps after it half
 * of the time at least. It counts from the start of the step. Without a region that has a deadline it changes nothing.
 *
 * @param part From 0 to 1.
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
 * The time that is left in the region, or none without a deadline; zero if it has passed.
 *
 * @category getters
 * @since 0.3.0
 */
export const remaining: Effect.Effect<Option.Option<Duration.Duration>> = Effect.map(
  Effect.all([CurrentEnd, Monotonic.now]),
  ([end, now]) => Number.isFinite(end) ? Option.some(Duration.millis(Math.max(0, end - now))) : Option.none()
)
