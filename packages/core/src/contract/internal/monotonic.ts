/** Monotonic time, for deadlines, waits and durations. Only the service's dates and state shared by machines use the system clock. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { memoize } from "effect/Function"

const nanosPerMilli = 1_000_000n

/** Whole milliseconds since an arbitrary moment. */
export const nowUnsafe = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / nanosPerMilli)

export const now: Effect.Effect<number> = Effect.clockWith((clock) => Effect.sync(() => nowUnsafe(clock)))

/** A clock that returns monotonic time instead of the time of day. */
const steadyOf = memoize((clock: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => nowUnsafe(clock),
  currentTimeMillis: Effect.sync(() => nowUnsafe(clock)),
  currentTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  currentTimeNanos: clock.monotonicTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration)
}))

/** Runs an effect that uses the time of day, such as `RateLimiter`, on monotonic time. */
export const measured = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateService(self, Clock.Clock, steadyOf)
