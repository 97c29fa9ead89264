import { JobId } from "@effect-lingua/core/contract/Ids"
import * as Upload from "@effect-lingua/core/jobs/Upload"
import {
  Job,
  TranslationMemories,
  type UploadOptions as MemoryUpload
} from "@effect-lingua/core/translation-memories/TranslationMemories"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Schema, Stream } from "effect"
import { gzipSync } from "node:zlib"
import { errorOverTime, Sample, valueOverTime, Wire } from "../support/index.ts"
import {
  completed,
  content,
  downloadUrl,
  exported,
  exportStarted,
  exportTmx,
  importTmx,
  job,
  manuals,
  over,
  started,
  tmx
} from "../support/memories.ts"

const pieces = async function*() {
  yield content
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

const inBytes = (text: string) => Stream.map(Stream.fromIterable(bytesOf(text)), (byte) => Uint8Array.of(byte))

const memoryPage = (ids: ReadonlyArray<string>, total_count?: number) =>
  Wire.answer(200, {
    translation_memories: ids.map((translation_memory_id) => ({ translation_memory_id })),
    total_count
  })
const segmentPage = (texts: ReadonlyArray<string>, next_page_cursor?: string) =>
  Wire.answer(200, { segments: texts.map((source_text) => ({ source_text })), next_page_cursor })

const listAll = TranslationMemories.use((memories) =>
  Effect.map(
    Stream.runCollect(memories.list),
    (all) => all.map(({ translationMemoryId }): string => translationMemoryId)
  )
)
const segments = TranslationMemories.use((memories) =>
  Effect.map(
    Stream.runCollect(memories.listSegments({ translationMemoryId: Sample.translationMemoryId, pageSize: 1 })),
    (all) => all.map(({ sourceText }) => sourceText)
  )
)

const listings: ReadonlyArray<readonly [what: string, pages: ReadonlyArray<Wire.Reply>]> = [
  ["smaller than was asked for", [memoryPage(["a", "b"], 3), memoryPage(["c"], 3)]],
  ["that shift", [memoryPage(["a", "b"], 4), memoryPage(["b", "c"], 4), memoryPage([], 3)]],
  ["without a number of all", [memoryPage(["a", "b", "c"])]]
]

describe("a file that does not get through", () => {
  it.effect("may be there when an attempt before the last one was lost", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(importTmx)
      assert.deepInclude<object>(error, { _tag: "TransferFailed", outcome: "unknown", isTransient: false })
      assert.include(error.message, "Start again with the file: the address may have expired")
      assert.deepStrictEqual(error.attempts.map(({ outcome }) => outcome), ["unknown", "refused"])
    }).pipe(over([started(), Wire.broken("ECONNRESET"), Wire.broken("CERT_HAS_EXPIRED")])))

  it.effect("is sent again to the same address, with the ledger in the error", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(importTmx)
      assert.deepInclude<object>(error, { _tag: "TransferFailed", status: 500, outcome: "unknown", isTransient: true })
      assert.deepStrictEqual(
        error.attempts.map(({ outcome, status }) => [status, outcome]),
        [[503, "unknown"], [undefined, "unknown"], [408, "refused"], [429, "refused"], [500, "unknown"]]
      )
      assert.include(error.message, "Resume it, or start again with the file")
      assert.strictEqual(error.job, Sample.jobId)
    }).pipe(over(
      [started(), Wire.answer(503), Wire.broken("ECONNRESET"), ...[408, 429, 500].map((status) => Wire.answer(status))],
      { resilience: { attempts: 5 } }
    )))

  it.effect("and may be there all the same is waited for, and not sent in a new job", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* valueOverTime(importTmx), { translationMemoryId: Sample.translationMemoryId })
      assert.deepStrictEqual((yield* Wire.sent).map(({ method }) => method), ["POST", "PUT", "PUT", "GET", "GET"])
    }).pipe(over([started(), Wire.broken("ECONNRESET"), Wire.answer(403), job("processing"), completed])))

  it.effect.each<readonly [state: string, reply: Wire.Reply]>([
    ["is unknown to the service", Wire.answer(404)],
    ["still waits for its file", job("awaiting_input")],
    ["has expired", job("expired")]
  ])("and whose job %s is missed", ([, reply]) =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(importTmx)
      assert.deepInclude<object>(error, { _tag: "TransferFailed", status: 403, job: Sample.jobId })
      assert.strictEqual(yield* Wire.count, 4)
    }).pipe(over([started(), Wire.broken("ECONNRESET"), Wire.answer(403), reply])))

  it.effect("is sent by upload alone, and its job waited for, where its steps are taken one by one", () =>
    Effect.gen(function*() {
      const memories = yield* TranslationMemories
      const importing = yield* memories.startImport({ fileName: "manuals.tmx", size: content.length })
      yield* valueOverTime(memories.upload({ job: importing, content }))
      const { jobId } = importing
      assert.strictEqual((yield* memories.wait({ jobId })).translationMemoryId, Sample.translationMemoryId)
      assert.deepStrictEqual((yield* Wire.sent).map(({ method }) => method), ["POST", "PUT", "PUT", "GET"])
    }).pipe(over([started(), Wire.answer(503), Wire.answer(200), completed])))

  it.effect("names its job in each error after the start", () =>
    Effect.forEach([
      [Wire.answer(200), Wire.answer(403)],
      [Wire.answer(200), job("failed")],
      [Wire.answer(200), job("completed")],
      [Wire.answer(403)]
    ], (replies) =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(importTmx)
        assert.strictEqual(error.job, Sample.jobId)
        assert.include(error.message, Sample.jobId)
      }).pipe(over([started(), ...replies]))))

  it.effect("because its own stream failed is no failure of the storage", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(TranslationMemories.use((memories) =>
        memories.importTmx({ ...manuals, content: Stream.make(content), size: content.length + 1 })
      ))
      assert.strictEqual(error._tag, "SourceFailed")
      assert.deepStrictEqual(
        error.attempts.map(({ failure, outcome }) => [failure, outcome]),
        [["SourceFailed", "refused"]]
      )
    }).pipe(over([started()])))

  it.effect.each<readonly [what: string, content: () => MemoryUpload["content"], attempts: ReadonlyArray<unknown>]>([
    ["runs once", () => Stream.fromAsyncIterable(pieces(), String), [
      ["TransferFailed", "unknown", undefined],
      ["SourceFailed", "refused", undefined]
    ]],
    ["is a ReadableStream", () => Stream.toReadableStream(Stream.make(content)), [[
      "TransferFailed",
      "unknown",
      "source-read"
    ]]]
  ])("fails with the answer of the storage when its stream %s", ([, stream, attempts]) =>
    Effect.gen(function*() {
      const memories = yield* TranslationMemories
      const importing = yield* memories.startImport({ fileName: "manuals.tmx", size: content.length })
      const given = { job: importing, content: stream(), size: content.length }
      const error = yield* errorOverTime(memories.upload(given))
      assert.deepInclude<object>(error, { _tag: "TransferFailed", status: 503, outcome: "unknown", isTransient: true })
      assert.deepStrictEqual(
        error.attempts.map(({ failure, outcome, stopCause }) => [failure, outcome, stopCause]),
        attempts
      )
    }).pipe(over([started(), Wire.answer(503), Wire.answer(200)])))

  it.effect("is imported from a ReadableStream, which is not checked because that would read it", () =>
    Effect.gen(function*() {
      const memories = yield* TranslationMemories
      yield* valueOverTime(
        memories.importTmx({ ...manuals, content: Stream.toReadableStream(Stream.make(content)), size: content.length })
      )
      assert.strictEqual((yield* Wire.sent)[1]?.body, tmx)
    }).pipe(over([started(), Wire.answer(200), completed])))

  it.effect("is fetched anew with a fresh address, and its end is noticed", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* valueOverTime(exportTmx), tmx)
      const urls = (yield* Wire.sent).map(({ url }) => url).filter((url) => url.startsWith("https://storage"))
      assert.deepStrictEqual(urls, [downloadUrl, `${downloadUrl}2`])
      const short = yield* Effect.flip(
        Effect.provide(
          exportTmx,
          Layer.fresh(Wire.layer([exportStarted, exported(), Wire.answer(200, tmx, { "content-length": "1000" })]))
        )
      )
      assert.deepInclude<object>(short, { _tag: "TransferFailed", bytes: tmx.length, bytesExpected: 1000 })
    }).pipe(over([exportStarted, exported(), Wire.answer(403), exported(`${downloadUrl}2`), Wire.answer(200, tmx)])))
})

const encoded = (bytes: Uint8Array) =>
  over([exportStarted, exported(), Wire.streamed(200, Stream.make(bytes), { "content-encoding": "gzip" })])

describe("an export with an encoding that nobody asked for", () => {
  it.effect("fails while its bytes are still compressed", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(exportTmx)
      assert.deepInclude<object>(error, { _tag: "TransferFailed", bytes: 0 })
      assert.include(error.message, "compressed with gzip")
    }).pipe(encoded(gzipSync(tmx))))

  it.effect("is the file where the platform has expanded it", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* exportTmx, tmx)
    }).pipe(encoded(new TextEncoder().encode(tmx))))
})

describe("a file without a name", () => {
  it.effect("starts no import", () =>
    Effect.gen(function*() {
      const error = yield* TranslationMemories.use((memories) =>
        Effect.flip(memories.startImport({ fileName: "", size: 5 }))
      )
      assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "fileName" })
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(over([])))
})

describe("a file that is not TMX", () => {
  it.effect.each([
    "<!doctype html><html></html>",
    "<?xml version=\"1.0\"?>\n<xliff></xliff>",
    "PK\u0003\u0004",
    "<tmxx></tmx>",
    "source,target\nScrew,Schraube\n"
  ])("is refused before anything is sent: %j", (text) =>
    Effect.gen(function*() {
      const memories = yield* TranslationMemories
      for (const content of [bytesOf(text), new Blob([text]), inBytes(text)]) {
        const error = yield* Effect.flip(memories.importTmx({ ...manuals, content, size: bytesOf(text).length }))
        assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "content" })
      }
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(over([])))

  it.effect("is told from one in another encoding, with a long prolog, or in small chunks", () =>
    Effect.gen(function*() {
      const memories = yield* TranslationMemories
      const long = `<?xml version="1.0"?><!DOCTYPE tmx [ <!ENTITY a "b"> ]><!--${" ".repeat(100_000)}-->${tmx}`
      const little = Buffer.from(`\ufeff${tmx}`, "utf16le")
      const big = Buffer.from(little).swap16()
      const contents = [Uint8Array.from(little), Uint8Array.from(big), bytesOf(long), inBytes(tmx)]
      for (const content of contents) yield* memories.importTmx({ ...manuals, content, size: tmx.length })
      assert.strictEqual(yield* Wire.count, 12)
    }).pipe(over(Array.from({ length: 4 }, () => [started(), Wire.answer(200), completed]).flat())))

  it.effect("is not looked for in a stream that can be read only once", () =>
    Effect.gen(function*() {
      const memories = yield* TranslationMemories
      yield* memories.importTmx({ ...manuals, ...Upload.once(Stream.make(content), { size: content.length }) })
      assert.strictEqual((yield* Wire.sent)[1]?.body, tmx)
    }).pipe(over([started(), Wire.answer(200), completed])))

  it.effect("nor one without a length is sent", () =>
    Effect.gen(function*() {
      const memories = yield* TranslationMemories
      const errors = yield* Effect.forEach([
        { ...manuals, content: Stream.make(content) },
        { ...manuals, content: new Uint8Array() },
        { ...manuals, fileName: "a/b.tmx" },
        { ...manuals, fileName: "x".repeat(101) },
        { ...manuals, contentType: `text/${"x".repeat(123)}` }
      ], (options) => Effect.flip(memories.importTmx(options)))
      assert.deepStrictEqual(
        errors.map((error) => "parameter" in error ? error.parameter : error._tag),
        ["size", "content", "fileName", "fileName", "contentType"]
      )
    }).pipe(over([])))
})

/** States of a job, and what a wait makes of them. */
const states: ReadonlyArray<readonly [state: string, result: string]> = [
  ["completed", "completed"],
  ["downloaded", "downloaded"],
  ["failed", "JobFailed"],
  ["expired", "JobFailed"],
  ["awaiting_input", "JobNotDone"],
  ["processing", "JobNotDone"],
  ["thinking", "JobNotDone"]
]

describe("the state of a job", () => {
  it.effect.each(states)("%s is waited for as %s", ([state, result]) =>
    Effect.gen(function*() {
      const ended = yield* valueOverTime(
        TranslationMemories.use((memories) => memories.wait({ jobId: Sample.jobId })).pipe(
          Effect.map((job): string => job.state),
          Effect.catch((error) => Effect.succeed(error._tag))
        )
      )
      assert.strictEqual(ended, result)
    }).pipe(over(job(state), { resilience: { jobDeadline: Duration.minutes(5) } })))

  it.effect("that failed says why, also to a download of its file", () =>
    Effect.gen(function*() {
      const bytes = TranslationMemories.useSync(({ download }) => download({ jobId: Sample.jobId }))
      const error = yield* Effect.flip(Stream.runDrain(Stream.unwrap(bytes)))
      assert.deepInclude<object>(error, { _tag: "JobFailed", state: "failed", description: "The file is damaged" })
    }).pipe(over([job("failed", { error: { message: "The file is damaged" } })])))

  it.each([
    ["import", {}, { translation_memory_id: "a" }],
    ["export", { translation_memory_id: "a" }, {}]
  ])("of an %s has the memory where the service has it, read or written", (operation, parameters, result) => {
    const wire = { job_id: "b", operation, parameters, results: [{ status: "completed", ...result }] }
    const read = Schema.decodeUnknownSync(Job)(wire)
    assert.strictEqual(read.translationMemoryId, "a")
    assert.deepInclude<object>(Schema.encodeSync(Job)(read), wire)
  })

  it.effect("may be missing, with all else but the id", () =>
    Effect.gen(function*() {
      const read = yield* TranslationMemories.use((memories) => memories.status({ jobId: Sample.jobId }))
      assert.deepStrictEqual<object>(read, { jobId: Sample.jobId, state: "" })
    }).pipe(over([Wire.answer(200, { job_id: Sample.jobId, results: null, parameters: null, operation: null })])))

  it.effect("of another job is none", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        TranslationMemories.use((memories) => memories.status({ jobId: JobId.make("other") }))
      )
      assert.strictEqual(error._tag, "UnexpectedResponse")
    }).pipe(over([completed])))
})

describe("translation memories page by page", () => {
  it.effect.each(listings)("come to the last, with pages %s", ([, pages]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* listAll, ["a", "b", "c"])
      assert.strictEqual(yield* Wire.count, pages.length)
    }).pipe(over(pages)))

  it.effect("give their segments to the last page, even over one that is empty", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* segments, ["a", "b"])
      assert.deepStrictEqual(
        (yield* Wire.sent).map(({ url }) => new URL(url).searchParams.get("page_cursor")),
        [null, "1", "2"]
      )
    }).pipe(over([segmentPage(["a"], "1"), segmentPage([], "2"), segmentPage(["b"], "")])))

  it.effect("fail when the pages of segments go round in a circle, as the rest is not known", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(segments)
      assert.deepInclude<object>(error, {
        _tag: "UnexpectedResponse",
        operation: "TranslationMemories.listSegmentsPage"
      })
      assert.strictEqual(yield* Wire.count, 3)
    }).pipe(over([segmentPage(["a"], "1"), segmentPage(["b"], "2"), segmentPage(["c"], "1")])))

  it.effect("end with an empty page of segments that names itself", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* segments, ["a"])
    }).pipe(over([segmentPage(["a"], "1"), segmentPage([], "1")])))
})
