import * as Struct from "effect/Struct"
import { bodyOf, type OperationName, resultsOf, starting, withTexts } from "./operations.ts"
import { list } from "./schema.ts"

interface Kind {
  readonly others: ReadonlyArray<string>
  readonly mismatch?: (operation: OperationName) => string | undefined
}

const needsBody = (operation: OperationName): string | undefined =>
  bodyOf(operation) === "none" ? `The responses of ${operation} have no body that could break off.` : undefined

/** Kinds in order of precedence. `delay` is last, because other kinds allow `delay` too. */
const kinds = {
  status: { others: ["retryAfter", "description", "body", "headers", "delay", "afterEffect"] },
  reset: { others: ["delay", "afterEffect"] },
  truncated: { others: ["bytes", "share", "delay"], mismatch: needsBody },
  stalled: { others: ["bytes", "share", "delay"], mismatch: needsBody },
  malformed: {
    others: ["delay"],
    mismatch: (operation) =>
      bodyOf(operation) === "json"
        ? undefined
        : `The responses of ${operation} have no JSON that could be malformed.`
  },
  wrongLength: {
    others: ["delay"],
    mismatch: (operation) =>
      resultsOf[operation] === undefined
        ? `The responses of ${operation} have no results to count, unlike ${list(Object.keys(resultsOf), "and")}.`
        : undefined
  },
  altered: {
    others: ["delay"],
    mismatch: (operation) =>
      withTexts.includes(resultsOf[operation] ?? "")
        ? undefined
        : `The responses of ${operation} have no texts, unlike ${
          list(Struct.keys(resultsOf).filter((name) => withTexts.includes(resultsOf[name] ?? "")), "and")
        }.`
  },
  jobFails: {
    others: ["delay"],
    mismatch: (operation) =>
      starting.includes(operation)
        ? undefined
        : `${operation} starts no work that could fail later. ${list(starting, "and")} do.`
  },
  delay: { others: ["afterEffect"] }
} as const satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof kinds

export const kindNames: ReadonlyArray<KindName> = Struct.keys(kinds)

export const kindOf = (name: KindName): Kind => kinds[name]

/** The reason why an operation cannot have a fault; `undefined` if it can. */
export const mismatch = (fault: object, operation: OperationName): string | undefined => {
  const kind = kindNames.find((name) => name in fault)
  return kind === undefined ? undefined : kindOf(kind).mismatch?.(operation)
}
