import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    reporters: ["default"],
    isolate: false,
    // Many tests wait for processes and sockets: two at a time on a machine of two cores, and not one.
    maxWorkers: Math.max(2, availableParallelism() - 1)
  }
})
