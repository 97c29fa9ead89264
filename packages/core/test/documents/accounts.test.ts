import { Documents, Journal } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema, Stream } from "effect"
import { KeyValueStore } from "effect/persistence"
import { logged } from "../../../../test/support/logs.ts"
import { scaled } from "../../../../test/support/scale.ts"
import { content, layer, type Setup, status, uploaded } from "../support/documents.ts"
import { accountOf, download, errorOverTime, Sample, valueOverTime, Wire } from "../support/index.ts"

const { documentId } = Sample
const printable = Schema.String.check(Schema.isPattern(/^[!-~]{1,200}$/))
const upload = Documents.use((documents) => documents.upload(Sample.upload))
const pending = Documents.use((documents) => documents.pending)
const resume = Documents.use((documents) => documents.resume({ entryId: documentId }))
const forget = Documents.use((documents) => documents.forget({ entryId: documentId }))
const adopt = Documents.use((documents) => documents.adopt({ entryId: documentId }))
const wait = Documents.use((documents) => documents.wait(Sample.document))

/** Two accounts at one host, whose programs share a journal. */
const accounts = (replies: Omit<Setup, "journal" | "options"> = {}) => {
  const journal = Journal.make()
  const as = (key: string, more = {}) =>
    Effect.provide(layer({ ...replies, ...more, journal, options: { key: Redacted.make(key) } }))
  return { as, journal, first: as("key-of-the-first"), other: as("key-of-the-other") }
}

const another = "It is a document of another key. Adopt it, if both keys are of one account"

const gone = { status: [Wire.answer(404)], result: [Wire.answer(404)] }

describe("two accounts at one host", () => {
  it.effect("do not see each other's documents in a journal that they share", () =>
    Effect.gen(function*() {
      const { first, other } = accounts()
      yield* first(upload)
      assert.strictEqual((yield* first(pending)).length, 1)
      assert.deepStrictEqual(yield* other(pending), [])
    }))

  it.effect("neither resume nor forget each other's documents, and send nothing for them", () =>
    Effect.gen(function*() {
      const { first, journal, other } = accounts(gone)
      yield* first(upload)
      const before = yield* journal.entries
      for (const attempt of [resume, forget]) {
        const [error, count] = yield* other(Effect.all([errorOverTime(attempt), Wire.count]))
        assert.deepInclude<object>(error, { _tag: "NotResumable", id: documentId, description: another })
        assert.strictEqual(count, 0)
      }
      assert.deepStrictEqual(yield* journal.entries, before)
      yield* first(forget)
      assert.deepStrictEqual(yield* journal.entries, [])
    }))

  it.effect.each<
    readonly [what: string, replies: object, call: Effect.Effect<object | void, Sample.AnyFailure, Documents>]
  >([
    ["that it does not find at its download", gone, download],
    ["that failed as it says", { status: [status("error")] }, wait],
    ["whose bytes it loses", {
      result: [Wire.streamed(200, Stream.fail(new Error("cut")), { "content-length": "9" })],
      status: [Wire.answer(404)]
    }, Effect.flatMap(download, ({ stream }) => Stream.runDrain(stream))]
  ])(
    "the one changes nothing in the journal about a document of the other: %s",
    ([, replies, call]) =>
      Effect.gen(function*() {
        const { first, journal, other } = accounts(replies)
        yield* first(upload)
        const before = yield* journal.entries
        yield* other(errorOverTime(call))
        assert.deepStrictEqual(yield* journal.entries, before)
      })
  )

  it.effect("have the names of their own documents where there are too many", () =>
    Effect.gen(function*() {
      const { as, first } = accounts()
      yield* first(upload)
      const tooMany = { upload: [Wire.answer(429, { message: "Too many documents" })] }
      const error = yield* as("key-of-the-other", tooMany)(errorOverTime(upload))
      assert.deepInclude<object>(error, { _tag: "TooManyDocuments", pending: [] })
    }))
})

describe("a document of a key that was replaced", () => {
  it.effect("is adopted by the new key, when the service has it for that", () =>
    Effect.gen(function*() {
      const { first, other } = accounts()
      yield* first(upload)
      yield* other(adopt)
      assert.strictEqual((yield* other(pending)).length, 1)
      const { stream } = yield* other(valueOverTime(resume))
      assert.strictEqual(yield* other(Stream.mkString(Stream.decodeText(stream))), content)
      assert.deepStrictEqual(yield* first(pending), [])
    }))

  it.effect("stays with its key when the service does not know it, or it is of another service", () =>
    Effect.gen(function*() {
      const { first, journal, other } = accounts(gone)
      yield* first(upload)
      const before = yield* journal.entries
      assert.strictEqual((yield* other(errorOverTime(adopt)))._tag, "DocumentNotFound")
      assert.deepStrictEqual(yield* journal.entries, before)
      yield* journal.put({ ...uploaded, host: "https://other.test/" })
      assert.deepInclude<object>(yield* other(errorOverTime(adopt)), {
        _tag: "NotResumable",
        description: "It is a document of https://other.test/"
      })
    }))
})

describe("an entry of the journal", () => {
  const stored = Effect.fnUntraced(function*(key: string) {
    const store = yield* KeyValueStore.KeyValueStore
    yield* Effect.provide(upload, layer({ journal: Journal.make({ store }), options: { key: Redacted.make(key) } }))
    return Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ account: Schema.String })))(
      yield* store.get(documentId)
    )
  }, Effect.provide(KeyValueStore.layerMemory))

  it.effect.prop("has the start of a digest of the key, not the key", [printable], ([key]) =>
    Effect.gen(function*() {
      assert.strictEqual((yield* stored(key)).account, accountOf(key))
    }), { arbitrary: { runs: scaled(20, 100) } })

  it.effect("that names no account is left where it is", () =>
    Effect.gen(function*() {
      const store = yield* KeyValueStore.KeyValueStore
      const { account: _, ...old } = uploaded
      const text = JSON.stringify({ ...old, startedAt: 0, documentKey: "k" })
      yield* store.set(documentId, text)
      const { lines, value } = yield* logged(Effect.provide(
        Effect.all([pending, Effect.flip(resume)]),
        layer({ journal: Journal.make({ store }) })
      ))
      const [listed, error] = value
      assert.deepStrictEqual(listed, [])
      assert.deepInclude<object>(error, { _tag: "NotResumable", description: "The journal has no such entry" })
      assert.include(lines.join(), `has an unreadable value under ${documentId}`)
      assert.strictEqual(yield* store.get(documentId), text)
    }).pipe(Effect.provide(KeyValueStore.layerMemory)))
})
