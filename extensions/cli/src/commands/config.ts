/** Commands `init` and `config` for the settings file, and `cache` for stored results. */
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
import * as Stdio from "effect/Stdio"
import { call } from "../client/client.ts"
import { chosen, hostOf, sources } from "../client/config.ts"
import * as SettingSources from "../client/settingSources.ts"
import * as UserFile from "../client/userFile.ts"
import * as Output from "../files/output.ts"
import { tell } from "../screen/screen.ts"
import { wrap } from "../screen/wrap.ts"
import { InvalidSetting, misuse } from "../settings/errors.ts"
import * as Settings from "../settings/settings.ts"
import { withoutSecrets } from "../settings/settings.ts"
import { command, group, writing } from "./command.ts"

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
  examples: { "": "The settings of this user" },
  params: {},
  run: Effect.fnUntraced(function*() {
    const { flags, outer } = yield* sources
    return Output.rows([flags, ...outer].flatMap(flat), { setting: "name", value: "value", origin: "origin" })
  })
})

const path = command("config path", {
  description: "Print the path of the settings file",
  examples: { "": "The file of this user" },
  params: {},
  run: Effect.fnUntraced(function*() {
    const { path = yield* UserFile.place } = yield* chosen
    return Output.texts([path], identity)
  })
})

export const config = group("config", [path, list])

const validate = (pattern: RegExp, wanted: string) => (input: string) =>
  pattern.test(input.trim()) ? Effect.succeed(input.trim()) : Effect.fail(`Enter ${wanted}`)

const address = validate(/^https?:\/\/(?!.*\/v\d+\/*$)./i, "an address such as https://host, without /v2")
const to = validate(/^([a-z]{2,3}(-\w+)*)?$/i, "a code such as de or en-GB, or nothing")

const ask = Effect.all({
  baseUrl: Prompt.String({ message: "Address of the service", validate: address }),
  key: Prompt.Hidden({ message: "Key (it is not shown)", validate: validate(/./, "a key") }),
  to: Prompt.String({ message: "Language to translate to, such as de (may be empty)", validate: to })
})

const own = (settings: unknown, name: string): unknown =>
  isObject(settings) && Object.hasOwn(settings, name) ? Reflect.get(settings, name) : undefined

/** Asks for address, key and language, writes the settings file, and restores the old file if a call with the new settings fails. */
export const init = writing("init", {
  examples: { "": "The settings of this user", "--profile work": "A second account" },
  params: {},
  run: Effect.fnUntraced(function*() {
    const { stdinIsTerminal, stdoutIsTerminal } = yield* Stdio.Stdio
    if (!(yield* stdinIsTerminal) || !(yield* stdoutIsTerminal)) {
      return yield* misuse(
        "init needs a terminal: write the settings file, whose path effect-lingua config path prints"
      )
    }
    for (const name of ["LANGUAGE_SERVICE_KEY", "LANGUAGE_SERVICE_KEY_FILE", "LANGUAGE_SERVICE_BASE_URL"]) {
      if ((yield* Settings.variable(name)) !== "") {
        return yield* misuse(`${name} is set, and would override the file; unset it first`)
      }
    }
    const { path = yield* UserFile.place, profile } = yield* chosen
    const project = yield* SettingSources.project
    const named = project?.profile ?? (yield* UserFile.content(path))["profile"]
    if (profile === undefined && isString(named)) {
      const file = project?.profile === undefined ? path : project.source.name
      return yield* misuse(`${file} names the profile ${named}, which commands use: add --profile ${named}`)
    }
    const { baseUrl, key, to } = yield* Effect.catchTag(ask, "QuitError", () => misuse("nothing was written"))
    const before = yield* UserFile.content(path)
    const profiles = own(before, "profiles")
    const known = profile === undefined ? before : own(profiles, profile)
    const address = own(known, "baseUrl") ?? before["baseUrl"]
    const settings = {
      ...(isObject(known) ? known : undefined),
      keyFile: undefined,
      keyCommand: undefined,
      baseUrl,
      key: Redacted.value(key),
      ...(to === "" ? undefined : { to }),
      // If the host changes, drops the headers, which may be secrets.
      ...(address === undefined || hostOf(address) === hostOf(baseUrl) ? undefined : { headers: undefined })
    }
    const after = profile === undefined
      ? settings
      : { ...before, profiles: { ...(isObject(profiles) ? profiles : undefined), [profile]: settings } }
    yield* UserFile.write(path, after)
    const restored = Effect.ignore(
      Object.keys(before).length === 0
        ? FileSystem.FileSystem.use((fs) => fs.remove(path))
        : UserFile.write(path, before)
    )
    const unsaved = tell("not-saved", `the key was not confirmed, so nothing was saved in ${path}`, { path })
    yield* call(Languages.use(({ resources }) => resources)).pipe(
      Effect.provideService(Settings.ConfigFile, path),
      Effect.onError(() => Effect.andThen(restored, unsaved))
    )
    yield* tell("saved", `the key works; the settings are in ${path}`, { path })
  })
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
  examples: { "": "The settings of this user" },
  params: {},
  run: () =>
    using((cache) => cache.stats()).pipe(Effect.map((found) => ({
      json: [found],
      human: ({ clean, columns }) => wrap(`${sizeOf(found)} in ${clean(found.path)}`, columns)
    })))
})

const clear = command("cache clear", {
  description: "Remove all results from the cache; they are paid again when they are needed",
  examples: { "": "The settings of this user" },
  params: {},
  run: () =>
    using((cache) => cache.clear()).pipe(Effect.map((had) => ({
      json: [had],
      human: () => `removed ${sizeOf(had)}`
    })))
})

export const cache = group("cache", [stats, clear])
