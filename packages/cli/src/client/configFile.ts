/** The file of settings, and the errors about unknown keys. */
import { nearest } from "@effect-lingua/core/client/Language"
import * as LanguageServiceConfig from "@effect-lingua/core/client/LanguageServiceConfig"
import * as Limits from "@effect-lingua/core/client/Limits"
import * as ResiliencePolicy from "@effect-lingua/core/client/ResiliencePolicy"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { isObject, isString } from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Struct from "effect/Struct"
import { fileText } from "../files/input.ts"
import { oneLine, tell } from "../screen/screen.ts"
import { InvalidSetting } from "../settings/errors.ts"
import { spelledOut } from "../settings/flags.ts"

/** An option of the library, which checks its fields itself, as for untyped callers. */
const unchecked = <A extends object>() => Schema.declare((value): value is A => isObject(value))

const File = Schema.Struct({
  key: Schema.RedactedFromValue(Schema.NonEmptyString),
  keyFile: Schema.NonEmptyString,
  keyCommand: Schema.NonEmptyString,
  baseUrl: Schema.NonEmptyString,
  tier: Schema.Literals(["free", "paid"]),
  authScheme: Schema.NonEmptyString,
  userAgent: Schema.NonEmptyString,
  allowHttp: Schema.Boolean,
  cache: Schema.Boolean,
  to: Schema.NonEmptyString,
  headers: Schema.Record(Schema.String, Schema.RedactedFromValue(Schema.String)),
  limits: unchecked<Partial<Limits.Limits>>(),
  resilience: unchecked<ResiliencePolicy.Options>()
}).mapFields(Struct.map(Schema.optionalKey))

/** The settings of a file, with complete limits and a complete policy. */
export interface ConfigFile extends Omit<typeof File.Type, "limits" | "resilience"> {
  readonly limits?: Limits.Limits
  readonly resilience?: ResiliencePolicy.ResiliencePolicy
}

const rate: ResiliencePolicy.RateLimit = { requests: 1, window: Duration.seconds(1) }

/** All settings, for their names only. */
const settings = {
  ...Record.map(File.fields, () => undefined),
  limits: Limits.defaults,
  resilience: { ...ResiliencePolicy.defaults, rate }
}

/** The names of the settings, those below others after a dot. */
export const names: ReadonlyArray<string> = Object.entries(settings).flatMap(([name, below]) =>
  below === undefined ? [name] : Object.keys(below).map((part) => `${name}.${part}`)
)

/** What a file has besides settings. */
const Profiles = Schema.Struct({
  profile: Schema.optionalKey(Schema.NonEmptyString),
  profiles: Schema.optionalKey(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)))
})

/** Objects are merged, other values replaced. */
const merged = (base: Readonly<Record<string, unknown>>, over: Readonly<Record<string, unknown>>) =>
  Record.union(
    base,
    over,
    (before, after): unknown => isObject(before) && isObject(after) ? { ...before, ...after } : after
  )

/** The first unknown key, with the nearest known one. */
const unknownKey = (given: unknown, known: object = settings, path = ""): string | undefined => {
  for (const [key, value] of isObject(given) ? Object.entries(given) : []) {
    if (!Object.hasOwn(known, key)) {
      return `there is no setting ${JSON.stringify(path + key)}; the nearest one is ${path}${
        nearest(key, Object.keys(known)) ?? ""
      }`
    }
    const inner: unknown = Reflect.get(known, key)
    const found = isObject(inner) && !Duration.isDuration(inner)
      ? unknownKey(value, inner, `${path}${key}.`)
      : undefined
    if (found !== undefined) return found
  }
}

/** A policy in JSON: `null` switches a part off, and a time may have a short unit. */
const fromJson = (value: unknown): unknown =>
  value === null
    ? undefined
    : isString(value)
    ? spelledOut(value)
    : isObject(value)
    ? Record.map({ ...value }, fromJson)
    : value

const issues = SchemaIssue.makeFormatterStandardSchemaV1()

const describe = ({ issue }: Schema.SchemaError): string =>
  issues(issue).issues.map(({ message, path = [] }) =>
    oneLine(`${path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")}: ${message}`)
      .replace(/^: /, "")
  ).join("; ")

/** The permissions of others. */
const openToOthers = 0o077

/** Warns if others can read a file with a key. */
export const warnIfOpen = Effect.fnUntraced(function*(file: string) {
  const info = yield* Effect.option((yield* FileSystem.FileSystem).stat(file))
  if (info._tag === "Some" && (info.value.mode & openToOthers) !== 0) {
    yield* tell("warning", `others can read ${file}, which contains the key; run chmod 600 ${file}`)
  }
})

/** The text of a file that a setting names. Its errors are errors of the settings. */
export const settingText = (file: string) =>
  Effect.catchTag(fileText(file), "InvalidUsage", ({ message }) => Effect.fail(new InvalidSetting({ message })))

/** The settings of a file with those of a profile: the given one, or the one that the file names. */
const withProfile = Effect.fnUntraced(function*(
  json: unknown,
  given: string | undefined,
  invalid: (problem: string) => InvalidSetting
) {
  if (!isObject(json)) return json
  const { profile, profiles, ...base } = { ...json } as Record<string, unknown>
  const own = yield* Effect.mapError(
    Schema.decodeUnknownEffect(Profiles)({
      ...(profile === undefined ? undefined : { profile }),
      ...(profiles === undefined ? undefined : { profiles })
    }),
    (error) => invalid(describe(error))
  )
  const name = given ?? own.profile
  if (name === undefined) return base
  const chosen = own.profiles?.[name]
  if (chosen !== undefined) return merged(base, chosen)
  const known = Object.keys(own.profiles ?? {}).join(", ")
  return yield* invalid(`there is no profile ${name}; ${known === "" ? "there are none" : `there are ${known}`}`)
})

const jsonOf = Effect.fnUntraced(function*(file: string) {
  return yield* Effect.mapError(
    Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))(yield* settingText(file)),
    // The message of the parser can repeat the content of the file.
    () => new InvalidSetting({ message: `${file}: it is not JSON` })
  )
})

/** The name of the project file, which `localize` reads too. */
export const projectName = "effect-lingua.json"

/** The settings that a project can have. It may come from others, so it does not say where a key is sent, or what is run. */
const ofProjects: ReadonlySet<string> = new Set(["cache", "limits", "profile", "resilience", "tier", "to"])

/** The settings of a project, and the profile that it names. */
export interface Project {
  readonly path: string
  readonly profile: string | undefined
  readonly settings: Readonly<Record<string, unknown>>
}

/** The settings of the project file in this folder, or in the nearest one above it. */
export const project = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  let folder = paths.resolve(".")
  while (!(yield* Effect.orElseSucceed(fs.exists(paths.join(folder, projectName)), () => false))) {
    if (folder === paths.dirname(folder)) return undefined
    folder = paths.dirname(folder)
  }
  const path = paths.join(folder, projectName)
  const json = yield* jsonOf(path)
  const { profile, ...settings } = isObject(json) && "settings" in json && isObject(json.settings)
    ? { ...json.settings } as Record<string, unknown>
    : {}
  const refused = Object.keys(settings).find((name) => !ofProjects.has(name))
  const problem = refused !== undefined && Object.hasOwn(File.fields, refused)
    ? `${refused} is not taken from a project, which may come from others; set it by config set or in the environment`
    : unknownKey(settings) ?? (profile === undefined || isString(profile) ? undefined : "profile is not a name")
  if (problem !== undefined) return yield* new InvalidSetting({ message: `${path}: settings: ${problem}` })
  const found: Project = { path, settings, profile: isString(profile) ? profile : undefined }
  return found
})

/** Reads a file of settings, with those of a profile and of a project over them. */
export const read = Effect.fnUntraced(function*(file: string | undefined, profile?: string, project?: Project) {
  const invalid = (problem: string) =>
    new InvalidSetting({ message: `${[file, project?.path].filter(isString).join(" with ")}: ${problem}` })
  const whole = file === undefined ? {} : yield* jsonOf(file)
  const own = yield* withProfile(whole, profile ?? project?.profile, invalid)
  const unknown = unknownKey(own)
  if (unknown !== undefined) return yield* invalid(unknown)
  const json = isObject(own) && project !== undefined ? merged({ ...own }, project.settings) : own
  const { limits, resilience, ...settings } = yield* Effect.mapError(
    Schema.decodeUnknownEffect(File, { errors: "all" })(
      isObject(json) && "resilience" in json ? { ...json, resilience: fromJson(json.resilience) } : json
    ),
    (error) => invalid(describe(error))
  )
  const { cache: _, keyCommand: __, keyFile: ___, to: ____, ...options } = settings
  // Key and address may come from elsewhere.
  const config = yield* Effect.mapError(
    LanguageServiceConfig.make({
      ...options,
      limits,
      resilience,
      key: Redacted.make("-"),
      baseUrl: "https://localhost"
    }),
    ({ message }) => invalid(message)
  )
  if (settings.key !== undefined && file !== undefined) yield* warnIfOpen(file)
  const all: ConfigFile = { ...settings, limits: config.limits, resilience: config.resilience }
  return all
})
