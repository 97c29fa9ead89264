import { Progress, type TranslationMemories } from "@effect-lingua/core"
import { NodeLanguageService, NodeTranslationMemories } from "@effect-lingua/node"
import { FakeLanguageService, NodeFakeLanguageService } from "@effect-lingua/testing"
import { assert, describe } from "@effect/vitest"
import { Duration, Effect, Redacted, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { effectWith } from "../../../../test/support/tests.ts"
import { folder } from "../support/documents.ts"

const tmx = `<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>Screw</seg></tuv><tuv xml:lang="de"><seg>Schraube</seg></tuv></tu>
</body></tmx>`

const fake = NodeFakeLanguageService.layer({ readyAfter: 0 })

/** A run of a program of its own, whose journal is in a folder. */
const run = <A, E>(journal: string, effect: Effect.Effect<A, E, NodeTranslationMemories | TranslationMemories>) =>
  Effect.gen(function*() {
    const { url } = yield* FakeLanguageService
    const layer = NodeLanguageService.layer({
      key: Redacted.make("fake-key"),
      baseUrl: url,
      journal: { folder: journal },
      resilience: { pollBase: Duration.millis(10) }
    })
    return yield* TestClock.withLive(Effect.provide(effect, layer))
  })

const memories = NodeTranslationMemories

const aMemory = FakeLanguageService.use((service) =>
  service.addTranslationMemory({
    sourceLanguage: "en",
    targetLanguages: ["de"],
    name: "Manuals",
    segments: Array.from(
      { length: 2000 },
      (_, index) => ({ source: `Text ${index}`, targets: { de: `TEXT ${index}` } })
    )
  })
)

const test = effectWith(fake)

describe("NodeTranslationMemories", () => {
  test("imports a file and exports it again, to a file or into a folder", function*() {
    const directory = yield* folder
    const path = join(directory, "manuals.tmx")
    writeFileSync(path, tmx)
    const journal = join(directory, "journal")
    const imported = yield* run(journal, memories.use((service) => service.importFile({ source: path })))
    const target = join(directory, "copy.tmx")
    const saved = yield* run(journal, memories.use((service) => service.exportToFile({ ...imported, target })))
    assert.deepInclude(saved, { path: target, bytes: readFileSync(target).length })
    assert.include(readFileSync(target, "utf8"), "Schraube")
    const named = yield* run(
      journal,
      memories.use((service) => service.exportToFile({ ...imported, folder: directory }))
    )
    assert.strictEqual(named.path, join(directory, "manuals (1).tmx"))
    const parts = memories.use(({ importFile }) => importFile({ source: path, fileName: "parts.tmx" }))
    const again = { ...(yield* run(journal, parts)), folder: directory }
    const { path: other } = yield* run(journal, memories.use((service) => service.exportToFile(again)))
    assert.strictEqual(other, join(directory, "parts.tmx"))
  })

  test("checks files before anything is sent", function*() {
    const directory = yield* folder
    const journal = join(directory, "journal")
    const path = join(directory, "page.html")
    writeFileSync(path, "<html></html>")
    const translationMemoryId = yield* aMemory
    const tag = <A, E extends { readonly _tag: string }>(
      effect: Effect.Effect<A, E, NodeTranslationMemories | TranslationMemories>
    ) => Effect.map(Effect.flip(run(journal, effect)), ({ _tag }) => _tag)
    assert.strictEqual(yield* tag(memories.use((service) => service.importFile({ source: path }))), "InvalidInput")
    assert.strictEqual(
      yield* tag(memories.use((service) => service.importFile({ source: join(directory, "none.tmx") }))),
      "SourceUnusable"
    )
    assert.strictEqual(
      yield* tag(memories.use((service) => service.exportToFile({ translationMemoryId, target: path }))),
      "TargetExists"
    )
    assert.deepStrictEqual(yield* (yield* FakeLanguageService).requests, [])
  })

  test("exports again after an export that was ended at any event, and leaves no other file", function*() {
    const directory = yield* folder
    const journal = join(directory, "journal")
    const translationMemoryId = yield* aMemory
    const exported = (path: string) =>
      memories.use((service) => service.exportToFile({ translationMemoryId, target: path }))
    const all = yield* run(journal, Stream.runCollect(Progress.stream(exported(join(directory, "whole.tmx")))))
    assert.isAbove(all.length, 3)
    for (const index of all.keys()) {
      const path = join(directory, `${index}.tmx`)
      yield* run(journal, Stream.runDrain(Stream.take(Progress.stream(exported(path)), index + 1)))
      if (!existsSync(path)) yield* run(journal, exported(path))
      assert.include(readFileSync(path, "utf8"), "TEXT 1999")
    }
    assert.deepStrictEqual(readdirSync(directory).filter((name) => name.endsWith(".part")), [])
  })

  test("gives each of several exports into a folder a name of its own", function*() {
    const directory = yield* folder
    const journal = join(directory, "journal")
    const translationMemoryId = yield* aMemory
    const one = memories.use((service) => service.exportToFile({ translationMemoryId, folder: directory }))
    const saved = yield* run(journal, Effect.all([one, one, one, one], { concurrency: "unbounded" }))
    assert.strictEqual(new Set(saved.map(({ path }) => path)).size, 4)
    for (const { path } of saved) assert.include(readFileSync(path, "utf8"), "TEXT 1999")
  })

  test("tells the second of two exports to one file that it exists, after its requests", function*() {
    const directory = yield* folder
    const journal = join(directory, "journal")
    const translationMemoryId = yield* aMemory
    const path = join(directory, "one.tmx")
    const one = memories.use((service) => Effect.result(service.exportToFile({ translationMemoryId, target: path })))
    const results = yield* run(journal, Effect.all([one, one], { concurrency: "unbounded" }))
    const failures = results.flatMap((result) => Result.isFailure(result) ? [result.failure] : [])
    assert.deepStrictEqual(failures.map(({ _tag }) => _tag), ["TargetExists"])
    assert.include(failures[0]?.message, `${path} exists. Tried`)
    assert.include(failures[0]?.message, "Nothing was saved; name another target or set overwrite")
    assert.include(readFileSync(path, "utf8"), "TEXT 1999")
  })
})
