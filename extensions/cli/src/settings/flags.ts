/** The kinds of flags that commands share. */
import * as Limits from "@effect-lingua/core/contract/Limits"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { misuse } from "./errors.ts"

/** A text argument. */
export const argument = (name: string, description: string): Argument.Argument<string> =>
  Argument.String(name).pipe(Argument.withDescription(description))

/** An argument for an id. */
export const idArgument = <A>(name: string, schema: Schema.Codec<A, string>, description: string) =>
  argument(name, description).pipe(Argument.withSchema(schema))

/** A required text. */
export const required = (name: string, metavar: string, description: string): Flag.Flag<string> =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

/** An optional flag. */
export const optional = <A>(flag: Flag.Flag<A>, description: string): Flag.Flag<A | undefined> =>
  flag.pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

/** An optional text. */
export const text = (name: string, metavar: string, description: string): Flag.Flag<string | undefined> =>
  optional(Flag.String(name).pipe(Flag.withMetavar(metavar)), description)

/** A repeatable text. */
export const texts = (name: string, metavar: string, description: string): Flag.Flag<ReadonlyArray<string>> =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(`${description} (repeatable)`),
    Flag.atLeast(0)
  )

/** A switch that is off by default. */
export const toggle = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

/** A switch whose default is a decision of the service. */
export const choice = (name: string, description: string): Flag.Flag<boolean | undefined> =>
  optional(Flag.Boolean(name), description)

/** An optional whole number. */
export const integer = (name: string, metavar: string, description: string): Flag.Flag<number | undefined> =>
  optional(Flag.Int(name).pipe(Flag.withMetavar(metavar)), description)

const language = (name: string) => Flag.String(name).pipe(Flag.withMetavar("language"))

/** The target language, `--to` or `-t` in every command. */
export const targetLanguage = language("to").pipe(Flag.withAlias("t"))

/** Target languages: `--to de,fr`, and repeated. */
export const targetLanguages = (description: string): Flag.Flag<ReadonlyArray<string>> =>
  targetLanguage.pipe(
    Flag.withDescription(`${description}; several as de,fr (repeatable)`),
    Flag.atLeast(0),
    Flag.map((given) => given.flatMap((languages) => languages.split(",").filter((language) => language !== "")))
  )

/** The source language, `--from` in every command. */
export const sourceLanguage = language("from")

/** The flags for one page of a list. */
export const pages = (things: string) => ({
  page: integer("page", "number", `One page only, from 0; all ${things} by default`),
  pageSize: integer("page-size", "number", `The ${things} of a page, 1 to ${Limits.defaults.pageSize}; 10 by default`)
})

/** True if these flags ask for one page. */
export const isPage = ({ page, pageSize }: Record<"page" | "pageSize", number | undefined>): boolean =>
  page !== undefined || pageSize !== undefined

/** The known values of an open set. */
export const known = (values: ReadonlyArray<string>): string => `such as ${values.join(", ")}`

const units: Readonly<Record<string, string>> = { ms: "millis", s: "seconds", m: "minutes", min: "minutes", h: "hours" }

const spelling = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|millis?|seconds?|minutes?|hours?)$/

/** A time as people write it, such as `30s`, in the form that the library accepts: `30 seconds`. */
export const spelledOut = (time: string): string =>
  time.replace(spelling, (_, amount, unit) => `${amount} ${units[unit] ?? unit}`)

const Positive = Schema.String.check(
  Schema.makeFilter((given: string) => spelling.test(given) || `Expected a time such as 30s, 2m or "2 minutes"`)
).pipe(
  Schema.decodeTo(
    Schema.DurationFromString,
    SchemaTransformation.transform({ decode: spelledOut, encode: (encoded) => encoded })
  )
).check(Schema.makeFilter((time) => !Duration.isZero(time) || "Expected more than 0"))

/** An optional time of more than 0. */
export const time = (name: string, description: string) =>
  optional(Flag.String(name).pipe(Flag.withSchema(Positive), Flag.withMetavar("time")), description)

/** An optional count from 1. */
export const count = (name: string, description: string): Flag.Flag<number | undefined> =>
  optional(
    Flag.Int(name).pipe(
      Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
      Flag.withMetavar("number")
    ),
    description
  )

/** The number of files in progress at once. */
export const concurrency = Flag.Int("concurrency").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))),
  Flag.withMetavar("number"),
  Flag.withDescription("Files in progress at once; 4 by default"),
  Flag.withDefault(4)
)

/** Refuses duplicate values, which are a mistake and would be processed twice. */
export const checkOnce = (given: ReadonlyArray<string>) => {
  const twice = given.find((value, index) => given.indexOf(value) !== index)
  return twice === undefined ? Effect.void : misuse(`${twice} is given twice`)
}
