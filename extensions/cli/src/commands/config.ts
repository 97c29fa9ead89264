/** `init`, `config`, `cache` and `version`: the files of this user, and this program. */
import type * as NodeResultCache from "@effect-lingua/cache/NodeResultCache"
import { formatDuration } from "@effect-lingua/core/errors/Attempt"
import { Languages } from "@effect-lingua/core/languages/Languages"
import * as Prompt from "effect/cli/Prompt"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { identity } from "effect/Function"
import type { PersistenceError } from "effect/persistence/Persistence"
import { isObject, isString } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import { call } from "../client/client.ts"
import { chosen, hostOf, sources } from "../client/config.ts"
import * as SettingSources from "../client/settingSources.ts"
import * as UserFile from "../client/userFile.ts"
import * as Output from "../files/output.ts"
import { tell } from "../screen/screen.ts"
import { wrap } from "../screen/wrap.ts"
import { InvalidSetting, misuse, misuseIf } from "../settings/errors.ts"
import { argument } from "../settings/flags.ts"
import * as Settings from "../settings/settings.ts"
import { keyNames, withoutSecrets } from "../settings/settings.ts"
import { version as current } from "../settings/version.ts"
import { command, group, writing } from "./command.ts"

/** The settings file of the run, or else of the user. */
const fileOf = Effect.gen(function*() {
  const { path, profile } = yield* chosen
  return { path: path ?? (yield* UserFile.place), profile }
})

interface Setting {
  readonly name: string
  readonly value: string
  readonly origin: string
}

const shown = (value: unknown): string =>
  typeof value === "string" ? value : Duration.isDuration(value) ? formatDuration(value) : JSON.stringify(value)

const flat = (source: SettingSources.Source): ReadonlyArray<Setting> => {
  const below = (value: unknown, name: string): ReadonlyArray<Setting> =>
    isObject(value) && !Array.isArray(value) && !Duration.isDuration(value)
      ? Object.entries(value).flatMap(([key, value]) => below(value, name === "" ? key : `${name}.${key}`))
      : [{
        name,
        value: shown(value),
        origin: source.path === undefined ? SettingSources.originOf(source, name) : source.name
      }]
  return below(withoutSecrets(source.settings), "")
}

const list = command("config list", {
  description:
    "List the settings of flags, environment, project and file with their origins; the first of a name counts",
  examples: { "": "Those of this user" },
  params: {},
  run: Effect.fnUntraced(function*() {
    const { flags, outer } = yield* sources
    return Output.rows([flags, ...outer].flatMap(flat), { setting: "name", value: "value", origin: "origin" })
  })
})

const path = command("config path", {
  description: "Print the path of the settings file",
  examples: { "": "That of this user" },
  params: {},
  run: () => Effect.map(fileOf, ({ path }) => Output.texts([path], identity))
})

const nameArgument = argument("setting", "The name of a setting, such as baseUrl, to or resilience.attempts")

/** The path of a setting in the file, within the profile of the run if there is one. */
const placeOf = Effect.fnUntraced(function*(name: string, profile: string | undefined) {
  const place = profile === undefined ? name.split(".") : ["profiles", profile, ...name.split(".")]
  const wrong = place.find((part) => part === "" || part in {})
  return wrong === undefined ? place : yield* misuse(`${wrong || "nothing"} is not a name of a setting or profile`)
})

const get = command("config get", {
  description: "Print a setting of the file. Keys and headers are not printed",
  examples: { "baseUrl": "The address" },
  params: { name: nameArgument },
  run: Effect.fnUntraced(function*({ name }) {
    const { path, profile } = yield* fileOf
    const place = yield* placeOf(name, profile)
    const value = UserFile.valueAt(yield* UserFile.content(path), place)
    if (value === undefined) return yield* misuse(`${path} has no setting ${name}; config list shows those that it has`)
    return Output.texts([shown(withoutSecrets(value, place))], identity)
  })
})

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

const sentNames = [...keyNames, "headers"]

/** Keys and headers of a file that a change would send to another address, with their profile. */
const redirected = (before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) => {
  const profiles = isObject(before["profiles"]) ? Object.keys(before["profiles"]) : []
  for (const place of [[], ...profiles.map((name) => ["profiles", name])]) {
    const address = UserFile.addressOf(before, place)
    if (address === undefined || hostOf(address) === hostOf(UserFile.addressOf(after, place))) continue
    const names = sentNames.filter((name) => {
      const value = UserFile.valueAt(before, [...place, name])
      return value !== undefined && JSON.stringify(value) === JSON.stringify(UserFile.valueAt(after, [...place, name]))
    })
    if (names.length > 0) return { address, names, profile: place[1] }
  }
  return undefined
}

/** Changes a setting. Refuses a change after which the file is invalid, or a key goes to another address. */
const change = Effect.fnUntraced(function*(name: string, value: unknown) {
  const { path, profile } = yield* fileOf
  const place = yield* placeOf(name, profile)
  yield* UserFile.change(path, (before) => {
    const after = UserFile.withSetting(before, place, value)
    const sent = redirected(before, after)
    if (sent !== undefined) {
      const whose = sent.profile === undefined ? path : `profile ${sent.profile}`
      return new InvalidSetting({
        message:
          `${sent.names.join(" and ")} of ${whose} were set with ${hostOf(sent.address) ?? "another address"}: ` +
          "unset them first, or run effect-lingua init"
      })
    }
    // A profile without settings is deleted.
    const left = profile !== undefined && UserFile.valueAt(after, ["profiles", profile]) === undefined
      ? undefined
      : profile
    return Effect.as(Effect.flatMap(SettingSources.sourcesIn(path, after, left), SettingSources.resolve), after)
  })
  return Output.done("changed", `${name} is ${value === undefined ? "not set any more" : "set"} in ${path}`, {
    name,
    path
  })
})

const hasKey = (value: unknown): boolean =>
  isObject(value) && Object.entries(value).some(([name, below]) => name === "key" || hasKey(below))

const set = command("config set", {
  description: "Change a setting in the file, with --profile in that profile; for a key set keyFile or keyCommand",
  examples: {
    "to de": "The language that translate uses without --to",
    "resilience.attempts 3 --profile work": "In a profile"
  },
  params: { name: nameArgument, value: argument("value", "The value, as text or as JSON") },
  run: Effect.fnUntraced(function*({ name, value }) {
    const parsed = Result.getOrElse(parse(value), () => value)
    yield* misuseIf(
      name.split(".").at(-1) === "key" || hasKey(parsed),
      "others can see a key in the arguments: set keyFile or keyCommand, or run effect-lingua init"
    )
    return yield* change(name, parsed)
  })
})

const unset = command("config unset", {
  description: "Remove a setting from the file",
  examples: { "to": "Without a language of its own" },
  params: { name: nameArgument },
  run: ({ name }) => change(name, undefined)
})

export const config = group("config", [path, list, get, set, unset])

const notEmpty = (what: string) => (given: string) =>
  given.trim() === "" ? Effect.fail(`Enter ${what}`) : Effect.succeed(given.trim())

const ask = Effect.gen(function*() {
  const baseUrl = yield* Prompt.String({ message: "Address of the service", validate: notEmpty("an address") })
  const key = yield* Prompt.Hidden({ message: "Key (it is not shown)", validate: notEmpty("a key") })
  const to = yield* Prompt.String({ message: "Language to translate to, such as de (may be empty)" })
  return { baseUrl, key, to: to.trim() }
})

/** Asks for address, key and language, checks them with the service, and writes the file. */
export const init = writing("init", {
  examples: { "": "The settings of this user", "--profile work": "A second account" },
  params: {},
  run: Effect.fnUntraced(function*() {
    const { stdinIsTerminal, stdoutIsTerminal } = yield* Stdio.Stdio
    if (!(yield* stdinIsTerminal) || !(yield* stdoutIsTerminal)) {
      return yield* misuse("init needs a terminal: use config set baseUrl, and config set keyFile or keyCommand")
    }
    for (const name of ["LANGUAGE_SERVICE_KEY", "LANGUAGE_SERVICE_KEY_FILE", "LANGUAGE_SERVICE_BASE_URL"]) {
      if ((yield* Settings.variable(name)) !== "") {
        return yield* misuse(`${name} is set, and would override the file; unset it first`)
      }
    }
    const { path = yield* UserFile.place, profile } = yield* chosen
    const before = yield* UserFile.content(path)
    const project = yield* SettingSources.project
    const named = project?.profile ?? before["profile"]
    if (profile === undefined && isString(named)) {
      const file = project?.profile === undefined ? path : project.source.name
      return yield* misuse(`${file} names the profile ${named}, which commands use: add --profile ${named}`)
    }
    const { baseUrl, key, to } = yield* Effect.catchTag(
      ask,
      "QuitError",
      () => misuse("it was given up; nothing was written")
    )
    const place = profile === undefined ? [] : ["profiles", profile]
    const address = UserFile.addressOf(before, place)
    const settings = {
      baseUrl,
      key: Redacted.value(key),
      ...(to === "" ? undefined : { to }),
      // Headers for another address may be secrets.
      ...(address === undefined || hostOf(address) === hostOf(baseUrl) ? undefined : { headers: undefined })
    }
    yield* UserFile.change(path, (before) =>
      Effect.succeed(
        Object.entries(settings).reduce(
          (all, [name, value]) => UserFile.withSetting(all, [...place, name], value),
          before
        )
      ))
    const restored = Effect.ignore(
      Object.keys(before).length === 0
        ? FileSystem.FileSystem.use((fs) => fs.remove(path))
        : UserFile.change(path, () => Effect.succeed(before))
    )
    const unsaved = tell("not-saved", `the key was not confirmed, so nothing was saved in ${path}`, { path })
    yield* call(Languages.use(({ resources }) => resources())).pipe(
      Effect.provideService(Settings.ConfigFile, path),
      Effect.onError(() => Effect.andThen(restored, unsaved))
    )
    yield* tell("saved", `the key works; the settings are in ${path}`, { path })
  })
})

export const version = command("version", {
  examples: { "--json": "For a program" },
  params: {},
  run: () => Effect.succeed(Output.texts([{ version: current }], ({ version }) => version))
})

const using = <A>(
  use: (cache: typeof NodeResultCache) => Effect.Effect<A, PersistenceError>
): Effect.Effect<A, InvalidSetting> =>
  Effect.promise(() => import("@effect-lingua/cache/NodeResultCache")).pipe(
    Effect.flatMap(use),
    Effect.mapError(({ message }) => new InvalidSetting({ message }))
  )

const sizeOf = ({ bytes, entries }: NodeResultCache.Stats): string =>
  `${entries} ${entries === 1 ? "result" : "results"}, ${Math.ceil(bytes / 1024)} KiB`

const stats = command("cache stats", {
  description: "Report the file of the cache, with its number of results and its size",
  examples: { "": "Those of this user" },
  params: {},
  run: () =>
    using((cache) => cache.stats()).pipe(Effect.map((found) => ({
      json: [found],
      human: ({ clean, columns }) => wrap(`${sizeOf(found)} in ${clean(found.path)}`, columns)
    })))
})

const clear = command("cache clear", {
  description: "Remove all results from the cache; they are paid again when they are needed",
  examples: { "": "Those of this user" },
  params: {},
  run: () =>
    using((cache) => cache.clear()).pipe(Effect.map((had) => ({
      json: [had],
      human: () => `removed ${sizeOf(had)}`
    })))
})

export const cache = group("cache", [stats, clear])
