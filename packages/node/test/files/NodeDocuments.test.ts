import { assert, describe } from "@effect/vitest"
import { Duration, Effect, Logger } from "effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { logged } from "../../../../test/support/logs.ts"
import { live } from "../../../../test/support/tests.ts"
import { document, setup } from "../support/documents.ts"
import { cut, cutChunked, stall, status, unframed, whole } from "../support/rawServer.ts"

describe("NodeDocuments.downloadToFile", () => {
  live("saves the document after not-ready answers and leaves nothing else behind", function*() {
    const { directory, download, server, target } = yield* setup(
      [
        whole("503 Service Unavailable", ""),
        whole("200 OK", "hello", {
          "content-type": "text/plain",
          "content-disposition": "attachment; filename=\"../../other.txt\"",
          "x-trace-id": "trace-1"
        })
      ],
      {},
      [status("queued"), status("translating"), status("done", { billed_characters: 7 })]
    )
    const saved = yield* download({ target })
    assert.deepStrictEqual(saved, {
      completeness: "verified",
      documentId: document.documentId,
      path: target,
      bytes: 5,
      billedCharacters: 7,
      contentLength: 5,
      contentType: "text/plain",
      fileName: "other.txt",
      traceId: "trace-1"
    })
    assert.strictEqual(readFileSync(target, "utf8"), "hello")
    assert.deepStrictEqual(readdirSync(directory), ["letter.txt"])
    assert.strictEqual(server.requests.length, 2)
  })

  live("saves an empty document", function*() {
    const { download, target } = yield* setup([whole("200 OK", "")])
    assert.strictEqual((yield* download({ target })).bytes, 0)
    assert.strictEqual(readFileSync(target, "utf8"), "")
  })

  live("keeps an existing file unless told to overwrite", function*() {
    const { directory, download, server, target } = yield* setup([whole("200 OK", "new")])
    writeFileSync(target, "old")
    const error = yield* Effect.flip(download({ target }))
    assert.strictEqual(error._tag, "TargetExists")
    assert.strictEqual(server.requests.length, 0)
    assert.strictEqual(readFileSync(target, "utf8"), "old")
    yield* download({ target, overwrite: true })
    assert.strictEqual(readFileSync(target, "utf8"), "new")
    assert.deepStrictEqual(readdirSync(directory), ["letter.txt"])
  })

  for (
    const [name, answer] of [
      ["with a promised length", cut("hel", 5)],
      ["in chunks", cutChunked("hel")],
      ["that stalls", stall("hel", 5)]
    ] as const
  ) {
    live(`keeps what arrived of a body ${name} that ends early, and the existing file`, function*() {
      const { directory, download, server, target } = yield* setup([answer], {
        bodyIdleTimeout: Duration.millis(300)
      })
      writeFileSync(target, "old")
      const error = yield* Effect.flip(download({ target, overwrite: true }))
      assert(error._tag === "DownloadInterrupted")
      assert.strictEqual(error.bytesReceived, 3)
      assert.strictEqual(error.documentId, "doc-1")
      assert.strictEqual(readFileSync(target, "utf8"), "old")
      assert.strictEqual(readFileSync(error.path ?? "", "utf8"), "hel")
      assert.include(error.message, `The received bytes are kept in ${error.path}`)
      assert.strictEqual(readdirSync(directory).length, 2)
      assert.strictEqual(server.requests.length, 1)
    })
  }

  live("says of a document without length and chunks that nobody knows whether it is complete", function*() {
    const { download, journal, target } = yield* setup([unframed("hel")])
    const { lines, value: saved } = yield* logged(download({ target }), Logger.formatLogFmt)
    assert.deepInclude<object>(saved, { bytes: 3, completeness: "unknown" })
    assert.strictEqual(readFileSync(target, "utf8"), "hel")
    assert.strictEqual(lines.length, 1)
    assert.include(lines[0], `whether ${target} has all of document doc-1 is not known`)
    assert.deepStrictEqual(yield* journal.entries(), [])
    const framed = yield* setup([whole("200 OK", "hello")])
    assert.strictEqual((yield* framed.download({ target: framed.target })).completeness, "verified")
  })

  live("says so of a document whose bytes are encoded, which nobody asked for, and names the encoding", function*() {
    const { download, target } = yield* setup([whole("200 OK", "\x1f\x0bzip", { "content-encoding": "gzip" })])
    const { lines, value: saved } = yield* logged(download({ target }), Logger.formatLogFmt)
    assert.deepInclude<object>(saved, { bytes: 5, completeness: "unknown", contentEncoding: "gzip" })
    assert.lengthOf(lines, 1)
    assert.include(lines[0], "the response declares the encoding gzip")
  })

  live("remembers so of one that has yet to be put in its place", function*() {
    let taken = ""
    const { directory, download, resume, target } = yield* setup([(socket) => {
      writeFileSync(taken, "old")
      unframed("hel")(socket)
    }])
    taken = target
    assert.strictEqual((yield* Effect.flip(download({ target })))._tag, "SaveFailed")
    const saved = yield* resume("doc-1", { target: join(directory, "other.txt") })
    assert.strictEqual(saved.completeness, "unknown")
  })

  live("does not replace a file that appeared during the download, and keeps the document", function*() {
    const { download, target } = yield* setup([(socket) => {
      writeFileSync(target, "appeared")
      whole("200 OK", "hello")(socket)
    }])
    const error = yield* Effect.flip(download({ target }))
    assert(error._tag === "SaveFailed")
    assert.isFalse(error.isTransient)
    assert.isTrue(error.complete)
    assert.strictEqual(readFileSync(target, "utf8"), "appeared")
    assert.strictEqual(readFileSync(error.parts[0]?.path ?? "", "utf8"), "hello")
  })
})
