/** The time of the fake: that of the Effect clock, moved on by what a test has added to it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Fake } from "./state.ts"

const nanosPerMilli = 1_000_000n

/** Sleeps and measured time are those of the clock it stands on: what is under way is not cut short. */
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
  Effect.updateService(self, Clock.Clock, (clock) => moved(clock, fake))
