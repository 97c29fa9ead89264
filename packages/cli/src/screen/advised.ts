/** Commands that a user is told to run next. */
import * as Effect from "effect/Effect"
import * as Settings from "../settings/settings.ts"
import { name } from "./screen.ts"

/** A word as a shell takes it. */
const quoted = (word: string): string => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

const flagOf = (flag: string, value: string | undefined): string =>
  // What begins with a dash would be a flag of its own.
  value === undefined ? "" : ` --${flag}${value.startsWith("-") ? "=" : " "}${quoted(value)}`

/** Gives commands with the flags that say which service is meant, as this run has got them. */
export const advised = Effect.gen(function*() {
  const isFake = yield* Settings.Fake
  const allowsHttp = yield* Settings.AllowHttp
  const flags = [
    isFake ? " --fake" : "",
    flagOf("config", yield* Settings.ConfigFile),
    flagOf("base-url", yield* Settings.BaseUrl),
    flagOf("tier", yield* Settings.Tier),
    flagOf("auth-scheme", yield* Settings.AuthScheme),
    allowsHttp ? " --allow-http" : ""
  ].join("")
  return (args: string) => `${name} ${args}${flags}`
})
