import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import * as Scenario from "@effect-lingua/testing/simulation/Scenario"
import * as Simulation from "@effect-lingua/testing/simulation/Simulation"
import { Effect } from "effect"
for (const scenario of Scenario.all) {
  const out = []
  for (const attempts of [5, 4]) {
    const r = await Effect.runPromise(Simulation.run({ scenario, seed: "1", client: Simulation.client("x", { ...ResiliencePolicy.defaults, attempts }) }))
    out.push(`${attempts}: ${(r.useful / r.best).toFixed(3)} ${r.amplification.toFixed(2)}`)
  }
  console.log(scenario.name, out.join(" | "))
}
