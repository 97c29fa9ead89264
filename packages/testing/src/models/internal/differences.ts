/** The differences of two values, a line for each place. */
import * as Equal from "effect/Equal"
import * as Formatter from "effect/Formatter"

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

export const differences = (expected: unknown, actual: unknown): ReadonlyArray<string> =>
  find(expected, actual, "").slice(0, shown)
