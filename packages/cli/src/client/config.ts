/** The settings of a run: flags override the environment, which overrides the project, then the profile, and the file. */
import type * as Admin from "@effect-lingua/core/account/Admin"
import type * as LanguageServiceConfig from "@effect-lingua/core/client/LanguageServiceConfig"
import * as ResiliencePolicy from "@effect-lingua/core/client/ResiliencePolicy"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
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

/** The key of a variable, of the file that another variable names, or of the settings. */
const keyOf = Effect.fnUntraced(function*(what: string, name: string, file: ConfigFile.ConfigFile) {
  const given = yield* Config.option(Config.Redacted(name))
  if (Option.isSome(given)) return given.value
  const keyFile = (yield* variable(`${name}_FILE`)) ?? (file.key === undefined ? file.keyFile : undefined)
  if (keyFile !== undefined) {
    yield* ConfigFile.warnIfOpen(keyFile)
    return Redacted.make((yield* ConfigFile.settingText(keyFile)).trim())
  }
  if (file.key === undefined && file.keyCommand !== undefined) return yield* UserFile.keyOfCommand(file.keyCommand)
  return file.key ?? (yield* new InvalidSetting({
    message: `there is no ${what}: set ${name}, or ${name}_FILE to a file that contains it. ${tryFake}`
  }))
})

/** The flags for retries and waits. */
const resilienceOf = Effect.gen(function*() {
  const deadline = yield* Settings.Timeout
  const attempts = yield* Settings.Attempts
  const given: ResiliencePolicy.Options = {
    ...(deadline === undefined ? undefined : { deadline }),
    ...(attempts === undefined ? undefined : { attempts })
  }
  return given
})

/** The settings for the fake, which needs neither key nor address: the flags alone. */
export const forFake = Effect.gen(function*() {
  const options: Partial<LanguageServiceConfig.Options> = {
    tier: yield* Settings.Tier,
    characterBudget: yield* CharacterBudget,
    resilience: yield* resilienceOf
  }
  return options
})

const none: ConfigFile.ConfigFile = {}

/** The file of settings of this run, if there is one, and the profile. */
export const source = Effect.gen(function*() {
  const given = (yield* Settings.ConfigFile) ?? (yield* variable("LANGUAGE_SERVICE_CONFIG"))
  const profile = (yield* Settings.Profile) ?? (yield* variable("LANGUAGE_SERVICE_PROFILE"))
  return { path: given ?? (yield* UserFile.present), profile }
})

const fileOf = Effect.gen(function*() {
  const { path, profile } = yield* source
  const project = yield* ConfigFile.project
  const name = profile ?? project?.profile
  if (path === undefined && name !== undefined) {
    return yield* new InvalidSetting({
      message: `there is no profile ${name}, because there is no file of settings; make one by effect-lingua init`
    })
  }
  return path === undefined && project === undefined ? none : yield* ConfigFile.read(path, name, project)
})

/** The language to translate to where a command is given none. */
export const defaultTarget = Effect.gen(function*() {
  if (yield* Settings.Fake) return undefined
  return (yield* variable("LANGUAGE_SERVICE_TO")) ?? (yield* fileOf).to
})

/** All settings but the key. */
const settingsOf = Effect.fnUntraced(function*(file: ConfigFile.ConfigFile) {
  const baseUrl = (yield* Settings.BaseUrl) ?? (yield* variable("LANGUAGE_SERVICE_BASE_URL")) ?? file.baseUrl
  if (baseUrl === undefined) {
    return yield* new InvalidSetting({
      message: `there is no address of the service: set LANGUAGE_SERVICE_BASE_URL, or give --base-url. ${tryFake}`
    })
  }
  const environment = yield* Config.all({
    tier: Config.option(Config.Literals(["free", "paid"], "LANGUAGE_SERVICE_TIER")),
    allowHttp: Config.option(Config.Boolean("LANGUAGE_SERVICE_ALLOW_HTTP"))
  })
  // A shorter deadline shortens the timeouts of the file too.
  const resilience = yield* Effect.fromResult(
    ResiliencePolicy.override(file.resilience ?? ResiliencePolicy.defaults, yield* resilienceOf)
  ).pipe(Effect.mapError(({ field, problem }) => new InvalidSetting({ message: `${field} ${problem}` })))
  const all: Omit<LanguageServiceConfig.Options, "key"> = {
    baseUrl,
    tier: (yield* Settings.Tier) ?? Option.getOrElse(environment.tier, () => file.tier),
    authScheme: (yield* Settings.AuthScheme) ?? (yield* variable("LANGUAGE_SERVICE_AUTH_SCHEME")) ?? file.authScheme,
    userAgent: (yield* variable("LANGUAGE_SERVICE_USER_AGENT")) ?? file.userAgent,
    allowHttp: (yield* Settings.AllowHttp) || Option.getOrElse(environment.allowHttp, () => file.allowHttp),
    headers: file.headers,
    limits: file.limits,
    resilience
  }
  return all
})

/** All settings for the service. */
export const options = Effect.gen(function*() {
  const file = yield* fileOf
  const key = yield* keyOf("key", "LANGUAGE_SERVICE_KEY", file)
  const all: LanguageServiceConfig.Options = {
    key,
    characterBudget: yield* CharacterBudget,
    ...(yield* settingsOf(file))
  }
  return all
})

/** Whether results are kept. */
const cache = Effect.gen(function*() {
  const cached = yield* Config.option(Config.Boolean("LANGUAGE_SERVICE_CACHE"))
  return (yield* Settings.Cache) ?? Option.getOrElse(cached, () => undefined) ?? (yield* fileOf).cache ?? true
})

/** All settings of the client. */
export const client = Effect.all({ cache, options })

/** All settings for administration. Its key comes from the environment alone. */
export const adminOptions = Effect.gen(function*() {
  const file = yield* fileOf
  const adminKey = yield* keyOf("admin key", "LANGUAGE_SERVICE_ADMIN_KEY", none)
  const all: Admin.Options = { adminKey, ...(yield* settingsOf(file)) }
  return all
})
