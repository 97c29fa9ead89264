/**
 * A folder that the workers of a run share: it has the temporary files of all tests, and counts the processes that tests kill in the
 * middle of their work. Run by vitest before and after all tests.
 */
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly shared: string
    readonly bundles: string
  }
}

/** A file with a byte for each kill. */
export const killsFile = (shared: string): string => join(shared, "kills")

const memory = "/dev/shm"

/** Whether the machine has a disk in memory with room for the files of all tests, from which programs can be started. */
const hasMemory = () => {
  if (!existsSync("/proc/mounts") || !/ \/dev\/shm tmpfs (?!.*noexec)/.test(readFileSync("/proc/mounts", "utf8"))) {
    return false
  }
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > 2 ** 30
}

/** Bundles of programs, which each run writes again, and their compiled code, in milliseconds: each change of a program makes new ones. */
const age = 4 * 60 * 60 * 1000

export const setup = ({ provide }: TestProject) => {
  const kept = join(tmpdir(), "effect-lingua-tests")
  provide("bundles", join(kept, "bundles"))
  // Tests write, synchronize and remove thousands of files, for which a real disk takes most of their time.
  const shared = mkdtempSync(join(hasMemory() ? memory : tmpdir(), "effect-lingua-run-"))
  const oldest = statSync(shared).mtimeMs - age
  for (const path of globSync(`${kept}/{bundles/*,compiled/*/*}`)) {
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
    if (written < oldest) rmSync(path, { recursive: true, force: true })
  }
  chmodSync(shared, 0o1777)
  provide("shared", shared)
  // @effect-diagnostics-next-line processEnv:off -- workers and their processes inherit it
  process.env["TMPDIR"] = shared
  return () => {
    const size = statSync(killsFile(shared), { throwIfNoEntry: false })?.size
    rmSync(shared, { recursive: true })
    if (size !== undefined) process.stdout.write(`\n${size} processes were killed in the middle of their work\n`)
  }
}
