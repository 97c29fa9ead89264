/** The flags that every command has. */
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { count, optional, text, time, toggle } from "./flags.ts"

/** Whether results and errors are JSON. */
export const Json = GlobalFlag.Setting("json")({
  flag: toggle("json", "One JSON object a line: results on standard output, errors on standard error")
})

/** Whether each attempt and wait is told. */
export const Verbose = GlobalFlag.Setting("verbose")({
  flag: toggle("verbose", "Tell each attempt and each wait on standard error, as it happens")
})

/** Whether nothing but errors is told. */
export const Quiet = GlobalFlag.Setting("quiet")({
  flag: toggle("quiet", "Nothing on standard error but errors")
})

/** Whether the embedded fake answers. */
export const Fake = GlobalFlag.Setting("fake")({
  flag: toggle("fake", "Try it without key and network: the embedded fake of the service answers")
})

/** The file of settings. */
export const ConfigFile = GlobalFlag.Setting("config")({
  flag: text("config", "file", "A JSON file with settings; flags and environment count more")
})

/** The base address. */
export const BaseUrl = GlobalFlag.Setting("base-url")({
  flag: text("base-url", "url", "The address of the service without its version; or LANGUAGE_SERVICE_BASE_URL")
})

/** The tier of the key. */
export const Tier = GlobalFlag.Setting("tier")({
  flag: optional(Flag.Literals("tier", ["free", "paid"]), "The tier of the key; or LANGUAGE_SERVICE_TIER")
})

/** The word before the key. */
export const AuthScheme = GlobalFlag.Setting("auth-scheme")({
  flag: text("auth-scheme", "word", "The word before the key in the header; or LANGUAGE_SERVICE_AUTH_SCHEME")
})

/** Whether the key may travel in clear text. */
export const AllowHttp = GlobalFlag.Setting("allow-http")({
  flag: toggle("allow-http", "Allow http: to a host that is not this machine; or LANGUAGE_SERVICE_ALLOW_HTTP")
})

/** The deadline of a call. */
export const Timeout = GlobalFlag.Setting("timeout")({
  flag: time(
    "timeout",
    "Time for a call with all its attempts and waits, such as 30s or 2m; 100s by default. " +
      "Files up and down have times of their own"
  )
})

/** The attempts of a call. */
export const Attempts = GlobalFlag.Setting("attempts")({
  flag: count("attempts", "Attempts of a call in a row that may fail; 5 by default")
})

/** All of them, in the order of the help. */
export const all = [
  Json,
  Verbose,
  Quiet,
  Fake,
  ConfigFile,
  BaseUrl,
  Tier,
  AuthScheme,
  AllowHttp,
  Timeout,
  Attempts
] as const
