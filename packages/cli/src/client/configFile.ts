/** The file of settings, and the errors about unknown keys. */
import { nearest } from "@effect-lingua/core/client/Language"
import type { Limits } from "@effect-lingua/core/client/Limits"
import type { ResiliencePolicy } from "@effect-lingua/core/client/ResiliencePolicy"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { isObject } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Struct from "effect/Struct"
import { fileText } from "../files/input.ts"
import { oneLine, tell } from "../screen/screen.ts"
import { InvalidSetting } from "../settings/errors.ts"
import { Time } from "../settings/flags.ts"

const Wait = Schema.Union([Time, Schema.DurationFromMillis])

/** A part that `null` switches off. */
const orNone = <S extends Schema.Constraint>(schema: S) =>
  Schema.Union([
    schema,
    Schema.Null.pipe(
      Schema.decodeTo(
        Schema.Undefined,
        SchemaTransformation.transform({ decode: () => undefined, encode: () => null })
      )
    )
  ])

const retryBudget = {
  tokens: Schema.Finite,
  refused: Schema.Finite,
  unknown: Schema.Finite,
  success: Schema.Finite,
  perSecond: Schema.Finite
}

const breaker = { failureRate: Schema.Finite, attempts: Schema.Finite, open: Wait, openCap: Wait }

const rate = { requests: Schema.Finite, window: Wait }

/** Every field of the policy: a new one does not compile until the file has it. */
const resilience = {
  attempts: Schema.Finite,
  backoffBase: Wait,
  throttleBase: Wait,
  backoffFactor: Schema.Finite,
  backoffCap: Wait,
  retryAfterCap: Wait,
  attemptTimeout: Wait,
  documentTimeout: Wait,
  bodyIdleTimeout: Wait,
  minDownloadRate: Schema.Finite,
  deadline: Wait,
  documentDeadline: Wait,
  polling: Schema.Boolean,
  pollBase: Wait,
  pollFactor: Schema.Finite,
  pollCap: Wait,
  repeatMetered: Schema.Literals(["never", "once", "always"]),
  maxBodyBytes: Schema.Finite,
  retryBudget: orNone(Schema.Struct(retryBudget)),
  breaker: orNone(Schema.Struct(breaker)),
  rate: orNone(Schema.Struct(rate)),
  adaptiveRate: Schema.Boolean,
  concurrency: Schema.Finite,
  openStreams: Schema.Finite,
  quotaGate: Wait
} satisfies { readonly [Name in keyof ResiliencePolicy]: { readonly Type: ResiliencePolicy[Name] } }

const limits = {
  improvementBytes: Schema.Finite,
  detectionTexts: Schema.Finite,
  translationTexts: Schema.Finite,
  translationBytes: Schema.Finite,
  translationInstructions: Schema.Finite,
  promptCharacters: Schema.Finite,
  labelCharacters: Schema.Finite,
  styleRuleListNameCharacters: Schema.Finite,
  instructionsPerList: Schema.Finite,
  styleRuleLanguages: Schema.Array(Schema.String),
  pageSize: Schema.Finite,
  glossaryIds: Schema.Finite,
  importBytes: Schema.Finite,
  importFileNameCharacters: Schema.Finite,
  importContentTypeCharacters: Schema.Finite,
  glossaryBytes: Schema.Finite,
  glossaryTermBytes: Schema.Finite,
  glossaryNameBytes: Schema.Finite,
  reportDays: Schema.Finite,
  evaluationSegments: Schema.Finite,
  evaluationCharacters: Schema.Finite,
  voiceBytes: Schema.Finite,
  voiceTargets: Schema.Finite,
  voiceMediaTargets: Schema.Finite
} satisfies { readonly [Name in keyof Limits]: { readonly Type: Limits[Name] } }

const partial = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).mapFields(Struct.map(Schema.optionalKey))

const fields = {
  key: Schema.RedactedFromValue(Schema.NonEmptyString),
  keyFile: Schema.NonEmptyString,
  baseUrl: Schema.NonEmptyString,
  tier: Schema.Literals(["free", "paid"]),
  authScheme: Schema.NonEmptyString,
  userAgent: Schema.NonEmptyString,
  allowHttp: Schema.Boolean,
  headers: Schema.Record(Schema.String, Schema.RedactedFromValue(Schema.String)),
  limits: partial(limits),
  resilience: partial(resilience)
}

const File = partial(fields)

/** The settings of a file. */
export type ConfigFile = typeof File.Type

const parts: ReadonlyArray<readonly [path: ReadonlyArray<string>, fields: object]> = [
  [[], fields],
  [["limits"], limits],
  [["resilience"], resilience],
  [["resilience", "retryBudget"], retryBudget],
  [["resilience", "breaker"], breaker],
  [["resilience", "rate"], rate]
]

const at = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((found, key) => isObject(found) ? Reflect.get(found, key) : undefined, value)

/** The first unknown key, with the nearest known one. */
const unknownKey = (value: unknown): string | undefined => {
  for (const [path, fields] of parts) {
    const part = at(value, path)
    const key = isObject(part) ? Object.keys(part).find((key) => !Object.hasOwn(fields, key)) : undefined
    if (key === undefined) continue
    const full = [...path, nearest(key, Object.keys(fields)) ?? ""].join(".")
    return `there is no setting ${JSON.stringify([...path, key].join("."))}; the nearest one is ${full}`
  }
}

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

/** Reads a file of settings. */
export const read = Effect.fnUntraced(function*(file: string) {
  const invalid = (problem: string) => new InvalidSetting({ message: `${file}: ${problem}` })
  const text = yield* settingText(file)
  const json = yield* Effect.mapError(
    Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))(text),
    // The message of the parser can repeat the content of the file.
    () => invalid("it is not JSON")
  )
  const unknown = unknownKey(json)
  if (unknown !== undefined) return yield* invalid(unknown)
  const settings = yield* Effect.mapError(
    Schema.decodeUnknownEffect(File, { errors: "all" })(json),
    (error) => invalid(describe(error))
  )
  if (settings.key !== undefined) yield* warnIfOpen(file)
  return settings
})
