import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { has } from "../../../../test/support/has.ts"
import { live } from "../../../../test/support/tests.ts"
import { folder, inTwo, modeOf, setup } from "../support/documents.ts"
import { smallDisk } from "../support/mounts.ts"
import { cut, gone, whole } from "../support/rawServer.ts"

const body = Array.from({ length: 20_000 }, (_, index) => `${index}\n`).join("")

const textOf = (parts: ReadonlyArray<{ readonly path: string }>) =>
  parts.map(({ path }) => readFileSync(path, "utf8")).join("")

const failed = <E extends { readonly _tag: string }>(error: E): Extract<E, { readonly _tag: "SaveFailed" }> => {
  assert(isSaveFailed(error), error._tag)
  return error
}

const isSaveFailed = <E extends { readonly _tag: string }>(
  error: E
): error is Extract<E, { readonly _tag: "SaveFailed" }> => error._tag === "SaveFailed"

describe.skipIf(!has("a full disk"))("a full disk", () => {
  live("keeps what was written and rescues the rest, and the document is saved when there is room again", function*() {
    const disk = yield* smallDisk
    const rescueFolder = yield* folder
    const target = join(disk, "letter.txt")
    writeFileSync(join(disk, "filler"), "x".repeat(8 * 4096))
    writeFileSync(target, "old")
    const { download, journal, resume, server } = yield* setup([whole("200 OK", body)])
    const error = failed(yield* Effect.flip(download({ target, overwrite: true, rescueFolder })))
    assert.deepInclude<object>(error, { documentId: "doc-1", path: target, complete: true, outcome: "unknown" })
    assert.include(error.description, "ENOSPC")
    assert.strictEqual(error.parts.length, 2)
    for (const { bytes, path } of error.parts) {
      assert.strictEqual(statSync(path).size, bytes)
      assert.include(error.message, `${bytes} bytes in ${path}`)
    }
    assert.deepStrictEqual(readdirSync(rescueFolder).map((name) => join(rescueFolder, name)), [
      error.parts[1]?.path
    ])
    assert.strictEqual(modeOf(error.parts[1]?.path ?? ""), "600")
    assert.strictEqual(textOf(error.parts), body)
    assert.strictEqual(readFileSync(target, "utf8"), "old")
    assert.strictEqual((yield* journal.get("doc-1"))?._tag, "Received")

    const still = failed(yield* Effect.flip(resume("doc-1")))
    assert.isTrue(still.complete)
    assert.strictEqual(textOf(still.parts), body)
    assert.strictEqual(readFileSync(target, "utf8"), "old")

    // The disk is too small for it, so it goes elsewhere.
    const elsewhere = join(yield* folder, "letter.txt")
    const saved = yield* resume("doc-1", { target: elsewhere })
    assert.deepInclude<object>(saved, { path: elsewhere, bytes: body.length })
    assert.strictEqual(readFileSync(elsewhere, "utf8"), body)
    assert.deepStrictEqual(readdirSync(rescueFolder), [])
    assert.deepStrictEqual(readdirSync(disk).toSorted(), ["filler", "letter.txt"])
    assert.deepStrictEqual(yield* journal.entries(), [])
    assert.strictEqual(server.requests.length, 1)
  })

  live("puts the parts together in their place when there is room again", function*() {
    const disk = yield* smallDisk
    const rescueFolder = yield* folder
    const target = join(disk, "letter.txt")
    const text = body.slice(0, 40_000)
    writeFileSync(join(disk, "filler"), "x".repeat(8 * 4096))
    const { download, journal, resume } = yield* setup([inTwo(text.slice(0, 5000), text.slice(5000), () => disk)])
    const error = failed(yield* Effect.flip(download({ target, rescueFolder })))
    assert.strictEqual(textOf(error.parts), text)
    rmSync(join(disk, "filler"))
    const saved = yield* resume("doc-1")
    assert.deepInclude<object>(saved, { path: target, bytes: text.length })
    assert.strictEqual(readFileSync(target, "utf8"), text)
    assert.deepStrictEqual(readdirSync(disk), ["letter.txt"])
    assert.deepStrictEqual(readdirSync(rescueFolder), [])
    assert.deepStrictEqual(yield* journal.entries(), [])
  })

  live("rescues all of a document of which no byte fits", function*() {
    const disk = yield* smallDisk
    const rescueFolder = yield* folder
    writeFileSync(join(disk, "filler"), "x".repeat(64 * 1024))
    const { download } = yield* setup([whole("200 OK", body)])
    const error = failed(yield* Effect.flip(download({ target: join(disk, "letter.txt"), rescueFolder })))
    assert.isTrue(error.complete)
    assert.strictEqual(error.parts.length, 1)
    assert.strictEqual(textOf(error.parts), body)
    assert.deepStrictEqual(readdirSync(disk), ["filler"])
  })

  live.each<readonly [what: string, available: boolean]>([["deleted", false], ["kept", true]])(
    "says what is lost when the rescue fails too, of a document that the service has %s",
    function*([, available]) {
      const [disk, rescueFolder] = [yield* smallDisk, yield* smallDisk]
      const statuses = available
        ? undefined
        : [whole("200 OK", "{\"document_id\":\"doc-1\",\"status\":\"done\"}"), gone]
      const { download, journal, resume } = yield* setup([whole("200 OK", body + body)], {}, statuses)
      const error = failed(yield* Effect.flip(download({ target: join(disk, "letter.txt"), rescueFolder })))
      assert.deepInclude<object>(error, { complete: false, available })
      assert.include(error.description, "the remaining bytes could not be rescued")
      assert.strictEqual(error.parts.length, 2)
      const kept = textOf(error.parts)
      assert.strictEqual(kept, (body + body).slice(0, kept.length))
      assert.include(error.message, available ? "still has it" : "has deleted it")
      const entry = yield* journal.get("doc-1")
      if (available) return assert.strictEqual(entry?._tag, "Downloading")
      assert(entry?._tag === "Lost")
      assert.deepStrictEqual(entry.parts, error.parts)
      const again = yield* Effect.flip(resume("doc-1"))
      assert.deepInclude<object>(again, {
        _tag: "DownloadInterrupted",
        available: false,
        bytesReceived: kept.length,
        path: error.parts[0]?.path
      })
      assert.include(again.message, error.parts[1]?.path ?? "-")
    }
  )

  live("names both files when the bytes stop while the rest is rescued", function*() {
    const disk = yield* smallDisk
    const rescueFolder = yield* folder
    const { download, journal } = yield* setup([cut(body, body.length + 1)], {}, [
      whole("200 OK", "{\"document_id\":\"doc-1\",\"status\":\"done\"}"),
      gone
    ])
    const error = failed(yield* Effect.flip(download({ target: join(disk, "letter.txt"), rescueFolder })))
    assert.deepInclude<object>(error, { complete: false, available: false })
    assert.strictEqual(textOf(error.parts), body)
    assert.strictEqual((yield* journal.get("doc-1"))?._tag, "Lost")
  })

  live("of the rescue that cannot be written is told before the document is asked for", function*() {
    const { directory, download, server, target } = yield* setup([whole("200 OK", "hello")])
    const error = yield* Effect.flip(download({ target, rescueFolder: join(directory, "missing") }))
    assert.deepInclude<object>(error, { _tag: "TargetUnusable", path: join(directory, "missing") })
    assert.strictEqual(server.requests.length, 0)
  })
})
