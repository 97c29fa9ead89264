/** Keeps the gauges of a client up to date while they change without calls: an open circuit, and budgets that fill up. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Monotonic from "../../client/internal/monotonic.ts"
import type * as Breaker from "./breaker.ts"
import type * as Budget from "./budget.ts"

const interval = Duration.seconds(1)

/** The parts that are shown. */
interface Parts {
  readonly breaker: Effect.Success<ReturnType<typeof Breaker.make>> | undefined
  readonly budgets: ReturnType<typeof Budget.makeAll> | undefined
}

/** Makes an effect that is run after each failure. A fiber of the client then shows the state until nothing changes by itself anymore. */
export const make = Effect.fnUntraced(function*({ breaker, budgets }: Parts) {
  const changes = yield* Latch.make()
  const isChanging = (now: number): boolean => {
    const isOpen = breaker?.standing(now).state === "Open"
    const isFilling = budgets?.all(now).some(({ capacity, tokens }) => tokens < capacity) === true
    return isOpen || (isFilling && budgets?.perSecond !== 0)
  }
  // By itself, as `Effect.repeat` brings schedules into a bundle.
  const showing: Effect.Effect<void> = Effect.flatMap(
    Effect.andThen(Effect.sleep(interval), Monotonic.now),
    (now) => isChanging(now) ? showing : Effect.void
  )
  // A failure during the last look is followed by another one.
  const round = changes.await.pipe(Effect.andThen(changes.close), Effect.andThen(showing))
  yield* Effect.forkScoped(Effect.forever(round), { startImmediately: true })
  return Effect.asVoid(changes.open)
})
