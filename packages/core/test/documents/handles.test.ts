import { CallError, Documents, Journal } from "@effect-lingua/core"
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { inspect } from "node:util"
import { issued, layer, put, status, uploaded } from "../support/documents.ts"
import { errorOverTime, Sample, Wire } from "../support/index.ts"

const translate = Documents.use((documents) => documents.translate(Sample.upload))
const resume = Documents.use((documents) => documents.resume({ entryId: Sample.documentId }))
const wait = Documents.use((documents) => documents.wait(Sample.document))
const read = Effect.flatMap(translate, ({ stream }) => Stream.runDrain(stream))

const cut = Wire.streamed(200, Stream.fail(new Error("terminated")), { "content-length": "9" })
const busy = Journal.make({
  claim: (id) => id === Sample.documentId ? Effect.fail(new CallError.Busy({ id, holder: "process 42" })) : Effect.void
})

const failures: ReadonlyArray<readonly [tag: string, setup: Parameters<typeof layer>[0]]> = [
  ["DocumentNotReady", { status: [status("translating")] }],
  ["DocumentNotFound", { status: [Wire.answer(404)] }],
  ["DocumentFailed", { status: [status("error")] }],
  ["InvalidKey", { status: [Wire.answer(401)] }],
  ["QuotaExceeded", { result: [Wire.answer(456)] }],
  ["AttemptTimeout", { status: [Wire.silent], options: { resilience: { attempts: 2 } } }],
  ["UnexpectedResponse", { status: [Wire.answer(418)] }],
  ["DownloadInterrupted", { result: [cut] }],
  ["Busy", { upload: [issued], journal: busy }]
]

describe("the handle of a document", () => {
  it.effect.each(failures)("is in every error after an upload: %s", ([tag, setup]) =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(read)
      assert.strictEqual(error._tag, tag)
      assert.deepStrictEqual(error.document, Sample.document)
      assert.include(error.message, Sample.documentId)
      for (const shown of [inspect(error, { depth: 9 }), JSON.stringify(error), error.message, error.stack ?? ""]) {
        assert.notInclude(shown, Sample.documentKey)
      }
    }).pipe(Effect.provide(layer(setup))))

  it.effect("is in every error of a document that is resumed or waited for", () =>
    Effect.gen(function*() {
      yield* put(uploaded)
      assert.deepStrictEqual((yield* errorOverTime(resume)).document, Sample.document)
      assert.deepStrictEqual((yield* errorOverTime(wait)).document, Sample.document)
    }).pipe(Effect.provide(layer({ status: [Wire.answer(404)] }))))

  it.effect("goes on with the document", () =>
    Effect.gen(function*() {
      const documents = yield* Documents
      const error = yield* errorOverTime(translate)
      assert(error.document !== undefined)
      yield* Effect.flatMap(documents.download(error.document), ({ stream }) => Stream.runDrain(stream))
      assert.deepStrictEqual(yield* documents.pending, [])
    }).pipe(Effect.provide(layer({ status: [Wire.answer(403), status("done")] }))))

  it.effect("is in no error of an upload, which gives none", () =>
    Effect.gen(function*() {
      assert.notProperty(yield* errorOverTime(translate), "document")
    }).pipe(Effect.provide(layer({ upload: [Wire.answer(413)] }))))

  it("is what every method takes", () => {
    expectTypeOf<Effect.Error<typeof translate>["document"]>().toEqualTypeOf<Documents.DocumentRef | undefined>()
  })
})
