/**
 * Assertions on the requests and effects of the fake. Assertions fail with {@link AssertionFailed}; the message shows the
 * last requests.
 *
 * **Details**
 *
 * Each attempt of a call is a request. Assertions check all requests since the fake was made or reset, and fail if some
 * requests are no longer recorded (option `remembered`).
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Formatter from "effect/Formatter"
import type { Predicate } from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import { FakeLanguageService, type IssuedDocument } from "../fake/FakeLanguageService.ts"
import * as Options from "../fake/internal/options.ts"
import * as RecordedRequest from "../fake/RecordedRequest.ts"
import type * as Fault from "../faults/Fault.ts"
import { repeatOf } from "../faults/internal/operations.ts"
import * as Script from "../faults/Script.ts"
import {
  type AssertionFailed,
  beCalled,
  callSite,
  check,
  checkRequests,
  contains,
  countProblem,
  formsOf,
  nameOf,
  redact,
  settle
} from "./internal/assertion.ts"

/**
 * `problem` states the expectation and the result; `requests` shows the last requests.
 *
 * @category errors
 * @since 0.1.0
 */
export { AssertionFailed } from "./internal/assertion.ts"

/**
 * @category models
 * @since 0.1.0
 */
export type Assertion = Effect.Effect<void, AssertionFailed, FakeLanguageService>

/**
 * A custom assertion on all requests. A failure's message contains `claim`.
 *
 * @category assertions
 * @since 0.1.0
 */
export const holds = (
  claim: string,
  predicate: Predicate<ReadonlyArray<RecordedRequest.RecordedRequest>>
): Assertion => checkRequests(holds, (requests) => predicate(requests) ? undefined : `This does not hold: ${claim}`)

const counted = (assertion: typeof called | typeof notCalled, operation?: Fault.OperationName, count?: number) =>
  checkRequests(assertion, (requests) =>
    countProblem(
      operation ?? "the service",
      beCalled,
      count,
      requests.filter((request) => operation === undefined || request.operation === operation).length
    ), operation === undefined ? [] : [Options.operation(operation)])

/**
 * Asserts that an operation was called exactly `count` times (default: at least once).
 *
 * @category assertions
 * @since 0.1.0
 */
export const called = (operation: Fault.OperationName, count?: number): Assertion => counted(called, operation, count)

/**
 * Asserts that an operation (default: any) was never called.
 *
 * @category assertions
 * @since 0.1.0
 */
export const notCalled = (operation?: Fault.OperationName): Assertion => counted(notCalled, operation, 0)

/**
 * A partial value: objects may omit fields, arrays must have all items.
 *
 * @category models
 * @since 0.1.0
 */
export type Part<A> = A extends string | number | boolean | bigint | symbol | null | undefined | Redacted.Redacted ? A
  : A extends ReadonlyArray<infer Item> ? ReadonlyArray<Part<Item>>
  : { readonly [K in keyof A]?: Part<A[K]> }

const shownDecoded = 3

/**
 * Asserts that exactly `count` requests (default: at least one) of an operation contain `part` in decoded form.
 *
 * @category assertions
 * @since 0.1.0
 */
export const calledWith = <Name extends Fault.OperationName>(
  operation: Name,
  part: Part<RecordedRequest.Decoded<Name>>,
  count?: number
): Assertion =>
  checkRequests(calledWith, (requests) => {
    const all = RecordedRequest.select(requests, operation)
    const found = all.filter(({ decoded }) => decoded !== undefined && contains(decoded, part)).length
    const problem = countProblem(
      operation,
      [`to be called with ${Formatter.format(part)}`, "was"],
      count,
      found
    )
    if (problem === undefined || all.length === 0) return problem
    const calls = all.slice(-shownDecoded).map(({ decoded, number }) =>
      `#${number} ${decoded === undefined ? "(invalid, or too long for the record)" : Formatter.format(decoded)}`
    )
    return `${problem} It was called with\n${calls.join("\n")}`
  }, [Options.operation(operation)])

/**
 * Asserts that these operations were called in this order, with any calls in between.
 *
 * @category assertions
 * @since 0.1.0
 */
export const calledInOrder = (operations: ReadonlyArray<Fault.OperationName>): Assertion =>
  checkRequests(calledInOrder, (requests) => {
    let next = 0
    for (const { operation } of requests) if (operation === operations[next]) next++
    return next >= operations.length
      ? undefined
      : `Expected calls in the order ${operations.join(", ")}, but ${operations[next]} was not called` +
        `${next === 0 ? "" : ` after ${operations[next - 1]}`}.`
  }, operations.map(Options.operation))

/**
 * Asserts that an operation took effect exactly `count` times, by default once.
 *
 * @category assertions
 * @since 0.1.0
 */
export const tookEffect = (operation: Fault.OperationName, count = 1): Assertion =>
  check(
    tookEffect,
    (fake) =>
      Effect.map(
        fake.effects,
        (effects) => countProblem(operation, ["to take effect", "took effect"], count, effects[operation].count)
      ),
    [Options.operation(operation)]
  )

/**
 * Asserts that no creating operation took effect for two equal requests.
 *
 * @category assertions
 * @since 0.1.0
 */
export const nothingTwice = (): Assertion =>
  checkRequests(nothingTwice, (requests) => {
    const seen = new Map<string, number>()
    for (const { body, number, operation, tookEffect, url } of requests) {
      if (!tookEffect || operation === undefined || repeatOf(operation) !== "Create") continue
      const key = `${operation} ${url} ${body}`
      const earlier = seen.get(key)
      if (earlier !== undefined) {
        return `Expected nothing to be done twice, but ${operation} took effect for #${earlier} and for #${number}, ` +
          "which are equal."
      }
      seen.set(key, number)
    }
    return undefined
  })

/**
 * Asserts that all documents were downloaded, except documents whose translation failed.
 *
 * @category assertions
 * @since 0.1.0
 */
export const allDocumentsDownloaded = (): Assertion =>
  check(allDocumentsDownloaded, (fake) =>
    Effect.map(fake.documents, (documents) => {
      const left = documents.filter(({ status, taken }) => !taken && status !== "error")
      const lines = left.map(({ age, documentId, fileName, status }) =>
        `\n${documentId} (${fileName}): ${status}, ${Duration.format(age)} old`
      )
      return left.length === 0
        ? undefined
        : `Expected all documents to be downloaded, but ${left.length} of ${documents.length} were not:${
          lines.join("")
        }`
    }))

/**
 * Asserts that a document was downloaded.
 *
 * @category assertions
 * @since 0.1.0
 */
export const documentTaken = ({ documentId }: Pick<IssuedDocument, "documentId">): Assertion =>
  check(documentTaken, (fake) =>
    Effect.map(fake.documents, (documents) => {
      const document = documents.find((candidate) => candidate.documentId === documentId)
      if (document?.taken === true) return undefined
      const found = document === undefined ? "no document has this id" : `it is ${document.status}`
      return `Expected document ${documentId} to be downloaded, but ${found}.`
    }))

/**
 * Asserts that an effect sends no request: `quiet(TestClock.adjust("1 minute"))`.
 *
 * @category assertions
 * @since 0.1.0
 */
export const quiet = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | AssertionFailed, R | FakeLanguageService> => {
  const site = callSite(quiet)
  return FakeLanguageService.use(Effect.fnUntraced(function*(fake) {
    const last = Effect.map(fake.requests, (requests) => requests.at(-1)?.number ?? 0)
    const before = yield* last
    const value = yield* effect
    const came = Math.max(0, (yield* last) - before)
    yield* settle(fake, countProblem("the service", ["to be called meanwhile", "was called"], 0, came), site)
    return value
  }))
}

/**
 * Asserts that no request follows the first request that matches `point`, such as a status 456. Fails if no request
 * matches.
 *
 * @category assertions
 * @since 0.1.0
 */
export const noneAfter = (point: Predicate<RecordedRequest.RecordedRequest>): Assertion =>
  checkRequests(noneAfter, (requests) => {
    const index = requests.findIndex(point)
    if (index < 0) return "Expected no request after a matching one, but no request matches."
    const after = requests.length - 1 - index
    return after === 0 ? undefined : `Expected no request after #${requests[index]?.number}, but ${after} came.`
  })

/**
 * Asserts a minimum time between consecutive requests of an operation.
 *
 * @category assertions
 * @since 0.1.0
 */
export const spaced = (operation: Fault.OperationName, atLeast: Duration.Input): Assertion =>
  checkRequests(spaced, (requests) => {
    const gap = Duration.fromInputUnsafe(atLeast)
    const own = requests.filter((request) => request.operation === operation)
    for (const [index, { number, time }] of own.entries()) {
      const earlier = own[index - 1]
      if (earlier !== undefined && time - earlier.time < Duration.toMillis(gap)) {
        return `Expected requests of ${operation} at least ${Duration.format(gap)} apart, but #${number} came ` +
          `${Duration.format(Duration.millis(time - earlier.time))} after #${earlier.number}.`
      }
    }
    return undefined
  }, [Options.operation(operation), Options.time(atLeast)])

/**
 * Asserts that no request of an operation (default: any) was sent before an earlier `Retry-After` of the same operation had
 * passed. For sequential calls.
 *
 * @category assertions
 * @since 0.1.0
 */
export const retryAfterHonoured = (operation?: Fault.OperationName): Assertion =>
  checkRequests(retryAfterHonoured, (requests) => {
    const asking = new Map<Fault.OperationName, RecordedRequest.RecordedRequest & { readonly retryTime: number }>()
    for (const request of requests) {
      const { number, operation: name, retryTime, time } = request
      if (name === undefined || (operation !== undefined && name !== operation)) continue
      const earlier = asking.get(name)
      if (earlier !== undefined && time >= (earlier.answerTime ?? Infinity) && time < earlier.retryTime) {
        return `Expected Retry-After to be honoured, but #${number} (${name}) came ${
          Duration.format(Duration.millis(earlier.retryTime - time))
        } before the Retry-After of #${earlier.number} had passed.`
      }
      if (retryTime !== undefined && retryTime >= (earlier?.retryTime ?? 0)) {
        asking.set(name, { ...request, retryTime })
      }
    }
    return undefined
  }, operation === undefined ? [] : [Options.operation(operation)])

/**
 * Asserts that every request had a header, optionally with a value or a match of a regular expression.
 *
 * @category assertions
 * @since 0.1.0
 */
export const carried = (header: string, value?: string | RegExp): Assertion =>
  checkRequests(carried, (requests) => {
    const name = header.toLowerCase()
    for (const { headers, number } of requests) {
      const found = headers[name]
      const matches = typeof value === "string"
        ? found === value
        : value === undefined || (found ?? "").search(value) >= 0
      if (found === undefined || !matches) {
        return `Expected every request to carry the header ${name}${value === undefined ? "" : ` with ${value}`}, ` +
          `but #${number} carried ${found === undefined ? "none" : JSON.stringify(found)}.`
      }
    }
    return undefined
  })

const shownBefore = 20

/**
 * Asserts that an output, such as a log, contains no secret of the fake, such as an API key or a document key. Also finds
 * secrets of at least 8 characters in encoded form.
 *
 * @category assertions
 * @since 0.1.0
 */
export const noSecretIn = (output: string): Assertion =>
  check(noSecretIn, (fake) =>
    Effect.map(fake.secrets, (secrets) => {
      const found = secrets.flatMap((secret) => formsOf(secret).map((form) => ({ secret, at: output.indexOf(form) })))
        .find(({ at }) => at >= 0)
      if (found === undefined) return undefined
      const { at, secret } = found
      const before = redact(output.slice(0, at), secrets).slice(-shownBefore)
      return `Expected no secret in the output, but ${nameOf(secret)} is at character ${at}, after ${
        JSON.stringify(before)
      }.`
    }))

/**
 * Asserts that all scripted faults were played.
 *
 * @category assertions
 * @since 0.1.0
 */
export const allFaultsPlayed = (): Assertion =>
  check(allFaultsPlayed, (fake) =>
    Effect.map(fake.unplayed, (scripts) =>
      scripts.length === 0
        ? undefined
        : `Expected all scripted faults to be met, but these are left:${
          scripts.map((script) => `\n${Script.format(script)}`).join("")
        }`))
