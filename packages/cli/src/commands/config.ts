/** `config path`, `config list`, `config get`, `config set`, `config unset`. */
import { formatDuration } from "@effect-lingua/core/client/Attempt"
import * as Command from "effect/cli/Command"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isObject } from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { source } from "../client/config.ts"
import * as ConfigFile from "../client/configFile.ts"
import * as UserFile from "../client/userFile.ts"
import * as Output from "../files/output.ts"
import { misuse } from "../settings/errors.ts"
import { argument } from "../settings/flags.ts"
import * as Settings from "../settings/settings.ts"
import { group, withResults } from "./command.ts"

/** The file that commands change and list: that of the run, or that of the user. */
const fileOf = Effect.gen(function*() {
  const { path, profile } = yield* source
  return { path: path ?? (yield* UserFile.place), profile }
})

const isSecret = (name: string): boolean => /(?:^|\.)key$|^(?:profiles\.[^.]+\.)?headers\./.test(name)

const variables: Readonly<Record<string, string>> = {
  key: "LANGUAGE_SERVICE_KEY",
  keyFile: "LANGUAGE_SERVICE_KEY_FILE",
  baseUrl: "LANGUAGE_SERVICE_BASE_URL",
  tier: "LANGUAGE_SERVICE_TIER",
  authScheme: "LANGUAGE_SERVICE_AUTH_SCHEME",
  allowHttp: "LANGUAGE_SERVICE_ALLOW_HTTP",
  userAgent: "LANGUAGE_SERVICE_USER_AGENT",
  cache: "LANGUAGE_SERVICE_CACHE",
  to: "LANGUAGE_SERVICE_TO"
}

interface Setting {
  readonly name: string
  readonly value: string
  readonly origin: string
}

const shown = (name: string, value: unknown): string =>
  isSecret(name) ? "(secret)" : typeof value === "string" ? value : JSON.stringify(value)

const flat = (settings: unknown, origin: string, path = ""): ReadonlyArray<Setting> =>
  isObject(settings) && !Array.isArray(settings)
    ? Object.entries(settings).flatMap(([name, value]) => flat(value, origin, path === "" ? name : `${path}.${name}`))
    : [{ name: path, value: shown(path, settings), origin }]

const list = withResults("list", {
  description:
    "List the settings of flags, the environment, the project and the file, each with its origin; the later ones of a name " +
    "are overridden",
  examples: { "effect-lingua config list": "Those of this user" },
  params: {},
  run: Effect.fnUntraced(function*() {
    const { path, profile } = yield* fileOf
    const { profile: named, profiles, ...base } = yield* UserFile.content(path)
    const project = yield* ConfigFile.project
    const chosen = profile ?? project?.profile ?? (typeof named === "string" ? named : undefined)
    const flags = {
      "--base-url": ["baseUrl", yield* Settings.BaseUrl],
      "--tier": ["tier", yield* Settings.Tier],
      "--auth-scheme": ["authScheme", yield* Settings.AuthScheme],
      "--allow-http": ["allowHttp", (yield* Settings.AllowHttp) || undefined],
      "--cache": ["cache", yield* Settings.Cache],
      "--timeout": [
        "resilience.deadline",
        Option.getOrUndefined(Option.map(Option.fromUndefinedOr(yield* Settings.Timeout), formatDuration))
      ],
      "--attempts": ["resilience.attempts", yield* Settings.Attempts]
    } as const
    const environment = yield* Effect.forEach(
      Object.entries(variables),
      ([name, variable]) =>
        Effect.map(
          Config.option(Config.NonEmptyString(variable)),
          (value): ReadonlyArray<Setting> =>
            Option.isNone(value) ? [] : [{ name, value: shown(name, value.value), origin: variable }]
        )
    )
    const found = [
      ...Object.entries(flags).flatMap(([origin, [name, value]]) =>
        value === undefined ? [] : flat(value, origin, name)
      ),
      ...environment.flat(),
      ...project === undefined ? [] : flat(project.settings, project.path),
      ...chosen === undefined ? [] : flat(UserFile.valueAt(profiles, [chosen]) ?? {}, `profile ${chosen} of ${path}`),
      ...flat(base, path)
    ]
    return Output.rows(found, {
      setting: ({ name }) => name,
      value: ({ value }) => value,
      origin: ({ origin }) => origin
    })
  })
})

const path = withResults("path", {
  description: "Print the path of the file of settings",
  examples: { "effect-lingua config path": "That of this user" },
  params: {},
  run: () => Effect.map(fileOf, ({ path }): Output.Results => ({ json: [path], human: ({ clean }) => clean(path) }))
})

const nameArgument = argument("setting", "The name of a setting, such as baseUrl, to or resilience.attempts")

/** Where a setting stands in the file: in the profile of the run, if there is one. */
const placeOf = (name: string, profile: string | undefined): ReadonlyArray<string> =>
  profile === undefined ? name.split(".") : ["profiles", profile, ...name.split(".")]

const get = withResults("get", {
  description: "Print a setting of the file. The key is not printed",
  examples: { "effect-lingua config get baseUrl": "The address" },
  params: { name: nameArgument },
  run: Effect.fnUntraced(function*({ name }) {
    const { path, profile } = yield* fileOf
    const value = UserFile.valueAt(yield* UserFile.content(path), placeOf(name, profile))
    if (value === undefined) return yield* misuse(`${path} has no setting ${name}; config list shows those that it has`)
    const text = shown(name, value)
    const results: Output.Results = { json: [text], human: ({ clean }) => clean(text) }
    return results
  })
})

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

/** Changes a setting, and keeps the file as it was if the new one cannot be used. */
const change = Effect.fnUntraced(function*(name: string, value: unknown) {
  const { path, profile } = yield* fileOf
  const before = yield* UserFile.content(path)
  const after = UserFile.withValue(before, placeOf(name, profile), value)
  yield* UserFile.write(path, after)
  const checked = yield* Effect.result(ConfigFile.read(path, profile))
  if (Result.isFailure(checked)) {
    yield* UserFile.write(path, before)
    return yield* Effect.fail(checked.failure)
  }
  return Output.done("changed", `${name} is ${value === undefined ? "not set any more" : "set"} in ${path}`, {
    name,
    path
  })
})

const set = withResults("set", {
  description:
    "Change a setting in the file, with --profile in that profile. Other fields stay, and a value that cannot be used is " +
    "refused. For a key take keyFile or keyCommand, or effect-lingua init",
  examples: {
    "effect-lingua config set to de": "The language that translate uses without --to",
    "effect-lingua config set resilience.attempts 3 --profile work": "In a profile"
  },
  params: { name: nameArgument, value: argument("value", "The value, as text or as JSON") },
  run: Effect.fnUntraced(function*({ name, value }) {
    if (/(?:^|\.)key$/.test(name)) {
      return yield* misuse(
        "a key among arguments is visible to others on this machine: set keyFile or keyCommand, or run effect-lingua init"
      )
    }
    return yield* change(name, Result.getOrElse(parse(value), () => value))
  })
})

const unset = withResults("unset", {
  description: "Remove a setting from the file",
  examples: { "effect-lingua config unset to": "Without a language of its own" },
  params: { name: nameArgument },
  run: ({ name }) => change(name, undefined)
})

/** The file of settings. */
export const config = group("config").pipe(
  Command.withSubcommands([path, list, get, set, unset])
)
