/** Variables of the environment. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"

/** The value of a variable, empty if it is not set. */
export const variable = (name: string): Effect.Effect<string> =>
  Effect.orElseSucceed(Config.withDefault(Config.String(name), ""), () => "")
