import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { isFull } from "./test/support/scale.ts"

/** Files whose tests wait for processes, sockets and timers, those that take longest first. */
const waiting = [
  "killsDurable.full",
  "examples.full",
  "prometheus.full",
  "demo.full",
  "NodeSharedRate.full",
  "view.full",
  "terminal.full",
  "fleet.full",
  "NodeSqlite.full",
  "NodeSqlite",
  "lines",
  "weatherSocket.full",
  "documentsProcess.full",
  "mcp.full",
  "pauses.full",
  "NodeTelemetry",
  "NodeDocumentsResume",
  "NodeLanguageServiceConnections",
  "NodeLanguageServicePool",
  "inputOutput",
  "RecordingReplay"
]

const rank = ({ moduleId }: TestSpecification) => waiting.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))

/** Spreads the files that wait among those that compute: vitest knows only the sizes of files until they have run. */
class Sequencer extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is vitest's, of files
    const computing = await super.sort(files.filter((file) => rank(file) < 0))
    const long = files.filter((file) => rank(file) >= 0).toSorted((a, b) => rank(a) - rank(b))
    return long.length === 0
      ? computing
      : long.flatMap((file, part) => [file].concat(computing.filter((_, index) => index % long.length === part)))
  }
}

/** Of `it.effect`: its clock goes on without a fiber that is busy for longer than its delay, by default a second. */
const testClock = "TestClock.layer()"

export default defineConfig({
  plugins: [{
    name: "patient test clock",
    transform: (code, id) => {
      if (!id.includes("/@effect/vitest/dist/internal/")) return undefined
      if (!code.includes(testClock)) throw new Error(`${id} has no ${testClock}`)
      return code.replace(testClock, "TestClock.layer({ warningDelay: '2 minutes' })")
    }
  }],
  test: {
    // For the plugin.
    server: { deps: { inline: ["@effect/vitest"] } },
    include: [
      "{examples/backend,examples/resource,packages/*,extensions/*,tools/*}/test/**/*.test.ts",
      "test/**/*.test.ts"
    ],
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
