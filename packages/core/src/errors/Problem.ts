/**
 * Errors at the border of a program: the response with which a server reports a failed call to its own caller, as problem
 * details by RFC 9457, and whether a consumer of a queue can send the call again for free.
 *
 * **Details**
 *
 * An error of this library has the ledger of its call, ids and messages of the service, which are for logs. A problem has none
 * of them: it is a function of the category of the error, the time of `Retry-After`, the numbers of a limit, and whether a limit of rate
 * is that of a tenant.
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
 * A status of a problem.
 *
 * @category models
 * @since 0.1.0
 */
export type Status = Categories.ProblemStatus

/**
 * The category of an error, a field of every error class of this library. It decides the status of a problem, the exit code of the
 * command line, and whether an error ends a run of texts.
 *
 * - `usage`, `tooLarge`, `conflict`: the call has to be changed.
 * - `missing`, `gone`, `source`, `local`: an object, a document, a file that is sent, or a file of this machine cannot be used.
 * - `access`, `quota`, `budget`: the key, its plan, its quota or the tenant's budget does not allow the call.
 * - `busy`, `throttled`, `unreachable`, `unavailable`, `timeout`, `badResponse`: the service or the way to it has a problem.
 * - `notReady`: the result comes later. `rejected`: the service could not process the input.
 * - `lost`, `unknown`: a document may be lost, or a creation may have taken effect.
 *
 * @category models
 * @since 0.3.0
 */
export type Category = Categories.Category

/**
 * A failed call for the caller of a server: the status, the headers, and the body to encode as JSON.
 *
 * **Details**
 *
 * `type` is `about:blank`, so `title` is the phrase of the status. The headers are the content type, and `retry-after` in whole
 * seconds if a later request can succeed and its time is known.
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
 * An error of this library, or one with the same facts. One without a category is the server's own, with status 500.
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
 * **Example** (A promise that rejects with anything)
 *
 * ```ts import.meta.vitest
 * import * as CallError from "@effect-lingua/core/errors/CallError"
 * import * as Problem from "@effect-lingua/core/errors/Problem"
 * import { Duration } from "effect"
 *
 * const report = (error: unknown): number => Problem.isSource(error) ? Problem.toProblem(error).status : 500
 *
 * report(new CallError.CircuitOpen({ operation: "Writing.correct", retryAfter: Duration.seconds(2) })) // => 503
 * report(new Error("anything")) // => 500
 * ```
 *
 * @category guards
 * @since 0.2.0
 */
export const isSource = (error: unknown): error is Source => isFailure(error)

/** The facts of any other error. */
const others: Source = { _tag: "", isTransient: false }

const isLike = (error: unknown): error is Source => Categories.isCategorized(error)

/**
 * Options of a problem.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** A URI that identifies this occurrence, such as one with the id of the server's own request. */
  readonly instance?: string | undefined
}

const logged = new WeakSet<object>()

/** Logs an error of which the problem says nothing: once, with the loggers of the current fiber. */
const log = (error: unknown): void => {
  if (isObject(error)) {
    if (logged.has(error)) return
    logged.add(error)
  }
  const context = Fiber.getCurrent()?.context ?? Context.empty()
  Effect.runForkWith(context)(Effect.logError("An error became a problem with status 500", error))
}

const detailOf = (error: unknown, detail: string): string =>
  isLike(error) && error instanceof LimitExceeded
    ? `${detail} Given ${error.given} ${error.unit}, allowed ${error.allowed}.`
    : detail

/**
 * The problem details of an error: a plain object for any server.
 *
 * **Details**
 *
 * Any error is accepted. One that is not of this library, such as `InvalidConfiguration` or Effect's `ConfigError`, is the server's own: its
 * status is 500, and it is logged, once.
 *
 * **Example** (A response of the web platform)
 *
 * ```ts import.meta.vitest
 * import * as Problem from "@effect-lingua/core/errors/Problem"
 * import * as ServiceError from "@effect-lingua/core/errors/ServiceError"
 * import { Duration } from "effect"
 *
 * const error = new ServiceError.RateLimited({ retryAfter: Duration.millis(1500), traceId: "7b67b921" })
 * const { body, headers, status } = Problem.toProblem(error)
 * const response = Response.json(body, { status, headers })
 * response.status // => 503
 * response.headers.get("retry-after") // => "2"
 * body.detail // => "Too many requests at the moment. Try again later."
 * ```
 *
 * @category conversions
 * @since 0.1.0
 */
export const toProblem = (error: unknown, { instance }: Options = {}): Problem => {
  const { category, isTransient, retryAfter, tenant } = isLike(error) ? error : others
  if (category === undefined) log(error)
  const [usual, detail] = Categories.rowOf(category)
  // A limit of the caller's own tenant is no failure of the server.
  const status = category === "throttled" && tenant !== undefined ? 429 : usual
  const seconds = isTransient && Duration.isDuration(retryAfter) && Duration.isFinite(retryAfter)
    ? Math.max(0, Math.ceil(Duration.toSeconds(retryAfter)))
    : undefined
  return {
    status,
    headers: {
      "content-type": ProblemDetails.contentType,
      ...(seconds === undefined ? undefined : { "retry-after": String(seconds) })
    },
    body: {
      type: ProblemDetails.blankType,
      title: Categories.titles[status],
      status,
      detail: detailOf(error, detail),
      ...defined({ instance })
    }
  }
}

/**
 * The problem details of an error as a response of an Effect server: `Effect.catch((error) => Effect.succeed(Problem.toResponse(error)))`.
 *
 * **Gotchas**
 *
 * An endpoint of an `HttpApi` declares `HttpApiProblem.errors` and fails with `HttpApiProblem.fromError` instead: clients that are derived
 * from it reject the status of a response that is not declared. An error class of this library declared as the `error` of an endpoint
 * responds with status 500 and all fields of the error, the ledger included.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toResponse = (error: unknown, options?: Options): HttpServerResponse.HttpServerResponse => {
  const { body, headers, status } = toProblem(error, options)
  return HttpServerResponse.jsonUnsafe(body, { status, headers, contentType: headers["content-type"] })
}

/**
 * Returns `true` if the service may have billed a call that failed, so that another call may be billed a second time.
 *
 * **Details**
 *
 * That is a call of unknown outcome, unless it only reads or replaces; one whose attempts may have been counted; or one with a job that was
 * started. `false` is certain: nothing was billed. `true` is not, as it includes creations that cost nothing, such as a lost upload.
 *
 * **Gotchas**
 *
 * It is about the requests of the error. A stream such as `translateAll` may have emitted results of other requests before. An error that is
 * not of this library, such as the one of a timeout around the call, says nothing about its requests: `true`.
 *
 * **Example** (A consumer of a queue)
 *
 * ```ts import.meta.vitest
 * import * as Problem from "@effect-lingua/core/errors/Problem"
 * import { Translation } from "@effect-lingua/core/texts/Translation"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import * as Fault from "@effect-lingua/testing/faults/Fault"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const fake = yield* FakeLanguageService.FakeLanguageService
 *   const { translate } = yield* Translation
 *   const billed = translate("Good day", { targetLanguage: "de" }).pipe(Effect.flip, Effect.map(Problem.mayHaveBeenBilled))
 *   yield* fake.script({ fault: Fault.overloaded() })
 *   const refused = yield* billed
 *   yield* fake.script({ fault: Fault.reset({ afterEffect: true }) })
 *   return [refused, yield* billed]
 * }).pipe(Effect.provide(FakeLanguageService.layerServices({ client: { resilience: { attempts: 1 } } })))
 *
 * const billed = await Effect.runPromise(program) // => [false, true]
 * ```
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
 * What running a failed call again would do.
 *
 * **Details**
 *
 * - `safe`: the same call can succeed, and nothing happens twice.
 * - `may-pay-twice`: it can succeed, and its characters may be counted a second time. With a `document` or a `job` in the error, ask for that
 *   one instead.
 * - `may-create-twice`: the object may exist already. Look for it first: `lookup` of `OutcomeUnknown` has what it takes.
 * - `no`: the same call fails in the same way, also if it was billed; or the error is not of this library, so that the effect of its call is
 *   not known.
 *
 * @category models
 * @since 0.3.0
 */
export type Again = "safe" | "may-pay-twice" | "may-create-twice" | "no"

/**
 * Says whether a failed call may be run again: the one answer for a queue, a fallback or a person. Waiting for `retryAfter` comes first,
 * if the error has it.
 *
 * **Gotchas**
 *
 * It is about the requests of the error, like {@link mayHaveBeenBilled}.
 *
 * **Example** (A consumer of a queue)
 *
 * ```ts import.meta.vitest
 * import * as Problem from "@effect-lingua/core/errors/Problem"
 * import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
 * import { Translation } from "@effect-lingua/core/texts/Translation"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import * as Fault from "@effect-lingua/testing/faults/Fault"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const fake = yield* FakeLanguageService.FakeLanguageService
 *   const { translate } = yield* Translation
 *   const { create } = yield* StyleRules
 *   const lost = { fault: Fault.reset({ afterEffect: true }) }
 *   yield* fake.script([{ fault: Fault.overloaded() }, lost, lost])
 *   return [
 *     Problem.again(yield* Effect.flip(translate("Good day", { targetLanguage: "de" }))),
 *     Problem.again(yield* Effect.flip(translate("Good day", { targetLanguage: "de" }))),
 *     Problem.again(yield* Effect.flip(create({ name: "House style", language: "en" }))),
 *     Problem.again(yield* Effect.flip(create({ name: "House style", language: "xx" })))
 *   ]
 * }).pipe(Effect.provide(FakeLanguageService.layerServices({ client: { resilience: { attempts: 1 } } })))
 *
 * const answers = await Effect.runPromise(program)
 * answers // => ["safe", "may-pay-twice", "may-create-twice", "no"]
 * ```
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
