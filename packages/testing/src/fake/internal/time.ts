/** The time of the fake: the Effect clock plus the offset that a test has added. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { begin, type Fake } from "./state.ts"

const nanosPerMilli = 1_000_000n

/** Sleeps and measured times are those of the underlying clock, so that running ones are not cut short. */
const moved = (clock: Clock.Clock, fake: Fake): Clock.Clock => {
  const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + fake.store.advanced
  const currentTimeNanosUnsafe = () => clock.currentTimeNanosUnsafe() + BigInt(fake.store.advanced) * nanosPerMilli
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

/** Runs an effect in the time of the fake. */
export const inTimeOf = (fake: Fake) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateService(self, Clock.Clock, (clock) => {
    begin(fake, clock)
    return moved(clock, fake)
  })
