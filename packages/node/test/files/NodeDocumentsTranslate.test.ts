import { idOf } from "@effect-lingua/core/documents/Journal"
import * as Progress from "@effect-lingua/core/jobs/Progress"
import { NodeDocuments, NodeLanguageService } from "@effect-lingua/node"
import { FakeLanguageService, Fault, NodeFakeLanguageService, Script } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Formatter, Option, Redacted, Stream, Tracer } from "effect"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { liveWith } from "../../../../test/support/tests.ts"
import { tracing } from "../../../core/test/support/spans.ts"
import { folder, journalIn } from "../support/documents.ts"

const fakeLayer = NodeFakeLanguageService.layer({ readyAfter: "5 millis" })

/** A client of the fake, a folder with a letter in it, and a journal. */
const started = Effect.gen(function*() {
  const fake = yield* FakeLanguageService
  const directory = yield* folder
  const journal = journalIn(yield* folder)
  const source = join(directory, "letter.txt")
  writeFileSync(source, "Guten Tag")
  const layer = NodeLanguageService.layer({
    key: Redacted.make("fake-key"),
    baseUrl: fake.url,
    journal: { folder: journal.folder },
    resilience: { pollBase: Duration.millis(5), backoffBase: Duration.millis(1), throttleBase: Duration.millis(1) }
  })
  const run = <A, E>(f: (documents: NodeDocuments["Service"]) => Effect.Effect<A, E>) =>
    NodeDocuments.use(f).pipe(Effect.provide(layer))
  const uploads = Effect.map(fake.requestsOf("Documents.upload"), (requests) => requests.length)
  return { directory, fake, journal, layer, run, source, uploads }
})

const english = { targetLanguage: "en-US" } as const

const test = liveWith(fakeLayer)

describe("NodeDocuments.translate", () => {
  test("writes the translation beside the source, with the language in its name, and leaves nothing else", function*() {
    const { directory, journal, run, source } = yield* started
    const saved = yield* run((documents) => documents.translate({ source, ...english }))
    assert.strictEqual(saved.path, join(directory, "letter.en-US.txt"))
    assert.strictEqual(readFileSync(saved.path, "utf8"), "[en-US] Guten Tag")
    assert.strictEqual(saved.bytes, 17)
    assert.isAbove(saved.billedCharacters ?? 0, 0)
    assert.deepStrictEqual(readdirSync(directory).toSorted(), ["letter.en-US.txt", "letter.txt"])
    assert.deepStrictEqual(yield* journal.entries(), [])
    assert.deepStrictEqual(readdirSync(journal.folder), [])
    const word = join(directory, "old.doc")
    writeFileSync(word, "Guten Tag")
    const { path } = yield* run((documents) => documents.translate({ source: word, ...english }))
    assert.strictEqual(path, join(directory, "old.en-US.docx"))
  })

  test("has a span that ends with the name of its error, and no path in any of its spans", function*() {
    const { directory, run, source } = yield* started
    writeFileSync(join(directory, "letter.en-US.txt"), "")
    const { spans, tracer } = tracing()
    const error = yield* Effect.flip(run((_) => _.translate({ source, ...english }))).pipe(
      Effect.provideService(Tracer.Tracer, tracer)
    )
    assert.include(error.message, directory)
    const status = spans.find(({ name }) => name === "NodeDocuments.translate")?.status
    if (status?._tag !== "Ended") return assert.fail("the span has not ended")
    assert.deepStrictEqual(Exit.findErrorOption(status.exit), Option.some("TargetExists"))
    assert.notInclude(
      spans.map(({ attributes, events, name, status }) => Formatter.format({ attributes, events, name, status }))
        .join(),
      directory
    )
  })

  test("writes to the file or the folder that it is told", function*() {
    const { directory, run, source } = yield* started
    const other = join(directory, "other")
    mkdirSync(other)
    const target = join(directory, "given.txt")
    assert.strictEqual((yield* run((_) => _.translate({ source, target, ...english }))).path, target)
    const second = yield* run((_) => _.translate({ source, folder: other, ...english }))
    assert.strictEqual(second.path, join(other, "letter.txt"))
  })

  test("tells what happens, the saved file last", function*() {
    const { layer, source } = yield* started
    const events = yield* NodeDocuments.use((_) =>
      Stream.runCollect(Progress.stream(_.translate({ source, ...english })))
    ).pipe(Effect.provide(layer))
    const tags = events.map((event) => event._tag)
    assert.strictEqual(tags[0], "Sent")
    assert.includeMembers(tags, ["Started", "Completed", "Received"])
    assert.deepStrictEqual(tags.slice(-2), ["Saved", "Finished"])
  })

  test.each([false, true])(
    "sends nothing for a second document with its target meanwhile (overwrite: %s)",
    function*(overwrite) {
      const { directory, fake, journal, run, source, uploads } = yield* started
      yield* fake.script(Script.next(2, Fault.slow("200 millis"), "Documents.upload"))
      symlinkSync(directory, join(directory, "link"))
      const translate = (target: string) => run((_) => _.translate({ source, target, overwrite, ...english }))
      const results = yield* Effect.all(
        [Effect.result(translate(`${directory}/a.txt`)), Effect.result(translate(`${directory}/link/a.txt`))],
        { concurrency: 2 }
      )
      const [error, ...others] = results.flatMap((result) => result._tag === "Failure" ? [result.failure] : [])
      assert.deepInclude<object>(error ?? {}, { _tag: "Busy", id: join(directory, "a.txt"), attempts: [] })
      assert.include(error?.message, "Nothing was done; wait until the claim ends")
      assert.isEmpty(others)
      assert.strictEqual(yield* uploads, 1)
      assert.deepStrictEqual(readdirSync(journal.folder), [])
      // The target is free for the next.
      const next = yield* Effect.result(translate(`${directory}/a.txt`))
      assert.strictEqual(next._tag === "Failure" ? next.failure._tag : "saved", overwrite ? "saved" : "TargetExists")
    }
  )

  test("sends nothing when the target cannot be written", function*() {
    const { directory, journal, run, source, uploads } = yield* started
    writeFileSync(join(directory, "letter.en-US.txt"), "mine")
    const tags: Array<string> = []
    for (
      const options of [
        {},
        { target: join(directory, "letter.en-US.txt") },
        { target: join(directory, "missing", "letter.txt") },
        { target: `${directory}/sub/` },
        { folder: join(directory, "missing") },
        { folder: source }
      ]
    ) {
      const error = yield* Effect.flip(run((_) => _.translate({ source, ...english, ...options })))
      tags.push(error._tag)
      assert.include(error.message, "Nothing was sent")
    }
    const unusable = "TargetUnusable"
    assert.deepStrictEqual(tags, ["TargetExists", "TargetExists", unusable, unusable, unusable, unusable])
    assert.strictEqual(yield* uploads, 0)
    assert.strictEqual(readFileSync(join(directory, "letter.en-US.txt"), "utf8"), "mine")
    assert.deepStrictEqual(yield* journal.entries(), [])
  })

  test("replaces an existing file only when told to", function*() {
    const { directory, run, source } = yield* started
    const target = join(directory, "letter.en-US.txt")
    writeFileSync(target, "mine")
    yield* run((_) => _.translate({ source, overwrite: true, ...english }))
    assert.strictEqual(readFileSync(target, "utf8"), "[en-US] Guten Tag")
  })

  it.live("that was interrupted while it waited is resumed, and uploads nothing again", () =>
    Effect.gen(function*() {
      const { directory, fake, journal, run, source, uploads } = yield* started
      const fiber = yield* Effect.forkChild(run((_) => _.translate({ source, ...english })))
      yield* fake.awaitRequest("Documents.status")
      yield* Fiber.interrupt(fiber)
      const [entry] = yield* journal.entries()
      assert.deepInclude<object>(entry ?? {}, {
        _tag: "Uploaded",
        fileName: "letter.txt",
        source,
        target: { path: join(directory, "letter.en-US.txt"), overwrite: false }
      })
      yield* fake.advance("1 hour")
      const saved = yield* run((_) => _.resume({ entryId: entry === undefined ? "" : idOf(entry) }))
      assert.strictEqual(readFileSync(saved.path, "utf8"), "[en-US] Guten Tag")
      assert.strictEqual(yield* uploads, 1)
    }).pipe(
      Effect.scoped,
      Effect.provide(NodeFakeLanguageService.layer({ readyAfter: "1 hour", expiresAfter: "9 hours" }))
    ))

  test("that another process has saved meanwhile is not requested again", function*() {
    const { fake, journal, run, source } = yield* started
    const error = yield* Effect.flip(run((_) => _.translate({ source, ...english }))).pipe(
      Effect.provideService(Progress.Reporter, ({ _tag }) => {
        // The other removes the entry once it has saved the document.
        const names = _tag === "Started" ? readdirSync(journal.folder) : []
        for (const name of names.filter((name) => name.endsWith(".json"))) rmSync(join(journal.folder, name))
      })
    )
    assert.include(error.message, "Another process has saved it meanwhile")
    assert.deepStrictEqual(yield* fake.requestsOf("Documents.download"), [])
  })

  test("whose upload got no answer is resumed by another upload of the file", function*() {
    const { directory, fake, journal, run, source, uploads } = yield* started
    yield* fake.script(Script.next(2, Fault.reset({ afterEffect: true }), "Documents.upload"))
    const error = yield* Effect.flip(run((_) => _.translate({ source, formality: "prefer_more", ...english })))
    assert.strictEqual(error._tag, "OutcomeUnknown")
    const [entry, ...others] = yield* journal.entries()
    assert(entry?._tag === "Uploading")
    assert.deepStrictEqual(others, [])
    // Neither does the second: one entry stands for both.
    assert.strictEqual((yield* Effect.flip(run((_) => _.resume({ entryId: idOf(entry) }))))._tag, "OutcomeUnknown")
    const [second, ...more] = yield* journal.entries()
    assert(second?._tag === "Uploading")
    assert.deepStrictEqual(more, [])
    const saved = yield* run((_) => _.resume({ entryId: idOf(second) }))
    assert.strictEqual(saved.path, join(directory, "letter.en-US.txt"))
    assert.strictEqual(yield* uploads, 3)
    const [last] = (yield* fake.requestsOf("Documents.upload")).slice(-1)
    assert.include(JSON.stringify(last?.payload), "prefer_more")
    assert.deepStrictEqual(yield* journal.entries(), [])
  })

  test("whose second upload is refused can be resumed later, and has one entry all the time", function*() {
    const { fake, journal, run, source, uploads } = yield* started
    yield* fake.script(Script.next(1, Fault.reset({ afterEffect: true }), "Documents.upload"))
    yield* Effect.flip(run((_) => _.translate({ source, ...english })))
    const [entry] = yield* journal.entries()
    assert(entry?._tag === "Uploading")
    yield* fake.script(Script.next(1, { status: 456, delay: "300 millis" }, "Documents.upload"))
    const fiber = yield* Effect.forkChild(Effect.flip(run((_) => _.resume({ entryId: idOf(entry) }))))
    yield* fake.awaitRequest("Documents.upload", { count: 2 })
    const ids = Effect.map(journal.entries(), (entries) => entries.map(idOf))
    assert.deepStrictEqual(yield* ids, [entry.uploadId])
    assert.strictEqual((yield* Fiber.join(fiber))._tag, "QuotaExceeded")
    assert.deepStrictEqual(yield* ids, [entry.uploadId])
    assert.strictEqual(
      readFileSync((yield* run((_) => _.resume({ entryId: idOf(entry) }))).path, "utf8"),
      "[en-US] Guten Tag"
    )
    assert.strictEqual(yield* uploads, 3)
    assert.deepStrictEqual(yield* ids, [])
  })
})

describe("NodeDocuments.upload", () => {
  test("sends a file as it is, with its name and length, and the journal keeps what is issued", function*() {
    const { directory, fake, journal, run } = yield* started
    const text = "Zeile\n".repeat(20_000)
    const source = join(directory, "Großer Brief.txt")
    writeFileSync(source, text)
    const issued = yield* run((_) => _.upload({ source, ...english }))
    assert.deepInclude<object>((yield* journal.get(issued.documentId)) ?? {}, { _tag: "Uploaded", source })
    const saved = yield* run((_) => _.resume({ entryId: issued.documentId, folder: directory }))
    assert.strictEqual(saved.path, join(directory, "Gro_er Brief.txt"))
    assert.strictEqual(readFileSync(saved.path, "utf8"), text.replace(/^(?=.)/gm, "[en-US] "))
    const [request] = yield* fake.requestsOf("Documents.upload")
    assert.isAbove(Number(request?.headers["content-length"]), text.length)
  })

  // Callers without types give what is no path.
  test.each<readonly [parameter: string, options: string]>([
    ["source", "{}"],
    ["source", "{ \"source\": 5 }"],
    ["rescueFolder", "{ \"source\": \"letter.txt\", \"rescueFolder\": 5 }"],
    ["folder", "{ \"source\": \"letter.txt\", \"folder\": 5 }"]
  ])("names the %s that is none, before anything is sent", function*([parameter, options]) {
    const { directory, run, uploads } = yield* started
    const given = JSON.parse(
      options,
      (name, value) => name === "source" && value !== 5 ? join(directory, value) : value
    )
    const error = yield* Effect.flip(run((documents) => documents.translate({ ...english, ...given })))
    assert.deepInclude<object>(error, { _tag: "InvalidInput", operation: "NodeDocuments.translate", parameter })
    assert.strictEqual(yield* uploads, 0)
  })

  test.each(["{\"id\":null}", "{\"id\":5}", "{}"])("resumes nothing without an id: %s", function*(of) {
    const { run } = yield* started
    const error = yield* Effect.flip(run((documents) => documents.resume(JSON.parse(of))))
    assert.deepInclude<object>(error, { _tag: "InvalidInput", operation: "NodeDocuments.resume" })
  })

  test("looks at the rescue folder before anything is sent", function*() {
    const { directory, run, source, uploads } = yield* started
    const rescueFolder = join(directory, "missing")
    const error = yield* Effect.flip(run((documents) => documents.translate({ source, ...english, rescueFolder })))
    assert.deepInclude<object>(error, { _tag: "TargetUnusable", path: rescueFolder })
    assert.strictEqual(yield* uploads, 0)
  })

  test("refuses what cannot be read or is empty before anything is sent", function*() {
    const { directory, run, uploads } = yield* started
    writeFileSync(join(directory, "empty.txt"), "")
    const descriptions: Array<string> = []
    const inFolder = ["missing.txt", "empty.txt", ".", "a\0b"].map((name) => `${directory}/${name}`)
    for (const path of [...inFolder, "/dev/null"]) {
      const error = yield* Effect.flip(run((_) => _.upload({ source: path, ...english })))
      assert(error._tag === "SourceUnusable", path)
      descriptions.push(error.description)
    }
    assert.deepStrictEqual(descriptions.slice(1, 3), ["it is empty", "it is a folder"])
    assert.strictEqual(descriptions[4], "it is a device")
    assert.strictEqual(yield* uploads, 0)
  })

  test.each<readonly [what: string, change: (file: string) => void]>([
    ["grows", (file) => appendFileSync(file, "x".repeat(100))],
    ["shrinks", (file) => truncateSync(file, 1_000_000)],
    ["is written to", (file) => writeFileSync(file, "y".repeat(4_000_000))]
  ])("fails with SourceFailed when the file %s while it is sent", function*([, change]) {
    const { directory, journal, layer } = yield* started
    const source = join(directory, "big.txt")
    writeFileSync(source, "x".repeat(4_000_000))
    let isChanged = false
    const error = yield* NodeDocuments.use((_) =>
      _.upload({ source, ...english }).pipe(
        Effect.provideService(Progress.Reporter, (event) => {
          if (event._tag !== "Sent" || isChanged) return
          isChanged = true
          change(source)
        })
      )
    ).pipe(Effect.provide(layer), Effect.flip)
    assert(error._tag === "SourceFailed", error._tag)
    assert.include(String(error.cause), "changed while it was read")
    assert.deepStrictEqual(yield* journal.entries(), [])
  })

  test("takes another name for the service when told one", function*() {
    const { fake, run, source } = yield* started
    yield* run((_) => _.upload({ source, fileName: "brief.txt", ...english }))
    assert.deepStrictEqual((yield* fake.documents).map(({ fileName }) => fileName), ["brief.txt"])
    const error = yield* Effect.flip(run((_) => _.upload({ source, fileName: "../brief.txt", ...english })))
    assert.strictEqual(error._tag, "InvalidInput")
    assert.isTrue(existsSync(source))
  })
})
