/** Checks requests and applies faults before an operation's handler runs. */
import { Resilience } from "@effect-lingua/core/call/Resilience"
import { BadRequest, PayloadTooLarge, RateLimited, UnsupportedMediaType } from "@effect-lingua/core/errors/ServiceError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { unhandled } from "effect/Types"
import type { OperationName } from "../../../faults/Fault.ts"
import { declares, nameOf } from "../../../faults/internal/operations.ts"
import { malformed, refuse } from "../answers.ts"
import { contentTypeOf } from "../decode.ts"
import * as Exchange from "../exchange.ts"
import type { Fake, Settings } from "../state.ts"
import * as Access from "./access.ts"
import * as Dialect from "./dialect.ts"
import * as Faults from "./faults.ts"
import * as Harm from "./harm.ts"

const checkRateLimit = (fake: Fake, key: string): Effect.Effect<void, unhandled> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const { settings: { rateLimit }, store: { windows } } = fake
    if (rateLimit === undefined) return Effect.void
    const per = Duration.toMillis(rateLimit.per)
    const current = windows.get(key)
    const window = current === undefined || now - current.start >= per ? { start: now, count: 0 } : current
    if (window.count >= rateLimit.requests) {
      return refuse(
        new RateLimited({ description: "Too many requests", retryAfter: Duration.millis(window.start + per - now) })
      )
    }
    window.count += 1
    windows.set(key, window)
    return Effect.void
  })

/** Refuses a media type, with status 415 if the operation declares 415, otherwise 400. */
const unsupported = (operation: OperationName, allowed: Iterable<string>): Effect.Effect<never, unhandled> => {
  const error = {
    description: `Called with an unsupported media type. Supported are ${Array.from(allowed).join(" and ")}.`,
    code: "invalid_content_type"
  }
  return refuse(declares(operation, 415) ? new UnsupportedMediaType(error) : new BadRequest(error))
}

const bodyLimit = (group: string, { limits }: Settings): number =>
  group === "Writing" ? limits.improvementBytes : group === "Translation" ? limits.translationBytes : Infinity

const listsOf = (schema: Schema.Top): ReadonlySet<string> => {
  const { ast } = Schema.toEncoded(schema)
  const fields = SchemaAST.isObjects(ast) ? ast.propertySignatures : []
  return new Set(fields.filter(({ type }) => SchemaAST.isArrays(type)).map(({ name }) => String(name)))
}

/** Removes repeated form fields: the last value counts, except for lists. */
const withSingleFields = (
  request: HttpServerRequest.HttpServerRequest,
  schemas: ReadonlyArray<Schema.Top>
): HttpServerRequest.HttpServerRequest => {
  const lists = new Set(schemas.flatMap((schema) => Array.from(listsOf(schema))))
  const urlParamsBody = Effect.map(
    request.urlParamsBody,
    ({ params }) =>
      UrlParams.make(
        params.filter(([name], index) =>
          lists.has(name) || !params.some(([other], later) => later > index && other === name)
        )
      )
  )
  return Object.create(request, { urlParamsBody: { value: urlParamsBody } })
}

/** Checks rules that the contract cannot express, then runs the handler. */
const work = Effect.fnUntraced(function*(
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, unhandled>,
  endpoint: HttpApiEndpoint.Top,
  operation: OperationName,
  limit: number
) {
  let request = yield* HttpServerRequest.HttpServerRequest
  if (endpoint.payload.size > 0) {
    const contentType = contentTypeOf(request.headers)
    const payload = endpoint.payload.get(contentType)
    if (payload === undefined) return yield* unsupported(operation, endpoint.payload.keys())
    if (limit < Infinity && (yield* Effect.orDie(request.arrayBuffer)).byteLength > limit) {
      return yield* refuse(new PayloadTooLarge({ description: `The body is larger than ${limit} bytes` }))
    }
    if (payload.encoding._tag === "FormUrlEncoded") request = withSingleFields(request, payload.schemas)
  }
  return yield* Effect.catch(
    Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, request),
    (error) =>
      HttpApiError.HttpApiSchemaError.is(error) && error.kind !== "Body" && error.kind !== "ResponseHeaders"
        ? refuse(malformed(error.cause))
        : Effect.fail(error)
  )
})

export const layer = Layer.succeed(
  Resilience,
  Effect.fnUntraced(
    function*(httpEffect, target) {
      yield* Exchange.endIfOver
      const request = yield* HttpServerRequest.HttpServerRequest
      const exchange = yield* Exchange.Current
      const { fake } = exchange
      const operation = nameOf(target.group, target.endpoint)
      if (fake.settings.dialect.userAgent === "required" && (request.headers["user-agent"] ?? "").trim() === "") {
        return yield* refuse(new BadRequest({ description: "Missing header User-Agent." }))
      }
      // Precedes faults, because a request without a valid key must not receive a fault.
      const key = yield* Access.check(fake, request.headers["authorization"], target)
      exchange.account = key.account ?? ""
      exchange.key = key.key
      yield* checkRateLimit(fake, key.key)
      const limit = bodyLimit(target.group.identifier, fake.settings)
      return yield* Harm.apply(
        exchange,
        operation,
        Faults.next(fake, operation),
        work(httpEffect, target.endpoint, operation, limit)
      )
    },
    (httpEffect, _, { endpoint }) =>
      Effect.catch(httpEffect, (error) =>
        Effect.flatMap(
          Effect.all([Exchange.Current, HttpServerRequest.HttpServerRequest]),
          ([{ fake }, { url }]) => {
            const refusal = Dialect.refusal(error, fake.settings.dialect, url, endpoint.path)
            return refusal === undefined ? Effect.fail(error) : Effect.succeed(refusal)
          }
        ))
  )
)
