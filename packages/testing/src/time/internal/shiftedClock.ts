/** A clock that shows another time than the one below it. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const nanosPerMilli = 1_000_000n

/**
 * A clock ahead of another one by some milliseconds, which may change. Sleeps and measured times are those of the clock below, so that running ones
 * are not cut short.
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
