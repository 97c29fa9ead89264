/** The differences of two values, a line for each place. */
import * as Equal from "effect/Equal"
import * as Formatter from "effect/Formatter"

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null &&
  [null, Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value))

/** The greatest number of places in a description. */
const shown = 10

const find = (expected: unknown, came: unknown, path: string): ReadonlyArray<string> => {
  if (Equal.equals(expected, came)) return []
  if (!isPlain(expected) || !isPlain(came)) {
    return [`${path === "" ? "" : `${path}: `}${Formatter.format(expected)} expected, ${Formatter.format(came)} came`]
  }
  return [...new Set([...Object.keys(expected), ...Object.keys(came)])].flatMap((key) =>
    find(expected[key], came[key], Array.isArray(expected) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`)
  )
}

export const differences = (expected: unknown, came: unknown): ReadonlyArray<string> =>
  find(expected, came, "").slice(0, shown)
