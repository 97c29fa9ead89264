/** Commands that messages recommend. */
import * as Effect from "effect/Effect"
import * as Settings from "../settings/settings.ts"
import { name } from "./screen.ts"

/** Quotes a word for a shell if necessary. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

const { allowHttp, authScheme, baseUrl, tier } = Settings.settings

const serviceFlags = [
  Settings.Fake,
  Settings.ConfigFile,
  Settings.Profile,
  baseUrl.flag,
  tier.flag,
  authScheme.flag,
  allowHttp.flag
]

const flagOf = (flag: string, value: string | boolean | undefined): string =>
  value === undefined || value === false
    ? ""
    : value === true
    ? ` --${flag}`
    // A value that begins with a dash would be parsed as a flag.
    : ` --${flag}${value.startsWith("-") ? "=" : " "}${quoted(value)}`

/** Builds commands with this run's flags that select the service. */
export const advised = Effect.gen(function*() {
  let flags = ""
  for (const flag of serviceFlags) flags += flagOf(flag.id, yield* flag)
  return (args: string) => `${name} ${args}${flags}`
})
