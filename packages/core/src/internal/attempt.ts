/** One attempt: send, wait for the headers, read the body, and say how it ended. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import { AttemptTimeout } from "../CallError.ts"
import { LanguageServiceApi } from "../LanguageServiceApi.ts"
import type { CallFailure } from "../Resilience.ts"
import type { ResiliencePolicy } from "../ResiliencePolicy.ts"
import type { RateLimited } from "../ServiceError.ts"
import { type Failure, isFailure } from "./answer.ts"
import * as Body from "./body.ts"
import * as Timeout from "./timeout.ts"
import { toConnectionError } from "./transport.ts"
import * as Unexpected from "./unexpected.ts"

/** How an attempt ended: with a response, which may be an error that the service answered with, or with none. */
export type Ending =
  | { readonly response: HttpClientResponse.HttpClientResponse; readonly failure?: undefined }
  | { readonly response: HttpClientResponse.HttpClientResponse; readonly failure: Failure }
  | { readonly response?: undefined; readonly failure: CallFailure | RateLimited }

type Decoder = (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<Failure | undefined>

/** Decodes an error answer by the contract of its endpoint; a status that the contract does not know gives nothing. */
const makeDecoder = (group: string, endpoint: string): Decoder => {
  // Which endpoint it is is known at run time only; to the types one stands for all.
  const decode = HttpApiClient.decodeResponse(LanguageServiceApi, {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    group: group as "Writing",
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    endpoint: endpoint as "rephrase"
  })
  return (response) =>
    Effect.match(decode(response), {
      onFailure: (error) => isFailure(error) ? error : undefined,
      onSuccess: () => undefined
    })
}

/** Decoders of error answers by endpoint, each made when it is first needed. */
export const makeDecoders = () => {
  const decoders = new Map<string, Decoder>()
  return (group: string, endpoint: string): Decoder => {
    const operation = `${group}.${endpoint}`
    const decoder = decoders.get(operation) ?? makeDecoder(group, endpoint)
    decoders.set(operation, decoder)
    return decoder
  }
}

const errorType = ({ failure, response }: Ending): string | undefined =>
  failure?._tag ?? (response !== undefined && response.status >= 400 ? String(response.status) : undefined)

/**
 * The client span of an attempt, by OpenTelemetry's HTTP semantic conventions. It takes the place of the one that the
 * HTTP client makes by itself, which knows neither template nor number, and has the ids of the path in it. No trace headers
 * go out: the service does not know them.
 */
const traced = (
  options: AttemptOptions,
  send: (request: HttpClientRequest.HttpClientRequest) => Effect.Effect<Ending>
): Effect.Effect<Ending> =>
  Effect.suspend(() => {
    let ended: Ending | undefined
    return Effect.catch(
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
            const traceId = ending.response?.headers["x-trace-id"]
            if (ending.response !== undefined) span.attribute("http.response.status_code", ending.response.status)
            if (error !== undefined) span.attribute("error.type", error)
            if (traceId !== undefined) span.attribute("language_service.trace_id", traceId)
            ended = ending
            // An exporter takes the status of the span from the way its effect ends.
            return error === undefined ? Effect.succeed(ending) : Effect.fail(error)
          }),
          Effect.withParentSpan(span, { captureStackTrace: false })
        )),
      (error) => ended === undefined ? Effect.die(error) : Effect.succeed(ended)
    )
  })

/** Milliseconds for the words of an error, which are worth less than the status that is there already. */
const errorBodyTime = 2000

/** Says what an error answer means. A status that the contract does not have means no more than its hundreds. */
const readError = (
  answer: HttpClientResponse.HttpClientResponse,
  secrets: ReadonlyArray<string>,
  decode: Decoder
): Effect.Effect<Ending, HttpClientError.HttpClientError> =>
  Effect.gen(function*() {
    const response = yield* Body.without(secrets, answer)
    const failure = yield* decode(response)
    return { response, failure: failure ?? Unexpected.unknownStatus(response, yield* response.text) }
  })

/** What an attempt needs to know. */
export interface AttemptOptions {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly template: string
  readonly server: URL
  readonly number: number
  readonly decode: Decoder
  readonly policy: ResiliencePolicy
  /** What is left of the deadline, in milliseconds. */
  readonly remaining: number
  /** What a service that repeats it must not get into an error. */
  readonly secrets: ReadonlyArray<string>
  readonly streamed: boolean
  /** Time from sending to the headers of the answer. */
  readonly timeout: Duration.Duration
  /** When the last bytes of a body that streams went out: the time counts from there. */
  readonly lastSent: () => number | undefined
}

type Send = (
  request: HttpClientRequest.HttpClientRequest
) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** Runs one attempt. It does not fail: every end is an `Ending`. */
export const run = (next: Send, options: AttemptOptions): Effect.Effect<Ending> => {
  const { decode, lastSent, policy, remaining, secrets, streamed, timeout } = options
  // When the deadline is as near, it is what ends the attempt.
  const limit = Duration.toMillis(timeout) < remaining ? timeout : Duration.infinity
  const late = () => new AttemptTimeout({ limit, description: "No headers came" })
  return traced(options, (request) =>
    next(request).pipe(
      request.body._tag === "Stream" ? Timeout.sinceSign(limit, lastSent, late) : Timeout.effect(limit, late),
      Effect.flatMap((response) =>
        streamed && response.status === 200
          ? Effect.succeed(response)
          : response.status < 400
          ? Body.read(response, policy)
          // The status says enough when the words that should follow do not come.
          : Body.read(response, policy).pipe(
            Effect.timeout(Math.min(errorBodyTime, Math.max(1, remaining / 2))),
            Effect.orElseSucceed(() => Body.empty(response))
          )
      ),
      Effect.flatMap((response) =>
        response.status < 400 ? Effect.succeed<Ending>({ response }) : readError(response, secrets, decode)
      ),
      Effect.catch((error): Effect.Effect<Ending> =>
        Effect.succeed({ failure: HttpClientError.isHttpClientError(error) ? toConnectionError(error) : error })
      ),
      // The span above stands for the one that the HTTP client would make.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    ))
}
