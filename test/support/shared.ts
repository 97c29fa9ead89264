/**
 * A folder that the workers of a run share. It counts the processes that tests kill in the middle of their work. Run by vitest before
 * and after all tests.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly shared: string
  }
}

/** A file with a byte for each kill. */
export const killsFile = (shared: string): string => join(shared, "kills")

export const setup = ({ provide }: TestProject) => {
  const shared = mkdtempSync(join(tmpdir(), "effect-lingua-run-"))
  provide("shared", shared)
  return () => {
    const size = statSync(killsFile(shared), { throwIfNoEntry: false })?.size
    rmSync(shared, { recursive: true })
    if (size !== undefined) process.stdout.write(`\n${size} processes were killed in the middle of their work\n`)
  }
}
