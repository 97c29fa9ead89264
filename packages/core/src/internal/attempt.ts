/** One attempt: send, wait for the headers, read the body, and say how it ended. */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import { AttemptTimeout, DeadlineExceeded, type UnexpectedResponse } from "../CallError.ts"
import * as RequestSignal from "../RequestSignal.ts"
import type { CallFailure } from "../Resilience.ts"
import type { ResiliencePolicy } from "../ResiliencePolicy.ts"
import type { RateLimited } from "../ServiceError.ts"
import type { WritingApi } from "../WritingApi.ts"
import { type Failure, isFailure } from "./answer.ts"
import * as Body from "./body.ts"
import { failure as released, type Lifetime } from "./lifetime.ts"
import * as Monotonic from "./monotonic.ts"
import * as Timeout from "./timeout.ts"
import { toConnectionError } from "./transport.ts"
import * as Unexpected from "./unexpected.ts"
import { traceOf, type Words } from "./words.ts"

/**
 * How an attempt ended: with a response, which may be an error that the service answered with, or with none. A success that was
 * decoded has its value.
 */
export type Ending =
  & (
    | {
      readonly response: HttpClientResponse.HttpClientResponse
      readonly success?: { readonly value: unknown }
      readonly failure?: undefined
    }
    | { readonly response: HttpClientResponse.HttpClientResponse; readonly failure: Failure }
    | { readonly response?: undefined; readonly failure: CallFailure | RateLimited }
  )
  & {
    /** Whether the caller cut it short: the client would have waited longer by itself. */
    readonly isCut?: boolean
  }

/** What an answer means: a success, an error of the contract, a body that is not as promised, or nothing that is known. */
type Decoded =
  | { readonly success: { readonly value: unknown } }
  | { readonly failure: Failure }
  | { readonly problem: Schema.SchemaError }
  | undefined

type Decoder = (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<Decoded>

/**
 * Decodes an answer by the contract of its endpoint; a status that the contract does not know gives nothing. The decoder is made
 * when the first answer comes, as that takes a walk over the contract.
 */
export const makeDecoder = (group: HttpApiGroup.Top, endpoint: string): Decoder => {
  let decode: ReturnType<typeof decoderOf> | undefined
  return (response) => {
    decode ??= decoderOf(group, endpoint)
    return Effect.match(decode(response), {
      onFailure: (error): Decoded =>
        isFailure(error) ? { failure: error } : Schema.isSchemaError(error) ? { problem: error } : undefined,
      onSuccess: (value) => ({ success: { value } })
    })
  }
}

const decoderOf = (group: HttpApiGroup.Top, endpoint: string) =>
  // Which endpoint it is is known at run time only; to the types one stands for all.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  HttpApiClient.decodeResponse(HttpApi.make("LanguageService").add(group as unknown as typeof WritingApi), {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    group: group.identifier as "Writing",
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    endpoint: endpoint as "rephrase"
  })

const always = () => true

const errorType = ({ failure, response }: Ending): string | undefined =>
  failure?._tag ?? (response !== undefined && response.status >= 400 ? String(response.status) : undefined)

/** What the HTTP client finds in its context. */
const contextOf =
  (span: Tracer.Span, signal: RequestSignal.RequestSignal) =>
  (context: Context.Context<never>): Context.Context<never> =>
    context.pipe(
      Context.add(Tracer.ParentSpan, span),
      Context.add(RequestSignal.Current, signal),
      // The span stands for the one that the HTTP client would make.
      Context.add(HttpClient.TracerDisabledWhen, always),
      // Redirects are never followed, lest the key goes to another host. Only `fetch` follows them by itself.
      Context.add(FetchHttpClient.RequestInit, {
        ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
        redirect: "manual"
      })
    )

/**
 * The client span of an attempt, by OpenTelemetry's HTTP semantic conventions. It takes the place of the one that the
 * HTTP client makes by itself, which knows neither template nor number, and has the ids of the path in it. No trace headers
 * go out: the service does not know them.
 */
const traced = (
  options: AttemptOptions,
  signal: RequestSignal.RequestSignal,
  send: (request: HttpClientRequest.HttpClientRequest) => Effect.Effect<Ending>
): Effect.Effect<Ending> =>
  Effect.suspend(() => {
    let ended: Ending | undefined
    const endOr = (defect: unknown) => ended === undefined ? Effect.die(defect) : Effect.succeed(ended)
    // A span keeps the exit of its effect: the answer, with its body and what the address had in it, is none of its business.
    return Effect.matchEffect(
      Effect.useSpan(`${options.request.method} ${options.template}`, {
        kind: "client",
        attributes: {
          "http.request.method": options.request.method,
          "url.template": options.template,
          "server.address": options.server.hostname,
          "server.port": Number(options.server.port) || (options.server.protocol === "http:" ? 80 : 443),
          ...(options.number > 1 ? { "http.request.resend_count": options.number - 1 } : undefined)
        }
      }, (span) =>
        send(options.request).pipe(
          Effect.flatMap((ending) => {
            const error = errorType(ending)
            const traceId = ending.response === undefined ? undefined : traceOf(ending.response, options.words)?.traceId
            if (ending.response !== undefined) span.attribute("http.response.status_code", ending.response.status)
            if (error !== undefined) span.attribute("error.type", error)
            if (traceId !== undefined) span.attribute("language_service.trace_id", traceId)
            ended = ending
            // An exporter takes the status of the span from the way its effect ends.
            return error === undefined ? Effect.void : Effect.fail(error)
          }),
          Effect.updateContext(contextOf(span, signal))
        )),
      { onFailure: endOr, onSuccess: endOr }
    )
  })

/** Milliseconds for the words of an error, which are worth less than the status that is there already. */
const errorBodyTime = 2000

/** Says what an error answer means. A status that the contract does not have means no more than its hundreds. */
const readError = (answer: Body.Buffered, words: Words, decode: Decoder): Effect.Effect<Ending> =>
  Effect.gen(function*() {
    const response = answer.isGzip ? Body.empty(answer) : answer
    const decoded = yield* decode(response)
    if (decoded !== undefined && "failure" in decoded) return { response, failure: decoded.failure }
    return { response, failure: Unexpected.unknownStatus(response, words, yield* response.text) }
  })

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Why a body cannot be what the service answered with, whatever that was, and whether another attempt may get that. */
const damageOf = (response: Body.Buffered): { readonly problem: string; readonly isTransient: boolean } | undefined => {
  if (response.isGzip) {
    return {
      problem:
        "the body is compressed with gzip, which the client does not ask for: a proxy in between is the likely cause",
      isTransient: false
    }
  }
  const text = response.utf8
  if (text === undefined) return { problem: "the body is not UTF-8", isTransient: true }
  return isJson(text) ? undefined : { problem: "the body is not JSON", isTransient: true }
}

/** Whether a value comes from bytes that need not be a text. */
const isBinary = (value: unknown): boolean => value === undefined || value instanceof Uint8Array

/**
 * Decodes a success. A body that was damaged on its way, or put in its place by something in between, says nothing about the
 * effect: the attempt has failed, with an unknown outcome. A sound body of another shape than promised would come again, so
 * that is left to the call.
 */
const readSuccess = (response: Body.Buffered, words: Words, decode: Decoder): Effect.Effect<Ending> =>
  Effect.flatMap(decode(response), (decoded): Effect.Effect<Ending> => {
    const isSuccess = decoded !== undefined && "success" in decoded
    if (isSuccess && (isBinary(decoded.success.value) || response.utf8 !== undefined)) {
      return Effect.succeed({ response, success: decoded.success })
    }
    const damage = isSuccess || (decoded !== undefined && "problem" in decoded) ? damageOf(response) : undefined
    return damage === undefined
      ? Effect.succeed({ response })
      : Effect.map(response.text, (text) => ({
        response,
        failure: Unexpected.make(response, damage.problem, words, text, damage.isTransient)
      }))
  })

/** The deadline passed before the request had a connection. */
const unsent = (deadline: Duration.Duration): DeadlineExceeded =>
  new DeadlineExceeded({
    deadline,
    outcome: "refused",
    description: "Nothing was sent, as no connection was free in time"
  })

/** What an attempt needs to know. */
export interface AttemptOptions {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly template: string
  readonly server: URL
  readonly number: number
  readonly decode: Decoder
  readonly policy: ResiliencePolicy
  readonly clock: Clock.Clock
  readonly lifetime: Lifetime["Service"]
  /** The deadline of the call, and when it passes, as a time of `Monotonic`. */
  readonly deadline: Duration.Duration
  readonly end: number
  /** Keeps secrets that the service repeats out of errors and spans. */
  readonly words: Words
  readonly streamed: boolean
  /** Time from the moment that the request has a connection to the headers of the answer. */
  readonly timeout: Duration.Duration
  /** When the last bytes of a body that streams went out: the time counts from there. */
  readonly lastSent: () => number | undefined
  /** Is told when the request is written, at first that it is at once; of no time, that it waits for a connection. */
  readonly onSent?: (at: number | undefined) => void
  /** Whether a body that streams still has bytes that did not go out. */
  readonly isSending: () => boolean
}

type Send = (
  request: HttpClientRequest.HttpClientRequest
) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** Runs one attempt, which begins when the effect does. It does not fail: every end is an `Ending`. */
export const run = (next: Send, options: AttemptOptions): Effect.Effect<Ending> =>
  Effect.suspend(() => begin(next, options))

const begin = (next: Send, options: AttemptOptions): Effect.Effect<Ending> => {
  const {
    clock,
    deadline,
    decode,
    end,
    lastSent,
    lifetime,
    onSent,
    policy: { bodyIdleTimeout, maxBodyBytes },
    streamed,
    words
  } = options
  const headersTime = Duration.toMillis(options.timeout)
  const bodyTime = Duration.toMillis(bodyIdleTimeout)
  let waitsFor: "connection" | "headers" | "body" = "headers"
  let isTold = false
  const started = Monotonic.nowUnsafe(clock)
  let lastSign = started
  const onBytes = () => {
    lastSign = Monotonic.nowUnsafe(clock)
  }
  const signal: RequestSignal.RequestSignal = {
    waiting: () => {
      if (isTold) return
      isTold = true
      waitsFor = "connection"
      onSent?.(undefined)
    },
    writing: () => {
      if (waitsFor !== "connection") return
      waitsFor = "headers"
      onBytes()
      onSent?.(lastSign)
    }
  }
  const limit = (): Timeout.Limit<AttemptTimeout | DeadlineExceeded> => {
    if (waitsFor === "connection") return { until: end, late: () => unsent(deadline) }
    const until = waitsFor === "headers"
      // Bytes may be ready before there is a connection.
      ? Math.max(lastSent() ?? lastSign, lastSign) + headersTime
      : lastSign + bodyTime
    // When the deadline is as near, it is what ends the attempt.
    if (until >= end) return { until: end, late: () => new DeadlineExceeded({ deadline, outcome: "unknown" }) }
    return waitsFor === "headers"
      ? { until, late: () => new AttemptTimeout({ limit: options.timeout, description: "No headers came" }) }
      : { until, late: () => new AttemptTimeout({ limit: bodyIdleTimeout, description: "the body stopped coming" }) }
  }
  if (lifetime.isReleased()) return Effect.succeed({ failure: released(false) })
  onSent?.(started)
  return traced(options, signal, (request) =>
    next(request).pipe(
      Effect.flatMap((response) => {
        if (streamed && response.status === 200) return Effect.succeed<Ending>({ response })
        waitsFor = "body"
        onBytes()
        if (response.status < 400) {
          return Effect.flatMap(
            Body.read(response, maxBodyBytes, words, onBytes),
            (response): Effect.Effect<Ending, UnexpectedResponse> =>
              // An error may come early. A success is that of a part.
              options.isSending()
                ? Effect.fail(
                  Unexpected.make(response, "It came before the request was sent whole", words, undefined, true)
                )
                : readSuccess(response, words, decode)
          )
        }
        // Before what else would end the attempt, and hide the status: it says enough when the words do not come.
        const wordsTime = Math.min(errorBodyTime, bodyTime / 2, Math.max(1, (end - lastSign) / 2))
        return Body.readStart(response, onBytes).pipe(
          Timeout.effect(Duration.millis(wordsTime), () => undefined),
          Effect.orElseSucceed(() => Body.empty(response)),
          Effect.flatMap((response) => readError(response, words, decode))
        )
      }),
      Timeout.watched(Math.min(headersTime, bodyTime, end - started), limit, lifetime.bound),
      lifetime.orElse(() => Effect.fail(released(waitsFor !== "connection"))),
      Effect.catch((error): Effect.Effect<Ending> =>
        Effect.succeed({
          failure: HttpClientError.isHttpClientError(error)
            ? toConnectionError(error, words, waitsFor === "connection")
            : error
        })
      )
    ))
}

/** Ends an attempt, and what it waits for before it begins, with the deadline of its call or with its client. */
export const inTime = ({ deadline, ended = () => undefined, isSent, lifetime, remaining }: {
  readonly deadline: Duration.Duration
  /** Milliseconds until then. */
  readonly remaining: number
  readonly lifetime: Lifetime["Service"]
  readonly isSent: () => boolean
  /** How the attempt has ended, where something else takes time after it. */
  readonly ended?: () => Ending | undefined
}) =>
(self: Effect.Effect<Ending>): Effect.Effect<Ending> =>
  self.pipe(
    Timeout.effect(
      Duration.millis(remaining),
      () =>
        isSent()
          ? new DeadlineExceeded({ deadline, outcome: "unknown" })
          : new DeadlineExceeded({ deadline, outcome: "refused", description: "Nothing was sent" }),
      lifetime.bound
    ),
    lifetime.orElse(() => Effect.fail(released(isSent()))),
    Effect.catch((failure) => Effect.succeed<Ending>(ended() ?? { failure }))
  )
