// The lock of `localize` over processes: some at once, and some that are killed at a rename.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { inProcess } from "../support/cli.ts"
import { fakeWith, key, lines } from "../support/cliFake.ts"
import { asProcess } from "../support/cliProcess.ts"

const fake = fakeWith({})

/** A module that kills its process before or after a rename. */
const killing = (point: number) =>
  "data:text/javascript," + encodeURIComponent(`
    import fs from "node:fs"
    import { syncBuiltinESMExports } from "node:module"
    const { rename } = fs
    let left = ${point}
    const step = () => { if (left-- === 0) process.kill(process.pid, "SIGKILL") }
    fs.rename = (from, to, done) => { step(); rename(from, to, (error) => { step(); done(error) }) }
    syncBuiltinESMExports()
  `)

const makeProject = Effect.fnUntraced(function*(targets: ReadonlyArray<string>) {
  const directory = yield* folder
  const { url } = yield* FakeLanguageService
  const path = (name: string) => join(directory, name)
  const write = (name: string, content: object) => writeFileSync(path(name), JSON.stringify(content, null, 1))
  write("effect-lingua.json", { source: "en", targets, files: ["{language}.json"] })
  // Runs that are neither killed nor at once need no process, which takes seconds to start on a slow machine.
  const run = (args: ReadonlyArray<string> = [], ofProcess?: Readonly<Record<string, string>>) =>
    (ofProcess === undefined ? inProcess : asProcess)(
      ["localize", ...args, "--json", "--project", path("effect-lingua.json")],
      { env: { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url, ...ofProcess } }
    )
  const read = (name: string): unknown => JSON.parse(readFileSync(path(name), "utf8"))
  return { read, run, write }
})

describe("processes of localize", () => {
  it.live(
    "have the translations of a process that was killed at any rename as their own",
    () =>
      Effect.gen(function*() {
        let kills = 0
        for (let point = 0, isOver = false; !isOver; point++) {
          const { read, run, write } = yield* makeProject(["de"])
          write("en.json", { one: "One" })
          yield* run()
          write("en.json", { one: "One more", two: "Two" })
          const { out } = yield* run([], { NODE_OPTIONS: `--import=${killing(point)}` })
          isOver = out !== ""
          if (!isOver) kills++
          write("en.json", { one: "One at last", two: "Two more" })
          const last = yield* run()
          assert.deepInclude(lines(last.out)[0], { stale: 0 }, `${point} ${last.err}`)
          assert.deepStrictEqual(read("de.json"), { one: "[de] One at last", two: "[de] Two more" }, `${point}`)
          assert.strictEqual((yield* run(["check"])).code, 0)
        }
        // The lock, the target, and the lock.
        assert.strictEqual(kills, 6)
      }).pipe(Effect.scoped, Effect.provide(fake)),
    600_000
  )

  it.live("at once lose no entry", () =>
    Effect.gen(function*() {
      const targets = ["de", "fr", "pl", "es"]
      const { read, run, write } = yield* makeProject(targets)
      write("en.json", { one: "One" })
      yield* Effect.forEach(targets, (to) => run(["--to", to], {}), { concurrency: "unbounded" })
      const lock = JSON.stringify(read("effect-lingua.lock.json"))
      assert.deepStrictEqual(targets.filter((target) => !lock.includes(`"${target}":{"one":["`)), [])
    }).pipe(Effect.scoped, Effect.provide(fake)), 120_000)
})
