/** Sources of settings: flags, variables, project file and settings file. */
import { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import { nearest } from "@effect-lingua/core/contract/Language"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { isObject, isString } from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { fileText } from "../files/input.ts"
import { oneLine, tell } from "../screen/screen.ts"
import { invalid, InvalidSetting } from "../settings/errors.ts"
import { spelledOut } from "../settings/flags.ts"
import * as Settings from "../settings/settings.ts"

export interface Source {
  /** The source's name in messages about the API key and the service's address. */
  readonly name: string
  readonly kind: "flag" | "variable" | "file"
  readonly path?: string
  readonly settings: Readonly<Record<string, unknown>>
}

const origins = {
  flag: new Map<string, string>(Settings.flags.map(([setting, { id }]) => [setting, `--${id}`])),
  variable: new Map<string, string>(Settings.variables.map(([setting, variable]) => [setting, variable])),
  file: new Map<string, string>()
}

/** A setting's name in messages: its flag, its variable, or its name in a file. */
export const originOf = ({ kind }: Source, setting: string): string => origins[kind].get(setting) ?? setting

const known = Record.map(Settings.settings, (setting) => "below" in setting ? setting.below : undefined)

const Profiles = Schema.Struct({
  profile: Schema.optionalKey(Schema.NonEmptyString),
  profiles: Schema.optionalKey(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)))
})

/** Merges settings by name: combines two objects, otherwise takes the value of `over`. */
export const merged = (base: Readonly<Record<string, unknown>>, over: Readonly<Record<string, unknown>>) =>
  Record.union(
    base,
    over,
    (before, after): unknown => isObject(before) && isObject(after) ? { ...before, ...after } : after
  )

/** Describes the first unknown setting, and the nearest known name. */
const unknownKey = (settings: unknown, names: object = known, path = ""): string | undefined => {
  for (const [key, value] of isObject(settings) ? Object.entries(settings) : []) {
    if (!Object.hasOwn(names, key)) {
      return `there is no setting ${JSON.stringify(path + key)}; the nearest one is ${path}${
        nearest(key, Object.keys(names)) ?? ""
      }`
    }
    const inner: unknown = Reflect.get(names, key)
    const found = isObject(inner) && !Duration.isDuration(inner)
      ? unknownKey(value, inner, `${path}${key}.`)
      : undefined
    if (found !== undefined) return found
  }
}

/** Decodes a resilience policy: `null` disables a part, and a time may have a short unit. */
const fromJson = (value: unknown): unknown =>
  value === null
    ? undefined
    : isString(value)
    ? spelledOut(value)
    : isObject(value)
    ? Record.map({ ...value }, fromJson)
    : value

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

const describe = ({ issue }: Schema.SchemaError, source?: Source): string =>
  issues(issue).issues.map(({ message, path = [] }) => {
    const [name = "", ...more] = path.map((part) => String(typeof part === "object" ? part.key : part))
    const origin = source === undefined ? name : originOf(source, name)
    return oneLine(`${[origin, ...more].join(".")}: ${message}`).replace(/^: /, "")
  }).join("; ")

const openToOthers = 0o077

/** Warns if other users can read a file with an API key. */
export const warnIfOpen = Effect.fnUntraced(function*(file: string) {
  const info = yield* Effect.option((yield* FileSystem.FileSystem).stat(file))
  if (info._tag === "Some" && (info.value.mode & openToOthers) !== 0) {
    yield* tell("warning", `others can read ${file}, which contains the key; run chmod 600 ${file}`)
  }
})

export const settingText = (file: string) =>
  Effect.catchTag(fileText(file), "InvalidUsage", ({ message }) => Effect.fail(new InvalidSetting({ message })))

const jsonOf = Effect.fnUntraced(function*(file: string) {
  return yield* Effect.mapError(
    Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))(yield* settingText(file)),
    // The parser's message can repeat the file's content.
    () => new InvalidSetting({ message: `${file}: it is not JSON` })
  )
})

/** The name of the project file, which `localize` also reads. */
export const projectName = "effect-lingua.json"

/** The project file in this folder, or in the nearest folder above. */
export const nearestProject = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  let folder = paths.resolve(".")
  while (!(yield* Effect.orElseSucceed(fs.exists(paths.join(folder, projectName)), () => false))) {
    if (folder === paths.dirname(folder)) return undefined
    folder = paths.dirname(folder)
  }
  return paths.join(folder, projectName)
})

/** The settings and the profile name in the project file. */
export const project = Effect.gen(function*() {
  const path = yield* nearestProject
  if (path === undefined) return undefined
  const json = yield* jsonOf(path)
  const { profile, ...settings } = isObject(json) && "settings" in json && isObject(json.settings)
    ? { ...json.settings } as Record<string, unknown>
    : {}
  const refused = Object.keys(settings).find((name) => Settings.settingOf(name)?.isOfProjects !== true)
  const problem = refused !== undefined && Settings.settingOf(refused) !== undefined
    ? `${refused} is not taken from a project, which may come from others; set it in your settings file or in the environment`
    : unknownKey(settings) ?? (profile === undefined || isString(profile) ? undefined : "profile is not a name")
  if (problem !== undefined) return yield* invalid(`${path}: settings: ${problem}`)
  const source: Source = { kind: "file", name: path, path, settings }
  return { source, profile: isString(profile) ? profile : undefined }
})

/** A settings file's sources: the requested profile or else the file's default profile, then settings outside of profiles. */
export const sourcesOf = Effect.fnUntraced(function*(path: string, requestedProfile: string | undefined) {
  const json = yield* jsonOf(path)
  const refusal = (problem: string) => new InvalidSetting({ message: `${path}: ${problem}` })
  if (!isObject(json)) return yield* refusal("Expected object")
  const { profile, profiles, ...settings } = { ...json } as Record<string, unknown>
  const own = yield* Effect.mapError(
    Schema.decodeUnknownEffect(Profiles)({
      ...(profile === undefined ? undefined : { profile }),
      ...(profiles === undefined ? undefined : { profiles })
    }),
    (error) => refusal(describe(error))
  )
  const file: Source = { kind: "file", name: path, path, settings }
  const name = requestedProfile ?? own.profile
  if (name === undefined) return [file]
  const all = Object.entries(own.profiles ?? {})
  const chosen = all.find(([known]) => known === name)?.[1]
  if (chosen === undefined) {
    const known = all.map(([name]) => name).join(", ")
    return yield* refusal(`there is no profile ${name}; ${known === "" ? "no profile exists" : `there are ${known}`}`)
  }
  return [{ ...file, name: `profile ${name} of ${path}`, settings: chosen }, file]
})

/** Merges sources in descending precedence. `key`, `keyFile` and `keyCommand` count as one setting. */
export const resolve = Effect.fnUntraced(function*(sources: ReadonlyArray<Source>) {
  const refusal = (problem: string, path = [...new Set(sources.flatMap(({ path = [] }) => path))].join(" with ")) =>
    new InvalidSetting({ message: `${path === "" ? "" : `${path}: `}${problem}` })
  const decode = (json: Readonly<Record<string, unknown>>, source?: Source) =>
    Effect.mapError(
      Schema.decodeUnknownEffect(Settings.File, { errors: "all" })(
        "resilience" in json ? { ...json, resilience: fromJson(json.resilience) } : json
      ),
      (error) => refusal(describe(error, source), source?.path)
    )
  for (const source of sources) {
    const unknown = unknownKey(source.settings)
    if (unknown !== undefined) return yield* refusal(unknown, source.path)
    yield* decode(source.settings, source)
    const [one, other] = Settings.keyNames.filter((name) => Object.hasOwn(source.settings, name))
    if (other !== undefined && source.path !== undefined) {
      return yield* refusal(`${one} and ${other} are one setting; remove one of them`, source.path)
    }
  }
  const keySource = sources.find(({ settings }) => Settings.keyNames.some((name) => Object.hasOwn(settings, name)))
  const { cache, key, keyCommand, keyFile, to, ...options } = yield* decode(
    sources.reduceRight<Readonly<Record<string, unknown>>>((outer, source) => {
      const { key: _, keyCommand: __, keyFile: ___, ...others } = source.settings
      return merged(outer, source === keySource ? source.settings : others)
    }, {})
  )
  // Validates only limits and resilience, with a placeholder key and address.
  const { limits, resilience } = yield* Effect.mapError(
    LanguageServiceConfig.make({ ...options, key: Redacted.make("-"), baseUrl: "https://localhost" }),
    ({ message }) => refusal(message)
  )
  return { cache, to, key, keyCommand, keyFile, keySource, options: { ...options, limits, resilience } }
})
