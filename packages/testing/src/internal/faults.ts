/** Which fault, if any, hits a call: what is scripted, then what the weather brings. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Fault, InvalidFault, type OperationName, Script, Scripts } from "../Fault.ts"
import { Weathers } from "../Weather.ts"
import { misfit } from "./fit.ts"
import type { Options } from "./model.ts"
import * as Rates from "./rates.ts"
import { describe } from "./schema.ts"
import * as Playing from "./scripts.ts"
import type { FakeState } from "./state.ts"

type Fake = FakeState["Service"]

const checker = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownEffect(Schema.toType(schema), { errors: "all" })
  return (given: A): Effect.Effect<A, InvalidFault> =>
    Effect.mapError(decode(given), (error) => new InvalidFault({ reason: describe(error) }))
}

const checkScript = checker(Script)
const checkScripts = checker(Scripts)
const checkWeather = checker(Weathers)

const isList = (given: Script | ReadonlyArray<Script>): given is ReadonlyArray<Script> => Array.isArray(given)

export const addScripts = (
  fake: Fake,
  given: Script | ReadonlyArray<Script>
): Effect.Effect<void, InvalidFault> =>
  Effect.map(
    isList(given) ? checkScripts(given) : Effect.map(checkScript(given), Arr.of),
    (scripts) => {
      fake.store.scripts.push(...scripts.map(Playing.begin))
    }
  )

const fromWeather = (fake: Fake, operation: OperationName): Fault | undefined => {
  const { chances, weather } = fake.store
  for (const { afterEffect, operations, rates } of weather) {
    if (operations !== undefined && !operations.includes(operation)) continue
    let chance = chances.chance()
    const variant = chances.chance()
    const hit = rates.find(({ rate }) => (chance -= rate) < 0)?.fault
    if (hit !== undefined && misfit(hit, operation) === undefined) return Rates.vary(hit, variant, afterEffect)
  }
  return undefined
}

/** Scripts go before the weather. */
export const next = (fake: Fake, operation: OperationName): Fault | undefined =>
  Playing.take(fake.store.scripts, operation) ?? fromWeather(fake, operation)

/** Fails for options with scripts or a weather that cannot be. */
export const check = ({ scripts = [], weather = {} }: Options): Effect.Effect<void, InvalidFault> =>
  Effect.andThen(checkScripts(scripts), checkWeather(weather))

/** Changes the weather. */
export const setWeather = (fake: Fake, given: Weathers): Effect.Effect<void, InvalidFault> =>
  Effect.map(checkWeather(given), (weather) => {
    fake.store.weather = Rates.compile(weather)
  })
