/** Time limits for effects and streams. An infinite duration has no timer. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { constVoid } from "effect/Function"
import * as Stream from "effect/Stream"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { Cell } from "../../limits/internal/limiter.ts"

/** A time limit in milliseconds of `Monotonic`, and the error if the limit expires. */
export interface Limit<E> {
  readonly until: number
  readonly late: () => E
}

/**
 * Number of event loop rounds before an expired limit ends the effect: a resumed or busy process runs late timers before it reads sockets. Reading
 * and delivery take a round each; two are a margin.
 */
const graceRounds = 4

const liveClock = Context.get(Context.empty(), Clock.Clock)

const longestTimerMillis = 2 ** 31 - 1

/** Runs a function after `millis`. The returned function cancels the timer. */
const after = (context: Context.Context<never>, millis: number, run: () => void): () => void => {
  if (!Number.isFinite(millis)) return constVoid
  // A platform timer needs no fiber.
  if (Context.get(context, Clock.Clock) === liveClock && millis <= longestTimerMillis) {
    // @effect-diagnostics-next-line globalTimers:off
    const timer = setTimeout(run, Math.max(0, millis))
    return () => clearTimeout(timer)
  }
  const fiber = Effect.runForkWith(context)(Effect.andThen(Effect.sleep(millis), Effect.sync(run)))
  return () => fiber.interruptUnsafe()
}

interface Watch<R, E2, E3> {
  readonly limit: () => Limit<E2>
  /** Maximum milliseconds until `limit` is read again; a new limit is at least this far ahead. */
  readonly step: number
  readonly context: Context.Context<never>
  readonly within: Context.Context<R>
  /** Ends the effect with the error of `released` when the client is released. */
  readonly lifetime?: { readonly isReleased: boolean; readonly listeners: Set<Cell<() => void>> }
  readonly released?: () => E3
}

/** Runs an effect; fails when the limit expires or the client is released. One timer suffices even if the limit moves. */
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

/** Fails if an effect takes longer than `duration`. */
export const effect =
  <E2>(duration: Duration.Duration, onTimeout: () => E2) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    Duration.isFinite(duration)
      ? Effect.contextWith((context: Context.Context<R>) => {
        const step = Duration.toMillis(duration)
        const until = Monotonic.nowUnsafe(Context.get(context, Clock.Clock)) + step
        return watched(self, { limit: () => ({ until, late: onTimeout }), step, context, within: context })
      })
      : self

/** Milliseconds over which a rate is averaged, so that one stall does not end a fast stream. */
const window = Duration.toMillis(Duration.minutes(1))

/**
 * Fails if a stream delivers fewer bytes per second than the minimum, averaged over each minute of waiting. The consumer's time does not count. A
 * complete body never fails.
 */
export const rate =
  <E2>(minBytesPerSecond: number, isWhole: () => boolean, onSlow: () => E2) =>
  <E, R>(self: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | E2, R> =>
    minBytesPerSecond === 0
      ? self
      : Stream.transformPull(self, (pull) =>
        Effect.sync(() => {
          let waited = 0
          let bytes = 0
          return Effect.gen(function*() {
            if (waited >= window) {
              const isSlow = bytes * 1000 < minBytesPerSecond * waited && !isWhole()
              waited = 0
              bytes = 0
              if (isSlow) return yield* Effect.fail(onSlow())
            }
            const start = yield* Monotonic.now
            const chunks = yield* pull
            // A wait of more than half of the window means that the process was suspended.
            waited += Math.min((yield* Monotonic.now) - start, window / 2)
            for (const chunk of chunks) bytes += chunk.length
            return chunks
          })
        }))

/** Fails if a stream delivers no element for `duration`. */
export const idle =
  <E2>(duration: Duration.Duration, onTimeout: () => E2) =>
  <A, E, R>(self: Stream.Stream<A, E, R>): Stream.Stream<A, E | E2, R> =>
    Duration.isFinite(duration)
      // `Stream.timeoutOrElse` uses the system clock.
      ? Stream.transformPull(self, (pull) => Effect.succeed(effect(duration, onTimeout)(pull)))
      : self
