/** Folders on file systems of their own. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { folder } from "./documents.ts"

const changed = (change: (path: string) => void, undo: (path: string) => void) =>
  Effect.tap(
    folder,
    (path) => Effect.acquireRelease(Effect.sync(() => change(path)), () => Effect.sync(() => undo(path)))
  )

const mounted = (option: string) =>
  changed(
    (path) => assert.strictEqual(spawnSync("mount", ["-t", "tmpfs", "-o", option, "tmpfs", path]).status, 0),
    (path) => spawnSync("umount", ["-l", path])
  )

/** A disk of 64 KiB. */
export const smallDisk = mounted("size=64k")

const closed = changed((path) => chmodSync(path, 0o500), (path) => chmodSync(path, 0o700))

/** A folder that not even root can write to. */
export const readOnlyFolder = process.getuid?.() === 0 ? mounted("ro") : closed
