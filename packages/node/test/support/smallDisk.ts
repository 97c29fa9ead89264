/** A disk that fills up soon. */
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const mount = Effect.acquireRelease(
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

/** Gives a disk of 64 KiB to a test, which is skipped where none can be mounted. */
export const withSmallDisk = <E, R>(test: (disk: string) => Effect.Effect<void, E, R>) =>
  Effect.gen(function*() {
    const { mounted, path } = yield* mount
    if (!mounted) return yield* Effect.logWarning("skipped: no tmpfs can be mounted here")
    yield* test(path)
  }).pipe(Effect.scoped)
