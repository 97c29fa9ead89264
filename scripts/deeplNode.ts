// The schedule of deepl-node 1.28.0, for the simulator: five attempts, and waits from a second on that grow by 1.6, without regard to
// `Retry-After`. (`maxRetries: 5` counts the first attempt.)
import * as Simulation from "@effect-lingua/testing/simulation/Simulation"
import { Schedule } from "effect"

export const deeplNode = Simulation.retrying("deepl-node", {
  attemptTimeout: "10 seconds",
  schedule: Schedule.exponential("1 second", 1.6).pipe(Schedule.jittered, Schedule.upTo({ times: 4 }))
})
