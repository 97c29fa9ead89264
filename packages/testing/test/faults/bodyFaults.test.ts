// What the services of the client make of answers that break off, stop, make no sense or do not fit, in process and over a
// socket alike.
import { Documents, Languages, LanguageService, ResiliencePolicy, StyleRules } from "@effect-lingua/core"
import { Detection, Translation, Writing } from "@effect-lingua/core/texts"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { FakeLanguageService, Fault, NodeFakeLanguageService, Script } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted, Stream } from "effect"

const fake = FakeLanguageService

/** For bodies that stop. On a busy machine others may take as long. */
const impatient = ResiliencePolicy.within({ bodyIdleTimeout: Duration.millis(80) })
const key = Redacted.make(FakeLanguageService.defaultKey)

type Ready = Layer.Layer<
  FakeLanguageService | LanguageService.LanguageService,
  | Layer.Error<ReturnType<typeof NodeLanguageService.layer>>
  | Layer.Error<ReturnType<typeof NodeFakeLanguageService.layer>>
>

const inProcess: Ready = LanguageService.layer({ key, baseUrl: "https://fake.test", resilience: ResiliencePolicy.none })
  .pipe(Layer.provideMerge(FakeLanguageService.layer()))

const onSocket: Ready = Layer.unwrap(
  Effect.map(
    fake,
    ({ url }) => NodeLanguageService.layer({ key, baseUrl: url, journal: "memory", resilience: ResiliencePolicy.none })
  )
).pipe(Layer.provideMerge(NodeFakeLanguageService.layer()))

const text = ["Good day", "Good night"]
const rephrase = Writing.use((writing) => writing.rephrase({ text }))
const create = StyleRules.use((rules) => rules.create({ name: "House", language: "en" }))

/** Uploads a document of 1000 bytes and downloads it. Gives what came of it. */
const download = Effect.gen(function*() {
  const service = yield* fake
  const document = yield* service.addDocument({ content: "x".repeat(1000), readyAfter: 0 })
  const { stream } = yield* Documents.use((documents) => documents.download(document))
  return yield* Stream.mkString(Stream.decodeText(stream))
})

const gone = Effect.gen(function*() {
  const [document] = yield* (yield* fake).documents
  assert.strictEqual(document?.status, "gone")
})

/** Downloads an empty document. */
const downloadNothing = Effect.gen(function*() {
  const document = yield* (yield* fake).addDocument({ content: "", readyAfter: 0 })
  const { stream } = yield* Documents.use((documents) => documents.download(document))
  return yield* Stream.mkString(Stream.decodeText(stream))
})

/** A call for two texts, which gets more or fewer results. */
const miscounted = Effect.fnUntraced(function*<A, E extends { readonly _tag: string; readonly description: string }, R>(
  call: Effect.Effect<A, E, R>
) {
  const service = yield* fake
  for (const by of [-3, -1, 1, 2]) {
    yield* service.script({ fault: Fault.wrongLength(by) })
    const error = yield* Effect.flip(call)
    assert.strictEqual(error._tag, "UnexpectedResponse")
    assert.match(error.description, new RegExp(`^the response has ${Math.max(0, 2 + by)} results for 2 texts`))
  }
  yield* call
})

describe.each([["in process", inProcess], ["on a socket", onSocket]] as const)("faults of the body, %s", (_, layer) => {
  it.live("a body that is cut is a lost connection, and the work was done", () =>
    Effect.gen(function*() {
      const service = yield* fake
      for (const fault of [Fault.truncated(), Fault.truncated({ bytes: 0 }), Fault.truncated({ share: 1 })]) {
        yield* service.script({ fault })
        const error = yield* Effect.flip(rephrase)
        assert.deepInclude(error, { _tag: "ConnectionLost", code: "UND_ERR_SOCKET", outcome: "unknown" })
      }
      assert.strictEqual((yield* service.effects)["Writing.rephrase"].count, 3)
      assert.deepStrictEqual((yield* service.requests).map(({ status }) => status), [200, 200, 200])
      yield* rephrase
    }).pipe(Effect.provide(layer)))

  it.live("a body that stops is given up after the idle time, and the work was done", () =>
    Effect.gen(function*() {
      const service = yield* fake
      for (const fault of [Fault.stalled(), Fault.stalled({ bytes: 0 })]) {
        yield* service.script({ fault })
        assert.strictEqual((yield* Effect.flip(impatient(create)))._tag, "OutcomeUnknown")
      }
      assert.strictEqual((yield* service.effects)["StyleRules.create"].count, 2)
      yield* create
    }).pipe(Effect.provide(layer)))

  it.live("a body that is no JSON is an unexpected response", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script(Script.next(2, Fault.malformed()))
      assert.deepInclude(yield* Effect.flip(rephrase), { _tag: "UnexpectedResponse", status: 200 })
      const error = yield* Effect.flip(Languages.use((languages) => languages.resources))
      assert.deepInclude(error, { _tag: "UnexpectedResponse", status: 200 })
    }).pipe(Effect.provide(layer)))

  it.live("another number of results is an unexpected response that counts them", () =>
    Effect.gen(function*() {
      yield* miscounted(rephrase)
      yield* miscounted(Writing.use((writing) => writing.correct({ text })))
      yield* miscounted(Translation.use((translation) => translation.translate({ text, targetLanguage: "de" })))
      yield* miscounted(Detection.use((detection) => detection.detect({ text })))
    }).pipe(Effect.provide(layer)))

  it.live.each<readonly [Fault.Alteration, string]>([
    ["empty", ""],
    ["folded", "[de] Tom &amp; <b id=\"1\">Tim</b> run"],
    ["untagged", "[de]  Tom &amp; Tim</b>\nrun "],
    ["retagged", "[de]  Tom &amp; <bs id=\"1\">Tim</bs>\nrun "],
    ["tagged", "<i>[de]  Tom &amp; <b id=\"1\">Tim</b>\nrun </i>"],
    ["filled", "[de]  Tom &amp; <b id=\"1\">.Tim</b>\nrun "],
    ["unescaped", "[de]  Tom & <b id=\"1\">Tim</b>\nrun "]
  ])("a text that is %s is a success, and paid for", ([alteration, expected]) =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script({ fault: Fault.altered(alteration), operation: "Translation.translate" })
      const { translate } = yield* Translation
      const given = { targetLanguage: "de", tagHandling: "xml" } as const
      assert.strictEqual((yield* translate(" Tom &amp; <b id=\"1\">Tim</b>\nrun ", given)).text, expected)
      assert.strictEqual((yield* service.effects)["Translation.translate"].count, 1)
      assert.notStrictEqual((yield* translate("Again", given)).text, expected)
    }).pipe(Effect.provide(layer)))

  it.live("a download that is cut is interrupted, and the document is gone", () =>
    Effect.gen(function*() {
      yield* (yield* fake).script(Script.next(1, Fault.truncated({ bytes: 300 }), "Documents.download"))
      const error = yield* Effect.flip(download)
      assert.deepInclude(error, { _tag: "DownloadInterrupted", bytesReceived: 300, bytesExpected: 1000 })
      yield* gone
    }).pipe(Effect.provide(layer)))

  it.live("a download that stops is interrupted, and the document is gone", () =>
    Effect.gen(function*() {
      yield* (yield* fake).script(Script.next(1, Fault.stalled({ share: 0.9 }), "Documents.download"))
      const error = yield* Effect.flip(impatient(download))
      assert.deepInclude(error, { _tag: "DownloadInterrupted", bytesReceived: 900, bytesExpected: 1000 })
      yield* gone
    }).pipe(Effect.provide(layer)))

  it.live("a fault that finds nothing to harm leaves the answer as it is, and was played", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script([
        Script.next(1, Fault.truncated(), "Documents.download"),
        Script.next(1, Fault.wrongLength(1), "Translation.translate")
      ])
      assert.strictEqual(yield* downloadNothing, "")
      const refused = Translation.use((translation) => translation.translate({ text, targetLanguage: "xx" }))
      assert.strictEqual((yield* Effect.flip(refused))._tag, "BadRequest")
      assert.deepStrictEqual(yield* service.unplayed, [])
    }).pipe(Effect.provide(layer)))

  it.live("a download whose answer is lost after the effect leaves nothing to download", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script(Script.next(1, Fault.reset({ afterEffect: true }), "Documents.download"))
      assert.strictEqual((yield* Effect.flip(download))._tag, "ConnectionLost")
      yield* gone
    }).pipe(Effect.provide(layer)))
})
