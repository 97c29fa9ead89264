import type { DurationInput } from "@effect-lingua/core/config/ResiliencePolicy"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isString } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"

const units: Readonly<Required<Record<keyof Duration.DurationObject, true>>> = {
  weeks: true,
  days: true,
  hours: true,
  minutes: true,
  seconds: true,
  milliseconds: true,
  microseconds: true,
  nanoseconds: true
}

const isNumber = (value: unknown): boolean => typeof value === "number" && !Number.isNaN(value)

/** True for an object of duration units. Effect would read other objects, such as dates, as zero. */
const hasUnits = (value: object): boolean => {
  const amounts = Object.values<unknown>({ ...value }).filter((amount) => amount !== undefined)
  return amounts.length > 0 && amounts.every(isNumber) && Object.keys(value).every((key) => Object.hasOwn(units, key))
}

const isInput = (value: unknown): value is DurationInput => {
  if (typeof value === "number") return isNumber(value)
  if (typeof value !== "object" || value === null || Duration.isDuration(value)) return true
  return Array.isArray(value) ? value.every(isNumber) : hasUnits(value)
}

const durationOf = (value: unknown): Duration.Duration | undefined =>
  isInput(value) ? Option.getOrUndefined(Duration.fromInput(value)) : undefined

/** An enumeration such as "a, b or c", where `last` is "or". */
export const list = (words: ReadonlyArray<string>, last: string): string =>
  [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((part) => part !== "").join(` ${last} `)

export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const Positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const Headers = Schema.Record(
  Schema.String,
  Schema.String.check(Schema.isPattern(/^[\t\x20-\x7e\x80-\xff]*$/, { expected: "the value of a header" }))
).check(Schema.makeFilter((headers) => {
  const name = Object.keys(headers).find((name) => !/^[!#$%&'*+.^_`|~\w-]+$/.test(name))
  return name === undefined ? undefined : { path: [name], issue: "This is not the name of a header." }
}))

const noOtherKeys = (fields: object): string =>
  `There is no such key here. The keys are ${list(Object.keys(fields), "and")}.`

/** A struct whose error for an unknown key lists the allowed keys. */
export const struct = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).annotate({ messageUnexpectedKey: noOtherKeys(fields) })

/**
 * A struct that rejects unknown keys under any parse options. The type allows unknown keys; narrow it with
 * `Schema.refine`.
 */
export const closed = <const Fields extends Schema.Struct.Fields>(fields: Fields) => {
  // Excludes known keys, because `Schema.Unknown` in a JSON codec rejects values such as a `Duration`.
  const others = Schema.String.check(Schema.makeFilter((key) => !Object.hasOwn(fields, key)))
  return Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(others, Schema.Unknown)]).check(
    Schema.makeFilter((value: object) => {
      const unknown = Object.keys(value).find((key) => !Object.hasOwn(fields, key))
      return unknown === undefined ? undefined : { path: [unknown], issue: noOtherKeys(fields) }
    })
  )
}

const isWait = (value: unknown): value is DurationInput => {
  const duration = durationOf(value)
  return duration !== undefined && !Duration.isNegative(duration)
}

const isFiniteWait = (value: unknown): value is DurationInput =>
  isWait(value) && Duration.isFinite(Duration.fromInputUnsafe(value))

const isDate = (value: unknown): value is DateTime.Utc => DateTime.isDateTime(value) && DateTime.isUtc(value)

const json = Schema.Union([Schema.String, Schema.Finite])

const toJson = (duration: DurationInput): string | number => {
  if (typeof duration === "string" || typeof duration === "number") return duration
  const millis = Duration.toMillis(duration)
  return Number.isFinite(millis) ? millis : "Infinity"
}

const wait = (is: (value: unknown) => value is DurationInput, expected: string) =>
  json.pipe(
    Schema.decodeTo(
      Schema.declare(is, { expected }),
      SchemaTransformation.transformEffect<DurationInput, string | number>({
        decode: (given, options) =>
          is(given)
            ? Effect.succeed(given)
            : Effect.fail(new SchemaIssue.InvalidValue({ expected }, given, options)),
        encode: (wait) => Effect.succeed(toJson(wait))
      })
    )
  )

const finite = `a finite, non-negative duration such as "2 seconds", or a number of milliseconds`

/** A non-negative, finite duration. In JSON, a string such as "2 seconds", or milliseconds. */
export const FiniteWait: Schema.Codec<DurationInput, string | number> = wait(isFiniteWait, finite)

export const Wait: Schema.Codec<DurationInput, string | number> = wait(
  isWait,
  `a non-negative duration such as "2 seconds", a number of milliseconds, or "Infinity"`
)

const hint = `${finite}, or a date such as "2026-01-31T12:00:00Z"`

/** A `Retry-After`: a finite duration, or a date (in JSON, ISO 8601). */
export const Hint: Schema.Codec<DurationInput | DateTime.Utc, string | number> = json.pipe(
  Schema.decodeTo(
    Schema.declare((value): value is DurationInput | DateTime.Utc => isDate(value) || isFiniteWait(value), {
      expected: hint
    }),
    SchemaTransformation.transformEffect<DurationInput | DateTime.Utc, string | number>({
      decode: (given, options) => {
        if (isFiniteWait(given)) return Effect.succeed(given)
        const date = isString(given) && /^\d{4}-/.test(given) ? Option.getOrUndefined(DateTime.make(given)) : undefined
        return date === undefined
          ? Effect.fail(new SchemaIssue.InvalidValue({ expected: hint }, given, options))
          : Effect.succeed(DateTime.toUtc(date))
      },
      encode: (hint) => Effect.succeed(isDate(hint) ? DateTime.formatIso(hint) : toJson(hint))
    })
  )
)

export const everyIssue = { errors: "all", reportInput: true } as const

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Describes schema issues in one line: each path with the expected and the actual value. */
export const describe = ({ issue }: Schema.SchemaError): string =>
  formatIssues(issue).issues.map(({ message, path = [] }) => {
    const pathText = path.map((part) => {
      const key = typeof part === "object" ? part.key : part
      return typeof key === "number" ? `[${key}]` : `.${String(key)}`
    }).join("").replace(/^\./, "")
    return pathText === "" ? message : `${pathText}: ${message}`
  }).join("; ")
