/** Flags in the shapes that the commands have them in. */
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { InvalidUsage } from "./errors.ts"

/** A flag that may be left out. */
export const optional = <A>(flag: Flag.Flag<A>, description: string): Flag.Flag<A | undefined> =>
  flag.pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

/** A text that may be left out. */
export const text = (name: string, metavar: string, description: string): Flag.Flag<string | undefined> =>
  optional(Flag.String(name).pipe(Flag.withMetavar(metavar)), description)

/** A text that may be given several times. */
export const texts = (name: string, metavar: string, description: string): Flag.Flag<ReadonlyArray<string>> =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(`${description} (repeatable)`),
    Flag.atLeast(0)
  )

/** A switch that is off until it is given. */
export const toggle = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

/** A switch that the service decides about where it is not given. */
export const choice = (name: string, description: string): Flag.Flag<boolean | undefined> =>
  optional(Flag.Boolean(name), description)

/** A whole number that may be left out. */
export const integer = (name: string, metavar: string, description: string): Flag.Flag<number | undefined> =>
  optional(Flag.Int(name).pipe(Flag.withMetavar(metavar)), description)

/** What is known of values that may become more. */
export const known = (values: ReadonlyArray<string>): string => `such as ${values.join(", ")}`

const units: Readonly<Record<string, string>> = { ms: "millis", s: "seconds", m: "minutes", min: "minutes", h: "hours" }

const spelling = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|millis?|seconds?|minutes?|hours?)$/

/** A time as people write it: `30s`, `2m`, `30 seconds`. */
export const Time = Schema.String.check(
  Schema.makeFilter((given: string) => spelling.test(given) || `Expected a time such as 30s, 2m or "2 minutes"`)
).pipe(
  Schema.decodeTo(
    Schema.DurationFromString,
    SchemaTransformation.transform({
      decode: (given: string) => given.replace(spelling, (_, amount, unit) => `${amount} ${units[unit] ?? unit}`),
      encode: (encoded: string) => encoded
    })
  )
)

const Positive = Time.check(Schema.makeFilter((time) => !Duration.isZero(time) || "Expected more than 0"))

/** A time of more than 0 that may be left out. */
export const time = (name: string, description: string) =>
  optional(Flag.String(name).pipe(Flag.withSchema(Positive), Flag.withMetavar("time")), description)

const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))

/** A count from 1 that may be left out. */
export const count = (name: string, description: string): Flag.Flag<number | undefined> =>
  optional(
    Flag.Int(name).pipe(
      Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
      Flag.withMetavar("number")
    ),
    description
  )

/** How much is done at once. */
export const concurrency = Flag.Int("concurrency").pipe(
  Flag.withSchema(Count),
  Flag.withMetavar("number"),
  Flag.withDescription("How many at once; 4 by default"),
  Flag.withDefault(4)
)

/** Who gives a thing twice has mistyped, and would get it twice. */
export const checkOnce = (given: ReadonlyArray<string>) => {
  const twice = given.find((value, index) => given.indexOf(value) !== index)
  return twice === undefined ? Effect.void : Effect.fail(new InvalidUsage({ message: `${twice} is given twice` }))
}
