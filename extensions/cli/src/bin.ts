#!/usr/bin/env node
import * as nodeModule from "node:module"
import { setFlagsFromString } from "node:v8"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major > 22 || (major === 22 && minor >= 19)) {
  // A larger young generation saves a seventh of a command's processor time. Bun has no V8.
  if (process.versions.bun === undefined) setFlagsFromString("--semi-space-growth-factor=16")
  // The compile cache makes later starts a third faster. Some runtimes lack the cache.
  const { enableCompileCache }: Partial<Pick<typeof nodeModule, "enableCompileCache">> = nodeModule
  enableCompileCache?.()
  const { runMain } = await import("./main.ts")
  runMain()
} else {
  process.stderr.write(
    `effect-lingua: it needs Node.js 22.19 or newer, and this is ${process.versions.node}: npx -p node@24 -p @effect-lingua/cli effect-lingua\n`
  )
  process.exitCode = 2
}
