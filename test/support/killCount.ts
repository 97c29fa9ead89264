/** Counts the processes that tests kill in the middle of their work. Run by vitest before and after all tests. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** A file with a byte for each kill. */
    readonly kills: string
  }
}

export const setup = ({ provide }: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), "kills-"))
  const file = join(folder, "kills")
  writeFileSync(file, "")
  provide("kills", file)
  return () => {
    const { size } = statSync(file)
    rmSync(folder, { recursive: true })
    if (size > 0) process.stdout.write(`\n${size} processes were killed in the middle of their work\n`)
  }
}
