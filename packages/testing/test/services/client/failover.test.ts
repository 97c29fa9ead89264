import { Deadline, Documents, Failover, Problem, Translation } from "@effect-lingua/core"
import { FakeLanguageService, Fault, VirtualTime } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Result, Schema, Stream } from "effect"
import { scaled } from "../../../../../test/support/scale.ts"

/** Refusals, late ones too, then losses. */
const faults: ReadonlyArray<Fault.Fault> = [
  Fault.unavailable(),
  { status: 503, delay: "1 second" },
  Fault.rateLimited({ retryAfter: "1 hour" }),
  Fault.reset(),
  Fault.reset({ afterEffect: true }),
  Fault.slow("1 hour"),
  { status: 400 }
]

const Run = Schema.Struct({
  texts: Schema.Array(Schema.String.check(Schema.isPattern(/^[a-z]{1,9}$/))).check(Schema.isMaxLength(30)),
  scripts: Schema.Array(
    Schema.Struct({
      skip: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 })),
      fault: Schema.Literals([0, 1, 2, 3, 4, 5, 6])
    })
  ).check(Schema.isMaxLength(3))
})

const clientOf = (scripts: ReadonlyArray<{ readonly skip: number; readonly fault: number }>) =>
  Layer.build(FakeLanguageService.layerServices({
    scripts: scripts.map(({ fault, skip }) => ({ skip, fault: faults[fault] ?? Fault.unavailable() })),
    client: { limits: { translationTexts: 5 }, resilience: { attempts: 1 } }
  }))

describe("a document over two clients", () => {
  it.effect("is uploaded to the second one if the first refused it, and otherwise stays with its client", () =>
    Effect.gen(function*() {
      for (const [operation, uploads] of [["Documents.upload", [0, 1]], ["Documents.status", [1, 0]]] as const) {
        const script = { operation, fault: Fault.unavailable(), every: 1 }
        const options = { client: { resilience: { attempts: 1 } } }
        const first = yield* Layer.build(FakeLanguageService.layerServices({ ...options, scripts: [script] }))
        const second = yield* Layer.build(FakeLanguageService.layerServices(options))
        const plan = yield* Failover.make([Layer.succeedContext(first), Layer.succeedContext(second)])
        yield* Documents.use(({ translate }) =>
          translate({ content: new Uint8Array([97]), fileName: "a.txt", targetLanguage: "de" })
        ).pipe(Failover.within(plan), Effect.exit)
        const counts = yield* Effect.forEach(
          [first, second],
          (client) =>
            Effect.map(Context.get(client, FakeLanguageService).effects, (effects) => effects["Documents.upload"].count)
        )
        assert.deepStrictEqual(counts, [...uploads])
      }
    }).pipe(Effect.scoped, VirtualTime.run))
})

describe("a stream over two clients", () => {
  it.live.prop(
    "continues after the last result, in order, and pays nothing twice",
    [Run, Schema.Boolean],
    ([{ scripts, texts }, onError]) =>
      Effect.gen(function*() {
        const clients = yield* Effect.all([clientOf(scripts), clientOf([])])
        const plan = yield* Failover.make([Layer.succeedContext(clients[0]), Layer.succeedContext(clients[1])])
        const results: Array<string> = []
        const failures: Array<unknown> = []
        const run = Failover.stream(plan, (delivered) =>
          Stream.unwrap(Translation.useSync(({ translateAll }) =>
            onError
              ? translateAll(texts.slice(delivered), { targetLanguage: "de", onError: "result" })
              : Stream.map(translateAll(texts.slice(delivered), { targetLanguage: "de" }), Result.succeed)
          )))
        const end = yield* Stream.runForEach(run, (result) =>
          Effect.sync(() =>
            Result.isSuccess(result) ? results.push(result.success.text) : failures.push(result.failure)
          )).pipe(Deadline.within("10 minutes"), Effect.result)
        const used = yield* Effect.forEach(
          clients,
          (client) =>
            Effect.map(Context.get(client, FakeLanguageService).quota(), ({ used }) =>
              used)
        )
        if (Result.isFailure(end)) failures.push(end.failure)
        const characters = results.reduce((sum, text) => sum + text.length - "[de] ".length, 0)
        const isSafe = failures.every((failure) => !Problem.mayHaveBeenBilled(failure))
        if (failures.length === 0) assert.deepStrictEqual(results, texts.map((text) => `[de] ${text}`))
        if (isSafe) assert.strictEqual(used.reduce((sum, characters) => sum + characters, 0), characters)
        if (Result.isFailure(end)) assert.isFalse(Problem.isSafe(end.failure))
      }).pipe(Effect.scoped, VirtualTime.run),
    { arbitrary: { runs: scaled(60, 400) } }
  )
})
