/** One attempt: send, wait for the headers, read the body, and classify the end. */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { Sending } from "../../client/internal/currentCall.ts"
import type { Plan } from "../../client/internal/plan.ts"
import { inSpan, isTraced } from "../../client/internal/telemetry.ts"
import * as RequestSignal from "../../client/RequestSignal.ts"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import { Cell } from "../../contract/internal/cell.ts"
import { hasWholeBody } from "../../contract/internal/endpoint.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { type Sanitizer, traceOf } from "../../contract/internal/sanitizer.ts"
import { AttemptTimeout, DeadlineExceeded, type UnexpectedResponse } from "../../errors/CallError.ts"
import * as Unexpected from "../../errors/internal/unexpected.ts"
import * as Body from "./body.ts"
import { type Ending, readError, readSuccess, toConnectionError } from "./ending.ts"
import type { Noted } from "./ledger.ts"
import { failure as released, type Lifetime } from "./lifetime.ts"
import type { OpenStreams } from "./openStreams.ts"
import * as Timeout from "./timeout.ts"

const always = () => true

/** The kind of a failed attempt, as OpenTelemetry's `error.type`. */
export const errorType = ({ failure, response }: Noted): string | undefined =>
  failure?._tag ?? (response !== undefined && response.status >= 400 ? String(response.status) : undefined)

/** Redirects are never followed, so that the key reaches no other host. Only `fetch` follows them by default. */
const withoutRedirects: RequestInit = { redirect: "manual" }

/** The context of the HTTP client. */
const contextOf = (signal: RequestSignal.RequestSignal) => <R>(context: Context.Context<R>): Context.Context<R> => {
  const given = Context.getOrUndefined(context, FetchHttpClient.RequestInit)
  return context.pipe(
    Context.add(RequestSignal.Current, signal),
    // The span of the attempt replaces the one that the HTTP client would make.
    Context.add(HttpClient.TracerDisabledWhen, always),
    Context.add(
      FetchHttpClient.RequestInit,
      given === undefined ? withoutRedirects : { ...given, ...withoutRedirects }
    )
  )
}

/**
 * The client span of an attempt, by OpenTelemetry's HTTP semantic conventions. It takes the place of the one that the
 * HTTP client makes by itself, which knows neither template nor number, and has the ids of the path in it. No trace headers
 * go out: the service does not know them.
 */
const traced = (
  { client, plan: { template }, request, server, sanitizer }: AttemptOptions,
  number: number,
  attempt: Effect.Effect<Ending>
) =>
  inSpan(attempt, `${request.method} ${template}`, {
    kind: "client",
    attributes: {
      "http.request.method": request.method,
      "url.template": template,
      "server.address": server.address,
      "server.port": server.port,
      ...(number > 1 ? { "http.request.resend_count": number - 1 } : undefined),
      ...(client === undefined ? undefined : { "language_service.client": client })
    }
  }, (exit, span) => {
    if (Exit.isFailure(exit)) return "defect"
    const { failure, response } = exit.value
    const traceId = traceOf(response, sanitizer)?.traceId
    if (response !== undefined) span.attribute("http.response.status_code", response.status)
    if (traceId !== undefined) span.attribute("language_service.trace_id", traceId)
    if (failure !== undefined) span.attribute("language_service.outcome", failure.outcome)
    return errorType(exit.value)
  })

/** Milliseconds for the body of an error response, whose status is known already. */
const errorBodyTime = 2000

/** The error of a deadline that passed before the request had a connection. */
const unsent = (deadline: Duration.Duration): DeadlineExceeded =>
  new DeadlineExceeded({
    deadline,
    outcome: "refused",
    description: "Nothing was sent, as no connection was free in time"
  })

/** A server, as in the attributes of spans and metrics. */
export const serverOf = ({ hostname, port, protocol }: URL) => ({
  address: hostname,
  port: Number(port) || (protocol === "http:" ? 80 : 443)
})

/** The facts of a call that its attempts need. */
export interface AttemptOptions {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly send: (
    request: HttpClientRequest.HttpClientRequest
  ) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>
  readonly server: ReturnType<typeof serverOf>
  /** The name of the client, if it has one. */
  readonly client: string | undefined
  readonly plan: Pick<Plan, "decode" | "template">
  readonly policy: ResiliencePolicy
  readonly clock: Clock.Clock
  readonly lifetime: Lifetime["Service"]
  /** The deadline of the call, and when it passes, as a time of `Monotonic`. */
  readonly deadline: Duration.Duration
  readonly end: number
  /** Keeps secrets that the service repeats out of errors and spans. */
  readonly sanitizer: Sanitizer
  /** The open streams, if this response is to be one of them: the body of a success is left unread. */
  readonly streams: OpenStreams["Service"] | undefined
  /** Time from the connection of the request to the headers of the response. */
  readonly timeout: Duration.Duration
  /** The state of a request body that streams: the time counts from the last bytes sent. */
  readonly sending: Sending | undefined
}

/** The progress of an attempt. */
export interface Progress {
  /** Called with the signal of the request, for the attempt to empty when it ends, in whatever way. */
  readonly onSignal: (signal: Cell<RequestSignal.RequestSignal>) => void
  /** Called with the time at which a request is written, first the start of the attempt; with `undefined` while it waits to be. */
  readonly onSent: (at: number | undefined) => void
  /** Called with the end of the attempt, unless it is interrupted. */
  readonly onEnd: (ending: Ending) => void
}

/** The signal of a request, in its context, until its attempt ends. */
class Signal extends Cell<RequestSignal.RequestSignal> implements RequestSignal.RequestSignal {
  readonly waiting = (): void => this.content?.waiting()
  readonly writing = (): void => this.content?.writing()
}

/** Runs one attempt. It never fails: every end is an `Ending`. */
export const run = (options: AttemptOptions, number: number, progress: Progress): Effect.Effect<Ending> =>
  Effect.contextWith((context) => {
    if (options.lifetime.isReleased()) {
      const ending: Ending = { failure: released(false) }
      progress.onEnd(ending)
      return Effect.succeed(ending)
    }
    const attempt = begin(options, progress)
    return isTraced(context) ? traced(options, number, attempt) : attempt
  })

const begin = (options: AttemptOptions, progress: Progress): Effect.Effect<Ending> => {
  const { clock, deadline, end, lifetime, plan, policy: { bodyIdleTimeout, maxBodyBytes }, streams, sanitizer } =
    options
  const headersTime = Duration.toMillis(options.timeout)
  const bodyTime = Duration.toMillis(bodyIdleTimeout)
  let waitsFor: "connection" | "headers" | "body" = "headers"
  let isTold = false
  const started = Monotonic.nowUnsafe(clock)
  let lastSign = started
  const onBytes = () => {
    lastSign = Monotonic.nowUnsafe(clock)
  }
  const signal = new Signal({
    waiting: () => {
      if (isTold) return
      isTold = true
      waitsFor = "connection"
      progress.onSent(undefined)
    },
    writing: () => {
      if (waitsFor !== "connection") return
      waitsFor = "headers"
      onBytes()
      progress.onSent(lastSign)
    }
  })
  const limit = (): Timeout.Limit<AttemptTimeout | DeadlineExceeded> => {
    if (waitsFor === "connection") return { until: end, late: () => unsent(deadline) }
    const until = waitsFor === "headers"
      // Bytes may be ready before there is a connection.
      ? Math.max(options.sending?.sentAt ?? lastSign, lastSign) + headersTime
      : lastSign + bodyTime
    // A deadline that is as near ends the attempt.
    if (until >= end) return { until: end, late: () => new DeadlineExceeded({ deadline, outcome: "unknown" }) }
    return waitsFor === "headers"
      ? {
        until,
        late: () => new AttemptTimeout({ limit: options.timeout, description: "No response headers arrived" })
      }
      : { until, late: () => new AttemptTimeout({ limit: bodyIdleTimeout, description: "the body stopped coming" }) }
  }
  const ended = (given: Ending): Ending => {
    const { failure } = given
    const source = options.sending?.sourceFailure
    // The request is incomplete: what the service or the platform makes of it says nothing, unless another attempt can help.
    const hidesSource = failure !== undefined && !(failure.isTransient && failure.outcome === "refused")
    const ending: Ending = hidesSource && source !== undefined ? { ...given, failure: source } : given
    progress.onEnd(ending)
    return ending
  }
  progress.onSignal(signal)
  progress.onSent(started)
  return options.send(options.request).pipe(
    Effect.flatMap((response) => {
      if (streams !== undefined && hasWholeBody(response.status)) return Effect.succeed<Ending>({ response })
      waitsFor = "body"
      onBytes()
      if (response.status < 400) {
        return Effect.flatMap(
          Body.read(response, maxBodyBytes, sanitizer, onBytes),
          (response): Effect.Effect<Ending, UnexpectedResponse> =>
            // An error may come early; a success can only refer to a part of the upload.
            options.sending?.isSending === true
              ? Effect.fail(
                Unexpected.make(
                  response,
                  "The response arrived before the whole request was sent",
                  sanitizer,
                  undefined,
                  true
                )
              )
              : readSuccess(response, sanitizer, plan.decode)
        )
      }
      // Shorter than all other limits, which would hide the status: it is enough without the message.
      const bodyStartTime = Math.min(errorBodyTime, bodyTime / 2, Math.max(1, (end - lastSign) / 2))
      return Body.readStart(response, onBytes).pipe(
        Timeout.effect(Duration.millis(bodyStartTime), () => undefined),
        Effect.orElseSucceed(() => Body.empty(response)),
        Effect.flatMap((response) => readError(response, sanitizer, plan.decode))
      )
    }),
    Timeout.watched(Math.min(headersTime, bodyTime, end - started), limit, {
      onRelease: lifetime.onRelease,
      failure: () => released(waitsFor !== "connection")
    }, contextOf(signal)),
    Effect.match({
      onFailure: (error) =>
        ended({
          failure: HttpClientError.isHttpClientError(error)
            ? toConnectionError(error, sanitizer, waitsFor === "connection")
            : error
        }),
      onSuccess: ended
    })
  )
}

const notSent = (deadline: Duration.Duration): DeadlineExceeded =>
  new DeadlineExceeded({ deadline, outcome: "refused", description: "Nothing was sent" })

/** The error of a call whose time is too short by now: for the rest of a pause, or for a response as they arrive. */
export const hopeless = (deadline: Duration.Duration, isPaused: boolean): DeadlineExceeded =>
  new DeadlineExceeded({
    deadline,
    outcome: "refused",
    description: isPaused
      ? "Nothing was sent, as the service fails too often and the pause of the client is longer than the time that is left"
      : "Nothing was sent, as responses take longer than the time that is left"
  })

/** Waits for a callback before an attempt is sent, until the deadline of the call or the release of the client. */
export const waitInTime = (
  { deadline, lifetime }: Pick<AttemptOptions, "deadline" | "lifetime">,
  remaining: number
) =>
  Timeout.waiting(remaining, () => notSent(deadline), { onRelease: lifetime.onRelease, failure: () => released(false) })

/** Ends an attempt, the wait for its turn included, at the deadline of the call or the release of the client. */
export const inTime = (
  { deadline, lifetime }: Pick<AttemptOptions, "deadline" | "lifetime">,
  { ended = () => undefined, isSent, remaining }: {
    /** Milliseconds to the deadline. */
    readonly remaining: number
    readonly isSent: () => boolean
    /** The end of the attempt, where something else still runs after it. */
    readonly ended?: () => Ending | undefined
  }
) =>
(self: Effect.Effect<Ending>): Effect.Effect<Ending> =>
  self.pipe(
    Timeout.effect(
      Duration.millis(remaining),
      () =>
        isSent()
          ? new DeadlineExceeded({ deadline, outcome: "unknown" })
          : notSent(deadline),
      { onRelease: lifetime.onRelease, failure: () => released(isSent()) }
    ),
    Effect.catch((failure) => Effect.succeed<Ending>(ended() ?? { failure }))
  )
