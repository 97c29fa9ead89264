/**
 * Converts errors to HTTP problem details (RFC 9457) for a server's callers, and decides whether to run a failed call again. A problem exposes no
 * attempts, ids or messages of the service.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as ProblemDetails from "effect/http/ProblemDetails"
import { isObject } from "effect/Predicate"
import { defined } from "../contract/internal/values.ts"
import { LimitExceeded } from "./CallError.ts"
import * as Categories from "./internal/categories.ts"
import { type Failure, isFailure } from "./internal/failure.ts"

/**
 * @category models
 * @since 0.1.0
 */
export type Status = Categories.ProblemStatus

/**
 * An error's category. It decides the status of a problem, the exit code of the command line, and whether an error ends a bulk run.
 *
 * - `usage`, `tooLarge`, `conflict`: change the call.
 * - `missing`, `gone`, `source`, `local`: an object, document, source file or local file cannot be used.
 * - `access`, `quota`, `budget`: the key, its plan or quota, or the tenant's budget forbids the call.
 * - `busy`, `throttled`, `unreachable`, `unavailable`, `timeout`, `badResponse`: the service or the network has a problem.
 * - `notReady`: the result is pending. `rejected`: the service could not process the input.
 * - `lost`, `unknown`: a document may be lost, or a creation may have taken effect.
 *
 * @category models
 * @since 0.3.0
 */
export type Category = Categories.Category

/**
 * A server's error response. `type` is `about:blank`, `title` the status's reason phrase. `retry-after`, in whole seconds, is present
 * if a later request can succeed and the time is known.
 *
 * @category models
 * @since 0.1.0
 */
export interface Problem {
  readonly status: Status
  readonly headers: { readonly "content-type": string; readonly "retry-after"?: string }
  readonly body: {
    readonly type: string
    readonly title: string
    readonly status: Status
    readonly detail: string
    readonly instance?: string
  }
}

/**
 * An error of this library, or an object with the same fields.
 *
 * @category models
 * @since 0.1.0
 */
export type Source = Pick<Failure, "_tag" | "isTransient" | "retryAfter"> & Partial<Pick<Failure, "category">> & {
  readonly tenant?: string
}

/**
 * True if a value, such as a rejected promise's reason, is an error of this library.
 *
 * @category guards
 * @since 0.2.0
 */
export const isSource = (error: unknown): error is Source => isFailure(error)

const isLike = (error: unknown): error is Source => Categories.isCategorized(error)

/**
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** A URI that identifies this occurrence, for example by the server's request id. */
  readonly instance?: string | undefined
}

const logged = new WeakSet<object>()

/** Logs an error object once, because a problem with status 500 does not describe the error. */
const log = (error: unknown): void => {
  if (isObject(error)) {
    if (logged.has(error)) return
    logged.add(error)
  }
  const context = Fiber.getCurrent()?.context ?? Context.empty()
  Effect.runForkWith(context)(Effect.logError("An error became a problem with status 500", error))
}

/**
 * Converts any error to problem details, a plain object for any server. Errors of other libraries, and `InvalidConfiguration`, get the
 * status 500 and are logged once.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toProblem = (error: unknown, { instance }: Options = {}): Problem => {
  const { category, isTransient, retryAfter, tenant }: Partial<Source> = isLike(error) ? error : {}
  if (category === undefined) log(error)
  const [usual, detail] = Categories.rowOf(category)
  // 429 instead of 503, because a tenant's limit is not a failure of the server.
  const status = category === "throttled" && tenant !== undefined ? 429 : usual
  const seconds = isTransient === true && Duration.isDuration(retryAfter) && Duration.isFinite(retryAfter)
    ? String(Math.max(0, Math.ceil(Duration.toSeconds(retryAfter))))
    : undefined
  return {
    status,
    headers: { "content-type": ProblemDetails.contentType, ...defined({ "retry-after": seconds }) },
    body: {
      type: ProblemDetails.blankType,
      title: Categories.titles[status],
      status,
      detail: isLike(error) && error instanceof LimitExceeded
        ? `${detail} Given ${error.given} ${error.unit}, allowed ${error.allowed}.`
        : detail,
      ...defined({ instance })
    }
  }
}

/**
 * Like {@link toProblem}, as the response of an Effect server.
 *
 * **Gotchas**
 *
 * In an `HttpApi` endpoint, declare `HttpApiProblem.errors` and fail with `HttpApiProblem.fromError` instead, because derived clients reject
 * undeclared statuses.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toResponse = (error: unknown, options?: Options): HttpServerResponse.HttpServerResponse => {
  const { body, headers, status } = toProblem(error, options)
  return HttpServerResponse.jsonUnsafe(body, { status, headers, contentType: headers["content-type"] })
}

/**
 * Returns `true` if the service may have billed a failed call: if characters may have been counted, if a job was started, or if the outcome is
 * unknown and the call does more than read or replace. `false` is certain.
 *
 * **Gotchas**
 *
 * Only the error's requests count: a stream such as `translateAll` may have emitted billed results before the failure. Returns `true` for errors of
 * other libraries.
 *
 * @category guards
 * @since 0.1.0
 */
export const mayHaveBeenBilled = (error: unknown): boolean => {
  if (!isFailure(error)) return true
  const { job, outcome, possiblyCountedCharacters = 0, repeat } = error
  return (outcome === "unknown" && repeat !== "Read" && repeat !== "Replace") || job !== undefined ||
    possiblyCountedCharacters > 0
}

/**
 * The effect of running a failed call again.
 *
 * - `safe`: the call can succeed, and nothing happens twice.
 * - `may-pay-twice`: the call can succeed, but characters may be counted again. Query the error's `document` or `job` instead, if present.
 * - `may-create-twice`: the object may exist. Look for the object first, with `lookup` of `OutcomeUnknown`.
 * - `no`: the call fails again, or the error is from another library.
 *
 * @category models
 * @since 0.3.0
 */
export type Again = "safe" | "may-pay-twice" | "may-create-twice" | "no"

/**
 * Decides whether a queue, a fallback or a user should run a failed call again. Wait for the error's `retryAfter` first, if present. Only the
 * error's requests count, like in {@link mayHaveBeenBilled}.
 *
 * @category guards
 * @since 0.3.0
 */
export const again = (error: unknown): Again => {
  if (!isFailure(error)) return "no"
  const { _tag, isTransient, outcome, repeat } = error
  if (_tag === "OutcomeUnknown" || (outcome === "unknown" && repeat === "Create")) return "may-create-twice"
  if (!isTransient) return "no"
  return mayHaveBeenBilled(error) ? "may-pay-twice" : "safe"
}

/**
 * Returns `true` if {@link again} is `safe`: for `Effect.retry`, a queue, or a second client.
 *
 * @category guards
 * @since 0.3.0
 */
export const isSafe = (error: unknown): boolean => again(error) === "safe"
