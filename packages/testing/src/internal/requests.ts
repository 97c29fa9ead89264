/** The server half of the contract's Resilience: what stands between a request and the work of its operation. */
import { Resilience } from "@effect-lingua/core/Resilience"
import { BadRequest, PayloadTooLarge } from "@effect-lingua/core/ServiceError"
import * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as SchemaIssue from "effect/SchemaIssue"
import type { unhandled } from "effect/Types"
import type { OperationName } from "../Fault.ts"
import * as Access from "./access.ts"
import { failure, refuse } from "./answers.ts"
import * as Exchange from "./exchange.ts"
import * as Faults from "./faults.ts"
import * as Harm from "./harm.ts"
import { declares, nameOf } from "./operations.ts"
import { FakeState, type Settings } from "./state.ts"

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** A request that the contract cannot decode, in the words of the service (reference A4). */
const describe = (error: HttpApiError.HttpApiSchemaError): string => {
  const [issue] = formatIssues(error.cause.issue).issues
  const path = (issue?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".")
  if (issue?.message === "Missing key") return `Missing parameter ${path}.`
  return `Bad request. Reason: ${path === "" ? "" : `Value for '${path}' not supported. `}${issue?.message ?? ""}`
}

/** Status 415 where the contract has it, else 400 (reference A3). */
const unsupported = (operation: OperationName, allowed: Iterable<string>): HttpServerResponse.HttpServerResponse =>
  failure(
    declares(operation, 415) ? 415 : 400,
    `Called with an unsupported media type. Supported are ${Array.from(allowed).join(" and ")}.`
  )

/** Bytes of the body that an operation takes: spec, Rephrase text 1, and reference A8 for translation. */
const bodyLimit = (group: string, { limits }: Settings): number =>
  group === "Writing" ? limits.improvementBytes : group === "Translation" ? limits.translationBytes : Infinity

/** Checks what the contract leaves open about a request, and puts what it refuses into the service's words. */
const work = Effect.fnUntraced(function*(
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, unhandled>,
  endpoint: HttpApiEndpoint.Top,
  operation: OperationName,
  limit: number
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (endpoint.payload.size > 0) {
    const contentType = (request.headers["content-type"] ?? "").split(";", 1).join("").trim().toLowerCase()
    if (!endpoint.payload.has(contentType)) return unsupported(operation, endpoint.payload.keys())
    const bytes = yield* Effect.orDie(request.arrayBuffer)
    if (bytes.byteLength > limit) {
      return yield* refuse(new PayloadTooLarge({ description: `The body is larger than ${limit} bytes` }))
    }
  }
  return yield* Effect.catch(
    httpEffect,
    (error) =>
      HttpApiError.HttpApiSchemaError.is(error) && error.kind !== "Body" && error.kind !== "ResponseHeaders"
        ? refuse(new BadRequest({ description: describe(error) }))
        : Effect.fail(error)
  )
})

export const layer: Layer.Layer<Resilience, never, FakeState> = Layer.effect(
  Resilience,
  Effect.map(FakeState, (fake) =>
    Effect.fnUntraced(function*(httpEffect, target) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const exchange = yield* Exchange.Current
      const operation = nameOf(target.group, target.endpoint)
      exchange.note.operation = operation
      if ((request.headers["user-agent"] ?? "").trim() === "") {
        return yield* refuse(new BadRequest({ description: "Missing header User-Agent." }))
      }
      // The contract puts this middleware around Authorization; but a request without a valid key must not meet a fault.
      yield* Access.check(fake, request.headers["authorization"], target)
      const limit = bodyLimit(target.group.identifier, fake.settings)
      return yield* Harm.apply(
        exchange,
        operation,
        Faults.next(fake, operation),
        work(httpEffect, target.endpoint, operation, limit)
      )
    }))
)
