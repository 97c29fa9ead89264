/** Commands that messages recommend. */
import * as Effect from "effect/Effect"
import * as Settings from "../settings/settings.ts"
import { name } from "./screen.ts"

/** A word, quoted for a shell if necessary. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

const flagOf = (flag: string, value: string | undefined): string =>
  // A value that begins with a dash would be a flag.
  value === undefined ? "" : ` --${flag}${value.startsWith("-") ? "=" : " "}${quoted(value)}`

/** Builds commands with those flags of this run that select the service. */
export const advised = Effect.gen(function*() {
  const isFake = yield* Settings.Fake
  const allowsHttp = yield* Settings.AllowHttp
  const flags = [
    isFake ? " --fake" : "",
    flagOf("config", yield* Settings.ConfigFile),
    flagOf("profile", yield* Settings.Profile),
    flagOf("base-url", yield* Settings.BaseUrl),
    flagOf("tier", yield* Settings.Tier),
    flagOf("auth-scheme", yield* Settings.AuthScheme),
    allowsHttp ? " --allow-http" : ""
  ].join("")
  return (args: string) => `${name} ${args}${flags}`
})
