/** Reports attempts to the call's record, `Recorder`, event listeners, metrics and the call's span. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as References from "effect/References"
import * as Struct from "effect/Struct"
import { traceOf } from "../../contract/internal/sanitizer.ts"
import * as Attempts from "../../errors/Attempt.ts"
import { Event } from "../../telemetry/Events.ts"
import * as Telemetry from "../../telemetry/internal/telemetry.ts"
import { type Attempt, errorType } from "./attempt.ts"
import { type AttemptFields, type Call, isCounted, type Wait } from "./callRecord.ts"
import type { Ending } from "./ending.ts"

const throttling = new Set([429, 456, 529])

export const interrupted = { failure: { _tag: "interrupted", outcome: "unknown" } } as const

/** Reports an attempt's waits for limits and for a connection. Returns their sum in milliseconds. */
const recordWaits = ({ admittedAt, call, delays, sentAt, startedAt }: Attempt, now: number): number => {
  const { clock, context, plan: { operation }, span } = call
  const admitted = admittedAt ?? startedAt
  const { circuit = 0, "learned-rate": learned = 0, rate = 0 } = delays
  const waits = {
    concurrency: admitted - startedAt - rate - learned - circuit,
    rate,
    "learned-rate": learned,
    circuit,
    connection: (sentAt ?? admitted) - admitted
  }
  let start = startedAt
  for (const cause of Struct.keys(waits)) {
    const millis = waits[cause]
    if (millis >= 1) Telemetry.waited({ operation, cause, millis, ago: now - start }, span, clock, context)
    start += millis
  }
  return (sentAt ?? admitted) - startedAt
}

/** Reports an attempt's end. `stopCause` says why no attempt follows. */
export const ended = (
  attempt: Attempt,
  { failure, response }: Pick<Ending, "response"> & {
    readonly failure?: Pick<NonNullable<Ending["failure"]>, "_tag" | "outcome"> | undefined
  },
  stopCause?: Attempts.StopCause
): void => {
  const { admittedAt, call, sentAt, startedAt, target: { request, server }, wait } = attempt
  const { client: { events }, context, plan: { operation, template }, record, sanitizer } = call
  const now = attempt.now()
  const queued = recordWaits(attempt, now)
  const took = now - (sentAt ?? admittedAt ?? startedAt)
  const status = response === undefined ? undefined : String(response.status)
  const result = failure?._tag ?? "success"
  const fields: AttemptFields = {
    operation,
    number: record.attempts.length + 1,
    waited: Duration.millis(wait?.millis ?? 0),
    took: Duration.millis(took),
    ...(wait === undefined ? undefined : { waitCause: wait.cause }),
    ...(queued === 0 ? undefined : { queued: Duration.millis(queued) }),
    ...(stopCause === undefined ? undefined : { stopCause }),
    ...(response === undefined ? undefined : { status: response.status }),
    ...(failure === undefined ? undefined : { failure: failure._tag, outcome: failure.outcome }),
    ...traceOf(response, sanitizer)
  }
  record.attempts.push(fields)
  record.response = response
  Context.get(context, Attempts.Recorder)?.(new Attempts.Attempt(fields))
  events?.publish(() => Event.AttemptEnded({ attempt: new Attempts.Attempt(fields), annotations: annotationsOf(call) }))
  Telemetry.update("httpDuration", took / 1000, {
    "http.request.method": request.method,
    "url.template": template,
    "server.address": server.address,
    "server.port": String(server.port),
    "http.response.status_code": status,
    "error.type": errorType({ failure, response })
  }, context)
  const characters = record.characters !== undefined && isCounted(fields) ? record.characters() : 0
  if (characters > 0) Telemetry.update("characters", characters, { operation }, context)
  Telemetry.update("attempts", 1, { operation, result }, context)
  if (failure?.outcome === "pending") Telemetry.update("polls", 1, { operation }, context)
  if (response !== undefined && throttling.has(response.status)) {
    Telemetry.update("throttles", 1, { operation, status: String(response.status) }, context)
  }
}

export const stopped = ({ record: { attempts } }: Call<unknown, unknown>, cause: Attempts.StopCause): void => {
  const last = attempts.pop()
  if (last !== undefined) attempts.push({ ...last, stopCause: cause })
}

export const waiting = (call: Call<unknown, unknown>, { cause, millis }: Wait): void => {
  const { client: { events }, clock, context, plan: { operation }, span } = call
  const wait = Duration.millis(millis)
  events?.publish(() => Event.Waiting({ operation, wait, cause, annotations: annotationsOf(call) }))
  Telemetry.waited({ operation, cause, millis, ago: 0 }, span, clock, context)
}

const annotationsOf = ({ context }: Call<unknown, unknown>) => Context.get(context, References.CurrentLogAnnotations)
