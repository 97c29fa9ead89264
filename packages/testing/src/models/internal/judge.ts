/** Compares the result of a command with the expectations of its model, and describes both as text. */
import * as Cause from "effect/Cause"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Formatter from "effect/Formatter"
import * as Result from "effect/Result"
import type { Expectation } from "../ModelBased.ts"

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null &&
  [null, Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value))

/** The greatest number of places in a description. */
const shown = 10

const find = (expected: unknown, actual: unknown, path: string): ReadonlyArray<string> => {
  if (Equal.equals(expected, actual)) return []
  if (!isPlain(expected) || !isPlain(actual)) {
    return [`${path === "" ? "" : `${path}: `}expected ${Formatter.format(expected)}, got ${Formatter.format(actual)}`]
  }
  return [...new Set([...Object.keys(expected), ...Object.keys(actual)])].flatMap((key) =>
    find(expected[key], actual[key], Array.isArray(expected) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`)
  )
}

const differences = (expected: unknown, actual: unknown): ReadonlyArray<string> =>
  find(expected, actual, "").slice(0, shown)

/** The state after an expected result, with the name of the outcome; or the expectations as text. */
export type Judgement<Model> = Result.Result<{ readonly model: Model; readonly outcome: string }, string>

const longest = 2000

export const words = (value: unknown): string => {
  const text = Formatter.format(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** Compares a result with the expectations. */
export const judge = <Model, A, E extends { readonly _tag: string }>(
  model: Model,
  exit: Exit.Exit<A, E>,
  expectations: ReadonlyArray<Expectation<Model, A, E["_tag"]>>
): Judgement<Model> => {
  const expected: Array<string> = []
  const error = Exit.isSuccess(exit) ? undefined : Cause.findError(exit.cause)
  for (const expectation of expectations) {
    if ("fails" in expectation) {
      if (error !== undefined && Result.isSuccess(error) && error.success._tag === expectation.fails) {
        return Result.succeed({ model: expectation.next ?? model, outcome: expectation.fails })
      }
      expected.push(`failure ${expectation.fails}`)
    } else if (Exit.isSuccess(exit)) {
      const value = expectation.succeeds(exit.value)
      if (Equal.equals(value, exit.value)) {
        return Result.succeed({ model: expectation.next?.(exit.value) ?? model, outcome: "success" })
      }
      expected.push([words(value), ...differences(value, exit.value).map((line) => `  ${line}`)].join("\n     "))
    } else {
      expected.push("success")
    }
  }
  return Result.fail(expected.join("\n     or "))
}

export const describe = <A, E>(exit: Exit.Exit<A, E>): string =>
  Exit.isSuccess(exit)
    ? words(exit.value)
    : Cause.prettyErrors(exit.cause).map(({ message, name }) => `${name}: ${message}`).join("; ")
