/** The end of an attempt, and the ends that answers mean by the contract of their endpoint. */
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Schema from "effect/Schema"
import { type Failure, isFailure } from "../../client/internal/failure.ts"
import * as Unexpected from "../../client/internal/unexpected.ts"
import type { Words } from "../../client/internal/words.ts"
import type { CallFailure } from "../../client/Resilience.ts"
import type { RateLimited } from "../../client/ServiceError.ts"
// oxlint-disable-next-line house/rooms -- to the types one group stands for all
import type { WritingApi } from "../../texts/WritingApi.ts"
import * as Body from "./body.ts"

/**
 * The end of an attempt: a response, with the failure that it means if it is an error, or a failure without a response. `success`
 * is the decoded value of a success.
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
    /** True if the caller cut the attempt short: the client itself would have waited longer. */
    readonly isCut?: boolean
  }

/** A decoded answer: a success, an error of the contract, a body of another shape, or `undefined` for an unknown status. */
type Decoded =
  | { readonly success: { readonly value: unknown } }
  | { readonly failure: Failure }
  | { readonly problem: Schema.SchemaError }
  | undefined

export type Decoder = (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<Decoded>

/**
 * Makes a decoder of answers by the contract of their endpoint. It is built for the first answer, as that takes a walk over the
 * contract.
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
  // The endpoint is known at run time only; to the types one stands for all.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  HttpApiClient.decodeResponse(HttpApi.make("LanguageService").add(group as unknown as typeof WritingApi), {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    group: group.identifier as "Writing",
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    endpoint: endpoint as "rephrase"
  })

/** Decodes an error answer. Of a status that the contract does not have only the class, such as 4xx, is understood. */
export const readError = (answer: Body.Buffered, words: Words, decode: Decoder): Effect.Effect<Ending> =>
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

/** The damage of a body that the service cannot have sent in this form. */
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

/** True for a value that is decoded from bytes that need not be text. */
const isBinary = (value: unknown): boolean => value === undefined || value instanceof Uint8Array

/**
 * Decodes a success. A body that was damaged on its way, or replaced by a gateway, leaves the effect open: the attempt
 * fails with an unknown outcome. Intact JSON of another shape would be returned again, so it is left to the call.
 */
export const readSuccess = (response: Body.Buffered, words: Words, decode: Decoder): Effect.Effect<Ending> =>
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
