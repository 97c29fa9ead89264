import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import * as Fault from "@effect-lingua/testing/faults/Fault"
import * as Script from "@effect-lingua/testing/faults/Script"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { folder, journalIn, setup } from "../support/documents.ts"
import { cut, done, gone, whole } from "../support/rawServer.ts"

/** The fake sends its documents in chunks of 16 KiB. */
const chunk = 16 * 1024
const content = Array.from({ length: 40_000 }, (_, index) => String.fromCharCode(97 + (index % 26))).join("")
const offsets = [0, 1, 2, chunk - 1, chunk, chunk + 1, 2 * chunk - 1, 2 * chunk, 2 * chunk + 1, content.length - 1]

const broken = Effect.fnUntraced(function*(fault: Fault.Fault) {
  const fake = yield* FakeLanguageService
  const issued = yield* fake.addDocument({ content, fileName: "letter.txt", readyAfter: "1 millis" })
  yield* fake.script(Script.next(1, fault, "Documents.download"))
  const directory = yield* folder
  const journal = journalIn(yield* folder)
  const target = join(directory, "letter.txt")
  const error = yield* NodeDocuments.use((documents) => documents.downloadToFile({ ...issued, target })).pipe(
    Effect.provide(NodeLanguageService.layer({
      key: Redacted.make("fake-key"),
      baseUrl: fake.url,
      journal: { folder: journal.folder },
      resilience: { bodyIdleTimeout: Duration.millis(300), pollBase: Duration.millis(5) }
    })),
    Effect.flip
  )
  return { directory, entry: yield* journal.get(issued.documentId), error, target }
})

const isHonest = (bytes: number, { directory, entry, error, target }: Effect.Success<ReturnType<typeof broken>>) => {
  assert(error._tag === "DownloadInterrupted", error._tag)
  assert.deepInclude<object>(error, { bytesReceived: bytes, bytesExpected: content.length, available: false })
  assert.isFalse(existsSync(target))
  assert(entry?._tag === "Lost")
  assert.strictEqual(entry.bytesReceived, bytes)
  if (bytes === 0) return assert.deepStrictEqual(readdirSync(directory), [])
  assert.strictEqual(readFileSync(error.path ?? "", "utf8"), content.slice(0, bytes))
  assert.deepStrictEqual(entry.parts, [{ path: error.path ?? "", bytes }])
}

describe("a body that ends early", () => {
  it.live.each(offsets)(
    "after %d bytes is kept as far as it came, and the service has it no more",
    (bytes) =>
      Effect.gen(function*() {
        isHonest(bytes, yield* broken(Fault.truncated({ bytes })))
      }).pipe(Effect.scoped, Effect.provide(NodeFakeLanguageService.layer()))
  )

  it.live.each([0, 1, chunk, content.length - 1])(
    "by a stall after %d bytes ends within the idle timeout",
    (bytes) =>
      Effect.gen(function*() {
        isHonest(bytes, yield* broken(Fault.stalled({ bytes })))
      }).pipe(Effect.scoped, Effect.provide(NodeFakeLanguageService.layer()))
  )
})

describe("a body of another length than was promised", () => {
  it.live.each<readonly [what: string, body: string, promised: number]>([
    ["less", "hel", 5],
    ["one byte less", "hell", 5]
  ])("with %s is not put in its place", ([, body, promised]) =>
    Effect.gen(function*() {
      const { download, journal, target } = yield* setup([cut(body, promised)], {}, [done, gone])
      const error = yield* Effect.flip(download({ target }))
      assert.deepInclude<object>(error, { _tag: "DownloadInterrupted", bytesReceived: body.length })
      assert.isFalse(existsSync(target))
      assert.strictEqual((yield* journal.get("doc-1"))?._tag, "Lost")
    }).pipe(Effect.scoped))

  it.live("with more is cut by the platform where the answer ends, so that the document is whole", () =>
    Effect.gen(function*() {
      const { download, target } = yield* setup([whole("200 OK", "hello, and more", { "content-length": "5" })])
      yield* download({ target })
      assert.strictEqual(readFileSync(target, "utf8"), "hello")
    }).pipe(Effect.scoped))
})
