import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const nanosPerMilli = 1_000_000n

/**
 * A clock that is `ahead` milliseconds ahead of `clock`. Sleeps and monotonic time are from `clock`, so that running sleeps
 * are not shortened.
 */
export const make = (clock: Clock.Clock, ahead: () => number): Clock.Clock => {
  const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + ahead()
  const currentTimeNanosUnsafe = () => clock.currentTimeNanosUnsafe() + BigInt(Math.ceil(ahead())) * nanosPerMilli
  return {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanosUnsafe,
    currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}
