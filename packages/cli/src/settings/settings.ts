/** The flags of all commands. */
import * as ResiliencePolicy from "@effect-lingua/core/client/ResiliencePolicy"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Flags from "./flags.ts"

const toggle = <const Name extends string>(name: Name, description: string) =>
  GlobalFlag.Setting(name)({ flag: Flags.toggle(name, description) })

const text = <const Name extends string>(name: Name, metavar: string, description: string) =>
  GlobalFlag.Setting(name)({ flag: Flags.text(name, metavar, description) })

/** The variables of settings that have a flag, or that messages name. */
export const variables = {
  key: "LANGUAGE_SERVICE_KEY",
  keyFile: "LANGUAGE_SERVICE_KEY_FILE",
  baseUrl: "LANGUAGE_SERVICE_BASE_URL",
  tier: "LANGUAGE_SERVICE_TIER",
  authScheme: "LANGUAGE_SERVICE_AUTH_SCHEME",
  allowHttp: "LANGUAGE_SERVICE_ALLOW_HTTP",
  cache: "LANGUAGE_SERVICE_CACHE",
  profile: "LANGUAGE_SERVICE_PROFILE",
  config: "LANGUAGE_SERVICE_CONFIG"
} as const

/** Results and errors as JSON. */
export const Json = toggle("json", "One JSON object a line: results on standard output, errors on standard error")

/** Messages about each attempt and wait. */
export const Verbose = toggle("verbose", "Report each attempt and each wait on standard error, as it happens")

/** No messages but errors. */
export const Quiet = toggle("quiet", "Nothing on standard error but errors")

/** Sends requests to the embedded fake. */
export const Fake = toggle("fake", "Use the embedded fake of the service, without a key or network")

/** The settings file. */
export const ConfigFile = text("config", "file", "A JSON file with settings; flags and environment override it")

/** The profile of the settings file. */
export const Profile = text("profile", "name", `A profile of the settings file; or ${variables.profile}`)

/** The base address. */
export const BaseUrl = text(
  "base-url",
  "url",
  `The address of the service without its version; or ${variables.baseUrl}`
)

/** The tier of the key. */
export const Tier = GlobalFlag.Setting("tier")({
  flag: Flags.optional(Flag.Literals("tier", ["free", "paid"]), `The tier of the key; or ${variables.tier}`)
})

/** The word before the key. */
export const AuthScheme = text(
  "auth-scheme",
  "word",
  `The word before the key in the header; or ${variables.authScheme}`
)

/** Permission to send the key in clear text. */
export const AllowHttp = GlobalFlag.Setting("allow-http")({
  flag: Flags.toggle(
    "allow-http",
    `Allow http: to a host that is not this machine; or ${variables.allowHttp}`
  ).pipe(Flag.map((isOn) => isOn || undefined))
})

/** The cache of results. */
export const Cache = GlobalFlag.Setting("cache")({
  flag: Flags.choice(
    "cache",
    `Keep results of texts on this machine, so that none is paid twice, the default; or ${variables.cache}`
  )
})

/** The deadline of a call. */
export const Timeout = GlobalFlag.Setting("timeout")({
  flag: Flags.time(
    "timeout",
    "Time for a call with all its attempts and waits, such as 30s or 2m; 100s by default. " +
      "Transfers of files have times of their own"
  )
})

/** The attempts of a call. */
export const Attempts = GlobalFlag.Setting("attempts")({
  flag: Flags.count(
    "attempts",
    `Attempts of a call that may fail in a row; ${ResiliencePolicy.defaults.attempts} by default`
  )
})

/** All of them, in the order of the help. */
export const all = [
  Json,
  Verbose,
  Quiet,
  Fake,
  ConfigFile,
  Profile,
  BaseUrl,
  Tier,
  AuthScheme,
  AllowHttp,
  Cache,
  Timeout,
  Attempts
] as const
