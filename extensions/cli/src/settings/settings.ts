/** Global flags, and all settings: schema, environment variable, flag, secrecy, and whether a project file may set them. */
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import * as Limits from "@effect-lingua/core/contract/Limits"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { isObject, isString } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Flags from "./flags.ts"

/** An environment variable; empty if unset. */
export const variable = (name: string): Effect.Effect<string> =>
  Effect.orElseSucceed(Config.withDefault(Config.String(name), ""), () => "")

const toggle = <const Name extends string>(name: Name, description: string) =>
  GlobalFlag.Setting(name)({ flag: Flags.toggle(name, description) })

const text = <const Name extends string>(name: Name, metavar: string, description: string) =>
  GlobalFlag.Setting(name)({ flag: Flags.text(name, metavar, description) })

export const Json = toggle("json", "One JSON object a line: results on standard output, errors on standard error")

export const Verbose = toggle("verbose", "Report each attempt and each wait on standard error when it happens")

export const Quiet = toggle("quiet", "Nothing on standard error but errors")

export const Fake = toggle("fake", "Use the embedded fake of the service, without a key or network")

export const ConfigFile = text("config", "file", "A JSON file with settings; flags and environment override it")

export const Profile = text("profile", "name", "A profile of the settings file; or LANGUAGE_SERVICE_PROFILE")

interface Setting {
  readonly schema: Schema.Top
  readonly variable?: `LANGUAGE_SERVICE_${string}`
  readonly flag?: { readonly id: string }
  /** Flags of the setting's fields. */
  readonly flags?: Readonly<Record<string, { readonly id: string }>>
  /** The value is never printed. */
  readonly isSecret?: true
  /** Allowed in a project file, which may be untrusted: the setting decides neither where a key is sent, nor what is read or run. */
  readonly isOfProjects?: true
  /** An object with the known fields as keys; other fields count as secret. */
  readonly below?: object
}

/** An object whose fields the library validates. */
const unchecked = <A extends object>() => Schema.declare((value): value is A => isObject(value))

const rate: ResiliencePolicy.RateLimit = { requests: 1, window: Duration.seconds(1) }

/** All settings, keyed by name in the file. */
export const settings = {
  key: { schema: Schema.RedactedFromValue(Schema.NonEmptyString), variable: "LANGUAGE_SERVICE_KEY", isSecret: true },
  keyFile: { schema: Schema.NonEmptyString, variable: "LANGUAGE_SERVICE_KEY_FILE" },
  keyCommand: { schema: Schema.NonEmptyString },
  baseUrl: {
    schema: Schema.NonEmptyString,
    variable: "LANGUAGE_SERVICE_BASE_URL",
    flag: text("base-url", "url", "The address of the service without its version; or LANGUAGE_SERVICE_BASE_URL")
  },
  tier: {
    schema: Schema.Literals(["free", "paid"]),
    variable: "LANGUAGE_SERVICE_TIER",
    flag: GlobalFlag.Setting("tier")({
      flag: Flags.optional(Flag.Literals("tier", ["free", "paid"]), "The tier of the key; or LANGUAGE_SERVICE_TIER")
    }),
    isOfProjects: true
  },
  authScheme: {
    schema: Schema.NonEmptyString,
    variable: "LANGUAGE_SERVICE_AUTH_SCHEME",
    flag: text("auth-scheme", "word", "The word before the key in the header; or LANGUAGE_SERVICE_AUTH_SCHEME")
  },
  userAgent: { schema: Schema.NonEmptyString, variable: "LANGUAGE_SERVICE_USER_AGENT" },
  allowHttp: {
    schema: Schema.Boolean,
    variable: "LANGUAGE_SERVICE_ALLOW_HTTP",
    flag: GlobalFlag.Setting("allow-http")({
      flag: Flag.map(
        Flags.toggle("allow-http", "Allow http: to a host that is not this machine; or LANGUAGE_SERVICE_ALLOW_HTTP"),
        (isOn) => isOn || undefined
      )
    })
  },
  cache: {
    schema: Schema.Boolean,
    variable: "LANGUAGE_SERVICE_CACHE",
    flag: GlobalFlag.Setting("cache")({
      flag: Flags.optional(
        Flag.Boolean("cache"),
        "Keep results of texts on this machine, the default; or LANGUAGE_SERVICE_CACHE"
      )
    }),
    isOfProjects: true
  },
  to: { schema: Schema.NonEmptyString, variable: "LANGUAGE_SERVICE_TO", isOfProjects: true },
  headers: { schema: Schema.Record(Schema.String, Schema.RedactedFromValue(Schema.String)), isSecret: true },
  limits: { schema: unchecked<Partial<Limits.Limits>>(), isOfProjects: true, below: Limits.defaults },
  resilience: {
    schema: unchecked<ResiliencePolicy.Options>(),
    flags: {
      deadline: GlobalFlag.Setting("timeout")({
        flag: Flags.time("timeout", "Time for a call with its attempts and waits, such as 30s; 100s by default")
      }),
      attempts: GlobalFlag.Setting("attempts")({
        flag: Flags.count("attempts", `Attempts of a call; ${ResiliencePolicy.defaults.attempts} by default`)
      })
    },
    isOfProjects: true,
    below: { ...ResiliencePolicy.defaults, rate }
  }
} as const satisfies Record<string, Setting>

const { flags: ofResilience } = settings.resilience

/** Pairs of a setting's path and its flag. */
export const flags = [
  ...Struct.keys(settings).flatMap((name) => {
    const setting = settings[name]
    return "flag" in setting ? [[name, setting.flag] as const] : []
  }),
  ...Struct.keys(ofResilience).map((name) => [`resilience.${name}`, ofResilience[name]] as const)
]

/** Triples of a setting's name, its environment variable, and whether it is boolean. */
export const variables = Struct.keys(settings).flatMap((name) => {
  const setting = settings[name]
  return "variable" in setting ? [[name, setting.variable, setting.schema === Schema.Boolean] as const] : []
})

/** All flags, in the order of the help. */
export const all = [Json, Verbose, Quiet, Fake, ConfigFile, Profile, ...flags.map(([, flag]) => flag)]

interface SchemaOf extends Struct.Lambda {
  <S extends Schema.Top>(setting: { readonly schema: S }): Schema.optionalKey<S>
  readonly "~lambda.out": this["~lambda.in"] extends { readonly schema: infer S extends Schema.Top }
    ? Schema.optionalKey<S>
    : never
}

export const File = Schema.Struct(
  Struct.map(settings, Struct.lambda<SchemaOf>(({ schema }) => Schema.optionalKey(schema)))
)

/** Alternative settings that provide the key. */
export const keyNames: ReadonlyArray<string> = ["key", "keyFile", "keyCommand"]

export const settingOf = (name: string): Setting | undefined =>
  Object.entries<Setting>(settings).find(([known]) => known === name)?.[1]

/** Masks the parts of an address that can contain a secret, even if the address is invalid. */
const withoutCredentials = (address: string): string =>
  address.replace(/^[^]*@/, "(secret)@").replace(/[?#][^]*/, (rest) => `${rest.charAt(0)}(secret)`)

const below = (value: object, path: ReadonlyArray<string>): object =>
  Object.fromEntries(Object.entries(value).map(([key, below]) => [key, withoutSecrets(below, [...path, key])]))

/** Masks secrets in a value. Unknown names count as secret. */
export const withoutSecrets = (value: unknown, path: ReadonlyArray<string> = []): unknown => {
  const [name = ""] = path
  const setting = settingOf(name)
  if (name === "baseUrl") return isString(value) ? withoutCredentials(value) : "(secret)"
  const isKnown = path.length < 2 || setting?.below === undefined || Object.hasOwn(setting.below, path[1] ?? "")
  if (isObject(value) && path.length === 1 && setting?.below !== undefined) return below(value, path)
  if (isKnown && setting !== undefined && setting.isSecret !== true) return value
  return isObject(value) && !Array.isArray(value) ? below(value, path) : "(secret)"
}
