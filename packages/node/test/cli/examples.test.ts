// Every example of every help runs, as it stands there.
import { FakeLanguageService } from "@effect-lingua/testing/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Command } from "effect/cli"
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { layer } from "../../src/internal/cli/fake.ts"
import { command } from "../../src/internal/cli/main.ts"
import { glossaryId, instructionId, styleId, translationMemoryId } from "../../src/internal/cli/sample.ts"
import { bin, ending, inProcess, start, timeout } from "../support/cli.ts"
import { folder } from "../support/documents.ts"

const pathsOf = (
  command: Command.Command.Any,
  path: ReadonlyArray<string> = []
): ReadonlyArray<ReadonlyArray<string>> => [
  path,
  ...command.subcommands.flatMap(({ commands }) => commands).flatMap((sub) => pathsOf(sub, [...path, sub.name]))
]

const paths = pathsOf(command)

/** The commands that a help names as examples. */
const examplesOf = (help: string): ReadonlyArray<string> =>
  (help.split("EXAMPLES\n")[1] ?? "").split("\n").filter((line) => /^ {2}\S/.test(line) && !line.startsWith("  #"))
    .map((line) => line.trim())

describe("examples", () => {
  it.live("each command has some in its help, and all of them run", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const shim = join(directory, "effect-lingua")
      writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`)
      chmodSync(shim, 0o755)
      writeFileSync(join(directory, "letter.txt"), "teh letter has  arrived\n")
      const examples = new Set<string>()
      for (const path of paths) {
        const { code, err, out } = yield* inProcess([...path, "--help"])
        assert.deepStrictEqual([code, err], [0, ""])
        const own = examplesOf(out)
        const group = path.join(" ") === "style-rules" || path.join(" ") === "style-rules instructions"
        assert.strictEqual(own.length > 0, !group, path.join(" "))
        for (const example of own) examples.add(example)
      }
      assert.isAbove(examples.size, 20)
      yield* Effect.forEach(examples, (example) =>
        Effect.gen(function*() {
          const process = yield* start(["sh", "-c", example], {
            cwd: directory,
            env: { PATH: `${directory}:/usr/bin:/bin` },
            stdin: ""
          })
          const { code, err, out } = yield* ending(process)
          assert.strictEqual(code, 0, `${example}: ${err}`)
          if (example.includes("--fake")) assert.include(err, "the embedded fake answers", example)
          assert.strictEqual(out === "", / (delete|remove|--output) /.test(example), example)
        }).pipe(Effect.scoped), { concurrency: 2, discard: true })
      assert.isTrue(existsSync(join(directory, "letter.de.txt")))
    }).pipe(Effect.scoped), timeout)

  it.effect("the ids that they name are those of the embedded fake, each time", () =>
    Effect.gen(function*() {
      const { glossaries, styleRuleLists, translationMemories } = yield* FakeLanguageService.use(({ state }) => state)
      assert.deepStrictEqual(
        [
          styleRuleLists[0]?.styleId,
          styleRuleLists[0]?.customInstructions[0]?.id,
          glossaries[0]?.glossaryId,
          translationMemories[0]?.translationMemoryId
        ].map(String),
        [styleId, instructionId, glossaryId, translationMemoryId]
      )
    }).pipe(Effect.provide(layer({}))))
})
