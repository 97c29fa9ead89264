/**
 * Parts of the machine that some tests need. The tests of a missing part are skipped, and the run ends with one line that names
 * all of them. Run by vitest before and after all tests.
 */
import { spawnSync } from "node:child_process"
import { globSync, mkdtempSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

const succeeds = (command: string, ...args: ReadonlyArray<string>) => spawnSync(command, args).status === 0

const canMount = () => {
  const path = mkdtempSync(join(tmpdir(), "mount-"))
  const mounted = succeeds("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", path)
  if (mounted) succeeds("umount", path)
  rmdirSync(path)
  return mounted
}

const asRoot = "run as root on Linux, where tmpfs can be mounted"

/** Each part with the check for it and the way to add it. */
const parts = {
  "Redis": [() => succeeds("redis-server", "--version"), "apt-get install redis-server"],
  "a terminal": [() => succeeds("tmux", "-V"), "apt-get install tmux"],
  "zsh": [() => succeeds("zsh", "--version"), "apt-get install zsh"],
  "fish": [() => succeeds("fish", "--version"), "apt-get install fish"],
  "Chromium": [() => succeeds("chromium", "--version"), "apt-get install chromium"],
  "Prometheus": [() => succeeds("prometheus", "--version"), "apt-get install prometheus"],
  "PostgreSQL": [() => globSync("/usr/lib/postgresql/*/bin/postgres").length > 0, "apt-get install postgresql"],
  // Root starts PostgreSQL as another user.
  "runuser": [() => process.getuid?.() !== 0 || succeeds("runuser", "--version"), "apt-get install util-linux"],
  "gettext": [() => succeeds("msgfmt", "--version"), "apt-get install gettext"],
  "aapt2": [() => succeeds("aapt2", "version"), "apt-get install aapt"],
  "PyYAML": [() => succeeds("python3", "-c", "import yaml"), "apt-get install python3-yaml"],
  "a full disk": [canMount, asRoot],
  // Root can write to any folder but one of a disk that is read-only.
  "a read-only folder": [() => process.getuid?.() !== 0 || canMount(), asRoot]
} as const

export type Part = keyof typeof parts

declare module "vitest" {
  interface ProvidedContext {
    readonly missing: ReadonlyArray<string>
  }
}

export const setup = ({ provide }: TestProject) => {
  const missing = Object.entries(parts).filter(([, [isThere]]) => !isThere())
  provide("missing", missing.map(([part]) => part))
  return () => {
    if (missing.length === 0) return
    const names = missing.map(([part, [, remedy]]) => `${part} (${remedy})`)
    process.stdout.write(`\nNot tested on this machine: ${names.join(", ")}\n`)
  }
}
