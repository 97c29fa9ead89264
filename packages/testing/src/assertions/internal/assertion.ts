import { Failure } from "@effect-lingua/core/extension/Service"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Redacted from "effect/Redacted"
import { FakeLanguageService } from "../../fake/FakeLanguageService.ts"
import * as Masking from "../../fake/internal/masking.ts"
import * as Options from "../../fake/internal/options.ts"
import * as RecordedRequest from "../../fake/RecordedRequest.ts"

export class AssertionFailed extends Failure.messageFirst(Data.TaggedError("AssertionFailed"))<{
  readonly problem: string
  readonly requests: string
}> {
  override get message(): string {
    return `${this.problem}\n\nThe last requests:\n${this.requests}\n`
  }
}

type Assertion = Effect.Effect<void, AssertionFailed, FakeLanguageService>

type Called = (...args: Array<never>) => unknown

/** The stack at an assertion's call, so that a failure shows the line of the test. */
export const callSite = (assertion: Called): string => {
  const site = { stack: "" }
  Error.captureStackTrace(site, assertion)
  return site.stack.slice(site.stack.indexOf("\n    at "))
}

export const nameOf = ({ label = "" }: Redacted.Redacted): string => `<redacted:${label}>`

/** A secret in plain text and, unless it is short, in encoded forms. */
export const formsOf = (secret: Redacted.Redacted): ReadonlyArray<string> => [
  Redacted.value(secret),
  ...Masking.forms([Redacted.value(secret)])
]

export const redact = (text: string, secrets: ReadonlyArray<Redacted.Redacted>): string =>
  secrets.reduce((redacted, secret) => Masking.text(redacted, formsOf(secret), nameOf(secret)), text)

export const settle = Effect.fnUntraced(function*(
  fake: FakeLanguageService["Service"],
  problem: string | undefined,
  site: string
) {
  if (problem === undefined) return
  const secrets = yield* fake.secrets
  const failure = new AssertionFailed({
    problem: redact(problem, secrets),
    requests: redact(RecordedRequest.format(yield* fake.requests), secrets)
  })
  failure.stack = `${failure.name}: ${failure.message}${site}`
  return yield* failure
})

/** An assertion that dies if an argument is invalid, such as a misspelled operation. */
export const check = (
  assertion: Called,
  find: (fake: FakeLanguageService["Service"]) => Effect.Effect<string | undefined>,
  findings: Parameters<typeof Options.check>[0] = []
): Assertion => {
  const site = callSite(assertion)
  return Effect.andThen(
    Options.check(findings),
    FakeLanguageService.use((fake) => Effect.flatMap(find(fake), (problem) => settle(fake, problem, site)))
  )
}

/** An assertion on all requests; fails if some are no longer recorded. */
export const checkRequests = (
  assertion: Called,
  find: (requests: ReadonlyArray<RecordedRequest.RecordedRequest>) => string | undefined,
  findings?: Parameters<typeof Options.check>[0]
): Assertion =>
  check(assertion, (fake) =>
    Effect.map(fake.requests, (requests) => {
      const forgotten = (requests[0]?.number ?? 1) - 1
      return forgotten === 0
        ? find(requests)
        : `An assertion on all requests is not possible: the fake has forgotten the first ${forgotten}. ` +
          "Raise its option remembered, or reset the fake earlier: long bodies fill the record."
    }), findings)

const times = (count: number): string => count === 1 ? "once" : `${count} times`

/**
 * Describes a wrong count; `undefined` for a right count. `expected: undefined` means at least once. {@link beCalled}
 * is an example of `verb` and `did`.
 */
export const countProblem = (
  subject: string,
  [verb, did]: readonly [verb: string, did: string],
  expected: number | undefined,
  found: number
): string | undefined => {
  if (expected === undefined ? found > 0 : found === expected) return undefined
  const wanted = expected === 0
    ? `never ${verb}`
    : `${verb} ${expected === undefined ? "at least once" : times(expected)}`
  return `Expected ${subject} ${wanted}, but it ${did} ${times(found)}.`
}

export const beCalled = ["to be called", "was called"] as const

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const isPlain = (value: unknown): value is object =>
  isObject(value) && Object.getPrototypeOf(value) === Object.prototype

/** True if `actual` has the fields of `part` with equal values. Arrays must have equal lengths. */
export const contains = (actual: unknown, part: unknown): boolean => {
  if (Array.isArray(part)) {
    return Array.isArray(actual) && actual.length === part.length &&
      part.every((item, index) => contains(actual[index], item))
  }
  return isPlain(part)
    ? isObject(actual) && Object.entries(part).every(([key, value]) => contains(Reflect.get(actual, key), value))
    : Equal.equals(actual, part)
}
