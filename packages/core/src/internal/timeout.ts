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

/** The same for an effect that may end for another reason: `bound` is put around what waits for the time. */
export const within = <E2>(
  duration: Duration.Duration,
  onTimeout: () => E2,
  bound: (wait: Effect.Effect<never, E2>) => Effect.Effect<never, E2>
) =>
<A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
  Effect.raceFirst(
    self,
    bound(
      Duration.isFinite(duration)
        ? Effect.andThen(Effect.sleep(duration), Effect.failSync(onTimeout))
        : Effect.never
    )
  )

/** Until when something may go on, as a time of `Monotonic`, and what it fails with then. */
export interface Limit<E> {
  readonly until: number
  readonly late: () => E
}

/**
 * Fails when an effect passes its limit, which may move while it runs, as it does when the effect gives a sign of life: one
 * timer instead of one for each part of the effect. `step` is the least number of milliseconds by which a limit ever lies
 * ahead when it is set. `bound` is put around what watches.
 */
export const watched = <E2>(
  step: number,
  limit: () => Limit<E2>,
  bound: (watch: Effect.Effect<never, E2>) => Effect.Effect<never, E2>
) =>
<A, E, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, E | E2, R> => {
  if (step === Number.POSITIVE_INFINITY) return self
  const watch: Effect.Effect<never, E2> = Effect.flatMap(Monotonic.now, (now) => {
    const { late, until } = limit()
    return until <= now ? Effect.fail(late()) : Effect.andThen(Effect.sleep(Math.min(until - now, step)), watch)
  })
  return Effect.raceFirst(self, bound(watch))
}

/** Fails when a stream gives nothing for longer. */
export const idle =
  <E2>(duration: Duration.Duration, onTimeout: () => E2) =>
  <A, E, R>(self: Stream.Stream<A, E, R>): Stream.Stream<A, E | E2, R> =>
    Duration.isFinite(duration)
      // `Stream.timeoutOrElse` measures by the time of day.
      ? Stream.transformPull(self, (pull) => Effect.succeed(effect(duration, onTimeout)(pull)))
      : self
