/** One attempt: its times and its limits of time, and the way from its request to its ending. */
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

/** The attempt in the contexts of the HTTP client and of the decoder, which may keep the signal after the end of the attempt. */
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

/** The state of an attempt. Times are those of `Monotonic`. */
export class Attempt {
  readonly call: Call<unknown, unknown>
  readonly target: Target
  readonly number: number
  readonly wait: Wait | undefined
  readonly startedAt: number
  readonly signal: Signal
  /** What the attempt waits for. */
  waitsFor: "limits" | "connection" | "headers" | "body" = "limits"
  /** Milliseconds of delay in the limits, by cause. The rest of the time there was spent on waiting for a permit. */
  readonly delays: Partial<Record<DelayCause, number>> = {}
  /** The time at which the limits admitted the attempt, and the time at which its request was written. */
  admittedAt: number | undefined = undefined
  sentAt: number | undefined = undefined
  /** The time of the last sign of life of the service. */
  lastSignAt: number
  /** The end of the request. The limits may still have to release the attempt afterwards. */
  ending: Ending | undefined = undefined
  readonly #sending: Sending | undefined
  readonly #traffics: Array<Traffic> = []
  constructor(call: Call<unknown, unknown>, target: Target, number: number, wait: Wait | undefined, startedAt: number) {
    this.call = call
    this.target = target
    this.number = number
    this.wait = wait
    this.startedAt = startedAt
    this.lastSignAt = startedAt
    this.signal = new Signal(this)
    this.#sending = call.record.sending
  }
  now(): number {
    return Monotonic.nowUnsafe(this.call.clock)
  }
  get isSent(): boolean {
    return this.waitsFor === "headers" || this.waitsFor === "body"
  }
  /** Counts the attempt as queued, until it is sent or leaves. */
  enter(traffic: Traffic): void {
    traffic.queued++
    this.#traffics.push(traffic)
  }
  leave(): void {
    this.signal.attempt = undefined
    for (const traffic of this.#traffics) traffic[this.sentAt === undefined ? "queued" : "inFlight"]--
    this.#traffics.length = 0
  }
  /** The request is being written. */
  send(now: number): void {
    this.waitsFor = "headers"
    this.lastSignAt = this.sentAt = now
    for (const traffic of this.#traffics) {
      traffic.queued--
      traffic.inFlight++
    }
  }
  /** The HTTP client reports that the request waits for a connection and is not written yet. */
  waitForConnection(): void {
    this.waitsFor = "connection"
    this.sentAt = undefined
    for (const traffic of this.#traffics) {
      traffic.inFlight--
      traffic.queued++
    }
  }
  /** Milliseconds without a sign of life, or since the last bytes of the request were written. */
  silence(now: number): number {
    return now - (this.#sending?.sentAt ?? this.sentAt ?? now)
  }
  /** Sets the ending, in which a failed source of the request precedes what became of the incomplete request. */
  end(ending: Ending): Ending {
    const { failure } = ending
    const source = this.#sending?.sourceFailure
    // The response to an incomplete request says nothing, unless another attempt can help.
    const hidesSource = failure !== undefined && !(failure.isTransient && failure.outcome === "refused")
    this.signal.attempt = undefined
    return this.ending = hidesSource && source !== undefined ? { ...ending, failure: source } : ending
  }
  /** The present limit of time. */
  limit(): Timeout.Limit<CallFailure> {
    const { deadline, end, policy: { bodyIdleTimeout }, timeout } = this.call
    const isBody = this.waitsFor === "body"
    // Bytes may be ready before there is a connection.
    const since = isBody ? this.lastSignAt : Math.max(this.#sending?.sentAt ?? this.lastSignAt, this.lastSignAt)
    const until = this.isSent ? since + Duration.toMillis(isBody ? bodyIdleTimeout : timeout) : end
    // A deadline that is as near ends the attempt.
    if (until >= end) return { until: end, late: () => this.#deadlineExceeded(deadline) }
    return {
      until,
      late: () =>
        isBody
          ? new AttemptTimeout({ limit: bodyIdleTimeout, description: "The response body stalled" })
          : new AttemptTimeout({ limit: timeout, description: "No response headers arrived" })
    }
  }
  #deadlineExceeded(deadline: Duration.Duration): DeadlineExceeded {
    if (this.isSent) return new DeadlineExceeded({ deadline, outcome: "unknown" })
    const description = this.waitsFor === "connection"
      ? "Nothing was sent: no connection was free before the deadline"
      : "Nothing was sent"
    return new DeadlineExceeded({ deadline, outcome: "refused", description })
  }
}

/** Redirects are never followed, so that the key reaches no other host. Only `fetch` follows them by default. */
const withoutRedirects: RequestInit = { redirect: "manual" }

/** The context of an attempt for the HTTP client. */
const contextOf = ({ call: { context }, signal }: Attempt): Context.Context<never> => {
  const requestInit = Context.getOrUndefined(context, FetchHttpClient.RequestInit)
  return context.pipe(
    Context.add(RequestSignal.Current, signal),
    Context.add(CurrentSanitizer, signal),
    // The span of the attempt replaces the one that the HTTP client would make.
    Context.add(HttpClient.TracerDisabledWhen, constTrue),
    Context.add(FetchHttpClient.RequestInit, { ...requestInit, ...withoutRedirects })
  )
}

/** The kind of a failed attempt, as OpenTelemetry's `error.type`. */
export const errorType = (
  { failure, response }: Pick<Ending, "response"> & { readonly failure?: { readonly _tag: string } | undefined }
): string | undefined =>
  failure?._tag ?? (response !== undefined && response.status >= 400 ? String(response.status) : undefined)

/**
 * The client span of an attempt, by OpenTelemetry's HTTP semantic conventions. It takes the place of the one that the
 * HTTP client makes by itself, which knows neither template nor number, and has the ids of the path in it. No trace headers
 * go out: the service does not know them.
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
    // A limit of time interrupts the request.
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

/** Milliseconds for the body of an error response, whose status is known already. */
const errorBodyTime = 2000

/** Reads a response as far as its call needs it. */
const read = (attempt: Attempt, response: HttpClientResponse.HttpClientResponse) => {
  const { call: { end, plan: { decode }, policy: { bodyIdleTimeout, maxBodyBytes }, record, sanitizer, streams } } =
    attempt
  if (streams !== undefined && hasWholeBody(response.status)) return Effect.succeed<Ending>({ response })
  attempt.waitsFor = "body"
  attempt.lastSignAt = attempt.now()
  const onBytes = () => {
    attempt.lastSignAt = attempt.now()
  }
  if (response.status < 400) {
    const isWanted = (size: number, promised: number) =>
      size > maxBodyBytes || promised > maxBodyBytes
        ? Effect.fail(Unexpected.make(response, `the body is larger than ${maxBodyBytes} bytes`, sanitizer))
        : Effect.succeed(true)
    return Effect.flatMap(
      Body.read(response, maxBodyBytes, onBytes, isWanted),
      (response): Effect.Effect<Ending, UnexpectedResponse> => {
        // An error may come early; a success can only refer to a part of the upload.
        if (record.sending?.isSending !== true) return Body.readSuccess(response, sanitizer, decode)
        const description = "The response arrived before the whole request was sent"
        return Effect.fail(Unexpected.make(response, description, sanitizer, undefined, true))
      }
    )
  }
  // Shorter than all other limits, which would hide the status: it is enough without the message.
  const left = (end - attempt.lastSignAt) / 2
  const bodyStartTime = Math.min(errorBodyTime, Duration.toMillis(bodyIdleTimeout) / 2, Math.max(1, left))
  return Body.read(response, Body.smallBody, onBytes, (size) => Effect.succeed(size < Body.smallBody)).pipe(
    Timeout.effect(Duration.millis(bodyStartTime), () => undefined),
    Effect.orElseSucceed(() => Body.empty(response)),
    Effect.flatMap((response) => Body.readError(response, sanitizer, decode))
  )
}

/** Sends the request of an attempt. It never fails: every end is an `Ending`. */
export const send = (attempt: Attempt): Effect.Effect<Ending> =>
  Effect.suspend(() => {
    const { call: { client: { lifetime }, context, sanitizer, send }, target: { request } } = attempt
    if (lifetime.state.isReleased) return Effect.succeed(attempt.end({ failure: released(false) }))
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

/** Ends an attempt, the waits in its limits included, when its time is over or its client is released. */
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
    release: { onRelease: lifetime.onRelease, failure: () => cut(released(attempt.isSent)) }
  })
  return Effect.catch(ended, Effect.succeed)
}
