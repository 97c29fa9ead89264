import * as Arr from "effect/Array"
import type * as Duration from "effect/Duration"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { type Answer, type Fault, format as formatFault, OperationName } from "../Fault.ts"
import { FiniteWait, list, Wait } from "./schema.ts"

interface Rated {
  readonly rate: number
  readonly fault: Fault
}

type Details = Pick<Answer, "retryAfter"> & { readonly slowBy: Duration.Input }

/** The fault of each rate; the order decides which fault a random number selects. */
export const faults = {
  rate429: ({ retryAfter }) => ({ status: 429, retryAfter }),
  rate529: ({ retryAfter }) => ({ status: 529, retryAfter }),
  rate503: ({ retryAfter }) => ({ status: 503, retryAfter }),
  rate500: () => ({ status: 500 }),
  rate502: () => ({ status: 502 }),
  rate504: () => ({ status: 504 }),
  rateReset: () => ({ reset: true }),
  rateSlow: ({ slowBy }) => ({ delay: slowBy }),
  rateTruncated: () => ({ truncated: true }),
  rateStalled: () => ({ stalled: true }),
  rateMalformed: () => ({ malformed: true }),
  rateWrongLength: () => ({ wrongLength: 1 })
} satisfies Readonly<Record<string, (details: Details) => Fault>>

const Rate = Schema.optional(
  Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }, { expected: "a rate between 0 and 1" }))
)

export const fields = {
  ...Record.map(faults, () => Rate),
  retryAfter: Schema.optional(FiniteWait),
  slowBy: Schema.optional(Wait),
  operations: Schema.optional(Schema.Array(OperationName).check(Schema.isMinLength(1))),
  afterEffect: Rate
}

type Fields = Schema.Struct.Type<typeof fields>

export type Weather = {
  readonly [K in keyof Fields]: Fields[K]
}

export const of = ({ retryAfter, slowBy = "1 second", ...weather }: Weather): ReadonlyArray<Rated> =>
  Struct.keys(faults).flatMap((name) => {
    const rate = weather[name] ?? 0
    return rate > 0 ? [{ rate, fault: faults[name]({ retryAfter, slowBy }) }] : []
  })

export interface Compiled {
  readonly weather: Weather
  readonly operations: ReadonlyArray<OperationName> | undefined
  readonly afterEffect: number
  readonly rates: ReadonlyArray<Rated>
}

export const compile = (weathers: Weather | ReadonlyArray<Weather>): ReadonlyArray<Compiled> =>
  Arr.ensure(weathers).map((weather) => ({
    weather,
    operations: weather.operations,
    afterEffect: weather.afterEffect ?? 0,
    rates: of(weather)
  })).filter(({ rates }) => rates.length > 0)

/** True if the client cannot know whether the operation was performed. */
const unknownOutcome = (fault: Fault): boolean =>
  "status" in fault ? [500, 502, 504].includes(fault.status) : "reset" in fault || "delay" in fault

/** Sets `afterEffect`, or the sign of `wrongLength`, from the random number `chance`. */
export const vary = (fault: Fault, chance: number, afterEffect: number): Fault =>
  "wrongLength" in fault
    ? { wrongLength: chance < 0.5 ? -1 : 1 }
    : unknownOutcome(fault) && chance < afterEffect
    ? { ...fault, afterEffect: true }
    : fault

const percent = (rate: number): string => `${Number((rate * 100).toFixed(2))} %`

const describe = (fault: Fault): string => "wrongLength" in fault ? "1 result too many or too few" : formatFault(fault)

export const format = (weather: Weather): string => {
  const rates = of(weather)
  if (rates.length === 0) return "no faults"
  const { afterEffect = 0, operations } = weather
  const faults = rates.map(({ fault, rate }) => `${percent(rate)} ${describe(fault)}`).join("; ")
  const after = afterEffect > 0 && rates.some(({ fault }) => unknownOutcome(fault))
    ? `; ${percent(afterEffect)} of unknown outcomes after the effect`
    : ""
  return `${faults}${after}${operations === undefined ? "" : `, of ${list(operations, "or")}`}`
}
