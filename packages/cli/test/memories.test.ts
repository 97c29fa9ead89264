// The commands of translation memories against the fake on a socket: results, files, wrong input, the journal.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import * as Fault from "@effect-lingua/testing/faults/Fault"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { once } from "node:events"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder, journalIn } from "../../node/test/support/documents.ts"
import { withSmallDisk } from "../../node/test/support/smallDisk.ts"
import { ending, inProcess, startCli, type Surroundings, timeout } from "./support/cli.ts"

const key = "key-that-nobody-sees"

const fakeWith = (options: NodeFakeLanguageService.Options) =>
  Layer.fresh(NodeFakeLanguageService.layer({
    keys: [{ key, tier: "paid" }],
    seed: "cli",
    readyAfter: 0,
    ...options
  }))

const fake = fakeWith({})

const tmx = `<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>Screw</seg></tuv><tuv xml:lang="de"><seg>Schraube</seg></tuv></tu>
</body></tmx>
`

const lines = (out: string): ReadonlyArray<Record<string, unknown>> =>
  out.trimEnd().split("\n").map((line) => JSON.parse(line))

/** A folder with files, and a command line that has a journal of its own and shows neither a key nor a signature. */
const setup = Effect.gen(function*() {
  const directory = yield* folder
  const state = yield* folder
  const { secrets, url } = yield* FakeLanguageService
  const env = { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url, XDG_STATE_HOME: state }
  const file = (name: string, content = tmx) => {
    writeFileSync(join(directory, name), content)
    return join(directory, name)
  }
  const run = Effect.fnUntraced(function*(args: ReadonlyArray<string>, surroundings: Surroundings = {}) {
    const ran = yield* inProcess(["memories", ...args], { ...surroundings, env: { ...env, ...surroundings.env } })
    for (const secret of yield* secrets) assert.notInclude(ran.out + ran.err, Redacted.value(secret))
    return ran
  })
  const journal = journalIn(join(state, "effect-lingua", "documents"))
  const pending = Effect.map(journal.jobs, (jobs) => jobs.map(({ id }) => id))
  return { directory, env, file, journal, pending, run }
})

const aMemory = Effect.fnUntraced(function*(count: number) {
  const { addTranslationMemory } = yield* FakeLanguageService
  return yield* addTranslationMemory({
    name: "Manuals",
    sourceLanguage: "en",
    targetLanguages: ["de"],
    segments: Array.from({ length: count }, (_, index) => ({
      source: `Screw ${index}`,
      targets: { de: `Schraube ${index}` }
    }))
  })
})

describe("memories list, show, segments and delete", () => {
  it.live("print what there is, for people and for programs", () =>
    Effect.gen(function*() {
      const { requestsOf } = yield* FakeLanguageService
      const { run } = yield* setup
      const id = yield* aMemory(120)
      const { err, out } = yield* run(["list"])
      assert.match(
        out,
        new RegExp(`^ID +SOURCE +TARGETS +SEGMENTS +NAME\n${id} +en +de +120 +Manuals\n$`)
      )
      assert.strictEqual(err, "")
      assert.strictEqual((yield* run(["show", id])).out, out)
      for (const args of [["list"], ["list", "--page", "0", "--page-size", "1"], ["show", id]]) {
        const [memory, ...others] = lines((yield* run([...args, "--json"])).out)
        assert.deepInclude(memory, { translationMemoryId: id, name: "Manuals", segmentCount: 120 })
        assert.deepStrictEqual(others, [])
      }
      const segments = (yield* run(["segments", id])).out.trimEnd().split("\n")
      assert.deepStrictEqual([segments.length, segments.at(-1)], [120, "Screw 119\tde\tSchraube 119"])
      assert.strictEqual((yield* requestsOf("TranslationMemories.listSegments")).length, 3)
      const [found, ...others] = lines((yield* run(["segments", id, "--filter", "screw 7", "--json"])).out)
      assert.deepInclude(found, { sourceText: "Screw 7" })
      assert.strictEqual(others.length, 10)
      assert.strictEqual((yield* run(["segments", id, "--filter", "screw 7", "--case-sensitive"])).out, "")
      assert.deepStrictEqual(yield* run(["delete", "--yes", id]), {
        code: 0,
        out: "",
        err: `effect-lingua: the memory ${id} is deleted\n`
      })
      assert.strictEqual((yield* run(["show", id])).code, 5)
      assert.strictEqual((yield* run(["delete", "--yes", id])).code, 5)
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("refuse what makes no sense before anything is sent", () =>
    Effect.gen(function*() {
      const { requests } = yield* FakeLanguageService
      const { directory, file, run } = yield* setup
      const source = file("a.tmx")
      const wrong: ReadonlyArray<readonly [args: ReadonlyArray<string>, code: number, message: string]> = [
        [["list", "--page-size", "26"], 2, "pageSize"],
        [["segments", "id", "--filter", "a"], 2, "filterText"],
        [["import", source, file("b.tmx"), "--name", "x"], 2, "--name is for one file; leave it out for several"],
        [["import", source, source], 2, `${source} is given twice`],
        [["import", join(directory, "none.tmx")], 13, "there is no such file or folder. Nothing was sent"],
        [["import", file("empty.tmx", "")], 13, "it is empty"],
        [["import", file("page.html", "<?xml version='1.0'?>\n<html></html>")], 2, "line 2, column 1"],
        [["import", file("half.tmx", tmx.slice(0, -10))], 2, "</tmx>"],
        [["export", "id", "--output", source], 13, `${source} exists`],
        [["export", "id", "--output", "a", "--output-dir", "b"], 2, "exclude each other"],
        [["resume", "--output", "a"], 2, "--output is for one of them; give --output-dir for several"],
        [["resume", "import-1", "import-1"], 2, "import-1 is given twice"],
        [["resume", "import-1"], 5, "import-1 cannot be resumed. The journal does not know it"],
        [["forget", "import-1"], 5, "the journal does not know import-1"]
      ]
      for (const [args, code, message] of wrong) {
        const ran = yield* run(args)
        assert.deepStrictEqual([ran.code, ran.out], [code, ""], `${args.join(" ")}: ${ran.err}`)
        assert.include(ran.err, message)
      }
      assert.deepStrictEqual(yield* requests, [])
    }).pipe(Effect.scoped, Effect.provide(fake)))
})

describe("memories import", () => {
  it.live("prints the ids of the memories, tells how far it is, and leaves nothing in the journal", () =>
    Effect.gen(function*() {
      const { file, pending, run } = yield* setup
      const source = file("manuals.tmx")
      const { code, err, out } = yield* run(["import", source, "--name", "Manuals"])
      assert.strictEqual(code, 0, err)
      const told = err.trimEnd().split("\n").map((line) => line.replace(`effect-lingua: ${source}: `, ""))
      assert.deepStrictEqual([told[0], told.at(-1)], ["started", "completed"])
      const [memory] = lines((yield* run(["list", "--json"])).out)
      assert.deepInclude(memory, { name: "Manuals", translationMemoryId: out.trim() })
      const two = yield* run(["import", source, file("b.tmx"), "--quiet"])
      assert.deepStrictEqual([two.code, two.out.split("\n").length, two.err], [0, 3, ""])
      assert.deepStrictEqual(yield* pending, [])
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("warns of segments that the service left out, and gives objects with --json", () =>
    Effect.gen(function*() {
      const { file, run } = yield* setup
      const source = file("a.tmx", tmx.replace("</body>", "<tu><tuv xml:lang=\"en\"><seg>Nut</seg></tuv></tu></body>"))
      const { code, err, out } = yield* run(["import", source, "--json"])
      assert.strictEqual(code, 0)
      assert.deepInclude(lines(out)[0], { skippedSegmentCount: 1 })
      const told = lines(err)
      assert.deepStrictEqual([...new Set(told.map(({ type }) => type))], ["progress", "warning"])
      assert.deepInclude(told.at(-1), { name: source, skippedSegmentCount: 1 })
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("ends with 11 for a file that the service cannot use, and leaves nothing to go on with", () =>
    Effect.gen(function*() {
      const { file, pending, run } = yield* setup
      const { code, err } = yield* run(["import", file("a.tmx", "<tmx version=\"1.4\"><body></body></tmx>")])
      assert.strictEqual(code, 11)
      assert.include(err, "The file has no translation units")
      assert.notInclude(err, "to go on")
      assert.deepStrictEqual(yield* pending, [])
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("says how to go on after a failure, which works", () =>
    Effect.gen(function*() {
      const { script } = yield* FakeLanguageService
      const { file, pending, run } = yield* setup
      yield* script({ operation: "TranslationMemories.getJob", fault: { status: 403 } })
      const { code, err, out } = yield* run(["import", file("a.tmx")])
      assert.deepStrictEqual([code, out], [4, ""])
      const [id = ""] = yield* pending
      assert.isTrue(err.endsWith(`a.tmx: to go on: effect-lingua memories resume ${id}\n`), err)
      const resumed = yield* run(["resume", id])
      assert.strictEqual(resumed.code, 0, resumed.err)
      assert.deepStrictEqual(
        lines((yield* run(["list", "--json"])).out).map((memory) => memory["translationMemoryId"]),
        [
          resumed.out.trim()
        ]
      )
      assert.deepStrictEqual(yield* pending, [])
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("starts again what was cut off before its answer", () =>
    Effect.gen(function*() {
      const { script } = yield* FakeLanguageService
      const { file, pending, run } = yield* setup
      yield* script({ operation: "TranslationMemories.startImport", fault: Fault.reset({ afterEffect: true }) })
      const { code, err } = yield* run(["import", file("a.tmx")])
      assert.strictEqual(code, 9)
      const [id = ""] = yield* pending
      assert.isTrue(err.endsWith(`: to go on: effect-lingua memories resume ${id}\n`), err)
      assert.include((yield* run(["status", id])).out, "it was cut off at its start; resume begins it again")
      assert.strictEqual((yield* run(["resume"])).code, 0)
      assert.strictEqual(lines((yield* run(["list", "--json"])).out).length, 1)
    }).pipe(Effect.scoped, Effect.provide(fake)))
})

describe("memories export", () => {
  it.live("writes a file, or into a folder under the name of the memory, and prints its path", () =>
    Effect.gen(function*() {
      const { directory, pending, run } = yield* setup
      const id = yield* aMemory(3)
      const copy = join(directory, "copy.tmx")
      const { code, err, out } = yield* run(["export", id, "--output", copy])
      assert.deepStrictEqual([code, out], [0, `${copy}\n`], err)
      assert.include(readFileSync(copy, "utf8"), "Schraube 2")
      assert.isTrue(err.endsWith(`effect-lingua: ${id}: saved\n`), err)
      const named = yield* run(["export", id, "--output-dir", directory, "--json"])
      assert.deepInclude(lines(named.out)[0], { path: join(directory, "Manuals.tmx"), translationMemoryId: id })
      assert.deepStrictEqual([...new Set(lines(named.err).map(({ state }) => state))], [
        "Started",
        "Completed",
        "Received",
        "Saved"
      ])
      assert.strictEqual((yield* run(["export", id, "--output", copy, "--overwrite", "--quiet"])).code, 0)
      assert.deepStrictEqual(yield* pending, [])
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("ends with 13 where the disk is full, and goes on to another", () =>
    withSmallDisk((disk) =>
      Effect.gen(function*() {
        const { directory, pending, run } = yield* setup
        const id = yield* aMemory(2000)
        const { code, err } = yield* run(["export", id, "--output", join(disk, "copy.tmx"), "--json"])
        assert.strictEqual(code, 13)
        const [error, next] = lines(err).slice(-2)
        assert.deepInclude(error, { type: "error", error: "ExportNotSaved", exitCode: 13 })
        const [job = ""] = yield* pending
        assert.deepInclude(next, { type: "next", id: job, command: `effect-lingua memories resume ${job}` })
        const resumed = yield* run(["resume", job, "--output-dir", directory, "--quiet"])
        assert.deepStrictEqual([resumed.code, resumed.out], [0, `${join(directory, "Manuals.tmx")}\n`])
        assert.deepStrictEqual(yield* pending, [])
      })
    ).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("says how to go on with one that never began", () =>
    Effect.gen(function*() {
      const { script } = yield* FakeLanguageService
      const { directory, pending, run } = yield* setup
      const id = yield* aMemory(1)
      yield* script({ operation: "TranslationMemories.getJob", fault: { status: 403 } })
      const { code, err } = yield* run(["export", id, "--output-dir", directory])
      assert.strictEqual(code, 4)
      const [job = ""] = yield* pending
      assert.isTrue(err.endsWith(`: to go on: effect-lingua memories resume ${job}\n`), err)
      const listed = yield* run(["pending"])
      assert.match(listed.out, new RegExp(`^ID +STATE +AGE +OF\n${job} +started +\\d+ s +${id}\n$`))
      assert.strictEqual(listed.err, "effect-lingua: to go on with all: effect-lingua memories resume\n")
      assert.deepInclude(lines((yield* run(["pending", "--json"])).out)[0], {
        id: job,
        operation: "export",
        state: "started",
        translationMemoryId: id
      })
      assert.strictEqual((yield* run(["status", job])).out, `${job}: completed, memory ${id}\n`)
      const [{ jobId = "" } = {}] = lines((yield* run(["status", job, "--json"])).out)
      assert.strictEqual((yield* run(["status", String(jobId)])).out, `${String(jobId)}: completed, memory ${id}\n`)
      assert.strictEqual((yield* run(["forget", job])).code, 0)
      assert.deepStrictEqual(yield* run(["pending"]), {
        code: 0,
        out: "",
        err: "effect-lingua: no import or export is on its way\n"
      })
      assert.strictEqual((yield* run(["resume"])).err, "effect-lingua: there is nothing to go on with\n")
    }).pipe(Effect.scoped, Effect.provide(fake)))
})

describe("a command of memories that is stopped while it waits", () => {
  it.live.each(["SIGINT", "SIGKILL"] as const)("by %s is gone on with by resume", (signal) =>
    Effect.gen(function*() {
      const { advance, effects, secrets } = yield* FakeLanguageService
      const { directory, env, file, pending, run } = yield* setup
      const id = yield* aMemory(3)
      const target = join(directory, "copy.tmx")
      const source = file("a.tmx")
      for (const args of [["import", source], ["export", id, "--output", target]]) {
        const process = yield* startCli(["memories", ...args], { env, stdin: "" })
        let seen = ""
        while (!seen.includes("waiting for the service") && !seen.includes("processing")) {
          const [chunk] = yield* Effect.promise(() => once(process.child.stderr, "data"))
          seen += String(chunk)
        }
        process.child.kill(signal)
        const { code, err, out } = yield* ending(process)
        for (const secret of yield* secrets) assert.notInclude(err, Redacted.value(secret))
        assert.strictEqual(out, "")
        if (signal === "SIGINT") {
          assert.strictEqual(code, 130)
          assert.match(err, /: to go on: effect-lingua memories resume (import|export)-[0-9a-f]+\n$/)
        }
      }
      assert.isFalse(existsSync(target))
      rmSync(source)
      yield* advance("1 hour")
      const resumed = yield* run(["resume", "--concurrency", "1", "--quiet"])
      assert.strictEqual(resumed.code, 0, resumed.err)
      const [imported = "", exported] = resumed.out.trimEnd().split("\n")
      assert.match(imported, /^[0-9a-f-]{36}$/)
      assert.strictEqual(exported, target)
      assert.include(readFileSync(target, "utf8"), "Schraube 2")
      assert.deepStrictEqual(yield* pending, [])
      assert.strictEqual((yield* effects)["TranslationMemories.startImport"].count, 1)
    }).pipe(Effect.scoped, Effect.provide(fakeWith({ readyAfter: "1 hour" }))), timeout)
})
