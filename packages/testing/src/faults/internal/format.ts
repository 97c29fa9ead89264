/** Faults and scripts as text for the output of a test. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import type { Answer, Fault, Stalled, Truncated } from "../Fault.ts"
import type { Script } from "../Script.ts"
import { operationsOf } from "./operations.ts"
import { list } from "./schema.ts"

const span = (input: Duration.Input): string => Duration.format(Duration.fromInputUnsafe(input))

const shortened = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text)

const place = ({ bytes, share = 0.5 }: Truncated | Stalled): string =>
  bytes === undefined ? `${Math.round(share * 100)} %` : `${bytes} ${bytes === 1 ? "byte" : "bytes"}`

const formatAnswer = ({ body, description, headers = {}, retryAfter, status }: Answer): ReadonlyArray<string> => [
  `status ${status}`,
  ...(retryAfter === undefined
    ? []
    : [`Retry-After ${DateTime.isDateTime(retryAfter) ? DateTime.formatIso(retryAfter) : span(retryAfter)}`]),
  ...(description === undefined ? [] : [shortened(description)]),
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ...(body === undefined ? [] : [`body ${shortened(body)}`])
]

const formatKind = (fault: Fault): ReadonlyArray<string> => {
  if ("status" in fault) return formatAnswer(fault)
  if ("reset" in fault) return ["connection reset"]
  if ("truncated" in fault) return [`body cut after ${place(fault)}`]
  if ("stalled" in fault) return [`body stalled after ${place(fault)}`]
  if ("malformed" in fault) return ["body malformed"]
  if ("wrongLength" in fault) {
    const by = Math.abs(fault.wrongLength)
    return [`${by} ${by === 1 ? "result" : "results"} too ${fault.wrongLength > 0 ? "many" : "few"}`]
  }
  if ("altered" in fault) return [`texts ${fault.altered}`]
  if ("jobFails" in fault) return [`job fails: ${shortened(fault.jobFails)}`]
  return ["right response"]
}

/** A fault in one line. */
export const fault = (fault: Fault): string =>
  [
    ...formatKind(fault),
    ...(fault.delay === undefined ? [] : [`${span(fault.delay)} late`]),
    ...("afterEffect" in fault && fault.afterEffect === true ? ["after the effect"] : [])
  ].join(", ")

const times = (count: number): string => count === 1 ? "once" : `${count} times`

const formatTurns = ({ count, every, skip = 0 }: Script): string => {
  const calls = every === undefined
    ? (count ?? 1) === 1 ? "next call" : `next ${count} calls`
    : `once in ${every} calls`
  const limit = every === undefined || count === undefined ? "" : ` (${times(count)})`
  return `${skip === 0 ? "" : `after ${skip} more, `}${calls}${limit}`
}

/** A script in one line. */
export const script = (script: Script): string => {
  const operations = operationsOf(script.operation)
  return [
    fault(script.fault),
    `${formatTurns(script)}${operations.length === 0 ? "" : ` of ${list(operations, "or")}`}`
  ].join(", ")
}
