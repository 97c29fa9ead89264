/** Failures for responses with a valid shape and wrong content, and the other failures of the contract client. */
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Schema from "effect/Schema"
import { checkId, isId } from "./checks.ts"

/** A response with a valid shape whose content does not match the request. */
class Misfit {
  readonly _tag = "Misfit"
  readonly description: string
  constructor(description: string) {
    this.description = description
  }
}

/** Fails for a response that does not match the request. */
export const misfit = (description: string): Effect.Effect<never, Misfit> => Effect.fail(new Misfit(description))

/** Fails unless a response has one result for each text. */
export const expectCount = (expected: number, actual: number): Effect.Effect<void, Misfit> =>
  expected === actual ? Effect.void : misfit(`the response has ${actual} results for ${expected} texts`)

/** Fails for a response with an id other than the requested one. A response without an id passes. */
export const expectId = (
  parameter: string,
  expected: string | undefined,
  actual: string | undefined
): Effect.Effect<void, Misfit> =>
  actual === undefined || isId(expected, actual) ? Effect.void : misfit(`the response has another ${parameter}`)

/** Fails for a new object with an id that cannot be used in requests. */
export const expectUsableId = (kind: string, id: string): Effect.Effect<void, Misfit> =>
  Effect.catch(checkId("id", id), () => misfit(`the id of the ${kind} is invalid`))

/** The failures of the contract client besides the errors of the contract. */
export type Foreign = HttpClientError.HttpClientError | Schema.SchemaError | Misfit

/** Tests for a failure that is not one of this library. */
export const isForeign = (error: unknown): error is Foreign =>
  HttpClientError.isHttpClientError(error) || Schema.isSchemaError(error) || error instanceof Misfit
