/** The settings of a run: flags override the environment, which overrides the project, then the profile, and the file. */
import type * as Admin from "@effect-lingua/core/account/Admin"
import type * as LanguageServiceConfig from "@effect-lingua/core/client/LanguageServiceConfig"
import * as ResiliencePolicy from "@effect-lingua/core/client/ResiliencePolicy"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isString } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { tell } from "../screen/screen.ts"
import { InvalidSetting } from "../settings/errors.ts"
import * as Settings from "../settings/settings.ts"
import * as ConfigFile from "./configFile.ts"
import * as UserFile from "./userFile.ts"

/** The most characters of a run, for commands that have such a limit. */
export const CharacterBudget = Context.Reference<number | undefined>("effect-lingua/cli/CharacterBudget", {
  defaultValue: () => undefined
})

const tryFake = "To try it without one, add --fake"

const variable = (name: string) => Effect.map(Config.option(Config.NonEmptyString(name)), Option.getOrUndefined)

/** The flags of settings. */
const flags = Effect.gen(function*() {
  let settings: Readonly<Record<string, unknown>> = {}
  for (const [path, flag] of Settings.flags) {
    settings = UserFile.withValue(settings, path.split("."), yield* flag)
  }
  const source: ConfigFile.Source = { name: "--base-url", kind: "flag", settings }
  return source
})

/** The variables of settings. */
const environment = Effect.gen(function*() {
  const settings: Record<string, unknown> = {}
  for (const [name, variable, isSwitch] of Settings.variables) {
    const given = yield* Config.option<unknown>(isSwitch ? Config.Boolean(variable) : Config.NonEmptyString(variable))
    if (Option.isSome(given)) settings[name] = given.value
  }
  const source: ConfigFile.Source = {
    name: settings["key"] === undefined ? "LANGUAGE_SERVICE_KEY_FILE" : "LANGUAGE_SERVICE_KEY",
    kind: "variable",
    settings
  }
  return source
})

/** The settings file of this run, if there is one, and the profile that is given. */
export const chosen = Effect.gen(function*() {
  const given = (yield* Settings.ConfigFile) ?? (yield* variable("LANGUAGE_SERVICE_CONFIG"))
  const profile = (yield* Settings.Profile) ?? (yield* variable("LANGUAGE_SERVICE_PROFILE"))
  return { path: given ?? (yield* UserFile.present), profile }
})

/** All sources of settings, of which the first override the others. */
export const sources = Effect.gen(function*() {
  const { path, profile } = yield* chosen
  const project = yield* ConfigFile.project
  const name = profile ?? project?.profile
  if (path === undefined && name !== undefined) {
    return yield* new InvalidSetting({
      message: `there is no profile ${name}, because there is no settings file; create one with effect-lingua init`
    })
  }
  const outer = [
    yield* environment,
    ...(project === undefined ? [] : [project.source]),
    ...(path === undefined ? [] : yield* ConfigFile.sourcesOf(path, name))
  ]
  return { flags: yield* flags, outer }
})

/** The flags for retries and waits. */
const resilienceOf = Effect.gen(function*() {
  const { flags } = Settings.settings.resilience
  const attempts = yield* flags.attempts
  const deadline = yield* flags.deadline
  const given: ResiliencePolicy.Options = {
    ...(deadline === undefined ? undefined : { deadline }),
    ...(attempts === undefined ? undefined : { attempts })
  }
  return given
})

/** The settings for the fake, which needs neither key nor address: the flags alone. */
export const forFake = Effect.gen(function*() {
  const options: Partial<LanguageServiceConfig.Options> = {
    tier: yield* Settings.settings.tier.flag,
    characterBudget: yield* CharacterBudget,
    resilience: yield* resilienceOf
  }
  return options
})

const originOf = (address: unknown): string | undefined =>
  isString(address) && URL.canParse(address) ? new URL(address).origin : undefined

/** The sources with a secret, and the address that each is for: the one beside it, or else the one of the file outside of profiles. */
const addresses = (sources: ReadonlyArray<ConfigFile.Source>) => {
  const named = sources.find(({ settings }) => settings["baseUrl"] !== undefined)
  const usual = sources.at(-1)?.settings["baseUrl"]
  return {
    named,
    /** The address that a secret of a source is for, unless it is the one of this run. */
    otherOf: ({ settings }: ConfigFile.Source) => {
      const own = settings["baseUrl"] ?? usual
      const origin = originOf(own) ?? "another address"
      return own === undefined || own === named?.settings["baseUrl"] || origin === originOf(named?.settings["baseUrl"])
        ? undefined
        : origin
    }
  }
}

/**
 * The settings of this run. A deadline of a flag shortens the timeouts of the file too, so it is no part of them. Headers for another
 * address are left out, because they can be secrets of another service.
 */
const resolved = Effect.gen(function*() {
  const { flags: { settings: { resilience: _, ...given }, ...flags }, outer } = yield* sources
  const all = [{ ...flags, settings: given }, ...outer]
  const { otherOf } = addresses(all)
  const isLeftOut = (source: ConfigFile.Source) =>
    source.settings["headers"] !== undefined && otherOf(source) !== undefined
  const { keySource, settings } = yield* ConfigFile.resolve(
    all.map((source) => isLeftOut(source) ? { ...source, settings: { ...source.settings, headers: {} } } : source)
  )
  return { sources: all, leftOut: all.filter(isLeftOut), keySource, settings }
})

/** The language to translate to where a command is given none. */
export const defaultTarget = Effect.gen(function*() {
  return (yield* Settings.Fake) ? undefined : (yield* resolved).settings.to
})

/** Fails if the key of a source is for another address than that of this run. */
const checkAddress = (sources: ReadonlyArray<ConfigFile.Source>, source: ConfigFile.Source) => {
  const { named, otherOf } = addresses(sources)
  const other = otherOf(source)
  return other === undefined || named === undefined ? Effect.void : Effect.fail(
    new InvalidSetting({
      message:
        `the key of ${source.name} is for ${other}, and ${
          named.path === undefined ? ConfigFile.originOf(named, "baseUrl") : named.name
        } names ${
          originOf(named.settings["baseUrl"]) ?? "another address"
        }; a key is sent only to the address that it was set ` +
        `with: set both in a profile, or LANGUAGE_SERVICE_KEY and LANGUAGE_SERVICE_BASE_URL`
    })
  )
}

const noKey = (what: string, name: string) =>
  new InvalidSetting({
    message: `there is no ${what}: set ${name}, or ${name}_FILE to a file that contains it. ${tryFake}`
  })

const keyInFile = Effect.fnUntraced(function*(file: string) {
  yield* ConfigFile.warnIfOpen(file)
  return Redacted.make((yield* ConfigFile.settingText(file)).trim())
})

const keyOf = Effect.fnUntraced(function*({ keySource, settings, sources }: Effect.Success<typeof resolved>) {
  if (keySource === undefined) return yield* noKey("key", "LANGUAGE_SERVICE_KEY")
  yield* checkAddress(sources, keySource)
  const { key, keyCommand = "", keyFile } = settings
  if (key !== undefined) {
    if (keySource.path !== undefined) yield* ConfigFile.warnIfOpen(keySource.path)
    return key
  }
  return yield* keyFile === undefined ? UserFile.keyOfCommand(keyCommand) : keyInFile(keyFile)
})

/** The admin key, of the environment alone. */
const adminKeyOf = Effect.fnUntraced(function*(sources: ReadonlyArray<ConfigFile.Source>) {
  const name = "LANGUAGE_SERVICE_ADMIN_KEY"
  const key = yield* Config.option(Config.Redacted(name))
  const file = yield* variable(`${name}_FILE`)
  if (Option.isNone(key) && file === undefined) return yield* noKey("admin key", name)
  yield* checkAddress(sources, { ...yield* environment, name: Option.isSome(key) ? name : `${name}_FILE` })
  return Option.isSome(key) ? key.value : yield* keyInFile(file ?? "")
})

/** All settings but the key. */
const settingsOf = Effect.fnUntraced(function*({ leftOut, settings, sources }: Effect.Success<typeof resolved>) {
  const { allowHttp, authScheme, baseUrl, headers, limits, tier, userAgent } = settings
  if (baseUrl === undefined) {
    return yield* new InvalidSetting({
      message: `there is no address of the service: set LANGUAGE_SERVICE_BASE_URL, or give --base-url. ${tryFake}`
    })
  }
  for (const source of leftOut) {
    yield* tell(
      "warning",
      `the headers of ${source.name} are for ${addresses(sources).otherOf(source)} and are not sent`
    )
  }
  const resilience = yield* Effect.fromResult(ResiliencePolicy.override(settings.resilience, yield* resilienceOf)).pipe(
    Effect.mapError(({ field, problem }) => new InvalidSetting({ message: `${field} ${problem}` }))
  )
  const all: Omit<LanguageServiceConfig.Options, "key"> = {
    baseUrl,
    tier,
    authScheme,
    userAgent,
    allowHttp,
    headers,
    limits,
    resilience
  }
  return all
})

/** All settings of the client: those for the service, and whether results are kept. */
export const client = Effect.gen(function*() {
  const all = yield* resolved
  const key = yield* keyOf(all)
  const options: LanguageServiceConfig.Options = {
    key,
    characterBudget: yield* CharacterBudget,
    ...(yield* settingsOf(all))
  }
  return { cache: all.settings.cache ?? true, options }
})

/** All settings for administration. Its key comes from the environment alone. */
export const adminOptions = Effect.gen(function*() {
  const all = yield* resolved
  const adminKey = yield* adminKeyOf(all.sources)
  const options: Admin.Options = { adminKey, ...(yield* settingsOf(all)) }
  return options
})
