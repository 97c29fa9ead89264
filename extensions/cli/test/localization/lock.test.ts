// What the lock of `localize` knows after runs at once, and after a run that is killed.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { scaled } from "../../../../test/support/scale.ts"
import { inProcess } from "../support/cli.ts"
import { fakeWith, key, lines } from "../support/cliFake.ts"

const fake = fakeWith({})

/** Files of a run that is killed before or after one of its renames. Counts them. */
const killedAt = (point: number) => {
  const count = { points: 0 }
  const step = Effect.suspend(() => count.points++ === point ? Effect.die("killed") : Effect.void)
  const files = Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs): FileSystem.FileSystem => ({
      ...fs,
      rename: (from, to) => step.pipe(Effect.andThen(fs.rename(from, to)), Effect.andThen(step))
    }))
  ).pipe(Layer.provide(NodeFileSystem.layer))
  return { count, files }
}

const makeProject = Effect.fnUntraced(function*(settings: object) {
  const directory = yield* folder
  const { url } = yield* FakeLanguageService
  const path = (name: string) => join(directory, name)
  const write = (name: string, content: object) => writeFileSync(path(name), JSON.stringify(content, null, 1))
  write("effect-lingua.json", { source: "en", targets: ["de"], files: ["{language}.json"], ...settings })
  const run = (args: ReadonlyArray<string> = [], files?: Layer.Layer<FileSystem.FileSystem>) =>
    inProcess(["localize", ...args, "--json", "--project", path("effect-lingua.json"), "--attempts", "1"], {
      env: { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url },
      files
    })
  const read = (name: string): unknown => JSON.parse(readFileSync(path(name), "utf8"))
  return { read, run, write }
})

describe("the lock of localize", () => {
  it.live("knows the translations of a run that was killed at any rename as its own", () =>
    Effect.gen(function*() {
      for (let point = scaled(1, 0), isOver = false; !isOver; point += scaled(6, 1)) {
        const { read, run, write } = yield* makeProject({ placeholders: "icu" })
        // An item of a list cannot be left out, so the file has the source of one that cannot be translated.
        const list = ["Save", "Open {name"]
        const { count, files } = killedAt(point)
        write("en.json", { one: "One", list })
        yield* run([], files)
        write("en.json", { one: "One more", two: "Two", list })
        yield* run([], files)
        isOver = count.points <= point
        write("en.json", { one: "One at last", two: "Two more", list })
        assert.deepInclude(lines((yield* run()).out)[0], { stale: 0 }, `${point}`)
        assert.deepEqual(read("de.json"), {
          one: "[de] One at last",
          two: "[de] Two more",
          list: ["[de] Save", "Open {name"]
        }, `${point}`)
        assert.deepStrictEqual(lines((yield* run(["check"])).out).map(({ id, state }) => [id, state]), [
          ["list/1", "refused"]
        ])
      }
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("has the entries of all runs at once", () =>
    Effect.gen(function*() {
      const targets = ["de", "fr", "pl", "es", "it", "nl"]
      const { read, run, write } = yield* makeProject({ targets })
      write("en.json", { one: "One" })
      yield* Effect.forEach(targets, (to) => run(["--to", to]), { concurrency: "unbounded" })
      const lock = JSON.stringify(read("effect-lingua.lock.json"))
      assert.deepStrictEqual(targets.filter((target) => !lock.includes(`"${target}":{"one":["`)), [])
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("knows that a translation by hand is older than its source", () =>
    Effect.gen(function*() {
      const { run, write } = yield* makeProject({ placeholders: "icu" })
      write("en.json", { open: "Open {name" })
      yield* run()
      write("de.json", { open: "Öffne {name}" })
      write("en.json", { open: "Open the {name}" })
      assert.deepInclude(lines((yield* run(["check"])).out)[0], { id: "open", state: "stale" })
    }).pipe(Effect.scoped, Effect.provide(fake)))
})
