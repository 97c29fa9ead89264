/** One attempt of a call, from the request to the `Ending`, with its time limits. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { constTrue } from "effect/Function"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import { hasWholeBody } from "../../contract/internal/endpoint.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { CurrentSanitizer, type Sanitizer, traceOf, withoutSecrets } from "../../contract/internal/sanitizer.ts"
import { AttemptTimeout, type CallFailure, DeadlineExceeded, type UnexpectedResponse } from "../../errors/CallError.ts"
import * as Unexpected from "../../errors/internal/unexpected.ts"
import type { DelayCause } from "../../limits/internal/limiter.ts"
import type { Traffic } from "../../limits/internal/tenants.ts"
import { inSpan, isTraced } from "../../telemetry/internal/telemetry.ts"
import * as RequestSignal from "../RequestSignal.ts"
import * as Body from "./body.ts"
import type { Call, Sending, Target, Wait } from "./callRecord.ts"
import { type Ending, released, toConnectionError } from "./ending.ts"
import * as Timeout from "./timeout.ts"

/** An attempt's `RequestSignal`. `attempt` is cleared when the attempt ends, because HTTP clients may retain the signal. */
class Signal implements RequestSignal.RequestSignal {
  attempt: Attempt | undefined
  #hasWaited = false
  constructor(attempt: Attempt) {
    this.attempt = attempt
  }
  get sanitizer(): Sanitizer {
    return this.attempt?.call.sanitizer ?? withoutSecrets
  }
  readonly waiting = (): void => {
    if (this.attempt === undefined || this.#hasWaited) return
    this.#hasWaited = true
    this.attempt.waitForConnection()
  }
  readonly writing = (): void => {
    if (this.attempt?.waitsFor === "connection") this.attempt.send(this.attempt.now())
  }
}

/** An attempt's state, with times in milliseconds of `Monotonic`. */
export class Attempt {
  readonly call: Call<unknown, unknown>
  readonly target: Target
  readonly number: number
  readonly wait: Wait | undefined
  readonly startedAt: number
  readonly signal: Signal
  waitsFor: "limits" | "connection" | "headers" | "body" = "limits"
  /** Milliseconds of delay by rate limits and circuit breaker, keyed by cause. */
  readonly delays: Partial<Record<DelayCause, number>> = {}
  admittedAt: number | undefined = undefined
  /** When the request was written. */
  sentAt: number | undefined = undefined
  /** When the attempt was sent or last received a part of the response. */
  lastEventAt: number
  ending: Ending | undefined = undefined
  readonly #sending: Sending | undefined
  readonly #traffics: Array<Traffic> = []
  constructor(call: Call<unknown, unknown>, target: Target, number: number, wait: Wait | undefined, startedAt: number) {
    this.call = call
    this.target = target
    this.number = number
    this.wait = wait
    this.startedAt = startedAt
    this.lastEventAt = startedAt
    this.signal = new Signal(this)
    this.#sending = call.record.sending
  }
  now(): number {
    return Monotonic.nowUnsafe(this.call.clock)
  }
  get isSent(): boolean {
    return this.waitsFor === "headers" || this.waitsFor === "body"
  }
  /** Counts the attempt as queued in `traffic` until `send` or `leave`. */
  enter(traffic: Traffic): void {
    traffic.queued++
    this.#traffics.push(traffic)
  }
  leave(): void {
    this.signal.attempt = undefined
    for (const traffic of this.#traffics) traffic[this.sentAt === undefined ? "queued" : "inFlight"]--
    this.#traffics.length = 0
  }
  send(now: number): void {
    this.waitsFor = "headers"
    this.lastEventAt = this.sentAt = now
    for (const traffic of this.#traffics) {
      traffic.queued--
      traffic.inFlight++
    }
  }
  waitForConnection(): void {
    this.waitsFor = "connection"
    this.sentAt = undefined
    for (const traffic of this.#traffics) {
      traffic.inFlight--
      traffic.queued++
    }
  }
  /** Milliseconds since the client sent the last bytes of the request. */
  silence(now: number): number {
    return now - (this.#sending?.sentAt ?? this.sentAt ?? now)
  }
  /** Sets the ending. An error of the request body's source replaces the error of the incomplete request. */
  end(ending: Ending): Ending {
    const { failure } = ending
    const source = this.#sending?.sourceFailure
    // A transient refusal is not replaced: it does not depend on the request body.
    const hidesSource = failure !== undefined && !(failure.isTransient && failure.outcome === "refused")
    this.signal.attempt = undefined
    return this.ending = hidesSource && source !== undefined ? { ...ending, failure: source } : ending
  }
  limit(): Timeout.Limit<CallFailure> {
    const { deadline, end, policy: { bodyIdleTimeout }, timeout } = this.call
    const isBody = this.waitsFor === "body"
    const limit = isBody ? bodyIdleTimeout : timeout
    // The later time counts, because the client may have read the request body before a connection existed.
    const since = isBody ? this.lastEventAt : Math.max(this.lastEventAt, this.#sending?.sentAt ?? 0)
    const until = this.isSent ? since + Duration.toMillis(limit) : end
    if (until < end) {
      const description = isBody ? "The response body stalled" : "No response headers arrived"
      return { until, late: () => new AttemptTimeout({ limit, description }) }
    }
    const noConnection = this.waitsFor === "connection" ? ": no connection was free before the deadline" : ""
    return {
      until: end,
      late: () =>
        this.isSent
          ? new DeadlineExceeded({ deadline, outcome: "unknown" })
          : new DeadlineExceeded({ deadline, outcome: "refused", description: `Nothing was sent${noConnection}` })
    }
  }
}

const contextOf = ({ call: { context }, signal }: Attempt): Context.Context<never> => {
  const requestInit = Context.getOrUndefined(context, FetchHttpClient.RequestInit)
  return context.pipe(
    Context.add(RequestSignal.Current, signal),
    Context.add(CurrentSanitizer, signal),
    // Disables the HTTP client's span, because `traced` makes a span.
    Context.add(HttpClient.TracerDisabledWhen, constTrue),
    // By default `fetch` follows redirects, which would send the key to another host.
    Context.add(FetchHttpClient.RequestInit, { ...requestInit, redirect: "manual" })
  )
}

export const errorType = (
  { failure, response }: Pick<Ending, "response"> & { readonly failure?: { readonly _tag: string } | undefined }
): string | undefined =>
  failure?._tag ?? (response !== undefined && response.status >= 400 ? String(response.status) : undefined)

/**
 * Runs an attempt in a client span with OpenTelemetry's HTTP attributes. Unlike the span of Effect's HTTP client, this span omits the ids in the
 * path; no trace headers are sent, because the service ignores them.
 */
const traced = (attempt: Attempt, run: Effect.Effect<Ending>) => {
  const { call: { client: { config: { name } }, plan: { template }, sanitizer }, number, target: { request, server } } =
    attempt
  return inSpan(run, `${request.method} ${template}`, {
    kind: "client",
    attributes: {
      "http.request.method": request.method,
      "url.template": template,
      "server.address": server.address,
      "server.port": server.port,
      ...(number > 1 ? { "http.request.resend_count": number - 1 } : undefined),
      ...(name === undefined ? undefined : { "language_service.client": name })
    }
  }, (exit, span) => {
    // A time limit sets `attempt.ending` and then interrupts the request.
    const ending = Exit.isSuccess(exit) ? exit.value : attempt.ending
    if (ending === undefined) return Exit.hasInterrupts(exit) ? undefined : "defect"
    const { failure, response } = ending
    const traceId = traceOf(response, sanitizer)?.traceId
    if (response !== undefined) span.attribute("http.response.status_code", response.status)
    if (traceId !== undefined) span.attribute("language_service.trace_id", traceId)
    if (failure !== undefined) span.attribute("language_service.outcome", failure.outcome)
    return errorType(ending)
  })
}

const errorBodyMillis = 2000

/** Reads a response, unless the body is returned as an open stream. */
const read = (attempt: Attempt, response: HttpClientResponse.HttpClientResponse) => {
  const { call: { end, plan: { decode }, policy: { bodyIdleTimeout, maxBodyBytes }, record, sanitizer, streams } } =
    attempt
  if (streams !== undefined && hasWholeBody(response.status)) return Effect.succeed<Ending>({ response })
  attempt.waitsFor = "body"
  attempt.lastEventAt = attempt.now()
  const onBytes = () => {
    attempt.lastEventAt = attempt.now()
  }
  if (response.status < 400) {
    const isWanted = (size: number, promised: number) =>
      size > maxBodyBytes || promised > maxBodyBytes
        ? Effect.fail(Unexpected.make(response, `the body is larger than ${maxBodyBytes} bytes`, sanitizer))
        : Effect.succeed(true)
    return Effect.flatMap(
      Body.read(response, maxBodyBytes, onBytes, isWanted),
      (response): Effect.Effect<Ending, UnexpectedResponse> => {
        // A success before the upload's end concerns only a part of the file.
        if (record.sending?.isSending !== true) return Body.readSuccess(response, sanitizer, decode)
        const description = "The response arrived before the whole request was sent"
        return Effect.fail(Unexpected.make(response, description, sanitizer, undefined, true))
      }
    )
  }
  // An error body is optional: its limit is at most half of the body's and the call's limits, because a timeout would hide the status.
  const left = (end - attempt.lastEventAt) / 2
  const bodyTimeoutMillis = Math.min(errorBodyMillis, Duration.toMillis(bodyIdleTimeout) / 2, Math.max(1, left))
  return Body.read(response, Body.smallBody, onBytes, (size) => Effect.succeed(size < Body.smallBody)).pipe(
    // `onBytes` postpones the attempt's limit while the platform closes the response, so that no timeout hides the status.
    Timeout.effect(Duration.millis(bodyTimeoutMillis), onBytes),
    Effect.orElseSucceed(() => Body.empty(response)),
    Effect.flatMap((response) => Body.readError(response, sanitizer, decode))
  )
}

export const send = (attempt: Attempt): Effect.Effect<Ending> =>
  Effect.suspend(() => {
    const { call: { client: { lifetime }, context, sanitizer, send }, target: { request } } = attempt
    if (lifetime.isReleased) return Effect.succeed(attempt.end({ failure: released(false) }))
    attempt.send(attempt.admittedAt = attempt.now())
    const run = Effect.match(Effect.flatMap(send(request), (response) => read(attempt, response)), {
      onFailure: (error) =>
        attempt.end({
          failure: HttpClientError.isHttpClientError(error)
            ? toConnectionError(error, sanitizer, attempt.waitsFor === "connection")
            : error
        }),
      onSuccess: (ending) => attempt.end(ending)
    })
    return isTraced(context) ? traced(attempt, run) : run
  })

/** Ends an attempt at its time limit or its client's release, even while the attempt waits for the client's limits. */
export const inTime = (attempt: Attempt, run: Effect.Effect<Ending>): Effect.Effect<Ending> => {
  const { startedAt, call: { client: { lifetime }, context, end, policy: { bodyIdleTimeout }, timeout } } = attempt
  const cut = (failure: CallFailure): Ending => attempt.end({ failure })
  const ended = Timeout.watched(run, {
    limit: () => {
      const { late, until } = attempt.limit()
      return { until, late: () => cut(late()) }
    },
    step: Math.min(Duration.toMillis(timeout), Duration.toMillis(bodyIdleTimeout), end - startedAt),
    context,
    within: contextOf(attempt),
    lifetime,
    released: () => cut(released(attempt.isSent))
  })
  return Effect.catch(ended, Effect.succeed)
}
