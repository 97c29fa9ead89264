import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inTwo, parts, setup } from "./support/documents.ts"
import { whole } from "./support/rawServer.ts"

/** A disk of 64 KiB, or none where none can be mounted. */
const smallDisk = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "node-documents-disk-"))
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", path]).status === 0
    return { path, mounted }
  }),
  ({ mounted, path }) =>
    Effect.sync(() => {
      if (mounted && spawnSync("umount", [path]).status !== 0) spawnSync("umount", ["-l", path])
      rmSync(path, { recursive: true, force: true })
    })
)

const withSmallDisk = <E, R>(test: (disk: string) => Effect.Effect<void, E, R>) =>
  Effect.gen(function*() {
    const { mounted, path } = yield* smallDisk
    if (!mounted) return yield* Effect.logWarning("skipped: no tmpfs can be mounted here")
    yield* test(path)
  }).pipe(Effect.scoped)

describe("a full disk", () => {
  it.live("keeps what was written, and says where", () =>
    withSmallDisk((disk) =>
      Effect.gen(function*() {
        const { download } = yield* setup([inTwo("a".repeat(4096), "b".repeat(1024 * 1024), () => disk)])
        const error = yield* Effect.flip(download({ path: join(disk, "letter.txt") }))
        if (error._tag !== "SaveFailed") return assert.fail(error._tag)
        assert.deepInclude<object>(error, { documentId: "doc-1", complete: false, outcome: "unknown" })
        assert.include(error.description, "ENOSPC")
        assert.isAtLeast(error.bytesKept, 4096)
        const { kept = "" } = error
        assert.isTrue(existsSync(kept))
        assert.isAtLeast(statSync(kept).size, error.bytesKept)
        assert.isTrue(readFileSync(kept, "utf8").startsWith("a".repeat(4096)))
        assert.include(error.message, kept)
        assert.deepStrictEqual(readdirSync(disk), parts(disk))
      })
    ))

  it.live("keeps what fits of a document that comes at once, or says that nothing is kept", () =>
    withSmallDisk((disk) =>
      Effect.gen(function*() {
        const { download } = yield* setup([whole("200 OK", "b".repeat(1024 * 1024))])
        const error = yield* Effect.flip(download({ path: join(disk, "letter.txt") }))
        if (error._tag !== "SaveFailed") return assert.fail(error._tag)
        assert.include(error.description, "ENOSPC")
        assert.strictEqual(error.kept !== undefined, error.bytesKept > 0)
        assert.deepStrictEqual(
          readdirSync(disk).map((name) => join(disk, name)),
          error.kept === undefined ? [] : [error.kept]
        )
      })
    ))

  it.live("has nothing to keep when no byte fits", () =>
    withSmallDisk((disk) =>
      Effect.gen(function*() {
        writeFileSync(join(disk, "filler"), "x".repeat(64 * 1024))
        const { download } = yield* setup([whole("200 OK", "b".repeat(10_000))])
        const error = yield* Effect.flip(download({ path: join(disk, "letter.txt") }))
        if (error._tag !== "SaveFailed") return assert.fail(error._tag)
        assert.include(error.description, "ENOSPC")
        assert.deepInclude<object>(error, { bytesKept: 0, complete: false })
        assert.isUndefined(error.kept)
        assert.include(error.message, "Nothing could be kept")
        assert.deepStrictEqual(readdirSync(disk), ["filler"])
      })
    ))
})
