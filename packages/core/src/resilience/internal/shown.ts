/** Keeps the gauges of a client up to date while they change without calls: an open circuit, and budgets that fill up. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Monotonic from "../../client/internal/monotonic.ts"
import type * as Breaker from "./breaker.ts"
import type * as Budget from "./budget.ts"

const interval = Duration.seconds(1)

/** The parts that are shown. */
interface Parts {
  readonly breaker: Effect.Success<ReturnType<typeof Breaker.make>> | undefined
  readonly budgets: ReturnType<typeof Budget.makeAll> | undefined
}

/** Makes an effect that is run after each failure. One fiber shows the state until nothing changes by itself anymore. */
export const make = Effect.fnUntraced(function*({ breaker, budgets }: Parts) {
  const scope = yield* Effect.scope
  let isRunning = false
  const isChanging = (now: number): boolean => {
    const isOpen = breaker?.standing(now).state === "Open"
    const isFilling = budgets?.all(now).some(({ capacity, tokens }) => tokens < capacity) === true
    return isOpen || (isFilling && budgets?.perSecond !== 0)
  }
  const showing = Effect.sleep(interval).pipe(
    Effect.flatMap(() => Effect.map(Monotonic.now, isChanging)),
    Effect.repeat({ while: (goesOn) => goesOn }),
    Effect.ensuring(Effect.sync(() => {
      isRunning = false
    }))
  )
  return Effect.suspend(() => {
    if (isRunning) return Effect.void
    isRunning = true
    return Effect.forkIn(showing, scope)
  })
})
