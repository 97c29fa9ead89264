/** Rules that decode options. JavaScript callers may pass any value. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { isReadonlyObject, isString } from "effect/Predicate"
import * as Result from "effect/Result"
import { resultFn } from "../../contract/internal/values.ts"

/** An option's path and problem, such as "must be more than 0". */
export interface Problem {
  readonly field: string
  readonly problem: string
}

export type Rule<A> = (value: unknown, field: string) => Result.Result<A, Problem>

/** Fails with the first problem that occurs. */
export const none = (
  problems: ReadonlyArray<readonly [occurs: boolean, field: string, problem: string]>
): Result.Result<void, Problem> => {
  const [, field, problem] = problems.find(([occurs]) => occurs) ?? []
  return field === undefined || problem === undefined ? Result.void : Result.fail({ field, problem })
}

export const is = <A>(holds: (value: unknown) => value is A, problem: string): Rule<A> => (value, field) =>
  holds(value) ? Result.succeed(value) : Result.fail({ field, problem })

export const number = (holds: (value: number) => boolean, problem: string): Rule<number> =>
  is((value): value is number => typeof value === "number" && holds(value), problem)

export const text: Rule<string> = is(isString, "must be a string")

export const flag: Rule<boolean> = is((value) => typeof value === "boolean", "must be true or false")

export const oneOf = <const L extends string>(...literals: ReadonlyArray<L>): Rule<L> =>
  is((value): value is L => literals.some((literal) => literal === value), `must be ${literals.join(" or ")}`)

export const duration =
  (holds: (millis: number) => boolean = () => true, problem = ""): Rule<Duration.Duration> => (value, field) =>
    Option.match(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `fromInput` accepts any value but converts NaN to zero
      Number.isNaN(value) ? Option.none() : Duration.fromInput(value as Duration.Input),
      {
        onNone: () => Result.fail({ field, problem: "is not a duration such as \"5 seconds\"" }),
        onSome: (decoded) =>
          holds(Duration.toMillis(decoded)) ? Result.succeed(decoded) : Result.fail({ field, problem })
      }
    )

export const positive: Rule<Duration.Duration> = duration((millis) => millis > 0, "must be more than 0")

export const finite: Rule<Duration.Duration> = duration(
  (millis) => millis > 0 && Number.isFinite(millis),
  "must be more than 0, and finite"
)

export const optional = <A>(rule: Rule<A>): Rule<A | undefined> => (value, field) =>
  value === undefined ? Result.succeed(undefined) : rule(value, field)

export const record: Rule<Readonly<Record<string, unknown>>> = is(isReadonlyObject, "must be an object")

/** Decodes an object whose fields follow `rules`. Refuses other fields. */
export const struct = <A extends object>(rules: { readonly [K in keyof A]-?: Rule<A[K]> }): Rule<A> =>
  resultFn(function*(value, field) {
    const fields = yield* record(value, field)
    const prefix = field === "" ? "" : `${field}.`
    const unknown = Object.keys(fields).find((name) => !Object.hasOwn(rules, name))
    if (unknown !== undefined) yield* Result.fail({ field: `${prefix}${unknown}`, problem: "is not an option" })
    const decoded: Partial<A> = {}
    for (const name in rules) decoded[name] = yield* rules[name](fields[name], `${prefix}${name}`)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every field is decoded
    return decoded as A
  })
