import { HttpApiProblem, Problem } from "@effect-lingua/core"
import { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import { LimitExceeded } from "@effect-lingua/core/errors/CallError"
import * as Generators from "@effect-lingua/testing/generators/Generators"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Array as Arr, Config, ConfigProvider, Duration, Effect, Logger, Predicate } from "effect"
import { readFileSync } from "node:fs"
import { effect } from "../../../test/support/tests.ts"
import { classes } from "./support/errorClasses.ts"

const page = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8")

/** The errors after which the same call can succeed later. */
const transient = new Set(
  `AttemptTimeout BadGateway Busy CircuitOpen ConnectionLost DeadlineExceeded DocumentNotReady ExportRunning GatewayTimeout
  InternalServerError JobNotDone Overloaded RateLimited ServiceUnavailable TooManyDocuments TooManyGlossaryRequests
  WorkflowStorageUnavailable`.split(/\s+/)
)

/** Those after which it depends on their cause. */
const byCause = new Set(
  "ConnectionFailed DocumentNotTranslated SessionFailed TransferFailed UnexpectedResponse".split(" ")
)

describe("problems", () => {
  it("there are error classes in both packages", () => {
    assert.includeMembers([...classes.keys()], ["RateLimited", "PlaceholderChanged", "SaveFailed", "ExportNotSaved"])
    assert.isAbove(classes.size, 45)
  })

  effect.each([...classes])("%s has a category, and docs/errors.md has its status", function*([name, Class]) {
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

  effect.each([...classes])(
    "%s has the facts of every error: isTransient, outcome and retryAfter",
    function*([name, Class]) {
      const [error] = yield* Arbitrary.sampleEffect(Arbitrary.schema(Class), { count: 1, size: 3, seed: name })
      const isTransient = Predicate.hasProperty(error, "isTransient") && error.isTransient
      assert.isBoolean(isTransient)
      if (!byCause.has(name)) assert.strictEqual(isTransient, transient.has(name))
      assert.include(["refused", "unknown", "pending"], Predicate.hasProperty(error, "outcome") && error.outcome)
      assert.isTrue(Predicate.hasProperty(Class, "fields") && Predicate.hasProperty(Class.fields, "retryAfter"))
    }
  )

  effect("a problem has nothing of an error but its category, its time and the numbers of a limit", function*() {
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
  })

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
      const of = (isTransient: boolean) =>
        Problem.toProblem({ _tag: "RateLimited", category: "throttled", isTransient, retryAfter }).headers
      assert.strictEqual(of(true)["retry-after"], seconds)
      assert.notProperty(of(false), "retry-after")
    }
  )

  it("an error that was read from JSON has no time", () => {
    const error = {
      _tag: "RateLimited",
      category: "throttled",
      isTransient: true,
      retryAfter: { _id: "Duration", _tag: "Millis", millis: 5 }
    }
    assert.notProperty(Problem.toProblem(error).headers, "retry-after")
    assert.isUndefined(HttpApiProblem.fromError(error).retryAfter)
  })

  it.effect.each<readonly [what: string, error: unknown]>([
    ["a wrong setting", new InvalidConfiguration({ setting: "key", problem: "is absent" })],
    ["a wrong variable", new Config.ConfigError(new ConfigProvider.SourceError({ message: "no KEY" }))],
    ["an error of another library", { _tag: "SqlError", isTransient: true, retryAfter: 5, category: "constructor" }],
    ["an error of another category", { _tag: "SqlError", isTransient: true, category: "billing" }],
    ["an error of another category with an outcome", { category: "billing", outcome: "unknown", isTransient: true }],
    ["an error with a category that cannot be read", {
      get category() {
        throw new Error("no disk")
      },
      outcome: "unknown"
    }],
    ["an exception", new Error("no disk")],
    ["a text", "no disk"],
    ["nothing", undefined]
  ])("%s is the server's own: status 500, in the log once, and not to be repeated", ([, error]) => {
    const logged: Array<unknown> = []
    const capture = Logger.make(({ message }) => void logged.push(...Arr.ensure<unknown>(message)))
    return Effect.sync(() => HttpApiProblem.fromError(error)).pipe(
      Effect.map((problem) => {
        assert.deepInclude<object>(problem, { status: 500, detail: "The request could not be processed." })
        assert.isUndefined(problem.retryAfter)
        assert.deepStrictEqual(logged.slice(1), [error])
        if (typeof error === "object") assert.strictEqual(Problem.toResponse(error).status, 500)
        assert.strictEqual(logged.length, 2)
        assert.strictEqual(Problem.again(error), "no")
        assert.isTrue(Problem.mayHaveBeenBilled(error))
      }),
      Effect.provide(Logger.layer([capture]))
    )
  })

  it.effect("an error of this library is not logged", () => {
    const logged: Array<unknown> = []
    return Effect.sync(() =>
      Problem.toProblem(new LimitExceeded({ parameter: "text", unit: "texts", given: 2, allowed: 1 }))
    ).pipe(
      Effect.andThen(Effect.sync(() => assert.isEmpty(logged))),
      Effect.provide(Logger.layer([Logger.make((entry) => void logged.push(entry))]))
    )
  })
})
