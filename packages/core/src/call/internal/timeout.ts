/** Timeouts. An infinite duration has no timer. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { constVoid } from "effect/Function"
import * as Stream from "effect/Stream"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { Cell } from "../../contract/internal/values.ts"

/** A deadline in milliseconds of `Monotonic`, and the failure after it. */
export interface Limit<E> {
  readonly until: number
  readonly late: () => E
}

/**
 * An expired limit is checked again after this many rounds of the event loop: in a process that was stopped or busy, late timers run before
 * sockets are read. Reading takes one round, delivery one more; the others are a margin.
 */
const graceRounds = 4

const liveClock = Context.get(Context.empty(), Clock.Clock)

/** The longest timer of the platform in milliseconds. A longer one ends at once. */
const longestTimer = 2 ** 31 - 1

/** Calls a function after some milliseconds, at once if they are negative. The returned function cancels the call. */
const after = (context: Context.Context<never>, millis: number, run: () => void): () => void => {
  if (!Number.isFinite(millis)) return constVoid
  // Most effects end before the timer: a timer of the platform needs no fiber.
  if (Context.get(context, Clock.Clock) === liveClock && millis <= longestTimer) {
    // @effect-diagnostics-next-line globalTimers:off
    const timer = setTimeout(run, Math.max(0, millis))
    return () => clearTimeout(timer)
  }
  const fiber = Effect.runForkWith(context)(Effect.andThen(Effect.sleep(millis), Effect.sync(run)))
  return () => fiber.interruptUnsafe()
}

interface Watch<R, E2, E3> {
  readonly limit: () => Limit<E2>
  /** Each limit is at least this many milliseconds ahead when it is set. */
  readonly step: number
  /** The context of the timer, and the context of the effect. */
  readonly context: Context.Context<never>
  readonly within: Context.Context<R>
  /** The lifetime of a client, and the failure at its release. */
  readonly lifetime?: { readonly isReleased: boolean; readonly listeners: Set<Cell<() => void>> }
  readonly released?: () => E3
}

/**
 * Fails when an effect passes its limit, or at the release of a client. Each sign of life moves the limit: one timer serves all parts of the effect.
 */
export const watched = <A, E, R, E2, E3 = never>(
  self: Effect.Effect<A, E, R>,
  { context, lifetime, limit, released, step, within }: Watch<R, E2, E3>
): Effect.Effect<A, E | E2 | E3> =>
  Effect.callback<A, E | E2 | E3>((resume) => {
    const fiber = Effect.runForkWith(within)(self)
    const done = fiber.pollUnsafe()
    if (done !== undefined) return resume(done)
    const end = (error: E2 | E3): void => {
      stop()
      resume(Effect.andThen(Fiber.interrupt(fiber), Effect.fail(error)))
    }
    const watch = (rounds: number): Effect.Effect<void> =>
      Effect.flatMap(Monotonic.now, (now) => {
        const { late, until } = limit()
        if (until > now) return Effect.andThen(Effect.sleep(Math.min(until - now, step)), watch(graceRounds))
        return rounds === 0 ? Effect.sync(() => end(late())) : Effect.andThen(Effect.yieldNow, watch(rounds - 1))
      })
    let watching: Fiber.Fiber<void> | undefined
    const stopTimer = after(context, step, () => {
      watching = Effect.runForkWith(context)(watch(graceRounds))
    })
    const listener = new Cell(() => released && end(released()))
    const stop = () => {
      stopTimer()
      watching?.interruptUnsafe()
      lifetime?.listeners.delete(listener)
      listener.content = undefined
    }
    lifetime?.listeners.add(listener)
    if (lifetime?.isReleased === true) listener.content?.()
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

/** The period of a byte rate, long enough that one stall does not end a fast stream. */
const window = Duration.toMillis(Duration.minutes(1))

/**
 * Fails when a stream delivers fewer bytes per second than `least`, averaged over each minute of waiting for the stream. The reader's time does not
 * count, and a complete body does not fail.
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
          const timed = Effect.flatMap(Monotonic.now, (start) =>
            Effect.flatMap(pull, (chunks) =>
              Effect.map(Monotonic.now, (now) => {
                // At most half of the window: a longer wait was a stopped process.
                waited += Math.min(now - start, window / 2)
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
      // `Stream.timeoutOrElse` measures the time of day.
      ? Stream.transformPull(self, (pull) => Effect.succeed(effect(duration, onTimeout)(pull)))
      : self
