/** Comparison of results without ids and times. */
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Formatter from "effect/Formatter"
import { hasProperty } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

type Fields = Readonly<Record<string, unknown>>

const isPlain = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null &&
  [null, Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value))

const idIn = (name: string, value: unknown): string | undefined => {
  if (!/(Id|Key|^key)$/.test(name)) return undefined
  const text = Redacted.isRedacted(value) ? Redacted.value(value) : value
  return typeof text === "string" ? text : undefined
}

const idsOf = (value: unknown): Fields =>
  isPlain(value) && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([name, id]) => idIn(name, id) !== undefined))
    : {}

/** The `reference` that means a missing object. */
const stranger = 13
/** The `reference` that means an object with a wrong parent or key. */
const strangePart = 17

export class Identities {
  readonly #numbers: Map<string, number>
  readonly #known: Array<Fields>

  constructor(from?: Identities) {
    this.#numbers = new Map(from === undefined ? [] : from.#numbers)
    this.#known = from === undefined ? [] : [...from.#known]
  }

  /** A known object's ids for the input's id fields; `undefined` if no object is known. */
  resolve(input: unknown, reference: number): Fields | undefined {
    const names = Object.keys(idsOf(input))
    if (names.length === 0) return {}
    const candidates = new Map(
      this.#known.filter((ids) => names.every((name) => name in ids)).map((ids) => [
        names.map((name) => idIn(name, ids[name])).join(" "),
        Object.fromEntries(names.map((name) => [name, ids[name]]))
      ])
    )
    const chosen = [...candidates.values()][reference % candidates.size]
    const resolvedCount = reference === stranger ? 0 : reference === strangePart ? 1 : names.length
    return chosen && Object.fromEntries(Object.entries(chosen).slice(0, resolvedCount))
  }

  /** A result with numbered ids and without times. Remembers the ids. */
  see(exit: Exit.Exit<unknown, unknown>, input: unknown): unknown {
    return Exit.isSuccess(exit) ? this.#walk(exit.value, idsOf(input)) : `failure ${outcomeOf(exit)}`
  }

  #walk(value: unknown, outer: Fields): unknown {
    if (DateTime.isDateTime(value)) return "a time"
    if (Array.isArray(value)) return value.map((item) => this.#walk(item, outer))
    if (!isPlain(value)) return value
    const own = idsOf(value)
    const ids = { ...outer, ...own }
    if (Object.keys(own).length > 0) this.#known.push(ids)
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => {
        const id = idIn(name, field)
        return [name, id === undefined ? this.#walk(field, ids) : `id ${this.#number(id)}`]
      })
    )
  }

  #number(id: string): number {
    const number = this.#numbers.get(id) ?? this.#numbers.size + 1
    this.#numbers.set(id, number)
    return number
  }
}

export const outcomeOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) return "success"
  const error = Cause.findError(exit.cause)
  return Result.isSuccess(error) && hasProperty(error.success, "_tag") ? String(error.success._tag) : describe(exit)
}

export const isOutcomeUnknown = (exit: Exit.Exit<unknown, unknown>): boolean => {
  if (Exit.isSuccess(exit)) return false
  const error = Cause.findError(exit.cause)
  return Result.isSuccess(error) && hasProperty(error.success, "outcome") && error.success.outcome === "unknown"
}

const longest = 2000

/** Formats a value, truncated. */
export const formatted = (value: unknown): string => {
  const text = Formatter.format(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

export const describe = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isSuccess(exit)
    ? formatted(exit.value)
    : Cause.prettyErrors(exit.cause).map(({ message, name }) => `${name}: ${message}`).join("; ")

const maxDifferences = 10

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
  find(expected, actual, "").slice(0, maxDifferences)
