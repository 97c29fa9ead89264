/**
 * Scripts assign faults to calls. A script is a plain object with a schema, so that it can be read from JSON.
 *
 * **Example** (Scripts in JSON)
 *
 * ```ts import.meta.vitest
 * import { Script } from "@effect-lingua/testing"
 * import { Schema } from "effect"
 *
 * const scripts = Schema.decodeUnknownSync(Schema.fromJsonString(Script.Scripts))(`[
 *   { "operation": "Writing.rephrase", "count": 3, "fault": { "status": 429, "retryAfter": "2 seconds" } },
 *   { "every": 5, "fault": { "reset": true, "afterEffect": true } }
 * ]`)
 *
 * const lines = scripts.map(Script.format)
 * lines[0] // => "status 429, Retry-After 2s, next 3 calls of Writing.rephrase"
 * lines[1] // => "connection reset, after the effect, once in 5 calls"
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Fault, format as formatFault, OperationName } from "./Fault.ts"
import { mismatch } from "./internal/kinds.ts"
import { operationsOf } from "./internal/operations.ts"
import { closed, Count, list, Positive } from "./internal/schema.ts"

type Operations = OperationName | ReadonlyArray<OperationName>

const fields = {
  operation: Schema.optional(Schema.Union([OperationName, Schema.Array(OperationName).check(Schema.isMinLength(1))])),
  skip: Schema.optional(Count),
  every: Schema.optional(Positive),
  count: Schema.optional(Count),
  fault: Fault
}

type Fields = Schema.Struct.Type<typeof fields>

/**
 * A fault for calls of one operation, of several operations, or of any operation.
 *
 * **Details**
 *
 * The first `skip` calls receive no fault. The next `count` (default: 1) receive the fault. With `every: n`, each n-th
 * call receives the fault, without limit unless `count` is set.
 *
 * For each call, scripts are tried in order until one plays a fault; the call counts only for tried scripts: `[a, b]`
 * plays all of `a`, then `b`; a script with `every` leaves other calls to the next script. Without `operation`, a
 * script ignores operations that cannot have its fault. Calls without a scripted fault get random faults at the
 * weather's rates.
 *
 * @category models
 * @since 0.1.0
 */
export type Script = {
  readonly [K in keyof Fields]: Fields[K]
}

/**
 * Schema of a {@link Script}. Rejects unknown keys and operations, and faults that an operation cannot have.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Script: Schema.Codec<Script, unknown> = closed(fields).check(Schema.makeFilter((script: Script) => {
  const reason = operationsOf(script.operation).map((name) => mismatch(script.fault, name)).find((reason) =>
    reason !== undefined
  )
  return reason === undefined ? undefined : { path: ["fault"], issue: reason }
})).pipe(Schema.refine((_script): _script is Script => true))

/**
 * @category schemas
 * @since 0.1.0
 */
export const Scripts: Schema.Codec<ReadonlyArray<Script>, unknown> = Schema.Array(Script)

/**
 * The next `count` calls receive a fault.
 *
 * @category constructors
 * @since 0.1.0
 */
export const next = (
  count: number,
  fault: Fault,
  operation?: Operations
): Script => ({ operation, count, fault })

/**
 * Every `calls`-th call receives a fault, without limit.
 *
 * @category constructors
 * @since 0.1.0
 */
export const every = (
  calls: number,
  fault: Fault,
  operation?: Operations
): Script => ({ operation, every: calls, fault })

/**
 * The next calls receive these faults in order, one fault per call.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sequence = (
  faults: ReadonlyArray<Fault>,
  operation?: Operations
): ReadonlyArray<Script> => faults.map((fault) => next(1, fault, operation))

const times = (count: number): string => count === 1 ? "once" : `${count} times`

const formatCalls = ({ count, every, skip = 0 }: Script): string => {
  const calls = every === undefined
    ? (count ?? 1) === 1 ? "next call" : `next ${count} calls`
    : `once in ${every} calls`
  const limit = every === undefined || count === undefined ? "" : ` (${times(count)})`
  return `${skip === 0 ? "" : `after ${skip} more, `}${calls}${limit}`
}

/**
 * Describes a script in one line: its fault and calls.
 *
 * @category formatting
 * @since 0.1.0
 */
export const format = (script: Script): string => {
  const operations = operationsOf(script.operation)
  return [
    formatFault(script.fault),
    `${formatCalls(script)}${operations.length === 0 ? "" : ` of ${list(operations, "or")}`}`
  ].join(", ")
}
