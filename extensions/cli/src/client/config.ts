/** The settings of a run, in descending precedence: flags, environment, project, profile, settings file. */
import type { Admin } from "@effect-lingua/core/account/Admin"
import type { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isString } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { tell } from "../screen/screen.ts"
import { invalid } from "../settings/errors.ts"
import * as Settings from "../settings/settings.ts"
import * as SettingSources from "./settingSources.ts"
import * as UserFile from "./userFile.ts"

/** Makes errors name the nearest known language. */
const languages = { explains: true }

const tryFake = "To try it without one, add --fake"

const variable = (name: string) => Effect.map(Config.option(Config.NonEmptyString(name)), Option.getOrUndefined)

const flags = Effect.gen(function*() {
  let settings: Readonly<Record<string, unknown>> = {}
  for (const [path, flag] of Settings.flags) {
    const [name = "", part] = path.split(".")
    const value = yield* flag
    if (value === undefined) continue
    settings = SettingSources.merged(settings, { [name]: part === undefined ? value : { [part]: value } })
  }
  const source: SettingSources.Source = { name: "--base-url", kind: "flag", settings }
  return source
})

const environment = Effect.gen(function*() {
  const settings: Record<string, unknown> = {}
  for (const [name, variable, isSwitch] of Settings.variables) {
    const value = yield* Config.option<unknown>(isSwitch ? Config.Boolean(variable) : Config.NonEmptyString(variable))
    if (Option.isSome(value)) settings[name] = value.value
  }
  return {
    name: settings["key"] === undefined ? "LANGUAGE_SERVICE_KEY_FILE" : "LANGUAGE_SERVICE_KEY",
    kind: "variable",
    settings
  } satisfies SettingSources.Source
})

/** The settings file of this run, if it exists, and the requested profile. */
export const chosen = Effect.gen(function*() {
  const path = (yield* Settings.ConfigFile) ?? (yield* variable("LANGUAGE_SERVICE_CONFIG"))
  const profile = (yield* Settings.Profile) ?? (yield* variable("LANGUAGE_SERVICE_PROFILE"))
  return { path: path ?? (yield* UserFile.present), profile }
})

/** All sources of settings, in descending precedence. */
export const sources = Effect.gen(function*() {
  const { path, profile } = yield* chosen
  const project = yield* SettingSources.project
  const name = profile ?? project?.profile
  if (path === undefined && name !== undefined) {
    return yield* invalid(`there is no profile ${name} and no settings file; create one with effect-lingua init`)
  }
  const outer = [
    yield* environment,
    ...(project === undefined ? [] : [project.source]),
    ...(path === undefined ? [] : yield* SettingSources.sourcesOf(path, name))
  ]
  return { flags: yield* flags, outer }
})

const resilienceOf = Effect.map(Effect.all(Settings.settings.resilience.flags), ({ attempts, deadline }) => ({
  ...(deadline === undefined ? undefined : { deadline }),
  ...(attempts === undefined ? undefined : { attempts })
}))

/** The settings of the fake, from flags only. */
export const forFake = Effect.all({
  tier: Settings.settings.tier.flag,
  resilience: resilienceOf,
  languages: Effect.succeed(languages)
})

export const hostOf = (address: unknown): string | undefined =>
  isString(address) && URL.canParse(address) ? new URL(address).origin : undefined

/**
 * The settings of this run, without resilience flags, because `--timeout` must be able to shorten these settings' timeouts. Headers of a source with
 * another address are omitted, because headers may be secrets of another service.
 */
const resolved = Effect.gen(function*() {
  const { flags: { settings: { resilience: _, ...flagSettings }, ...flags }, outer } = yield* sources
  const all: ReadonlyArray<SettingSources.Source> = [{ ...flags, settings: flagSettings }, ...outer]
  const named = all.find(({ settings }) => settings["baseUrl"] !== undefined)
  const address = named?.settings["baseUrl"]
  /** The origin of a source's secrets; `undefined` if it is this run's origin. A source without `baseUrl` uses the settings file's `baseUrl`. */
  const otherOf = ({ settings }: SettingSources.Source) => {
    const own = settings["baseUrl"] ?? all.at(-1)?.settings["baseUrl"]
    const origin = hostOf(own) ?? "another address"
    return own === undefined || own === address || origin === hostOf(address) ? undefined : origin
  }
  const leftOut = all.filter((source) => source.settings["headers"] !== undefined && otherOf(source) !== undefined)
  const sent = (source: SettingSources.Source): SettingSources.Source =>
    leftOut.includes(source) ? { ...source, settings: { ...source.settings, headers: {} } } : source
  const found = yield* SettingSources.resolve(all.map(sent))
  return { ...found, leftOut, named, otherOf }
})

type Resolved = Effect.Success<typeof resolved>

export const defaultTarget = Effect.gen(function*() {
  return (yield* Settings.Fake) ? undefined : (yield* resolved).to
})

/** The origin of this run's service, without secrets. A run is resumed only with the same service. */
export const service = Effect.gen(function*() {
  return (yield* Settings.Fake) ? "the fake" : hostOf((yield* resolved).named?.settings["baseUrl"])
})

/** Fails if a source's API key is for another address than this run's address. */
const checkAddress = ({ named, otherOf }: Resolved, source: SettingSources.Source) => {
  const other = otherOf(source)
  if (other === undefined || named === undefined) return Effect.void
  const origin = named.path === undefined ? SettingSources.originOf(named, "baseUrl") : named.name
  return invalid(
    `the key of ${source.name} is for ${other}, and ${origin} names ${
      hostOf(named.settings["baseUrl"]) ?? "another address"
    }; a key is sent only to the address that it was set with: set both in a profile, or LANGUAGE_SERVICE_KEY and ` +
      "LANGUAGE_SERVICE_BASE_URL"
  )
}

const noKey = (what: string, name: string, first = "") =>
  invalid(`there is no ${what}: ${first}set ${name}, or ${name}_FILE to a file that contains it. ${tryFake}`)

const keyInFile = Effect.fnUntraced(function*(file: string) {
  yield* SettingSources.warnIfOpen(file)
  return Redacted.make((yield* SettingSources.settingText(file)).trim())
})

const keyOf = Effect.fnUntraced(function*(found: Resolved) {
  const { key, keyCommand = "", keyFile, keySource } = found
  if (keySource === undefined) return yield* noKey("key", "LANGUAGE_SERVICE_KEY", "run effect-lingua init, or ")
  yield* checkAddress(found, keySource)
  if (key !== undefined) {
    if (keySource.path !== undefined) yield* SettingSources.warnIfOpen(keySource.path)
    return key
  }
  return yield* keyFile === undefined ? UserFile.keyOfCommand(keyCommand) : keyInFile(keyFile)
})

const adminKeyOf = Effect.fnUntraced(function*(found: Resolved) {
  const name = "LANGUAGE_SERVICE_ADMIN_KEY"
  const key = yield* Config.option(Config.Redacted(name))
  const file = yield* variable(`${name}_FILE`)
  if (Option.isNone(key) && file === undefined) return yield* noKey("admin key", name)
  yield* checkAddress(found, { ...yield* environment, name: Option.isSome(key) ? name : `${name}_FILE` })
  return Option.isSome(key) ? key.value : yield* keyInFile(file ?? "")
})

const optionsOf = Effect.fnUntraced(function*({ leftOut, options, otherOf }: Resolved) {
  const { baseUrl } = options
  if (baseUrl === undefined) {
    return yield* invalid(`there is no service address: set LANGUAGE_SERVICE_BASE_URL, or give --base-url. ${tryFake}`)
  }
  for (const source of leftOut) {
    yield* tell("warning", `the headers of ${source.name} are for ${otherOf(source)} and are not sent`)
  }
  const resilience = yield* Effect.catch(
    Effect.fromResult(ResiliencePolicy.override(options.resilience, yield* resilienceOf)),
    ({ field, problem }) => invalid(`${field} ${problem}`)
  )
  return { languages, ...options, baseUrl, resilience }
})

export const client = Effect.gen(function*() {
  const found = yield* resolved
  const key = yield* keyOf(found)
  const options: LanguageServiceConfig.Options = { key, ...(yield* optionsOf(found)) }
  return { cache: found.cache ?? true, options }
})

/** The settings of the admin client. The admin key is read only from the environment. */
export const adminOptions = Effect.gen(function*() {
  const found = yield* resolved
  const adminKey = yield* adminKeyOf(found)
  const options: Admin.Options = { adminKey, ...(yield* optionsOf(found)) }
  return options
})
