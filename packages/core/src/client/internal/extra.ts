/** Fields of requests and bodies of responses that the contract does not have: what a region of the program and a client set for them. */
import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"

/** Fields by their names on the wire. */
export type Fields = Readonly<Record<string, Schema.Json>>

/** Takes the place of fields that are not JSON. Requests refuse it. */
export const invalidFields: Fields = { "not JSON": true }

/** The body of a response as JSON, with the operation of its request. */
export interface Body {
  readonly operation: string
  readonly body: Redacted.Redacted<Schema.Json>
}

/** The fields that are added to the requests of a region of the program, by operation. */
export const Current = Context.Reference<Readonly<Record<string, Fields | undefined>>>(
  "@effect-lingua/core/client/internal/extra/Current",
  { defaultValue: () => ({}) }
)

/** Receives the body of each response of a region of the program that is JSON. */
export const Receiver = Context.Reference<((body: Body) => void) | undefined>(
  "@effect-lingua/core/client/internal/extra/Receiver",
  { defaultValue: () => undefined }
)

/** Sees the body of each response in JSON of a client, with the schema that the contract has for it, if the client is built with it. */
export const Inspector = Context.Reference<
  ((operation: string, schema: Schema.Top, body: Schema.Json) => void) | undefined
>("@effect-lingua/core/client/internal/extra/Inspector", { defaultValue: () => undefined })
