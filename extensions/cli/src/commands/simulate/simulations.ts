/** Scenarios and policies of simulations, loaded only by their command. */
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import * as Scenario from "@effect-lingua/testing/simulation/Scenario"
import * as Simulation from "@effect-lingua/testing/simulation/Simulation"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as SettingSources from "../../client/settingSources.ts"
import { fileText } from "../../files/input.ts"
import { oneLine } from "../../screen/screen.ts"
import { InvalidSetting, misuse } from "../../settings/errors.ts"

export { page } from "./page.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Scenario.Scenario), {
  errors: "all",
  onExcessProperty: "error"
})

/** A scenario by its name, or of a file. */
const scenarioOf = Effect.fnUntraced(function*(given: string) {
  const known = Scenario.all.find(({ name }) => name === given)
  if (known !== undefined) return known
  if (!/[./\\]/.test(given)) {
    const names = Scenario.all.map(({ name }) => name).join(", ")
    return yield* misuse(`there is no scenario ${given}: take one of ${names}, or the path of a JSON file`)
  }
  return yield* Effect.mapError(
    decode(yield* fileText(given)),
    (error) => new InvalidSetting({ message: `${given}: ${oneLine(error.message)}` })
  )
})

const named: ReadonlyMap<string, ResiliencePolicy.ResiliencePolicy> = new Map([
  ["defaults", ResiliencePolicy.defaults],
  ["none", ResiliencePolicy.none]
])

/** A client with a policy by its name, or of a settings file. */
const clientOf = Effect.fnUntraced(function*(given: string) {
  const path = yield* Path.Path
  const policy = named.get(given)
  if (policy !== undefined) return Simulation.client(given, policy)
  const { options } = yield* SettingSources.resolve(yield* SettingSources.sourcesOf(given))
  return Simulation.client(path.basename(given, ".json"), options.resilience)
})

/** Plays a scenario with each of the policies. */
export const simulate = Effect.fnUntraced(function*(
  { policies, scenario: given, seed }: {
    readonly scenario: string
    readonly policies: ReadonlyArray<string>
    readonly seed: string | undefined
  }
) {
  const scenario = yield* scenarioOf(given)
  const clients = yield* Effect.forEach(policies.length === 0 ? ["defaults"] : policies, clientOf)
  return yield* Effect.mapError(
    Effect.forEach(clients, (client) => Simulation.run({ scenario, client, seed })),
    ({ message }) => new InvalidSetting({ message: oneLine(message) })
  )
})
