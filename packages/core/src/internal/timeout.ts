/** Timeouts that an infinite duration switches off, timer and all. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Monotonic from "./monotonic.ts"

/** Fails when an effect takes longer. */
export const effect =
  <E2>(duration: Duration.Duration, onTimeout: () => E2) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Duration.isFinite(duration)
      ? Effect.timeoutOrElse(self, { duration, orElse: () => Effect.fail(onTimeout()) })
      : self

/** Fails when an effect takes longer since its start, or since the last sign of life that it gave. */
export const sinceSign =
  <E2>(duration: Duration.Duration, lastSign: () => number | undefined, onTimeout: () => E2) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> => {
    if (!Duration.isFinite(duration)) return self
    const watch = Effect.gen(function*() {
      const start = yield* Monotonic.now
      for (;;) {
        const left = (lastSign() ?? start) + Duration.toMillis(duration) - (yield* Monotonic.now)
        if (left <= 0) return yield* Effect.fail(onTimeout())
        yield* Effect.sleep(left)
      }
    })
    return Effect.raceFirst(self, watch)
  }

/** Fails when a stream gives nothing for longer. */
export const idle =
  <E2>(duration: Duration.Duration, onTimeout: () => E2) =>
  <A, E, R>(self: Stream.Stream<A, E, R>): Stream.Stream<A, E | E2, R> =>
    Duration.isFinite(duration)
      // `Stream.timeoutOrElse` measures by the time of day.
      ? Stream.transformPull(self, (pull) => Effect.succeed(effect(duration, onTimeout)(pull)))
      : self
