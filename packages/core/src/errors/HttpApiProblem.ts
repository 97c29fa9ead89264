/**
 * Problem details as declared errors of `HttpApi` endpoints: the OpenAPI document has every status, and derived clients fail with a typed
 * error.
 *
 * **Example** (An endpoint that translates)
 *
 * ```ts import.meta.vitest
 * import { HttpApiProblem, Translation } from "@effect-lingua/core"
 * import { Effect, Schema } from "effect"
 * import { HttpApiEndpoint } from "effect/http-api"
 *
 * const endpoint = HttpApiEndpoint.get("greeting", "/greeting", { success: Schema.String, error: HttpApiProblem.errors })
 *
 * const handler = Translation.use(({ translate }) => translate("Hello", { targetLanguage: "de" })).pipe(
 *   Effect.map(({ text }) => text),
 *   HttpApiProblem.mapErrors
 * )
 * void handler
 *
 * endpoint.path // => "/greeting"
 * ```
 *
 * @since 0.3.0
 */
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as ProblemDetails from "effect/http/ProblemDetails"
import * as Schema from "effect/Schema"
import { defined } from "../contract/internal/values.ts"
import { categories, titles } from "./internal/categories.ts"
import { messageFirst } from "./internal/failure.ts"
import * as Problem from "./Problem.ts"

const statuses = Arr.dedupe(Object.values(categories).map(([status]) => status))

const fields = {
  title: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  instance: Schema.optionalKey(Schema.String)
}

/**
 * The error with which `HttpApi` handlers and derived clients fail. It has only the fields of a {@link Problem.Problem}; `retryAfter` is the
 * header `retry-after`.
 *
 * @category errors
 * @since 0.3.0
 */
export class HttpApiProblem extends messageFirst(
  Schema.TaggedError<HttpApiProblem>()("HttpApiProblem", {
    status: Schema.Literals(statuses),
    ...fields,
    retryAfter: Schema.optionalKey(Schema.Duration)
  })
) {
  override get message(): string {
    return this.detail ?? this.title
  }
}

/** Reads `retryAfter` in seconds. A date, which a proxy may send instead, is ignored. */
const of = (
  status: Problem.Status,
  { detail, instance, title }: Partial<Problem.Problem["body"]>,
  retryAfter: string | undefined
): HttpApiProblem => {
  const seconds = Number(retryAfter)
  return new HttpApiProblem({
    status,
    title: title ?? titles[status],
    ...defined({ detail, instance, retryAfter: Number.isFinite(seconds) ? Duration.seconds(seconds) : undefined })
  })
}

const ofStatus = (status: Problem.Status) =>
  Schema.toType(HttpApiProblem).check(Schema.makeFilter((problem) => problem.status === status)).pipe(
    HttpApiSchema.encodeToWithHeaders({
      body: Schema.Struct({
        type: Schema.optionalKey(Schema.String),
        ...fields,
        status: Schema.Literal(status)
      }).annotate({ description: titles[status] }).pipe(
        HttpApiSchema.asJson({ contentType: ProblemDetails.contentType }),
        HttpApiSchema.status(status)
      ),
      headers: {
        "retry-after": Schema.optionalKey(
          Schema.String.annotate({ description: "The seconds after which the same request can succeed." })
        )
      }
    }, {
      decode: ({ body, headers }) => of(status, body, headers["retry-after"]),
      encode: ({ detail, instance, retryAfter, title }) => ({
        body: { type: ProblemDetails.blankType, status, title, ...defined({ detail, instance }) },
        headers: defined({ "retry-after": retryAfter && String(Math.ceil(Duration.toSeconds(retryAfter))) })
      })
    })
  )

/**
 * The schemas of {@link HttpApiProblem}, one per status, for the `error` of an endpoint.
 *
 * @category schemas
 * @since 0.3.0
 */
export const errors: ReadonlyArray<ReturnType<typeof ofStatus>> = statuses.map(ofStatus)

/**
 * Converts any error with {@link Problem.toProblem}.
 *
 * @category conversions
 * @since 0.3.0
 */
export const fromError = (error: unknown, options?: Problem.Options): HttpApiProblem => {
  if (error instanceof HttpApiProblem) return error
  const { body, headers, status } = Problem.toProblem(error, options)
  return of(status, body, headers["retry-after"])
}

/**
 * Converts a handler's errors to problems. An error of another library gets the status 500 and is logged once.
 *
 * @category combinators
 * @since 0.3.0
 */
export const mapErrors = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, HttpApiProblem, R> =>
  Effect.mapError(self, (error) => fromError(error))
