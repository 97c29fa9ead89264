import { Documents, Ids, Languages, Writing } from "@effect-lingua/core"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, FileSystem, Layer, PlatformError, Redacted, Stream } from "effect"
import { HttpClient, HttpServerResponse } from "effect/http"
import { key, read, recorded, replayed, temporary } from "../support/recordings.ts"

const fs = FileSystem.FileSystem

const fake = (options: FakeLanguageService.Options = {}) =>
  FakeLanguageService.layer({ keys: [{ key, tier: "paid", detectionEnabled: true }], ...options })

const correct = (text: string) => Writing.use((writing) => writing.correct({ text: [text], targetLanguage: "en-GB" }))

const list = (resource: string) => Languages.use((languages) => Stream.runCollect(languages.list({ resource })))

const redact = (text: string) => text.replaceAll(/teh|the/gi, "article")

/** A host that has one answer. */
const answering = (response: HttpServerResponse.HttpServerResponse) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) => Effect.succeed(HttpServerResponse.toClientResponse(response, { request })))
  )

const diskFull = PlatformError.systemError({ _tag: "WriteZero", module: "FileSystem", method: "writeAll" })

const lines = (path: string) => Effect.map(read(path), (file) => file.trimEnd().split("\n"))

describe("the file of a Recording", () => {
  it.effect("can be read by its owner only, also one that was there before", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const mode = Effect.map(Effect.flatMap(fs, (fs) => fs.stat(path)), ({ mode }) => mode & 0o777)
      yield* recorded({ path }, list("write"), fake())
      assert.strictEqual(yield* mode, 0o600)
      yield* Effect.flatMap(fs, (fs) => fs.chmod(path, 0o644))
      yield* recorded({ path, existing: "overwrite" }, list("write"), fake())
      assert.strictEqual(yield* mode, 0o600)
      yield* Effect.flatMap(fs, (fs) => fs.chmod(path, 0o644))
      yield* recorded({ path, existing: "append" }, list("write"), fake())
      assert.strictEqual(yield* mode, 0o600)
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("is refused untouched where it is there already, appended to or overwritten when asked", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      yield* recorded({ path }, correct("teh one"), fake())
      const before = yield* read(path)
      const error = yield* Effect.flip(recorded({ path }, correct("teh two"), fake()))
      assert.strictEqual(error._tag, "RecordingExists")
      assert.strictEqual(yield* read(path), before)

      // An editor can leave the last line without its end.
      yield* Effect.flatMap(fs, (fs) => fs.writeFileString(path, before.trimEnd()))
      yield* recorded({ path, existing: "append" }, correct("teh two"), fake())
      assert.isTrue((yield* read(path)).startsWith(before))
      const both = Effect.all([correct("teh two"), correct("teh one")])
      assert.deepStrictEqual((yield* replayed({ path }, both)).flat().map(({ text }) => text), ["The two.", "The one."])

      yield* recorded({ path, existing: "overwrite" }, correct("teh three"), fake())
      assert.strictEqual((yield* lines(path)).length, 2)
      yield* recorded({ path: `${path}2`, existing: "append" }, correct("teh four"), fake())
      assert.strictEqual((yield* lines(`${path}2`)).length, 2)
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("has whole lines, one for each exchange, however many calls there are at once", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const texts = Array.from({ length: 100 }, (_, index) => `teh ${index}`)
      const all = Effect.forEach(texts, correct, { concurrency: "unbounded" })
      const first = yield* recorded({ path }, all, fake())
      assert.strictEqual((yield* lines(path)).length, 101)
      const backwards = Effect.forEach(texts.toReversed(), correct, { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* replayed({ path }, backwards), first.toReversed())
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("is invalid, with line and reason, when it is no recording or a damaged one", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      yield* recorded({ path }, correct("teh one"), fake())
      const [header = "", exchange = ""] = yield* lines(path)
      const flawed: ReadonlyArray<readonly [file: string, line: number, reason: RegExp]> = [
        ["", 1, /does not begin with/],
        ["not JSON", 1, /does not begin with/],
        ["{\"recording\":2}\n", 1, /Expected 1/],
        [`${header}\n${exchange}\n${exchange.slice(0, 50)}`, 3, /./],
        [`${header}\n{"exchange":1}\n`, 2, /Missing key/],
        [`${header}\n{"partOf":1,"content":{"base64":"?"}}\n`, 2, /./],
        [`${header}\n${exchange.replace("\"status\"", "\"parts\":1,\"status\"")}\n`, 2, /0 of the 1 parts/]
      ]
      for (const [file, line, reason] of flawed) {
        yield* Effect.flatMap(fs, (fs) => fs.writeFileString(path, file))
        const error = yield* Effect.flip(replayed({ path }, correct("teh one")))
        assert(error._tag === "InvalidRecording", error._tag)
        assert.strictEqual(error.line, line, file)
        assert.match(error.reason, reason)
        assert.include(error.message, path)
      }
      assert.strictEqual(
        (yield* Effect.flip(recorded({ path, existing: "append" }, correct("a"), fake())))._tag,
        "InvalidRecording"
      )
      assert.strictEqual((yield* Effect.flip(replayed({ path: `${path}2` }, correct("a"))))._tag, "PlatformError")
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("can be appended to after a process ended within a long body", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      yield* recorded({ path }, list("write"), fake())
      const torn = `${yield* read(path)}{"partOf":2,"content":{"text":"a"}}\n`
      yield* Effect.flatMap(fs, (fs) => fs.writeFileString(path, torn))
      yield* recorded({ path, existing: "append" }, correct("teh one"), fake())
      assert.strictEqual((yield* replayed({ path }, correct("teh one")))[0]?.text, "The one.")
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("has no text of a request when digests are asked for, and replays all the same", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const digestRequests = true
      yield* recorded({ path, digestRequests }, correct("teh one"), fake())
      yield* recorded({ path, existing: "append" }, correct("teh two"), fake())
      const file = yield* read(path)
      assert.notInclude(file, "teh one")
      assert.notInclude(file, "teh two")
      assert.strictEqual((yield* replayed({ path }, correct("teh two")))[0]?.text, "The two.")
      assert.strictEqual((yield* Effect.flip(replayed({ path }, correct("teh 2"))))._tag, "ConnectionFailed")
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("has no text that `redact` takes out, of requests and of answers", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      yield* recorded({ path, redact }, correct("teh one"), fake())
      assert.notMatch(yield* read(path), /teh|The/)
      // The length that was promised is not that of the changed text, so it is not there.
      const [answer] = yield* replayed({ path, redact }, correct("THE one"))
      assert.strictEqual(answer?.text, "article one.")
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("has the headers of an answer that clients read, and others only when asked for", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const headers = { "set-cookie": "session=1", "x-other": "other", "x-team": "docs" }
      yield* recorded({ path, responseHeaders: ["X-Team"] }, list("write"), fake({ headers }))
      const file = yield* read(path)
      assert.notMatch(file, /session|other|user-agent|authorization/i)
      assert.include(file, "\"x-team\":\"docs\"")
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("has long bodies in parts, and JSON in one line", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const content = "aö👋".repeat(140_000)
      const program = Effect.gen(function*() {
        const document = { documentId: Ids.DocumentId.make("a"), documentKey: Redacted.make("the key of a document") }
        const { stream } = yield* Documents.use((documents) => documents.download(document))
        return yield* Stream.mkString(Stream.decodeText(stream))
      })
      const chunks = new TextEncoder().encode(content)
      const pieces = Array.from({ length: 1000 }, (_, index) => chunks.subarray(index * 1000, (index + 1) * 1000))
      const text = HttpServerResponse.stream(Stream.fromIterable(pieces, { chunkSize: 1 }), {
        contentType: "text/plain"
      })
      assert.strictEqual(yield* recorded({ path }, program, answering(text)), content)
      const written = yield* lines(path)
      assert.isAbove(written.length, 10)
      assert.isTrue(written.every((line) => line.length < 100_000 && !line.includes("base64")))
      assert.strictEqual(yield* replayed({ path }, program), content)

      const json = HttpServerResponse.stream(Stream.make(new TextEncoder().encode(JSON.stringify(content))), {
        contentType: "application/json"
      })
      yield* recorded({ path, existing: "overwrite" }, program, answering(json))
      assert.strictEqual((yield* lines(path)).length, 2)
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it.effect("stops the test when it cannot be written", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const real = yield* fs
      const full = Layer.succeed(fs, {
        ...real,
        open: (path, options) =>
          Effect.map(real.open(path, options), (file) => {
            let writes = 0
            return {
              ...file,
              writeAll: (buffer: Uint8Array) => writes++ === 0 ? file.writeAll(buffer) : Effect.fail(diskFull)
            }
          })
      })
      const exit = yield* Effect.exit(Effect.provide(recorded({ path }, correct("teh one"), fake()), full))
      assert(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    }).pipe(Effect.provide(NodeFileSystem.layer)))
})
