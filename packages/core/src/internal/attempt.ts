/** One attempt: send, wait for the headers, read the body, and say how it ended. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import { AttemptTimeout, DeadlineExceeded } from "../CallError.ts"
import { LanguageServiceApi } from "../LanguageServiceApi.ts"
import type { CallFailure } from "../Resilience.ts"
import type { ResiliencePolicy } from "../ResiliencePolicy.ts"
import { type Failure, isFailure } from "./answer.ts"
import * as Body from "./body.ts"
import { toConnectionError } from "./transport.ts"

/** How an attempt ended: with a response, which may be an error that the service answered with, or with none. */
export type Ending =
  | { readonly response: HttpClientResponse.HttpClientResponse; readonly failure?: undefined }
  | { readonly response: HttpClientResponse.HttpClientResponse; readonly failure: Failure }
  | { readonly response?: undefined; readonly failure: CallFailure }

type Decoder = (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<Failure | undefined>

/** Decodes an error answer by the contract of its endpoint; a status that the contract does not know gives nothing. */
const makeDecoder = (group: string, endpoint: string): Decoder => {
  // Which endpoint it is is known at run time only; to the types one stands for all.
  const decode = HttpApiClient.decodeResponse(LanguageServiceApi, {
    group: group as "Writing",
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

/** Runs one attempt with what is left of the deadline, in milliseconds. It does not fail: every end is an `Ending`. */
export const run = (
  send: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>,
  options: {
    readonly decode: Decoder
    readonly policy: ResiliencePolicy
    readonly deadline: Duration.Duration
    readonly remaining: number
    readonly streamed: boolean
  }
): Effect.Effect<Ending> => {
  const { deadline, decode, policy, remaining, streamed } = options
  const limit = policy.attemptTimeout
  const headers = Duration.toMillis(limit) < remaining
    ? Effect.timeoutOrElse(send, {
      duration: limit,
      orElse: () => Effect.fail(new AttemptTimeout({ limit, description: "No headers came" }))
    })
    : send
  return headers.pipe(
    Effect.flatMap((response) =>
      streamed && response.status === 200 ? Effect.succeed(response) : Body.read(response, policy)
    ),
    Effect.timeoutOrElse({
      duration: remaining,
      orElse: () => Effect.fail(new DeadlineExceeded({ deadline, outcome: "unknown" }))
    }),
    Effect.flatMap((response): Effect.Effect<Ending> =>
      response.status < 400
        ? Effect.succeed({ response })
        : Effect.map(decode(response), (failure) => failure === undefined ? { response } : { response, failure })
    ),
    Effect.catch((error): Effect.Effect<Ending> =>
      Effect.succeed({ failure: HttpClientError.isHttpClientError(error) ? toConnectionError(error) : error })
    )
  )
}
