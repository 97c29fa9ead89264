/** Constructors of flags and arguments. */
import * as Limits from "@effect-lingua/core/contract/Limits"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { misuse } from "./errors.ts"

export const argument = (name: string, description: string): Argument.Argument<string> =>
  Argument.String(name).pipe(Argument.withDescription(description))

export const idArgument = <A>(name: string, schema: Schema.Codec<A, string>, description: string) =>
  argument(name, description).pipe(Argument.withSchema(schema))

export const required = (name: string, metavar: string, description: string): Flag.Flag<string> =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

export const optional = <A>(flag: Flag.Flag<A>, description: string): Flag.Flag<A | undefined> =>
  flag.pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

export const text = (name: string, metavar: string, description: string): Flag.Flag<string | undefined> =>
  optional(Flag.String(name).pipe(Flag.withMetavar(metavar)), description)

export const texts = (name: string, metavar: string, description: string): Flag.Flag<ReadonlyArray<string>> =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(`${description} (repeatable)`),
    Flag.atLeast(0)
  )

/** A switch that is off by default. */
export const toggle = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

export const integer = (name: string, metavar: string, description: string): Flag.Flag<number | undefined> =>
  optional(Flag.Int(name).pipe(Flag.withMetavar(metavar)), description)

const language = (name: string) => Flag.String(name).pipe(Flag.withMetavar("language"))

export const targetLanguage = language("to").pipe(Flag.withAlias("t"))

export const targetLanguages = (description: string): Flag.Flag<ReadonlyArray<string>> =>
  targetLanguage.pipe(
    Flag.withDescription(`${description}; several as de,fr (repeatable)`),
    Flag.atLeast(0),
    Flag.map((values) => values.flatMap((languages) => languages.split(",").filter((language) => language !== "")))
  )

export const sourceLanguage = language("from")

export const pages = (things: string) => ({
  page: integer("page", "number", `One page only, from 0; all ${things} by default`),
  pageSize: integer("page-size", "number", `The ${things} of a page, 1 to ${Limits.defaults.pageSize}; 10 by default`)
})

export const isPage = ({ page, pageSize }: Record<"page" | "pageSize", number | undefined>): boolean =>
  page !== undefined || pageSize !== undefined

/** Help text for the known values of an open set. */
export const known = (values: ReadonlyArray<string>): string => `such as ${values.join(", ")}`

const units: Readonly<Record<string, string>> = { ms: "millis", s: "seconds", m: "minutes", min: "minutes", h: "hours" }

const spelling = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|millis?|seconds?|minutes?|hours?)$/

/** Expands `30s` to `30 seconds`, the form that the library reads. */
export const spelledOut = (time: string): string =>
  time.replace(spelling, (_, amount, unit) => `${amount} ${units[unit] ?? unit}`)

const decodeTime = Schema.decodeUnknownOption(Schema.DurationFromString)

const timeOf = (value: string): Option.Option<Duration.Duration> =>
  spelling.test(value) ? Option.filter(decodeTime(spelledOut(value)), Duration.isPositive) : Option.none()

export const time = (name: string, description: string) =>
  optional(
    Flag.String(name).pipe(
      Flag.filterMap(timeOf, () => `Expected a time above 0, such as 30s, 2m or "2 minutes"`),
      Flag.withMetavar("time")
    ),
    description
  )

export const count = (name: string, description: string): Flag.Flag<number | undefined> =>
  optional(
    Flag.Int(name).pipe(
      Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
      Flag.withMetavar("number")
    ),
    description
  )

export const concurrency = Flag.Int("concurrency").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))),
  Flag.withMetavar("number"),
  Flag.withDescription("Files in progress at once; 4 by default"),
  Flag.withDefault(4)
)

/** Refuses duplicate values. */
export const checkOnce = (values: ReadonlyArray<string>) => {
  const twice = values.find((value, index) => values.indexOf(value) !== index)
  return twice === undefined ? Effect.void : misuse(`${twice} is given twice`)
}
