import { CallError, Documents, Ids, LanguageService } from "@effect-lingua/core"
import { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import { Entry, Facts, idOf, Journal } from "@effect-lingua/core/documents/Journal"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, DateTime, Effect, Exit, Layer, Redacted, Schema, Scope, Stream, Struct } from "effect"
import { KeyValueStore } from "effect/persistence"
import { inspect } from "node:util"
import { logged } from "../../../../test/support/logs.ts"
import { isFull, scaled } from "../../../../test/support/scale.ts"
import { entries, layer, status, uploaded } from "../support/documents.ts"
import { overTime, printedOf, Sample, valueOverTime, Wire } from "../support/index.ts"

const { documentId } = Sample
const { account, host, startedAt } = uploaded
const uploading: Entry = { _tag: "Uploading", host, account, startedAt, uploadId: "upload-1" }
const downloading: Entry = { ...uploaded, _tag: "Downloading" }
const at = (id: string, millis: number): Entry => ({
  ...uploaded,
  documentId: Ids.DocumentId.make(id),
  startedAt: DateTime.makeUnsafe(millis)
})
const idsOf = (all: ReadonlyArray<Entry>) => all.map((entry) => idOf(entry))
const factsOf: (entry: Entry) => Facts = Struct.pick(Struct.keys(Facts.fields))
const codec = Schema.fromJsonString(Entry)

type Method = "get" | "set" | "remove" | "keys"

/** A store of which some methods fail as long as they are named. */
const brittle = (failing: Set<Method>, words = (value: string) => `It failed at ${value}`) => {
  const values = new Map<string, string>()
  const unless = <A>(method: Method, key: string, value: () => A) =>
    Effect.suspend(() =>
      failing.has(method)
        ? Effect.fail(new KeyValueStore.KeyValueStoreError({ method, key, message: words(key) }))
        : Effect.sync(value)
    )
  const store = KeyValueStore.makeStringOnly({
    get: (key) => unless("get", key, () => values.get(key)),
    set: (key, value) => unless("set", value, () => values.set(key, value)),
    remove: (key) => unless("remove", key, () => values.delete(key)),
    clear: Effect.sync(() => values.clear()),
    size: Effect.sync(() => values.size),
    keys: unless("keys", "all", () => Array.from(values.keys()))
  })
  return { store, values }
}

/** A journal over a store that works. */
const stored = () => {
  const { store, values } = brittle(new Set())
  return { journal: Journal.make({ store }), store, values }
}

/** Puts an entry into a store that cannot write it, with the log. */
const putFailing = (entry: Entry) => logged(Journal.make(brittle(new Set(["set"]))).put(entry))

const kept = KeyValueStore.KeyValueStore.pipe(
  Effect.map((store) => Journal.make({ store })),
  Effect.provide(KeyValueStore.layerMemory)
)

const journals: ReadonlyArray<
  readonly [where: string, make: Effect.Effect<Journal["Service"]>]
> = [
  ["memory", Effect.sync(() => Journal.make())],
  ["a store", kept],
  ["memory, as its store fails", Effect.sync(() => Journal.make(brittle(new Set(["get", "set", "remove", "keys"]))))]
]

describe.each(journals)("a journal in %s", (_where, make) => {
  it.effect("has each document once, with its last state", () =>
    Effect.gen(function*() {
      const journal = yield* make
      yield* journal.put(uploading)
      assert.deepStrictEqual(yield* journal.get("upload-1"), uploading)
      yield* journal.put({ ...uploaded, uploadId: "upload-1" })
      yield* journal.put({ ...downloading, uploadId: "upload-1" })
      assert.deepStrictEqual(yield* journal.get(documentId), { ...downloading, uploadId: "upload-1" })
      assert.deepStrictEqual(yield* journal.entries, [{ ...downloading, uploadId: "upload-1" }])
      yield* journal.remove(documentId)
      assert.isUndefined(yield* journal.get(documentId))
      assert.deepStrictEqual((yield* journal.entries).filter(({ _tag }) => _tag !== "Uploading"), [])
    }))

  it.effect("is claimed by one at a time", () =>
    Effect.gen(function*() {
      const journal = yield* make
      yield* Effect.scoped(Effect.gen(function*() {
        yield* journal.claim("a")
        yield* journal.claim("b")
        const error = yield* Effect.flip(Effect.scoped(journal.claim("a")))
        assert.deepInclude<object>(error, { _tag: "Busy", id: "a", holder: "this program" })
        // One that fails takes nothing away.
        assert.strictEqual((yield* Effect.flip(journal.claim("a")))._tag, "Busy")
      }))
      yield* Effect.scoped(journal.claim("a"))
    }))
})

describe("a journal", () => {
  const timeout: string = "timeout"

  it.each([["soon", "is not a duration"], [Number.NaN, "is not a duration"], ["-1 seconds", "must not be negative"]])(
    "names a timeout that is invalid: %s",
    (time, problem) => {
      const options: Journal.Options = Object.assign({}, { [timeout]: time })
      assert.throws(() => Journal.make(options), InvalidConfiguration, `timeout ${problem}`)
    }
  )
})

describe("a journal in memory", () => {
  it.effect("forgets the oldest of more than it may have", () =>
    Effect.gen(function*() {
      const journal = Journal.make()
      for (let index = 0; index < 10_001; index++) yield* journal.put(at(`d${index}`, index))
      assert.strictEqual((yield* journal.entries).length, 10_000)
      assert.isUndefined(yield* journal.get("d0"))
      assert.isDefined(yield* journal.get("d1"))
    }))

  it.effect.runIf(isFull)("is bounded in what it remembers of a store that fails", () =>
    Effect.gen(function*() {
      const journal = Journal.make(brittle(new Set(["set", "remove", "keys"])))
      for (let index = 0; index < 10_001; index++) yield* journal.put(at(`d${index}`, index))
      assert.strictEqual((yield* journal.entries).length, 10_000)
    }))
})

describe("a journal over a store", () => {
  it.effect("writes what another journal reads", () =>
    Effect.gen(function*() {
      const { store, values } = brittle(new Set())
      yield* Journal.make({ store }).put(uploaded)
      assert.deepStrictEqual(Array.from(values.keys()), [documentId])
      assert.deepStrictEqual(yield* Journal.make({ store }).entries, [uploaded])
    }))

  it.effect("keeps nothing in memory that the store has", () =>
    Effect.gen(function*() {
      const { journal, values } = stored()
      yield* journal.put(uploaded)
      values.clear()
      assert.deepStrictEqual(yield* journal.entries, [])
    }))

  it.effect("is the one of the client where it is in its context, under keys of its own", () =>
    Effect.gen(function*() {
      const { store, values } = brittle(new Set())
      values.set("something", "else")
      const program = Documents.use((documents) => Effect.andThen(documents.upload(Sample.upload), documents.pending))
      const client = LanguageService.layer({ key: Redacted.make("k"), baseUrl: Wire.baseUrl }).pipe(
        Layer.provide(Journal.layer),
        Layer.provide(Layer.succeed(KeyValueStore.KeyValueStore, store)),
        Layer.provide(Wire.make(Sample.operation("Documents.upload").success))
      )
      assert.deepStrictEqual(idsOf(yield* Effect.provide(program, client)), [documentId])
      const [other, upload, ...documents] = Array.from(values.keys())
      assert.deepStrictEqual([other, documents], ["something", [`document:${documentId}`]])
      assert.match(upload ?? "", /^document:upload-/)
    }))

  it.effect("lists a document once whose upload was left beside it, and drops that with the next state", () =>
    Effect.gen(function*() {
      const { journal, values } = stored()
      // As a program leaves it that ends between the two.
      values.set("upload-1", yield* Schema.encodeEffect(codec)(uploading))
      values.set(documentId, yield* Schema.encodeEffect(codec)({ ...uploaded, uploadId: "upload-1" }))
      const [entry, ...others] = yield* journal.entries
      assert.isDefined(entry)
      assert.strictEqual(entry._tag, "Uploaded")
      assert.deepStrictEqual(others, [])
      yield* journal.put({ _tag: "Downloading", ...Sample.document, ...factsOf(entry) })
      yield* journal.remove(documentId)
      assert.deepStrictEqual(Array.from(values.keys()), [])
    }))

  it.effect("leaves the upload where it is as long as its document is in memory only", () =>
    Effect.gen(function*() {
      const failing = new Set<Method>()
      const { store, values } = brittle(failing)
      const journal = Journal.make({ store })
      yield* journal.put(uploading)
      failing.add("set")
      yield* journal.put({ ...uploaded, uploadId: "upload-1" })
      assert.deepStrictEqual(idsOf(yield* journal.entries), [documentId])
      assert.deepStrictEqual(Array.from(values.keys()), ["upload-1"])
      failing.clear()
      yield* journal.put({ ...downloading, uploadId: "upload-1" })
      assert.deepStrictEqual(Array.from(values.keys()), ["upload-1", documentId])
      assert.isUndefined(yield* journal.get("upload-1"))
      yield* journal.remove(documentId)
      assert.strictEqual(values.size, 0)
    }))

  describe("finds the entry of an upload by its id", () => {
    const answered = { ...uploaded, uploadId: "upload-1" }

    it.effect("and that of its document, without a search", () =>
      Effect.gen(function*() {
        const { store, values } = brittle(new Set())
        let searches = 0
        const counted = { ...store, keys: Effect.andThen(Effect.sync(() => searches++), store.keys) }
        const journal = Journal.make({ store: counted })
        assert.isUndefined(yield* journal.getUpload("upload-1", uploading))
        yield* journal.put(answered)
        for (const other of [journal, Journal.make({ store: counted })]) {
          assert.deepStrictEqual(yield* other.getUpload("upload-1", uploading), answered)
        }
        assert.strictEqual(searches, 0)
        assert.deepStrictEqual(idsOf(yield* journal.entries), [documentId])
        // As another program may leave it.
        values.delete(documentId)
        assert.isUndefined(yield* journal.getUpload("upload-1", uploading))
        const next = { ...answered, documentId: Ids.DocumentId.make("next") }
        yield* journal.put(next)
        assert.deepStrictEqual(yield* journal.getUpload("upload-1", uploading), next)
      }))

    it.effect("and that of a document beside it, as a program leaves both that ends between two writes", () =>
      Effect.gen(function*() {
        const { journal, values } = stored()
        yield* journal.put(uploading)
        assert.deepStrictEqual(yield* journal.getUpload("upload-1", uploading), uploading)
        values.set(documentId, yield* Schema.encodeEffect(codec)(answered))
        assert.deepStrictEqual(yield* journal.getUpload("upload-1", uploading), answered)
      }))

    it.effect("of each owner who has used the id", () =>
      Effect.gen(function*() {
        const { journal, values } = stored()
        const other = { ...answered, account: "other", documentId: Ids.DocumentId.make("other") }
        yield* journal.put(answered)
        yield* journal.put({ ...uploading, account: "other" })
        assert.deepStrictEqual(yield* journal.getUpload("upload-1", uploading), answered)
        yield* journal.put(other)
        assert.deepStrictEqual(yield* journal.getUpload("upload-1", uploading), answered)
        assert.deepStrictEqual(yield* journal.getUpload("upload-1", other), other)
        yield* journal.remove(documentId)
        assert.isUndefined(yield* journal.getUpload("upload-1", uploading))
        assert.deepStrictEqual(yield* journal.getUpload("upload-1", other), other)
        yield* journal.remove(other.documentId)
        assert.strictEqual(values.size, 0)
      }))
  })

  it.effect("leaves what it cannot read, and warns of it", () =>
    Effect.gen(function*() {
      const { journal, values } = stored()
      yield* journal.put(uploaded)
      const broken = ["", "{", "null", "{\"_tag\":\"Uploaded\"}", "{\"_tag\":\"Tomorrow\",\"documentKey\":\"SECRET\"}"]
      broken.forEach((value, index) => values.set(`x${index}`, value))
      const { lines, value } = yield* logged(journal.entries)
      assert.deepStrictEqual(idsOf(value), [documentId])
      assert.deepStrictEqual(
        lines,
        broken.map((_, index) =>
          `Warn The journal of documents has an unreadable value under x${index}, which is left unchanged`
        )
      )
      assert.strictEqual(values.size, 1 + broken.length)
    }))

  it.effect.each<readonly [method: Method, warning: string]>([
    ["get", "The journal of documents cannot be read: It failed at "],
    ["keys", "The journal of documents cannot be read: It failed at all"],
    ["set", "The journal of documents cannot be written, so a document in progress is lost if this program ends early"],
    [
      "remove",
      "The journal of documents cannot be written, so it still has entries of finished documents: It failed at "
    ]
  ])("lets calls go on when the store fails at %s, and warns once", ([method, warning]) => {
    const journal = Journal.make(brittle(new Set([method])))
    return Effect.gen(function*() {
      const { lines } = yield* logged(Effect.gen(function*() {
        for (let count = 0; count < 3; count++) {
          const documents = yield* Documents
          const issued = yield* valueOverTime(documents.upload(Sample.upload))
          assert.deepStrictEqual(
            idsOf(yield* documents.pending),
            method === "get" || method === "keys" ? [] : [documentId]
          )
          const { stream } = yield* valueOverTime(documents.download(issued))
          yield* Stream.runDrain(stream)
          assert.deepStrictEqual(yield* documents.pending, [])
        }
      }))
      assert.strictEqual(lines.length, 1)
      assert.include(lines[0], `Warn ${warning}`)
    }).pipe(Effect.provide(layer({ journal })))
  })

  it.effect("continues an upload by its id after the store could not be read during the download", () => {
    const failing = new Set<Method>()
    const translate = Documents.use((documents) => documents.translate({ ...Sample.upload, uploadId: "message-1" }))
    return Effect.gen(function*() {
      yield* valueOverTime(Documents.use((documents) => documents.upload({ ...Sample.upload, uploadId: "message-1" })))
      failing.add("get")
      yield* valueOverTime(Documents.use((documents) => documents.download(Sample.document)))
      failing.clear()
      assert.strictEqual((yield* valueOverTime(translate)).documentId, documentId)
    }).pipe(Effect.provide(layer({ journal: Journal.make(brittle(failing)) })))
  })

  it.effect("lists and resumes what it has in memory when the store fails at everything", () => {
    const journal = Journal.make(brittle(new Set(["get", "set", "remove", "keys"])))
    return Effect.gen(function*() {
      const documents = yield* Documents
      yield* valueOverTime(documents.upload(Sample.upload))
      assert.deepStrictEqual(idsOf(yield* documents.pending), [documentId])
      const { stream } = yield* valueOverTime(documents.resume({ entryId: documentId }))
      yield* Stream.runDrain(stream)
      assert.deepStrictEqual(yield* documents.pending, [])
    }).pipe(Effect.provide(layer({ journal })))
  })

  it.effect("waits five seconds for a store that does not answer, and goes on in memory, also where nothing is interrupted", () => {
    const { store } = brittle(new Set())
    const journal = Journal.make({ store: { ...store, set: () => Effect.never, remove: () => Effect.never } })
    return Effect.gen(function*() {
      const { lines, took } = yield* logged(
        Effect.map(overTime(Effect.uninterruptible(journal.put(uploaded))), ({ took }) => took)
      ).pipe(Effect.map(({ lines, value }) => ({ lines, took: value })))
      assert.strictEqual(took, 5000)
      assert.deepStrictEqual(lines, [
        "Warn The journal of documents cannot be written, so a document in progress is lost if this program ends early: " +
        "the store did not respond within 5 s"
      ])
      assert.deepStrictEqual(idsOf(yield* journal.entries), [documentId])
      const documents = yield* Documents
      const { stream } = yield* valueOverTime(documents.resume({ entryId: documentId }))
      yield* valueOverTime(Stream.runDrain(stream))
      assert.deepStrictEqual(yield* journal.entries, [])
    }).pipe(Effect.provide(layer({ journal })))
  })

  it.effect("warns again when the store has worked in between", () =>
    Effect.gen(function*() {
      const failing = new Set<Method>(["set"])
      const journal = Journal.make(brittle(failing))
      const { lines } = yield* logged(Effect.gen(function*() {
        yield* journal.put(uploaded)
        failing.clear()
        yield* journal.put(uploaded)
        failing.add("set")
        yield* journal.put(uploaded)
      }))
      assert.strictEqual(lines.length, 2)
    }))

  it.effect("says why its store cannot be read, until it can", () =>
    Effect.gen(function*() {
      for (const [method, why] of [["keys", "It failed at all"], ["get", `It failed at ${documentId}`]] as const) {
        const failing = new Set<Method>()
        const journal = Journal.make(brittle(failing))
        yield* journal.put(uploaded)
        yield* journal.entries
        assert.isUndefined(yield* journal.unreadable)
        failing.add(method)
        assert.deepStrictEqual(yield* journal.entries, [])
        assert.strictEqual(yield* journal.unreadable, why)
        failing.clear()
        assert.deepStrictEqual(idsOf(yield* journal.entries), [documentId])
        assert.isUndefined(yield* journal.unreadable)
      }
      assert.isUndefined(yield* Journal.make().unreadable)
    }))

  it.effect("says more of a failure where it is told how", () =>
    Effect.gen(function*() {
      const journal = Journal.make({
        ...brittle(new Set(["keys"])),
        describe: ({ method }) => `the disk is full at ${method}`
      })
      const { lines } = yield* logged(journal.entries)
      assert.deepStrictEqual(lines, [
        "Warn The journal of documents cannot be read: It failed at all, the disk is full at keys"
      ])
    }))

  it.effect("repeats what its store says, unless that has the key of the document", () =>
    Effect.gen(function*() {
      assert.include((yield* putFailing(uploading)).lines.join(), "It failed at ")
      const { lines } = yield* putFailing(uploaded)
      assert.match(lines.join(), /if this program ends early$/)
    }))

  it.effect("keeps an entry of a caller without types, whom the call refuses, out of the store", () =>
    Effect.gen(function*() {
      const { store, values } = brittle(new Set())
      const documentKey = JSON.parse("\"a key\"")
      const error = yield* Effect.flip(
        Documents.use((documents) => documents.download({ documentId, documentKey })).pipe(
          Effect.provide(layer({ journal: Journal.make({ store }) }))
        )
      )
      assert.strictEqual(error._tag, "InvalidInput")
      assert.strictEqual(values.size, 0)
    }))
})

it.effect("a claim that another program refuses is given back at once, and its scope takes nothing from the next", () =>
  Effect.gen(function*() {
    let busy = true
    const journal = Journal.make({
      claim: (id) =>
        Effect.suspend(() => busy ? Effect.fail(new CallError.Busy({ id, holder: "process 42" })) : Effect.void)
    })
    const scope = yield* Scope.make()
    assert.strictEqual((yield* Effect.flip(Scope.provide(journal.claim("a"), scope))).holder, "process 42")
    busy = false
    yield* Effect.scoped(Effect.gen(function*() {
      yield* journal.claim("a")
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Effect.flip(Effect.scoped(journal.claim("a")))).holder, "this program")
    }))
    yield* Effect.scoped(journal.claim("a"))
  }))

describe("an entry of the journal", () => {
  it.effect.prop(
    "comes back as it was written",
    [Arbitrary.schema(Entry)],
    ([entry]) =>
      Effect.gen(function*() {
        const text = yield* Schema.encodeEffect(codec)(entry)
        const back = yield* Schema.decodeEffect(codec)(text)
        assert.isTrue(Schema.toEquivalence(Entry)(entry, back), text)
        assert.deepStrictEqual(yield* Schema.encodeEffect(codec)(back), text)
      }),
    { arbitrary: { runs: scaled(12, 100) } }
  )

  it.effect.prop(
    "is found by its id, and says the same about the document in its next state",
    [Arbitrary.schema(Entry)],
    ([entry]) =>
      Effect.gen(function*() {
        const journal = Journal.make()
        yield* journal.put(entry)
        assert.strictEqual(yield* journal.get(idOf(entry)), entry)
        const next: Entry = { _tag: "Downloading", ...factsOf(entry), ...Sample.document }
        assert.deepStrictEqual<object>(factsOf(next), factsOf(entry))
      }),
    { arbitrary: { runs: scaled(12, 100) } }
  )
})

describe("the key of a document", () => {
  const documentKey = "SECRET-DOCUMENT-KEY-4567"
  const issued = Wire.answer(200, { document_id: documentId, document_key: documentKey })

  const replies: ReadonlyArray<readonly [what: string, replies: object]> = [
    ["success", {}],
    ["a failed translation", { status: [status("error", { error_message: `No ${documentKey}` })] }],
    ["404", { status: [Wire.answer(404, { message: documentKey })] }],
    ["404 for the bytes", { result: [Wire.answer(404, { message: documentKey })] }],
    ["a status that makes no sense", { status: [Wire.answer(200, documentKey)] }],
    ["a state that is the key", { status: [status(documentKey)] }],
    ["a document that breaks off", { result: [Wire.streamed(200, Stream.fail(new Error(documentKey)))] }]
  ]

  it.effect.each(replies)("is in no message, record, log or span: %s", ([, given]) => {
    const failing = new Set<Method>(["set", "remove", "keys"])
    const journal = Journal.make(brittle(failing, (value) => `cannot write ${value}`))
    return Effect.gen(function*() {
      const { exit, lines, printed, spans } = yield* printedOf(
        Documents.use(({ translate }) =>
          Effect.flatMap(translate(Sample.upload), ({ stream }) => Stream.runDrain(stream))
        )
      )
      const all = yield* entries
      const more = [exit, all].flatMap((value) => [inspect(value, { depth: 9 }), JSON.stringify(value)])
      for (const said of [...more, ...printed.map(([, said]) => said)]) assert.notInclude(said, documentKey)
      assert.isAbove(spans.length, 3)
      assert.isAtLeast(lines.length, 1)
    }).pipe(Effect.provide(layer({ journal, upload: [issued], ...given })))
  })
})
