/**
 * Errors at the border of a program: the response with which a server reports a failed call, as problem details (RFC 9457), and whether to
 * run a failed call again. A problem contains no ledger, id or message of the service.
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
 * The category of an error, which decides the status of a problem, the exit code of the command line, and whether an error ends a run of
 * texts.
 *
 * - `usage`, `tooLarge`, `conflict`: change the call.
 * - `missing`, `gone`, `source`, `local`: an object, document, source file or local file cannot be used.
 * - `access`, `quota`, `budget`: the key, its plan or quota, or the tenant's budget forbids the call.
 * - `busy`, `throttled`, `unreachable`, `unavailable`, `timeout`, `badResponse`: the service or the way to it has a problem.
 * - `notReady`: the result is pending. `rejected`: the service could not process the input.
 * - `lost`, `unknown`: a document may be lost, or a creation may have taken effect.
 *
 * @category models
 * @since 0.3.0
 */
export type Category = Categories.Category

/**
 * The response to a server's caller. `type` is `about:blank`, `title` the phrase of the status. `retry-after`, in whole seconds, is present
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
 * An error of this library, or one with the same facts.
 *
 * @category models
 * @since 0.1.0
 */
export type Source = Pick<Failure, "_tag" | "isTransient" | "retryAfter"> & Partial<Pick<Failure, "category">> & {
  readonly tenant?: string
}

/**
 * True for an error of this library, such as the reason of a rejected promise.
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
  /** A URI of this occurrence, such as one with the server's request id. */
  readonly instance?: string | undefined
}

const logged = new WeakSet<object>()

/** Logs an error that its problem does not describe, once. */
const log = (error: unknown): void => {
  if (isObject(error)) {
    if (logged.has(error)) return
    logged.add(error)
  }
  const context = Fiber.getCurrent()?.context ?? Context.empty()
  Effect.runForkWith(context)(Effect.logError("An error became a problem with status 500", error))
}

/**
 * The problem details of any error, a plain object for any server. Errors of other libraries, and `InvalidConfiguration`, are the server's:
 * they have the status 500 and are logged, once.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toProblem = (error: unknown, { instance }: Options = {}): Problem => {
  const { category, isTransient, retryAfter, tenant }: Partial<Source> = isLike(error) ? error : {}
  if (category === undefined) log(error)
  const [usual, detail] = Categories.rowOf(category)
  // 429 for a limit of the caller's tenant, which is not a failure of the server.
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
 * {@link toProblem} as a response of an Effect server.
 *
 * **Gotchas**
 *
 * An `HttpApi` endpoint declares `HttpApiProblem.errors` and fails with `HttpApiProblem.fromError` instead: derived clients reject
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
 * Returns `true` if the service may have billed a failed call: its outcome is unknown, unless it only reads or replaces; attempts may have
 * been counted; or a job was started. `false` is certain.
 *
 * **Gotchas**
 *
 * It is about the error's requests: a stream such as `translateAll` may have emitted results before. For errors of other libraries it
 * returns `true`.
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
 * - `safe`: it can succeed, and nothing happens twice.
 * - `may-pay-twice`: it can succeed, but characters may be counted again. Ask for the error's `document` or `job` instead, if any.
 * - `may-create-twice`: the object may exist. Look for it first, with `lookup` of `OutcomeUnknown`.
 * - `no`: it fails again, or the error is of another library.
 *
 * @category models
 * @since 0.3.0
 */
export type Again = "safe" | "may-pay-twice" | "may-create-twice" | "no"

/**
 * Tells whether to run a failed call again: the answer for a queue, a fallback or a person. Wait for `retryAfter` first, if the error has
 * it. It is about the error's requests, like {@link mayHaveBeenBilled}.
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
