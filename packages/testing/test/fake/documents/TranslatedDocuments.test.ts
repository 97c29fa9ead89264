import { Documents, type UploadOptions } from "@effect-lingua/core/documents/Documents"
import { FakeLanguageService, Fault, Script, VirtualTime } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream, Struct } from "effect"

const { layerServices } = FakeLanguageService

const letter = {
  fileName: "letter.txt",
  content: new TextEncoder().encode("Guten Tag\n\nBis bald"),
  sourceLanguage: "de",
  targetLanguage: "en-US"
} satisfies UploadOptions
const same = { ...letter, sourceLanguage: "en" }

const translate = (options: UploadOptions = letter) => Documents.use((documents) => documents.translate(options))
const pending = Documents.use((documents) => Effect.map(documents.pending, (all) => all.map(({ _tag }) => _tag)))

const textOf = ({ stream }: { readonly stream: Stream.Stream<Uint8Array, { readonly _tag: string }> }) =>
  Stream.mkString(Stream.decodeText(stream))

const counts = FakeLanguageService.use((fake) =>
  Effect.map(fake.requests, (requests) => {
    const count = (name: string) => requests.filter(({ operation }) => operation === name).length
    return [count("Documents.upload"), count("Documents.status"), count("Documents.download")]
  })
)

/** What was asked for a document that takes 12 seconds. */
const asked = (secondsRemaining: "right" | "absent") =>
  Effect.andThen(VirtualTime.run(translate()), counts).pipe(
    Effect.provide(layerServices({ readyAfter: "12 seconds", dialect: { secondsRemaining } }))
  )

describe("documents that are translated in one call", () => {
  it.effect("come back in the other language, and are billed once", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const translated = yield* VirtualTime.run(translate())
      assert.strictEqual(translated.billedCharacters, 19)
      assert.strictEqual(translated.fileName, "letter.txt")
      assert.strictEqual(yield* textOf(translated), "[en-US] Guten Tag\n\n[en-US] Bis bald")
      assert.deepStrictEqual(yield* pending, [])
      assert.strictEqual((yield* fake.quota()).used, 19)
      const [uploads, , downloads] = yield* counts
      assert.deepStrictEqual([uploads, downloads], [1, 1])
    }).pipe(Effect.provide(layerServices())))

  it.effect("fail where a test wants them to, for the given reason", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script({ operation: "Documents.upload", fault: Fault.jobFails("File is damaged") })
      assert.deepInclude(yield* Effect.flip(VirtualTime.run(translate())), {
        _tag: "DocumentFailed",
        description: "File is damaged"
      })
      yield* VirtualTime.run(translate())
      assert.deepStrictEqual((yield* fake.documents).map(({ status }) => status), ["error", "gone"])
    }).pipe(Effect.provide(layerServices())))

  it.effect("fail when their translation does, cost nothing, and leave nothing to go on with", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const error = yield* VirtualTime.run(Effect.flip(translate(same)))
      assert.deepInclude<object>(error, {
        _tag: "DocumentFailed",
        operation: "Documents.wait",
        description: "Source and target language are equal.",
        isTransient: false
      })
      assert.strictEqual((yield* fake.quota()).used, 0)
      assert.deepStrictEqual(yield* pending, [])
      assert.strictEqual((yield* counts)[2], 0)
      // Whoever asks for the bytes learns the same, at once.
      const [document] = yield* fake.documents
      assert.isDefined(document)
      const again = yield* VirtualTime.run(Effect.flip(Documents.use((documents) => documents.download(document))))
      assert.deepInclude<object>(again, { _tag: "DocumentFailed", operation: "Documents.download" })
      assert.isBelow(again.attempts.length, 3)
    }).pipe(Effect.provide(layerServices({ dialect: { sameLanguage: "error" } }))))

  it.effect("are refused in their own language, if that is given, and fail if it is detected", () =>
    Effect.gen(function*() {
      const error = yield* VirtualTime.run(Effect.flip(translate(same)))
      assert.deepInclude<object>(error, { _tag: "BadRequest", operation: "Documents.upload" })
      assert.deepStrictEqual(yield* pending, [])
      const detected = yield* VirtualTime.run(
        Effect.flip(translate({ ...Struct.omit(letter, ["sourceLanguage"]), targetLanguage: "de" }))
      )
      assert.strictEqual(detected._tag, "DocumentFailed")
    }).pipe(Effect.provide(layerServices())))

  it.effect.each(["right", "huge", "zero", "absent"] as const)(
    "do not depend on estimates, which are %s",
    (dialect) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* VirtualTime.run(Effect.flatMap(translate(), textOf))).length, 35)
        assert.isBelow((yield* counts)[1] ?? 0, 30)
      }).pipe(Effect.provide(layerServices({ readyAfter: "4 minutes", dialect: { secondsRemaining: dialect } })))
  )

  it.effect("come sooner after they are ready where the estimate is right", () =>
    Effect.gen(function*() {
      const [, right = 0] = yield* asked("right")
      const [, absent = 0] = yield* asked("absent")
      assert.isBelow(right, absent)
    }))

  it.effect.each<readonly [what: string, bytes: number, fault: Fault.Fault]>([
    ["the headers", 0, Fault.reset({ afterEffect: true })],
    ["7 bytes", 7, Fault.truncated({ bytes: 7 })],
    ["3 bytes, in silence", 3, Fault.stalled({ bytes: 3 })]
  ])(
    "are lost when their download breaks after %s, and are said to be",
    ([, bytesReceived, fault]) =>
      Effect.gen(function*() {
        yield* (yield* FakeLanguageService).script(Script.next(1, fault, "Documents.download"))
        const error = yield* VirtualTime.run(Effect.flip(Effect.flatMap(translate(), textOf)))
        assert.deepInclude<object>(error, { _tag: "DownloadInterrupted", bytesReceived, available: false })
        assert.deepStrictEqual(yield* pending, ["Lost"])
        const [entry] = yield* Documents.use((documents) => documents.pending)
        if (entry?._tag !== "Lost") return assert.fail(entry?._tag)
        assert.strictEqual(entry.bytesReceived, bytesReceived)
        // To go on with it says the same, and changes nothing.
        const again = yield* VirtualTime.run(
          Effect.flip(Documents.use((documents) => documents.resume({ entryId: entry.documentId })))
        )
        assert.deepInclude<object>(again, { _tag: "DownloadInterrupted", bytesReceived, available: false })
        assert.deepStrictEqual(yield* pending, ["Lost"])
      }).pipe(Effect.provide(layerServices()))
  )
})
