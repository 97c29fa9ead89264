import { basename } from "node:path"
import type { Reporter, TestCase, TestModule } from "vitest/node"
import { facts } from "../../packages/testing/test/support/specFacts.ts"
import { isFull } from "./scale.ts"

const nameOf = (test: TestCase): string =>
  `${basename(test.module.moduleId).replace(/(?:\.full)?\.test\.ts$/, "")} > ${test.name}`

/** All tests, not those of a file or of a title. */
const isWhole = isFull && process.argv.slice(2).join(" ") === "run"

/**
 * Counts the facts of the specification whose tests have passed. A full run of all tests fails if a fact has none, or one that did
 * not pass or did not run; any other run leaves facts open.
 */
export class FactsReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    if (!isWhole) return
    const passed = new Set(modules.flatMap((module) => Array.from(module.children.allTests("passed"), nameOf)))
    const open = facts.flatMap(({ fact, tests }) => {
      const missing = tests.filter((test) => !passed.has(test))
      return missing.length > 0 || tests.length === 0 ? [`not shown: ${fact} (${missing.join(", ") || "no test"})`] : []
    })
    const shown = `${
      facts.length - open.length
    } of ${facts.length} facts of the specification are shown by tests that passed`
    process.stdout.write(`\n${[...open, shown].join("\n")}\n`)
    if (open.length > 0) process.exitCode = 1
  }
}
