import * as JobProgress from "@effect-lingua/core/jobs/JobProgress"
import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import { NodeTranslationMemories, type ResumeExportOptions } from "@effect-lingua/node/files/NodeTranslationMemories"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder, journalIn, ownerOf } from "../support/documents.ts"

const tmx = `<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>Screw</seg></tuv><tuv xml:lang="de"><seg>Schraube</seg></tuv></tu>
</body></tmx>`

const fake = NodeFakeLanguageService.layer({ readyAfter: 0 })

/** A run of a program of its own, whose journal is in a folder. */
const run = <A, E>(
  journal: string,
  effect: Effect.Effect<A, E, NodeTranslationMemories | TranslationMemories>
) =>
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

const pending = TranslationMemories.use((service) => service.pending)

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

describe("NodeTranslationMemories", () => {
  it.effect("imports a file and exports it again, to a file or into a folder", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const path = join(directory, "manuals.tmx")
      writeFileSync(path, tmx)
      const journal = join(directory, "journal")
      const imported = yield* run(journal, memories.use((service) => service.importFile({ path })))
      const target = join(directory, "copy.tmx")
      const saved = yield* run(journal, memories.use((service) => service.exportToFile({ ...imported, path: target })))
      assert.deepInclude(saved, { path: target, bytes: readFileSync(target).length })
      assert.include(readFileSync(target, "utf8"), "Schraube")
      const named = yield* run(
        journal,
        memories.use((service) => service.exportToFile({ ...imported, folder: directory }))
      )
      assert.strictEqual(named.path, join(directory, "manuals (1).tmx"))
      assert.deepStrictEqual(yield* run(journal, pending), [])
    }).pipe(Effect.provide(fake)))

  it.effect("checks files before anything is sent", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const journal = join(directory, "journal")
      const path = join(directory, "page.html")
      writeFileSync(path, "<html></html>")
      const translationMemoryId = yield* aMemory
      const tag = <A, E extends { readonly _tag: string }>(
        effect: Effect.Effect<A, E, NodeTranslationMemories | TranslationMemories>
      ) => Effect.map(Effect.flip(run(journal, effect)), ({ _tag }) => _tag)
      assert.strictEqual(yield* tag(memories.use((service) => service.importFile({ path }))), "InvalidInput")
      assert.strictEqual(
        yield* tag(memories.use((service) => service.importFile({ path: join(directory, "none.tmx") }))),
        "SourceUnusable"
      )
      assert.strictEqual(
        yield* tag(memories.use((service) => service.exportToFile({ translationMemoryId, path }))),
        "TargetExists"
      )
      assert.deepStrictEqual(yield* (yield* FakeLanguageService).requests, [])
    }).pipe(Effect.provide(fake)))

  it.effect(
    "goes on with an export that was ended after any event, and leaves nothing behind",
    () =>
      Effect.gen(function*() {
        const directory = yield* folder
        const journal = join(directory, "journal")
        const translationMemoryId = yield* aMemory
        const exported = (path: string) =>
          memories.use((service) => service.exportToFile({ translationMemoryId, path }))
        const all = yield* run(journal, Stream.runCollect(JobProgress.stream(exported(join(directory, "whole.tmx")))))
        assert.isAbove(all.length, 3)
        for (const [index, last] of all.entries()) {
          const path = join(directory, `${index}.tmx`)
          yield* run(journal, Stream.runDrain(Stream.take(JobProgress.stream(exported(path)), index + 1)))
          const [entry] = yield* run(journal, pending)
          if (entry !== undefined) {
            const saved = yield* run(journal, memories.use((service) => service.resumeExport(entry.id)))
            assert.strictEqual(saved.path, path)
          } else assert.include(["Received", "Saved", "Finished"], last._tag)
          assert.include(readFileSync(path, "utf8"), "TEXT 1999")
          assert.deepStrictEqual(yield* run(journal, pending), [])
        }
        assert.deepStrictEqual(readdirSync(directory).filter((name) => name.endsWith(".part")), [])
      }).pipe(Effect.provide(fake))
  )

  it.effect("goes on with an import that was ended after any event, from its file", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const journal = join(directory, "journal")
      const path = join(directory, "manuals.tmx")
      writeFileSync(path, tmx)
      const importing = memories.use((service) => service.importFile({ path }))
      const all = yield* run(journal, Stream.runCollect(JobProgress.stream(importing)))
      for (const [index] of all.entries()) {
        yield* run(journal, Stream.runDrain(Stream.take(JobProgress.stream(importing), index + 1)))
        for (const { id } of yield* run(journal, pending)) {
          yield* run(journal, memories.use((service) => service.resumeImport(id)))
        }
        assert.deepStrictEqual(yield* run(journal, pending), [])
      }
      const made = yield* run(journal, TranslationMemories.use((service) => Stream.runCollect(service.listAll())))
      assert.strictEqual(made.length, all.length + 1)
    }).pipe(Effect.provide(fake)))

  it.effect("goes on with an export whose name was taken: by itself where there are no links, or by another", () =>
    Effect.gen(function*() {
      const { url } = yield* FakeLanguageService
      const directory = yield* folder
      const journal = join(directory, "journal")
      const path = join(directory, "copy.tmx")
      const translationMemoryId = yield* aMemory
      const put = journalIn(journal).put({
        _tag: "Export",
        id: "export-1",
        ...ownerOf(url, "fake-key"),
        startedAt: DateTime.makeUnsafe(0),
        translationMemoryId,
        target: { path, overwrite: false },
        temporary: join(directory, ".copy.part"),
        received: { path, bytes: 5 }
      })
      const resume = (options?: ResumeExportOptions) =>
        run(journal, memories.use((service) => service.resumeExport("export-1", options)))
      yield* put
      writeFileSync(path, "")
      assert.strictEqual((yield* resume()).path, path)
      assert.include(readFileSync(path, "utf8"), "TEXT 1999")
      yield* put
      writeFileSync(path, "other")
      writeFileSync(join(directory, ".copy.part"), "hello")
      assert.strictEqual((yield* Effect.flip(resume()))._tag, "TargetExists")
      assert.strictEqual(readFileSync(path, "utf8"), "other")
      assert.strictEqual((yield* resume({ folder: directory })).path, join(directory, "Manuals.tmx"))
      assert.deepStrictEqual(readdirSync(directory).toSorted(), ["Manuals.tmx", "copy.tmx", "journal"])
      assert.deepStrictEqual(yield* run(journal, pending), [])
    }).pipe(Effect.provide(fake)))

  it.effect("gives each of several exports into a folder a name of its own", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const journal = join(directory, "journal")
      const translationMemoryId = yield* aMemory
      const one = memories.use((service) => service.exportToFile({ translationMemoryId, folder: directory }))
      const saved = yield* run(journal, Effect.all([one, one, one, one], { concurrency: "unbounded" }))
      assert.strictEqual(new Set(saved.map(({ path }) => path)).size, 4)
      for (const { path } of saved) assert.include(readFileSync(path, "utf8"), "TEXT 1999")
    }).pipe(Effect.provide(fake)))
})
