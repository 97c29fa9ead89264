/** Variables of the environment, with the prefix of a client. */
import * as Config from "effect/Config"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

export const prefixed = (prefix: string | undefined, name: string): string =>
  prefix === undefined ? name : `${prefix}_${name}`

const required = (name: string, option: string) =>
  Schema.String.annotate({ message: `${name} is not set: set it, or pass the option ${option}` })

export const requiredString = (prefix: string | undefined, name: string, option: string): Config.Config<string> =>
  Config.schema(required(prefixed(prefix, name), option), prefixed(prefix, name))

export const requiredSecret = (
  prefix: string | undefined,
  name: string,
  option: string
): Config.Config<Redacted.Redacted> =>
  Config.schema(Schema.Redacted(required(prefixed(prefix, name), option)), prefixed(prefix, name))
