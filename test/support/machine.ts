/**
 * Parts of the machine that some tests need. The tests of a missing part are skipped, and the run ends with one line that names
 * all of them. Run by vitest before and after all tests.
 */
import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import type { TestProject } from "vitest/node"

const succeeds = (command: string, ...args: ReadonlyArray<string>) => spawnSync(command, args).status === 0

// @effect-diagnostics-next-line processEnv:off -- read once, before any program runs
const folders = (process.env["PATH"] ?? "").split(delimiter)

const isInstalled = (command: string) => folders.some((folder) => existsSync(join(folder, command)))

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
  "Redis": [() => isInstalled("redis-server"), "apt-get install redis-server"],
  "a terminal": [() => isInstalled("tmux"), "apt-get install tmux"],
  "zsh": [() => isInstalled("zsh"), "apt-get install zsh"],
  "fish": [() => isInstalled("fish"), "apt-get install fish"],
  "Chromium": [() => isInstalled("chromium"), "apt-get install chromium"],
  "Prometheus": [() => isInstalled("prometheus"), "apt-get install prometheus"],
  "PostgreSQL": [() => globSync("/usr/lib/postgresql/*/bin/postgres").length > 0, "apt-get install postgresql"],
  // Root starts PostgreSQL as another user.
  "runuser": [() => process.getuid?.() !== 0 || isInstalled("runuser"), "apt-get install util-linux"],
  "gettext": [() => isInstalled("msgfmt"), "apt-get install gettext"],
  "aapt2": [() => isInstalled("aapt2"), "apt-get install aapt"],
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
