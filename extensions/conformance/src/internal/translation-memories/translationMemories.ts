import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { JobId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { check, fakeCheck, nothing, present, refused, same, that } from "../check.ts"
import { read, send, transfer } from "../host.ts"
import type { Check, Offers } from "../model.ts"

const unknownId = TranslationMemoryId.make(nothing)

const file = `<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header srclang="en" datatype="plaintext" segtype="sentence"/><body>
<tu><tuv xml:lang="en"><seg>Screw</seg></tuv><tuv xml:lang="de"><seg>Schraube</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Nut</seg></tuv><tuv xml:lang="de"><seg>Mutter</seg></tuv></tu>
</body></tmx>`

/** Starts an import, sends the file, and advances the fake's time until the import has ended. */
const imported = Effect.fnUntraced(function*(fake: Offers["fake"], content: string, displayName: string) {
  const memories = yield* TranslationMemories
  const bytes = new TextEncoder().encode(content)
  const { jobId, uploadUrl } = yield* memories.startImport({
    fileName: "conformance.tmx",
    contentType: "application/xml",
    size: bytes.length,
    displayName
  })
  const waiting = yield* memories.status({ jobId })
  yield* same("the state of an import without a file", waiting.state, "awaiting_input")
  const { status } = yield* transfer(
    HttpClientRequest.put(Redacted.value(uploadUrl)).pipe(HttpClientRequest.bodyUint8Array(bytes, "application/xml"))
  )
  yield* same("the status of an upload without a key", status, 200)
  yield* fake.advance("1 minute")
  return jobId
})

export const translationMemories: ReadonlyArray<Check> = [
  check(
    "TranslationMemories: pages have the requested size, and each memory is in one page",
    {},
    function*() {
      const memories = yield* TranslationMemories
      const { translationMemories } = yield* memories.listPage({ pageSize: 1 })
      yield* that(translationMemories.length <= 1, "one memory at most", translationMemories.length)
      const all = yield* Stream.runCollect(memories.list)
      yield* same("the ids that are there once", new Set(all.map((one) => one.translationMemoryId)).size, all.length)
    }
  ),
  check("TranslationMemories: unknown ids are not found", {}, function*() {
    const memories = yield* TranslationMemories
    yield* refused(memories.get({ translationMemoryId: unknownId }), "NotFound")
    yield* refused(memories.listSegmentsPage({ translationMemoryId: unknownId }), "NotFound")
    yield* refused(memories.startExport({ translationMemoryId: unknownId }), "NotFound")
    yield* refused(memories.remove({ translationMemoryId: unknownId }), "NotFound")
    yield* refused(memories.status({ jobId: JobId.make(nothing) }), "NotFound")
  }),
  check("TranslationMemories: a started import waits for its file", {}, function*() {
    const memories = yield* TranslationMemories
    // No file is sent, so the job expires and creates no memory.
    const { jobId, uploadUrl } = yield* memories.startImport({ fileName: "conformance.tmx", size: 1 })
    yield* that(URL.canParse(Redacted.value(uploadUrl)), "an address for the file", "something else")
    yield* same("the state", (yield* memories.status({ jobId })).state, "awaiting_input")
    const { product, source_file } = yield* read(
      Schema.Struct({
        job_id: Schema.Literal(jobId),
        product: Schema.String,
        operation: Schema.Literal("import"),
        creation_time: Schema.String,
        updated_time: Schema.String,
        parameters: Schema.Record(Schema.String, Schema.Unknown),
        source_file: Schema.Struct({ content_length: Schema.Int })
      }),
      yield* send("GET", `/v3/translation_memories/jobs/${jobId}`)
    )
    yield* same("the product and the length of its file", [product, source_file.content_length], [
      "translation_memory",
      1
    ])
  }),
  fakeCheck("TranslationMemories: an imported file becomes a memory, which is read and deleted", {
    source: "States and transitions"
  }, function*({ fake }) {
    const memories = yield* TranslationMemories
    const job = yield* memories.status({ jobId: yield* imported(fake, file, "Conformance") })
    yield* same("the state of a finished import", job.state, "completed")
    const translationMemoryId = yield* present("the id of the memory", job.translationMemoryId)
    const memory = yield* memories.get({ translationMemoryId })
    yield* same("the name", memory.name, "Conformance")
    yield* same("the number of segments", memory.segmentCount, 2)
    const pages = yield* Stream.runCollect(memories.listSegments({ translationMemoryId, pageSize: 1 }))
    yield* same("the texts, page by page", pages.map(({ sourceText }) => sourceText), ["Screw", "Nut"])
    const found = yield* memories.listSegmentsPage({ translationMemoryId, filterText: "mutter" })
    yield* same("the segments with a text", found.segments.map(({ sourceText }) => sourceText), ["Nut"])
    yield* memories.remove({ translationMemoryId })
    yield* refused(memories.get({ translationMemoryId }), "NotFound")
  }),
  fakeCheck(
    "TranslationMemories: an export is downloaded without a key, and one export runs at a time",
    {},
    function*({ fake }) {
      const memories = yield* TranslationMemories
      const translationMemoryId = yield* fake.addTranslationMemory({
        sourceLanguage: "en",
        targetLanguages: ["de"],
        segments: [{ source: "Screw", targets: { de: "Schraube" } }]
      })
      const { jobId } = yield* memories.startExport({ translationMemoryId })
      const other = memories.startExport({ translationMemoryId })
      yield* refused(ResiliencePolicy.within(other, { polling: false }), "ExportRunning")
      yield* fake.advance("1 minute")
      yield* same("a recent export, which serves again", (yield* other).jobId, jobId)
      const { downloadUrl, state } = yield* memories.status({ jobId })
      yield* same("the state of a finished export", state, "completed")
      const { status, text } = yield* transfer(
        HttpClientRequest.get(Redacted.value(yield* present("the address of the file", downloadUrl)))
      )
      yield* same("the status of a download without a key", status, 200)
      yield* that(text.includes("<seg>Schraube</seg>"), "the segments of the memory", text)
      yield* memories.remove({ translationMemoryId })
    }
  ),
  fakeCheck("TranslationMemories: an invalid file fails its import", {}, function*({ fake }) {
    const memories = yield* TranslationMemories
    const jobId = yield* imported(fake, "<html></html>", "Broken")
    const error = yield* refused(memories.wait({ jobId }), "JobFailed")
    yield* that("description" in error && error.description !== "", "the reason", error)
  })
]
