/** Variables of the environment, with the prefix of a client. */
import * as Config from "effect/Config"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

export const prefixed = (prefix: string | undefined, name: string): string =>
  prefix === undefined ? name : `${prefix}_${name}`

export const requiredString = (prefix: string | undefined, name: string, option: string): Config.Config<string> => {
  const variable = prefixed(prefix, name)
  const message = `${variable} is not set: set it, or pass the option ${option}`
  return Config.schema(Schema.String.annotate({ message }), variable)
}

export const requiredSecret = (...setting: Parameters<typeof requiredString>): Config.Config<Redacted.Redacted> =>
  Config.map(requiredString(...setting), (text) => Redacted.make(text))
