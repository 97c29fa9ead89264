/** Timeouts that an infinite duration switches off, timer and all. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Stream from "effect/Stream"
import * as Monotonic from "../../client/internal/monotonic.ts"

/** A limit as a time of `Monotonic`, and the failure at that time. */
export interface Limit<E> {
  readonly until: number
  readonly late: () => E
}

/**
 * Number of rounds of the event loop after which an expired limit is checked again. In a process that was stopped or busy, late
 * timers run before the sockets are read. Reading takes one round, and the platform may deliver the data in the next one; the
 * others are a margin.
 */
const laterLooks = 4

/**
 * Fails when an effect passes its limit, which may move while it runs, as it does when the effect gives a sign of life: one
 * timer instead of one for each part of the effect. `step` is the least number of milliseconds by which a limit ever lies
 * ahead when it is set. `bound` wraps the watching effect, even for an infinite time.
 */
export const watched = <E2>(
  step: number,
  limit: () => Limit<E2>,
  bound: (watch: Effect.Effect<never, E2>) => Effect.Effect<never, E2>
) =>
<A, E, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, E | E2, R> => {
  if (step === Number.POSITIVE_INFINITY) return Effect.raceFirst(self, bound(Effect.never))
  const watch = (looks: number): Effect.Effect<never, E2> =>
    Effect.flatMap(Monotonic.now, (now) => {
      const { late, until } = limit()
      if (until > now) return Effect.andThen(Effect.sleep(Math.min(until - now, step)), watch(laterLooks))
      return looks === 0 ? Effect.fail(late()) : Effect.andThen(Effect.yieldNow, watch(looks - 1))
    })
  return Effect.raceFirst(self, bound(watch(laterLooks)))
}

/** Fails when an effect takes longer. `bound` wraps the watching effect, even for an infinite time. */
export const effect = <E2>(
  duration: Duration.Duration,
  onTimeout: () => E2,
  bound?: (watch: Effect.Effect<never, E2>) => Effect.Effect<never, E2>
) =>
<A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> => {
  if (!Duration.isFinite(duration)) return bound === undefined ? self : Effect.raceFirst(self, bound(Effect.never))
  return Effect.flatMap(Monotonic.now, (start) => {
    const millis = Duration.toMillis(duration)
    const limit: Limit<E2> = { until: start + millis, late: onTimeout }
    return watched(millis, () => limit, bound ?? identity)(self)
  })
}

/** The time over which a rate is measured, so that one stall does not end a fast stream. */
const window = Duration.toMillis(Duration.minutes(1))

/**
 * Fails when a stream delivers fewer bytes a second than `least`, on average over each minute of waiting for it: the time of
 * its reader does not count. A whole body does not fail.
 */
export const rate =
  <E2>(least: number, isWhole: () => boolean, onSlow: () => E2) =>
  <E, R>(self: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | E2, R> =>
    least === 0
      ? self
      : Stream.transformPull(self, (pull) =>
        Effect.sync(() => {
          let waited = 0
          let bytes = 0
          const timed = Effect.flatMap(Monotonic.now, (begun) =>
            Effect.flatMap(pull, (chunks) =>
              Effect.map(Monotonic.now, (now) => {
                // One wait counts for half of the window at most: a longer one was the pause of a process.
                waited += Math.min(now - begun, window / 2)
                for (const chunk of chunks) bytes += chunk.length
                return chunks
              })))
          type Chunks = Effect.Success<typeof timed>
          return Effect.suspend((): Effect.Effect<Chunks, E2 | Effect.Error<typeof timed>, R> => {
            if (waited < window) {
              return timed
            }
            const isSlow = bytes * 1000 < least * waited && !isWhole()
            waited = 0
            bytes = 0
            return isSlow ? Effect.fail(onSlow()) : timed
          })
        }))

/** Fails when a stream delivers nothing for longer. */
export const idle =
  <E2>(duration: Duration.Duration, onTimeout: () => E2) =>
  <A, E, R>(self: Stream.Stream<A, E, R>): Stream.Stream<A, E | E2, R> =>
    Duration.isFinite(duration)
      // `Stream.timeoutOrElse` measures by the time of day.
      ? Stream.transformPull(self, (pull) => Effect.succeed(effect(duration, onTimeout)(pull)))
      : self
