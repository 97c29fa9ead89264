import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { isFull } from "./test/support/scale.ts"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    reporters: ["default"],
    isolate: false,
    // For the processes that tests start.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "effect-lingua-tests", "compiled") },
    // Long enough for a machine with other work to do: a test that hangs is the only one that takes so long.
    testTimeout: isFull ? 600_000 : 120_000,
    hookTimeout: 120_000,
    // Many tests wait for processes and sockets: two at a time on a machine of two cores, and not one.
    maxWorkers: Math.max(2, availableParallelism() - 1)
  }
})
