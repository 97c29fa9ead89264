import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { FactsReporter } from "./test/support/factsReporter.ts"
import { isFull } from "./test/support/scale.ts"

const isLong = ({ moduleId }: TestSpecification) =>
  /\/(?:conformance|demo|fleet|killsDurable|NodeSharedState|pauses|prometheus|terminal|view)\.test\.ts$/.test(moduleId)

/** Starts with short files that take long: vitest knows only the sizes of files until they have run. */
class Sequencer extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is vitest's, of files
    return (await super.sort(files)).toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)))
  }
}

export default defineConfig({
  test: {
    include: ["{examples/backend,packages/*}/test/**/*.test.ts", "test/**/*.test.ts"],
    reporters: ["default", new FactsReporter()],
    isolate: false,
    // The second is torn down first: what the machine lacks is the last line.
    globalSetup: ["test/support/machine.ts", "test/support/shared.ts"],
    sequence: { sequencer: Sequencer },
    // For the processes that tests start.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "effect-lingua-tests", "compiled") },
    // Long enough for a machine with other work to do: a test that hangs is the only one that takes so long.
    testTimeout: isFull ? 600_000 : 120_000,
    hookTimeout: 120_000,
    // Tests make many objects that live for a moment: a larger young generation saves a tenth of the processor time.
    execArgv: ["--min-semi-space-size=64", "--max-semi-space-size=64"],
    // Some tests wait for processes and sockets: one more at a time than there are cores. Each worker loads and compiles all modules.
    maxWorkers: availableParallelism() + 1
  }
})
