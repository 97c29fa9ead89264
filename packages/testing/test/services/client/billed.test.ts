import { CallError, Documents, Ids, ServiceError, StyleRules, Translation, Usage, Writing } from "@effect-lingua/core"
import { again, mayHaveBeenBilled } from "@effect-lingua/core/errors/Problem"
import { FakeLanguageService, Fault, type Script, VirtualTime } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import { sampled, scaled } from "../../../../../test/support/scale.ts"

const faults: ReadonlyArray<Fault.Fault> = [
  Fault.rateLimited(),
  Fault.serverError({ afterEffect: true }),
  Fault.reset(),
  Fault.reset({ afterEffect: true }),
  Fault.truncated(),
  { status: 400 },
  { status: 456 }
]

const pairs = faults.flatMap((first) => faults.map((second) => [first, second] as const))

const text = ["Good day", "Good night"]

/** The facts of an error that decide. */
interface Failure {
  readonly isTransient: boolean
  readonly outcome: string
  readonly repeat?: string
}

type Call = Effect.Effect<unknown, Failure, Documents | Translation | Writing>

/** Calls, and the requests of each that meet the first fault; the second hits the next request of any operation. */
const calls: ReadonlyArray<readonly [what: string, call: Call, at: ReadonlyArray<Omit<Script.Script, "fault">>]> = [
  ["a translation", Translation.use(({ translate }) => translate({ text, targetLanguage: "de" })), [{}]],
  ["a correction", Writing.use(({ correct }) => correct({ text })), [{}]],
  [
    "a translation to several languages",
    Translation.use(({ translateInto }) => translateInto({ text, targetLanguages: ["de", "fr"] })),
    [{}, { skip: 1 }]
  ],
  [
    "a document",
    Documents.use(({ translate }) =>
      translate({ content: new TextEncoder().encode(text[0]), fileName: "a.txt", targetLanguage: "de" })
    ).pipe(Effect.flatMap(({ stream }) => Stream.runDrain(stream))),
    [{ operation: "Documents.upload" }, { operation: "Documents.download" }]
  ]
]

/** Calls a service with faults at its requests, and returns its error and the characters that the service has counted. */
const run = (
  call: Effect.Effect<unknown, Failure, Documents | Translation | Writing>,
  scripts: ReadonlyArray<Script.Script>
) =>
  Effect.gen(function*() {
    const fake = yield* FakeLanguageService
    const result = yield* Effect.result(call)
    const { used } = yield* fake.quota()
    return { error: Result.isFailure(result) ? result.failure : undefined, isBilled: used > 0 }
  }).pipe(
    Effect.provide(
      FakeLanguageService.layerServices({ scripts, client: { resilience: { attempts: 2, concurrency: 1 } } })
    ),
    VirtualTime.run
  )

describe("mayHaveBeenBilled", () => {
  it.live.each(calls)(
    "%s that fails after its characters were counted may have been billed",
    ([, call, at]) =>
      Effect.gen(function*() {
        const seen = { billed: 0, refused: 0 }
        for (const where of at) {
          for (const [first, second] of sampled(pairs, 6)) {
            const scripts = [{ ...where, fault: first }, { ...where, skip: 0, fault: second }]
            const { error, isBilled } = yield* run(call, scripts)
            if (error === undefined) continue
            const what = `${JSON.stringify([first, second])} at ${JSON.stringify(where)}`
            if (isBilled) assert.isTrue(mayHaveBeenBilled(error), what)
            const answer = again(error)
            if (isBilled) assert.notStrictEqual(answer, "safe", what)
            // What would fail in the same way is not run again, however much was billed.
            if (!error.isTransient && error.outcome !== "unknown") assert.strictEqual(answer, "no", what)
            if (error.isTransient) assert.include(["safe", "may-pay-twice"], answer, what)
            if (isBilled) seen.billed += 1
            else if (!mayHaveBeenBilled(error)) seen.refused += 1
          }
        }
        // The service has counted characters in some of the calls, and others were certainly refused.
        assert.isAbove(seen.billed, scaled(0, 10))
        assert.isAbove(seen.refused, scaled(0, 10))
      })
  )

  it.effect("reads and replacements of unknown outcome cost nothing, so a fallback may call again", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const { styleId } = yield* StyleRules.use(({ create }) => create({ name: "House", language: "en" }))
      const failing = (call: Effect.Effect<unknown, Failure, StyleRules | Translation | Usage>) =>
        Effect.andThen(
          Effect.orDie(fake.script({ fault: Fault.serverError({ afterEffect: true }) })),
          Effect.flip(Effect.asVoid(call))
        )
      const seen = [
        yield* failing(Usage.use(({ get }) => get)),
        yield* failing(StyleRules.use(({ rename }) => rename({ styleId, name: "Ours" }))),
        yield* failing(StyleRules.use(({ remove }) => remove({ styleId }))),
        yield* failing(Translation.use(({ translate }) => translate({ text, targetLanguage: "de" })))
      ]
      assert.deepStrictEqual(seen.map(({ outcome, repeat }) => [outcome, repeat]), [
        ["unknown", "Read"],
        ["unknown", "Replace"],
        ["unknown", "Replace"],
        ["unknown", "Metered"]
      ])
      assert.deepStrictEqual(seen.map(mayHaveBeenBilled), [false, false, false, true])
      assert.deepStrictEqual(seen.map(again), ["safe", "safe", "safe", "may-pay-twice"])
    }).pipe(Effect.provide(FakeLanguageService.layerServices({ client: { resilience: { attempts: 1 } } }))))

  it("an error of a job may have been billed, because the job goes on", () => {
    const jobId = Ids.AnyJobId.make("j1")
    assert.isTrue(mayHaveBeenBilled(new CallError.JobNotDone({ jobId, state: "running", job: jobId })))
    assert.isFalse(mayHaveBeenBilled(new ServiceError.QuotaExceeded({})))
    assert.strictEqual(again(new ServiceError.QuotaExceeded({})), "no")
  })

  it.effect("a creation of unknown outcome may happen twice, one that was refused may not", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const failing = (fault: Fault.Fault) =>
        Effect.andThen(
          Effect.orDie(fake.script({ fault })),
          Effect.flip(StyleRules.use(({ create }) => create({ name: "House", language: "en" })))
        )
      const faults = [Fault.reset({ afterEffect: true }), Fault.serverError(), Fault.rateLimited(), { status: 400 }]
      const answers: Array<string> = []
      for (const fault of faults) answers.push(again(yield* failing(fault)))
      assert.deepStrictEqual(answers, ["may-create-twice", "may-create-twice", "safe", "no"])
      assert.lengthOf((yield* fake.state).styleRuleLists, 1)
    }).pipe(Effect.provide(FakeLanguageService.layerServices({ client: { resilience: { attempts: 1 } } }))))
})
