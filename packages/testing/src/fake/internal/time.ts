/** The fake's time: the Effect clock plus the offset from `FakeLanguageService.advance`. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ShiftedClock from "../../time/internal/shiftedClock.ts"
import { begin, type Fake } from "./state.ts"

export const inTimeOf = (fake: Fake) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateService(self, Clock.Clock, (clock) => {
    begin(fake, clock)
    return ShiftedClock.make(clock, () => fake.store.advanced)
  })
