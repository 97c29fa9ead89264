import { Ids, LanguageService, Progress, TranslationMemories } from "@effect-lingua/core"
import { FakeLanguageService, NodeFakeLanguageService, VirtualTime } from "@effect-lingua/testing"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { tracing } from "../../../../core/test/support/spans.ts"

const { layerServices } = FakeLanguageService

const file = `<?xml version="1.0" encoding="UTF-8"?>
<!-- of the manuals -->
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
  <header srclang="en" datatype="plaintext" segtype="sentence"/>
  <body>
    <tu><tuv xml:lang="en"><seg>Screws &amp; nuts</seg></tuv><tuv xml:lang="de"><seg>Schrauben &amp; <bpt i="1"/>Muttern</seg></tuv></tu>
    <tu><tuv xml:lang="en"><seg>Bolt</seg></tuv><tuv xml:lang="de-AT"><seg>Bolzen</seg></tuv><tuv xml:lang="fr"><seg>Boulon</seg></tuv></tu>
    <tu><tuv xml:lang="en"><seg>Nobody translated this</seg></tuv></tu>
  </body>
</tmx>
`
const content = new TextEncoder().encode(file)
const manuals = { content, fileName: "manuals.tmx", displayName: "Manuals" }
const polling = { resilience: { pollBase: Duration.millis(100) } } as const

const memories = TranslationMemories

const textOf = <E, R>(stream: Stream.Stream<Uint8Array, E, R>) => Stream.mkString(Stream.decodeText(stream))

/** A memory of as many segments as are asked for. */
const withSegments = (count: number) =>
  FakeLanguageService.use((fake) =>
    fake.addTranslationMemory({
      sourceLanguage: "en",
      targetLanguages: ["de"],
      name: "Numbers",
      segments: Array.from(
        { length: count },
        (_, index) => ({ source: `Text ${index}`, targets: { de: `TEXT ${index}` } })
      )
    })
  )

describe("translation memories against the fake in process", () => {
  it.effect("never give the key to the storage, nor the signature to a span, an error or the record", () =>
    Effect.gen(function*() {
      const { spans, tracer } = tracing()
      const service = yield* memories
      const fake = yield* FakeLanguageService
      const imported = yield* VirtualTime.run(service.importTmx(manuals)).pipe(Effect.withTracer(tracer))
      const { stream } = yield* VirtualTime.run(service.exportTmx(imported)).pipe(Effect.withTracer(tracer))
      yield* Effect.withTracer(Stream.runDrain(stream), tracer)
      const late = yield* service.startImport({ fileName: "a.tmx", size: 1 })
      yield* TestClock.adjust("1 hour")
      const expired = yield* Effect.flip(service.wait(late))
      assert.deepInclude(expired, { _tag: "JobFailed", state: "expired" })
      const stored = (yield* fake.requests).filter(({ url }) => url.includes("/_storage/"))
      assert.deepStrictEqual(stored.map(({ method, status }) => [method, status]), [["PUT", 200], ["GET", 200]])
      assert.isTrue(stored.every(({ headers }) => headers["authorization"] === undefined))
      assert.isTrue(stored.every(({ url }) => url.includes("signature=<redacted>")))
      const traced = inspect(spans.map(({ attributes, name, status }) => [name, attributes, status]), { depth: null })
      assert.include(traced, "PUT {upload_url}")
      assert.include(traced, "GET {download_url}")
      const signatures = (yield* fake.secrets).filter(({ label }) => label?.startsWith("signature"))
      assert.strictEqual(signatures.length, 3)
      const urls = (yield* fake.requests).map(({ url }) => url).join("\n")
      for (const secret of yield* fake.secrets) assert.notInclude(`${traced}${urls}`, Redacted.value(secret))
    }).pipe(Effect.provide(layerServices({ client: polling }))))

  it.effect("take the file that was announced, once, and give an export as long as its address is valid", () =>
    Effect.gen(function*() {
      const service = yield* memories
      const put = (size: number, wait: Duration.Input, type = "application/xml", headers = {}) =>
        Effect.gen(function*() {
          const { jobId, uploadUrl } = yield* service.startImport({ fileName: "a.tmx", size })
          const send = HttpClientRequest.put(Redacted.value(uploadUrl), { headers }).pipe(
            HttpClientRequest.bodyUint8Array(content, type),
            HttpClient.execute,
            Effect.map(({ status }) => status)
          )
          const statuses = [yield* send, yield* Effect.andThen(TestClock.adjust(wait), send)]
          yield* TestClock.adjust("1 minute")
          return [...statuses, (yield* service.status({ jobId })).state]
        })
      assert.deepStrictEqual(yield* put(content.length, "2 seconds"), [200, 403, "completed"])
      assert.deepStrictEqual(yield* put(content.length - 1, 0), [200, 200, "failed"])
      assert.deepStrictEqual(yield* put(content.length, 0, "text/plain"), [403, 403, "awaiting_input"])
      const withKey = { authorization: "Service-Auth-Key fake-key" }
      assert.deepStrictEqual(yield* put(content.length, 0, undefined, withKey), [400, 400, "awaiting_input"])
      const { jobId } = yield* service.startExport({ translationMemoryId: yield* withSegments(1) })
      yield* TestClock.adjust("1 minute")
      const { downloadUrl = Redacted.make("") } = yield* service.status({ jobId })
      const get = Effect.map(HttpClient.get(Redacted.value(downloadUrl)), ({ status }) => status)
      assert.deepStrictEqual([yield* get, yield* Effect.andThen(TestClock.adjust("15 minutes"), get)], [200, 403])
      const stateIn = (wait: Duration.Input) =>
        Effect.map(Effect.andThen(TestClock.adjust(wait), service.status({ jobId })), ({ state }) => state)
      assert.deepStrictEqual([yield* stateIn("44 minutes"), yield* stateIn("1 minute")], ["downloaded", "expired"])
    }).pipe(Effect.provide(layerServices())))

  it.effect("have segments page by page, and those with a text", () =>
    Effect.gen(function*() {
      const service = yield* memories
      const translationMemoryId = yield* withSegments(120)
      assert.strictEqual((yield* Stream.runCollect(service.listSegments({ translationMemoryId }))).length, 120)
      const { nextPageCursor, segmentCount, segments } = yield* service.listSegmentsPage({
        translationMemoryId,
        pageSize: 10,
        filterText: "text 1"
      })
      assert.deepStrictEqual([segments.length, segmentCount], [10, 120])
      const filtered = service.listSegments({ translationMemoryId, filterText: "text 1", filterCaseSensitive: true })
      assert.deepStrictEqual(yield* Stream.runCollect(filtered), [])
      // A cursor belongs to its filter.
      const other = yield* Effect.flip(
        service.listSegmentsPage({ translationMemoryId, pageSize: 10, pageCursor: nextPageCursor })
      )
      assert.strictEqual(other._tag, "BadRequest")
    }).pipe(Effect.provide(layerServices())))

  it.effect.each<readonly [segment: string, text: string | undefined]>([
    ["<![CDATA[a <b> &amp; <!-- c -->]]>!", "a <b> &amp; <!-- c -->!"],
    ["&#65;<!-- </seg> -->&#x1F600;", "A😀"],
    ["&constructor; &toString;", "&constructor; &toString;"],
    ["&#x110000;", undefined],
    ["&#xD800;", undefined]
  ])("read the segment %s", ([segment, text]) =>
    Effect.gen(function*() {
      const service = yield* memories
      const content = new TextEncoder().encode(file.replace("Bolt", segment).replace(`srclang="en"`, `srclang="*all*"`))
      const imported = VirtualTime.run(service.importTmx({ content, fileName: "a.tmx" }))
      if (text === undefined) {
        const { description } = yield* Effect.flip(imported)
        assert.strictEqual(description, "The file is not a valid TMX file.")
      } else {
        const segments = yield* Stream.runCollect(service.listSegments(yield* imported))
        assert.strictEqual(segments[1]?.sourceText, text)
      }
    }).pipe(Effect.provide(layerServices())))

  it.effect("are exported once for all who ask at the same time, and a recent export serves again", () =>
    Effect.gen(function*() {
      const service = yield* memories
      const translationMemoryId = yield* withSegments(3)
      const exported = yield* VirtualTime.run(
        Effect.all([service.exportTmx({ translationMemoryId }), service.exportTmx({ translationMemoryId })], {
          concurrency: 2
        })
      )
      const [one, other] = exported.map(({ jobId }) => jobId)
      assert.strictEqual(one, other)
      assert.deepStrictEqual((yield* (yield* FakeLanguageService).effects)["TranslationMemories.startExport"].count, 1)
    }).pipe(Effect.provide(layerServices())))

  it.effect("give up an export while another is running, when the time of the call is over", () =>
    Effect.gen(function*() {
      const service = yield* memories
      const translationMemoryId = yield* withSegments(3)
      yield* service.startExport({ translationMemoryId })
      const error = yield* Effect.flip(VirtualTime.run(service.startExport({ translationMemoryId })))
      assert.strictEqual(error._tag, "ExportRunning")
    }).pipe(Effect.provide(layerServices({ readyAfter: "1 day" }))))

  it.effect("are waited for until the deadline, and then again by the id of their job", () =>
    Effect.gen(function*() {
      const service = yield* memories
      const error = yield* Effect.flip(VirtualTime.run(service.importTmx(manuals)))
      if (error._tag !== "JobNotDone") return assert.fail(error.message)
      assert.strictEqual(error.state, "awaiting_input")
      yield* TestClock.adjust("1 day")
      const { translationMemoryId } = yield* service.wait(error)
      assert.isDefined(translationMemoryId)
      const [memory, ...others] = yield* Stream.runCollect(service.list)
      assert.deepStrictEqual(others, [])
      assert.deepInclude<object>(memory ?? {}, { name: "Manuals", translationMemoryId })
    }).pipe(Effect.provide(layerServices({ readyAfter: "1 day" }))))

  it.effect("lose nothing when a program ends in the middle: the job continues once its file was sent, else makes nothing", () =>
    Effect.gen(function*() {
      const service = yield* memories
      const ends = new Set<string>()
      for (const millis of [0, 50, 99, 100, 150, 199, 200, 250, 300, 1000, 3000]) {
        const before = (yield* VirtualTime.run(Stream.runCollect(service.list))).length
        let job: Ids.JobId | undefined
        const run = yield* service.importTmx(manuals).pipe(
          Effect.provideService(Progress.Reporter, (event) => {
            if (event._tag === "Started") job = Ids.JobId.make(event.id)
          }),
          Effect.forkChild
        )
        yield* TestClock.adjust(millis)
        yield* Fiber.interrupt(run)
        yield* TestClock.adjust("1 hour")
        const state = job === undefined ? "unknown" : (yield* VirtualTime.run(service.status({ jobId: job }))).state
        ends.add(state)
        const made = (yield* VirtualTime.run(Stream.runCollect(service.list))).length - before
        assert.strictEqual(made, state === "completed" ? 1 : 0)
      }
      assert.deepStrictEqual(ends, new Set(["unknown", "expired", "completed"]))
    }).pipe(Effect.provide(layerServices({ latency: "100 millis" }))))

  it.effect("are expired 15 minutes after their start without a file", () =>
    Effect.gen(function*() {
      const service = yield* memories
      const { jobId } = yield* service.startImport({ fileName: "a.tmx", size: 1 })
      yield* TestClock.adjust("899 seconds")
      assert.strictEqual((yield* service.status({ jobId })).state, "awaiting_input")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* service.status({ jobId })).state, "expired")
    }).pipe(Effect.provide(layerServices())))

  it.effect("are downloaded by the id of their job, as long as the service has the file", () =>
    Effect.gen(function*() {
      const service = yield* memories
      const translationMemoryId = yield* withSegments(2)
      const { jobId } = yield* service.startExport({ translationMemoryId })
      const text = textOf(service.download({ jobId }))
      assert.strictEqual((yield* Effect.flip(text))._tag, "JobNotDone")
      yield* VirtualTime.run(service.wait({ jobId }))
      assert.include(yield* text, "TEXT 1")
      yield* TestClock.adjust("1 day")
      assert.include(["JobFailed", "NotFound"], (yield* Effect.flip(text))._tag)
    }).pipe(Effect.provide(layerServices())))
})

describe("translation memories over a socket", () => {
  it.effect("are imported from a stream and exported below a base path", () =>
    Effect.gen(function*() {
      const { url } = yield* FakeLanguageService
      const run = Effect.gen(function*() {
        const service = yield* memories
        const imported = yield* service.importTmx({
          ...manuals,
          content: Stream.make(content.slice(0, 70), content.slice(70)),
          size: content.length
        })
        const { stream } = yield* service.exportTmx(imported)
        return yield* textOf(stream)
      })
      const text = yield* TestClock.withLive(Effect.provide(
        run,
        LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: url }).pipe(
          Layer.provide(NodeHttpClient.layerUndici)
        )
      ))
      assert.include(text, "Bolzen")
    }).pipe(Effect.provide(NodeFakeLanguageService.layer({ basePath: "/lingua", readyAfter: 0 }))))
})
