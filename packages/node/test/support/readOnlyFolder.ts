import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { folder } from "./documents.ts"

const isRoot = process.getuid?.() === 0

/** A folder that not even root can write to. */
export const readOnlyFolder = Effect.acquireRelease(
  Effect.map(folder, (path) => {
    chmodSync(path, 0o500)
    if (isRoot) spawnSync("mount", ["-t", "tmpfs", "-o", "ro", "tmpfs", path])
    return path
  }),
  (path) =>
    Effect.sync(() => {
      if (isRoot) spawnSync("umount", ["-l", path])
      chmodSync(path, 0o700)
    })
)
