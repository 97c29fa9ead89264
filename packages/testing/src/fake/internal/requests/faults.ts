/** Selects a call's fault: from the scripts, otherwise at random from the weather. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Fault, InvalidFault, type OperationName } from "../../../faults/Fault.ts"
import { mismatch } from "../../../faults/internal/kinds.ts"
import * as Rates from "../../../faults/internal/rates.ts"
import { describe, everyIssue } from "../../../faults/internal/schema.ts"
import * as Playing from "../../../faults/internal/scripts.ts"
import { Script, Scripts } from "../../../faults/Script.ts"
import { Weathers } from "../../../faults/Weather.ts"
import type { Fake } from "../state.ts"

const checker = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownEffect(Schema.toType(schema), everyIssue)
  return (given: A): Effect.Effect<A, InvalidFault> =>
    Effect.mapError(decode(given), (error) => new InvalidFault({ reason: describe(error) }))
}

const checkScript = checker(Script)
const checkScripts = checker(Scripts)

export const checkWeather = checker(Weathers)

const isList = (given: Script | ReadonlyArray<Script>): given is ReadonlyArray<Script> => Array.isArray(given)

/** Checks scripts and returns a list. Error paths of a single script have no index. */
export const scriptsOf = (
  given: Script | ReadonlyArray<Script>
): Effect.Effect<ReadonlyArray<Script>, InvalidFault> =>
  isList(given) ? checkScripts(given) : Effect.map(checkScript(given), Arr.of)

const fromWeather = (fake: Fake, operation: OperationName): Fault | undefined => {
  const { chances, weather } = fake.store
  for (const { afterEffect, operations, rates } of weather) {
    if (operations !== undefined && !operations.includes(operation)) continue
    let chance = chances.chance()
    const variant = chances.chance()
    const hit = rates.find(({ rate }) => (chance -= rate) < 0)?.fault
    if (hit !== undefined && mismatch(hit, operation) === undefined) return Rates.vary(hit, variant, afterEffect)
  }
  return undefined
}

export const next = (fake: Fake, operation: OperationName): Fault | undefined =>
  Playing.take(fake.store.scripts, operation) ?? fromWeather(fake, operation)
