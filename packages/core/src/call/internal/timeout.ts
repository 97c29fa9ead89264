/** Timeouts that an infinite duration switches off, timer and all. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { constVoid } from "effect/Function"
import * as Stream from "effect/Stream"
import * as Monotonic from "../../contract/internal/monotonic.ts"

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

/** The clock of a program without a clock of its own, such as that of a test. */
const liveClock = Context.get(Context.empty(), Clock.Clock)

/** The longest time of a timer of the platform, in milliseconds. A longer one ends at once. */
const longestTimer = 2 ** 31 - 1

/** Sleeps, or waits forever. */
const sleep = (millis: number) => Number.isFinite(millis) ? Effect.sleep(millis) : Effect.never

/** Calls a function after some time, which may have passed in a busy process. The returned function cancels it. */
const after = (context: Context.Context<never>, millis: number, run: () => void): () => void => {
  if (!Number.isFinite(millis)) return constVoid
  // The timer of the platform needs no fiber, and most effects end before it.
  if (Context.get(context, Clock.Clock) === liveClock && millis <= longestTimer) {
    // @effect-diagnostics-next-line globalTimers:off
    const timer = setTimeout(run, Math.max(0, millis))
    return () => clearTimeout(timer)
  }
  const fiber = Effect.runForkWith(context)(Effect.andThen(Effect.sleep(millis), Effect.sync(run)))
  return () => fiber.interruptUnsafe()
}

/** The limit of an effect, and the contexts to run under it. */
interface Watch<R, E2, E3> {
  readonly limit: () => Limit<E2>
  /** The least number of milliseconds by which a limit ever lies ahead when it is set. */
  readonly step: number
  /** The context of the timer. */
  readonly context: Context.Context<never>
  /** The context of the effect. */
  readonly within: Context.Context<R>
  /** The release of a client, and the failure at that time. */
  readonly release?: { readonly onRelease: (listener: () => void) => () => void; readonly failure: () => E3 }
}

/**
 * Fails when an effect passes its limit, which moves when the effect gives a sign of life: one timer instead of one for each part of the effect.
 * Fails also when the client is released.
 */
export const watched = <A, E, R, E2, E3 = never>(
  self: Effect.Effect<A, E, R>,
  { context, limit, release, step, within }: Watch<R, E2, E3>
): Effect.Effect<A, E | E2 | E3> =>
  Effect.callback<A, E | E2 | E3>((resume) => {
    const fiber = Effect.runForkWith(within)(self)
    const done = fiber.pollUnsafe()
    if (done !== undefined) return resume(done)
    const end = (error: E2 | E3): void => {
      stop()
      resume(Effect.andThen(Fiber.interrupt(fiber), Effect.fail(error)))
    }
    const watch = (looks: number): Effect.Effect<void> =>
      Effect.flatMap(Monotonic.now, (now) => {
        const { late, until } = limit()
        if (until > now) return Effect.andThen(sleep(Math.min(until - now, step)), watch(laterLooks))
        return looks === 0 ? Effect.sync(() => end(late())) : Effect.andThen(Effect.yieldNow, watch(looks - 1))
      })
    let watching: Fiber.Fiber<void> | undefined
    const stopTimer = after(context, step, () => {
      watching = Effect.runForkWith(context)(watch(laterLooks))
    })
    let stopListening: (() => void) | undefined
    const stop = () => {
      stopTimer()
      watching?.interruptUnsafe()
      stopListening?.()
    }
    stopListening = release?.onRelease(() => end(release.failure()))
    fiber.addObserver((exit) => {
      stop()
      resume(exit)
    })
    return Effect.suspend(() => {
      stop()
      return Fiber.interrupt(fiber)
    })
  })

/** Fails when an effect takes longer. */
export const effect =
  <E2>(duration: Duration.Duration, onTimeout: () => E2) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    Duration.isFinite(duration)
      ? Effect.contextWith((context: Context.Context<R>) =>
        Effect.flatMap(Monotonic.now, (start) => {
          const step = Duration.toMillis(duration)
          const limit: Limit<E2> = { until: start + step, late: onTimeout }
          return watched(self, { limit: () => limit, step, context, within: context })
        })
      )
      : self

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
