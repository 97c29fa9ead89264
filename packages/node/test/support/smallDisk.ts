/** A disk that fills up soon. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A disk of 64 KiB. */
export const smallDisk = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "node-documents-disk-"))
    assert.strictEqual(spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", path]).status, 0)
    return path
  }),
  (path) =>
    Effect.sync(() => {
      if (spawnSync("umount", [path]).status !== 0) spawnSync("umount", ["-l", path])
      rmSync(path, { recursive: true, force: true })
    })
)
