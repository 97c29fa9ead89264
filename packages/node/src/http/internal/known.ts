import { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as Effect from "effect/Effect"

/** Fails for an unknown option name, such as an untyped caller's typo. */
export const known = <A extends object>(
  setting: string,
  given: A | undefined,
  names: Readonly<Record<keyof A, true>>
): Effect.Effect<void, InvalidConfiguration> => {
  const unknown = Object.keys(given ?? {}).find((name) => !Object.hasOwn(names, name))
  return unknown === undefined
    ? Effect.void
    : Effect.fail(new InvalidConfiguration({ setting: `${setting}.${unknown}`, problem: "is not an option" }))
}
