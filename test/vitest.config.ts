import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Files whose tests wait for processes, sockets and timers, those that take longest first. */
const waiting = [
  ..."killsDurable examples prometheus demo NodeSharedRate view terminal fleet NodeSqlite".split(" ").map((name) =>
    `${name}.full`
  ),
  ..."NodeSqlite lines weatherSocket.full documentsProcess.full mcp.full pauses.full NodeTelemetry".split(" "),
  ..."NodeDocumentsResume NodeLanguageServiceConnections NodeLanguageServicePool inputOutput RecordingReplay".split(" ")
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

const seed = "process.env.TESTS_SEED"

/** Replacements in `@effect/vitest`: a seed, and a clock that lets a fiber be busy for longer than its default of a second. */
const replacements = [
  [
    "TestClock.layer()",
    `TestClock.layer({ warningDelay: "2 minutes" }), Layer.effect(Random.Random, Random.withSeed(Random.Random, ${seed}))`
  ],
  ["propertyTestOptions(timeout)?.arbitrary", `({ seed: ${seed}, ...propertyTestOptions(timeout)?.arbitrary })`],
  ["import * as Scope", "import * as Random from \"effect/Random\"; import * as Scope"]
] as const

export default defineConfig({
  plugins: [{
    name: "seeded tests with a patient clock",
    transform: (code, id) => {
      if (!id.includes("/@effect/vitest/dist/internal/")) return undefined
      return replacements.reduce((code, [from, to]) => {
        if (!code.includes(from)) throw new Error(`${id} has no ${from}`)
        return code.replace(from, to)
      }, code)
    }
  }],
  test: {
    root: join(import.meta.dirname, ".."),
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
    env: {
      // For the processes that tests start.
      NODE_COMPILE_CACHE: join(tmpdir(), "effect-lingua-tests", "compiled"),
      // With a fixed seed a test fails in each run or in none. CI uses another seed each night.
      // @effect-diagnostics-next-line processEnv:off -- read once, before any program runs
      TESTS_SEED: process.env["TESTS_SEED"] ?? "1"
    },
    // Only a test that hangs takes this long, however busy the machine is.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Tests make many objects that live for a moment: a larger young generation saves a tenth of the processor time.
    execArgv: ["--min-semi-space-size=64", "--max-semi-space-size=64"],
    // Some tests wait for processes and sockets: one more at a time than there are cores. Each worker loads and compiles all modules.
    maxWorkers: availableParallelism() + 1
  }
})
