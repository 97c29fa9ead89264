/** All settings: the schema, the variable and the flags of each, whether it is secret, and whether a project can have it. */
import * as Limits from "@effect-lingua/core/client/Limits"
import * as ResiliencePolicy from "@effect-lingua/core/client/ResiliencePolicy"
import * as Duration from "effect/Duration"
import { isObject, isString } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Settings from "./settings.ts"

interface Setting {
  readonly schema: Schema.Top
  /** Its variable of the environment. */
  readonly variable?: string
  /** Its value and all values below it are never printed. */
  readonly isSecret?: true
  /** A project may come from others, so it does not say where a key is sent, which file is read, or what is run. */
  readonly isOfProjects?: true
  /** The names below it. */
  readonly below?: object
}

/** An option of the library, which checks its fields itself, as for untyped callers. */
const unchecked = <A extends object>() => Schema.declare((value): value is A => isObject(value))

const rate: ResiliencePolicy.RateLimit = { requests: 1, window: Duration.seconds(1) }

/** All settings, by their names in the file. */
export const settings = {
  key: { schema: Schema.RedactedFromValue(Schema.NonEmptyString), variable: Settings.variables.key, isSecret: true },
  keyFile: { schema: Schema.NonEmptyString, variable: Settings.variables.keyFile },
  keyCommand: { schema: Schema.NonEmptyString },
  baseUrl: { schema: Schema.NonEmptyString, variable: Settings.variables.baseUrl },
  tier: { schema: Schema.Literals(["free", "paid"]), variable: Settings.variables.tier, isOfProjects: true },
  authScheme: { schema: Schema.NonEmptyString, variable: Settings.variables.authScheme },
  userAgent: { schema: Schema.NonEmptyString, variable: "LANGUAGE_SERVICE_USER_AGENT" },
  allowHttp: { schema: Schema.Boolean, variable: Settings.variables.allowHttp },
  cache: { schema: Schema.Boolean, variable: Settings.variables.cache, isOfProjects: true },
  to: { schema: Schema.NonEmptyString, variable: "LANGUAGE_SERVICE_TO", isOfProjects: true },
  headers: {
    schema: Schema.Record(Schema.String, Schema.RedactedFromValue(Schema.String)),
    isSecret: true
  },
  limits: { schema: unchecked<Partial<Limits.Limits>>(), isOfProjects: true, below: Limits.defaults },
  resilience: {
    schema: unchecked<ResiliencePolicy.Options>(),
    isOfProjects: true,
    below: { ...ResiliencePolicy.defaults, rate }
  }
} as const satisfies Record<string, Setting>

/** The flags of settings, by the paths of those. */
export const flags = [
  ["baseUrl", Settings.BaseUrl],
  ["tier", Settings.Tier],
  ["authScheme", Settings.AuthScheme],
  ["allowHttp", Settings.AllowHttp],
  ["cache", Settings.Cache],
  ["resilience.deadline", Settings.Timeout],
  ["resilience.attempts", Settings.Attempts]
] as const

interface SchemaOf extends Struct.Lambda {
  <S extends Schema.Top>(setting: { readonly schema: S }): Schema.optionalKey<S>
  readonly "~lambda.out": this["~lambda.in"] extends { readonly schema: infer S extends Schema.Top }
    ? Schema.optionalKey<S>
    : never
}

/** A set of settings. */
export const File = Schema.Struct(
  Struct.map(settings, Struct.lambda<SchemaOf>(({ schema }) => Schema.optionalKey(schema)))
)

/** The settings of which each says where the key comes from: they are one setting. */
export const keyNames: ReadonlyArray<string> = ["key", "keyFile", "keyCommand"]

/** A setting of the list. */
export const settingOf = (name: string): Setting | undefined =>
  Object.entries<Setting>(settings).find(([known]) => known === name)?.[1]

/** The names of all settings, those below others after a dot. */
export const names: ReadonlyArray<string> = Object.entries<Setting>(settings).flatMap(([name, { below }]) =>
  below === undefined ? [name] : Object.keys(below).map((part) => `${name}.${part}`)
)

/** An address without a user and a query, in which a secret can be, also one that is not valid. */
const withoutCredentials = (address: string): string =>
  address.replace(/^[^?#]*@/, "(secret)@").replace(/\?[^]*/, "?(secret)")

const below = (value: object, path: ReadonlyArray<string>): object =>
  Object.fromEntries(Object.entries(value).map(([key, below]) => [key, withoutSecrets(below, [...path, key])]))

/** A value without its secrets. Where a name is not known, its value counts as secret. */
export const withoutSecrets = (value: unknown, path: ReadonlyArray<string> = []): unknown => {
  const [name = ""] = path
  if (name === "profiles" && path.length > 2) return withoutSecrets(value, path.slice(2))
  const setting = settingOf(name)
  if (name === "baseUrl" && isString(value)) return withoutCredentials(value)
  const isKnown = path.length < 2 || setting?.below === undefined || Object.hasOwn(setting.below, path[1] ?? "")
  if (isObject(value) && path.length === 1 && setting?.below !== undefined) return below(value, path)
  if (name === "profile" || (isKnown && setting !== undefined && setting.isSecret !== true)) return value
  return isObject(value) && !Array.isArray(value) ? below(value, path) : "(secret)"
}
