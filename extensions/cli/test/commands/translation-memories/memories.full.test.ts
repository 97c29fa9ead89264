// The commands of translation memories on a full disk, and stopped while they wait.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { once } from "node:events"
import { join } from "node:path"
import { smallDisk } from "../../../../../packages/node/test/support/mounts.ts"
import { has } from "../../../../../test/support/has.ts"
import { fakeWith, lines } from "../../support/cliFake.ts"
import { folderFor } from "../../support/cliFolder.ts"
import { ending, startCli } from "../../support/cliProcess.ts"

const tmx = `<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>Screw</seg></tuv><tuv xml:lang="de"><seg>Schraube</seg></tuv></tu>
</body></tmx>
`

const fake = fakeWith({})

const setup = folderFor("memories", tmx)

describe("memories export", () => {
  it.live.skipIf(!has("a full disk"))(
    "ends with 13 where the disk is full, and runs again to another",
    () =>
      Effect.gen(function*() {
        const disk = yield* smallDisk
        const { addTranslationMemory } = yield* FakeLanguageService
        const { directory, run } = yield* setup
        const id = yield* addTranslationMemory({
          name: "Manuals",
          sourceLanguage: "en",
          targetLanguages: ["de"],
          segments: Array.from(
            { length: 2000 },
            (_, index) => ({ source: `Screw ${index}`, targets: { de: "Schraube" } })
          )
        })
        const { code, err } = yield* run(["export", id, "--output", join(disk, "copy.tmx"), "--json"])
        assert.strictEqual(code, 13)
        const [error, next] = lines(err).slice(-2)
        assert.deepInclude(error, { type: "error", error: "ExportNotSaved", exitCode: 13 })
        assert.deepInclude(next, { type: "next", id: error?.["jobId"] })
        const again = yield* run(["export", id, "--output-dir", directory, "--quiet"])
        assert.deepStrictEqual([again.code, again.out], [0, `${join(directory, "Manuals.tmx")}\n`])
      }).pipe(Effect.scoped, Effect.provide(fake))
  )
})

describe("an import that is stopped while it waits", () => {
  it.live("names its job, which goes on at the service", () =>
    Effect.gen(function*() {
      const { advance, effects, secrets } = yield* FakeLanguageService
      const { env, file, run } = yield* setup
      const process = yield* startCli(["memories", "import", file("a.tmx")], { env, stdin: "" })
      let seen = ""
      while (!seen.includes("waiting for the service")) {
        const [chunk] = yield* Effect.promise(() => once(process.child.stderr, "data"))
        seen += String(chunk)
      }
      process.child.kill("SIGINT")
      const { code, err, out } = yield* ending(process)
      for (const secret of yield* secrets) assert.notInclude(err, Redacted.value(secret))
      assert.deepStrictEqual([code, out], [130, ""])
      const [, id = ""] = /: effect-lingua memories status ([0-9a-f-]{36})\n$/.exec(err) ?? []
      assert.include(seen, `started as ${id}\n`)
      yield* advance("1 hour")
      const waited = yield* run(["wait", id, "--quiet"])
      assert.strictEqual(waited.code, 0, waited.err)
      assert.include(waited.out, "completed, memory ")
      assert.strictEqual((yield* effects)["TranslationMemories.startImport"].count, 1)
    }).pipe(Effect.scoped, Effect.provide(fakeWith({ readyAfter: "1 hour" }))))
})
