// The standard mode of the SDKs of AWS, for the simulator: three attempts with full jitter, and a bucket of tokens that retries share.
import * as Simulation from "@effect-lingua/testing/simulation/Simulation"
import { Effect, Schedule } from "effect"

const capacity = 500
const cost = 5

export const awsStandard: Simulation.Client = {
  name: "AWS standard",
  make: Effect.suspend(() => {
    let tokens = capacity
    const spend = () => {
      if (tokens < cost) return false
      tokens -= cost
      return true
    }
    const { make } = Simulation.retrying("AWS standard", {
      attemptTimeout: "30 seconds",
      schedule: Schedule.exponential("100 millis").pipe(
        Schedule.jittered,
        Schedule.upTo({ times: 2 }),
        Schedule.while(() => Effect.sync(spend))
      )
    })
    const earn = Effect.sync(() => {
      tokens = Math.min(capacity, tokens + 1)
    })
    return Effect.map(make, ({ call }) => ({ call: Effect.tap(call, earn) }))
  })
}
