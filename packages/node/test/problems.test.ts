import { LimitExceeded } from "@effect-lingua/core/errors/CallError"
import * as Problem from "@effect-lingua/core/errors/Problem"
import * as Generators from "@effect-lingua/testing/generators/Generators"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Duration, Effect, Predicate } from "effect"
import { readFileSync } from "node:fs"
import { classes } from "./support/errorClasses.ts"

const page = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8")

/** The errors after which the same call can succeed later. */
const transient = new Set([
  "AttemptTimeout",
  "BadGateway",
  "Busy",
  "CircuitOpen",
  "ConnectionLost",
  "DeadlineExceeded",
  "DocumentNotReady",
  "ExportRunning",
  "GatewayTimeout",
  "InternalServerError",
  "JobNotDone",
  "Overloaded",
  "RateLimited",
  "ServiceUnavailable",
  "TooManyDocuments",
  "TooManyGlossaryRequests",
  "WorkflowStorageUnavailable"
])

/** Those after which it depends on their cause. */
const byCause = new Set([
  "ConnectionFailed",
  "DocumentNotTranslated",
  "SessionFailed",
  "TransferFailed",
  "UnexpectedResponse"
])

describe("problems", () => {
  it("there are error classes in both packages", () => {
    assert.includeMembers([...classes.keys()], ["RateLimited", "PlaceholderChanged", "SaveFailed", "ExportNotSaved"])
    assert.isAbove(classes.size, 45)
  })

  it.effect.each([...classes])(
    "%s has a category, and docs/errors.md has its status",
    ([name, Class]) =>
      Effect.gen(function*() {
        const [error] = yield* Arbitrary.sampleEffect(Arbitrary.schema(Class), { count: 1, size: 3, seed: name })
        assert.isTrue(Problem.isSource(error), name)
        if (!Problem.isSource(error)) return
        assert.isString(error.category)
        const row = page.split("\n").find((line) => /^\| \d+ \|/.test(line) && line.includes(`\`${name}\``))
        // oxlint-disable-next-line typescript/no-misused-spread -- the facts of the error, without its message
        const { body, status } = Problem.toProblem({ ...error, _tag: name, isTransient: true })
        assert.match(row ?? "", new RegExp(`^\\| ${status} \\| ${body.detail}`))
        assert.include(page, `| \`${name}\` | \`${error.category}\` |`)
      })
  )

  it.effect.each([...classes])(
    "%s has the facts of every error: isTransient, outcome and retryAfter",
    ([name, Class]) =>
      Effect.gen(function*() {
        const [error] = yield* Arbitrary.sampleEffect(Arbitrary.schema(Class), { count: 1, size: 3, seed: name })
        const isTransient = Predicate.hasProperty(error, "isTransient") && error.isTransient
        assert.isBoolean(isTransient)
        if (!byCause.has(name)) assert.strictEqual(isTransient, transient.has(name))
        assert.include(["refused", "unknown", "pending"], Predicate.hasProperty(error, "outcome") && error.outcome)
        assert.isTrue(
          Predicate.hasProperty(Class, "fields") && Predicate.hasProperty(Class.fields, "retryAfter")
        )
      })
  )

  it.effect("a problem has nothing of an error but its category, its time and the numbers of a limit", () =>
    Effect.gen(function*() {
      const seen = new Set<string>()
      for (const operation of ["Translation.translate", "Documents.upload", "StyleRules.create"] as const) {
        for (
          const error of yield* Arbitrary.sampleEffect(Generators.error(operation), { count: 200, seed: operation })
        ) {
          if (error instanceof LimitExceeded) continue
          seen.add(error._tag)
          const { _tag, category, isTransient } = error
          const time = "retryAfter" in error && error.retryAfter !== undefined ? { retryAfter: error.retryAfter } : {}
          const tenant = "tenant" in error && error.tenant !== undefined ? { tenant: "one" } : {}
          assert.deepStrictEqual(
            Problem.toProblem(error),
            Problem.toProblem({ _tag, category, isTransient, ...time, ...tenant })
          )
        }
      }
      assert.isAbove(seen.size, 15)
    }))

  it("a limit has its numbers", () => {
    const { body } = Problem.toProblem(
      new LimitExceeded({ parameter: "text", unit: "texts", given: 51, allowed: 50, description: "secret" })
    )
    assert.strictEqual(body.detail, "The request is too large. Given 51 texts, allowed 50.")
  })

  it.each([[Duration.millis(1), "1"], [Duration.millis(1001), "2"], [Duration.zero, "0"], [
    Duration.seconds(90),
    "90"
  ]])(
    "the time %s of an error that can succeed later is a header of whole seconds",
    (retryAfter, seconds) => {
      const of = (isTransient: boolean) => Problem.toProblem({ _tag: "RateLimited", isTransient, retryAfter }).headers
      assert.strictEqual(of(true)["retry-after"], seconds)
      assert.notProperty(of(false), "retry-after")
    }
  )

  it("an error of another library is the server's own", () => {
    for (const _tag of ["SqlError", "constructor", ""]) {
      assert.strictEqual(Problem.toProblem({ _tag, isTransient: true }).status, 500)
    }
  })
})
