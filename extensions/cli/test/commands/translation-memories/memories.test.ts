// The commands of translation memories against the fake on a socket: results, files, wrong input.
import { FakeLanguageService, Fault } from "@effect-lingua/testing"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { liveWith } from "../../../../../test/support/tests.ts"
import { fakeWith, lines } from "../../support/cliFake.ts"
import { folderFor } from "../../support/cliFolder.ts"

const fake = fakeWith({})

const tmx = `<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>Screw</seg></tuv><tuv xml:lang="de"><seg>Schraube</seg></tuv></tu>
</body></tmx>
`

const setup = folderFor("memories", tmx)

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

const test = liveWith(fake)

describe("memories list, show, segments and delete", () => {
  test("print what there is, for people and for programs", function*() {
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
    assert.strictEqual((yield* requestsOf("TranslationMemories.listSegmentsPage")).length, 3)
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
  })

  test("refuse what makes no sense before anything is sent", function*() {
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
      [["import", file("page.html", "<?xml version='1.0'?>\n<html></html>")], 2, "no <tmx> element at its start"],
      [["export", "id", "--output", source], 13, `${source} exists`],
      [["export", "id", "--output", "a", "--output-dir", "b"], 2, "exclude each other"]
    ]
    for (const [args, code, message] of wrong) {
      const ran = yield* run(args)
      assert.deepStrictEqual([ran.code, ran.out], [code, ""], `${args.join(" ")}: ${ran.err}`)
      assert.include(ran.err, message)
    }
    assert.deepStrictEqual(yield* requests, [])
  })
})

describe("memories import", () => {
  test("prints the ids of the memories, and tells how far it is", function*() {
    const { file, run } = yield* setup
    const source = file("manuals.tmx")
    const { code, err, out } = yield* run(["import", source, "--name", "Manuals", "--content-type", "text/xml"])
    assert.strictEqual(code, 0, err)
    const told = err.trimEnd().split("\n").map((line) => line.replace(`effect-lingua: ${source}: `, ""))
    assert.deepStrictEqual([told[0]?.replace(/ as .*/, ""), told.at(-1)], ["started", "completed"])
    const [memory] = lines((yield* run(["list", "--json"])).out)
    assert.deepInclude(memory, { name: "Manuals", translationMemoryId: out.trim() })
    const two = yield* run(["import", source, file("b.tmx"), "--quiet"])
    assert.deepStrictEqual([two.code, two.out.split("\n").length, two.err], [0, 3, ""])
    const { awaitRequest, requests, script } = yield* FakeLanguageService
    assert.include((yield* requests)[0]?.body, `"content_type":"text/xml"`)
    yield* script({ operation: "TranslationMemories.startImport", fault: Fault.slow("1 hour"), every: 1 })
    const both = yield* Effect.forkChild(run(["import", source, file("c.tmx"), "--concurrency", "2"]))
    // One after the other, the second begins when the time of the first is over, after 45 s.
    yield* Effect.timeout(awaitRequest("TranslationMemories.startImport", { count: 5 }), "30 seconds")
    yield* Fiber.interrupt(both)
  })

  test("warns of segments that the service left out, and gives objects with --json", function*() {
    const { file, run } = yield* setup
    const source = file("a.tmx", tmx.replace("</body>", "<tu><tuv xml:lang=\"en\"><seg>Nut</seg></tuv></tu></body>"))
    const { code, err, out } = yield* run(["import", source, "--json"])
    assert.strictEqual(code, 0)
    assert.deepInclude(lines(out)[0], { skippedSegmentCount: 1 })
    const told = lines(err)
    assert.deepStrictEqual([...new Set(told.map(({ type }) => type))], ["progress", "warning"])
    assert.deepInclude(told.at(-1), { name: source, skippedSegmentCount: 1 })
  })

  test("ends with 11 for a file that the service cannot use, and names its job", function*() {
    const { file, run } = yield* setup
    const { code, err } = yield* run(["import", file("a.tmx", "<tmx version=\"1.4\"><body></body></tmx>")])
    assert.strictEqual(code, 11)
    assert.include(err, "The file has no translation units")
    assert.match(err, /: for the state of its job: effect-lingua memories status [0-9a-f-]{36}\n$/)
  })

  test("names its job after a failure, which can be waited for", function*() {
    const { script } = yield* FakeLanguageService
    const { directory, file, run } = yield* setup
    yield* script({ operation: "TranslationMemories.status", fault: { status: 403 } })
    const { code, err, out } = yield* run(["import", file("a.tmx"), "--json"])
    assert.deepStrictEqual([code, out], [4, ""])
    const [error, next] = lines(err).slice(-2)
    const id = String(error?.["jobId"])
    assert.deepInclude(next, { type: "next", id, command: `effect-lingua memories status ${id}` })
    const waited = yield* run(["wait", id])
    assert.strictEqual(waited.code, 0, waited.err)
    const [memory, ...others] = lines((yield* run(["list", "--json"])).out)
    assert.deepStrictEqual(others, [])
    assert.strictEqual(waited.out, `${id}: completed, memory ${String(memory?.["translationMemoryId"])}\n`)
    assert.strictEqual((yield* run(["status", id])).out, waited.out)
    // The address of an exported file gives access to it.
    const { err: told } = yield* run(["export", String(memory?.["translationMemoryId"]), "--output-dir", directory])
    const exported = yield* run(["status", /started as (\S+)/.exec(told)?.[1] ?? "", "--json"])
    assert.include(exported.out, `"state":"downloaded"`)
    assert.notMatch(exported.out, /downloadUrl|https?:/)
  })
})

describe("memories export", () => {
  test("writes a file, or into a folder under the name of the memory, and prints its path", function*() {
    const { directory, run } = yield* setup
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
  })
})
