import { Journal } from "@effect-lingua/core/documents/Journal"
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { DocumentStore, DocumentWorkflow, NodeDocumentStore, NodeSqlite } from "@effect-lingua/workflow"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Stream } from "effect"
import { WorkflowEngine } from "effect/workflow"
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../packages/node/test/support/documents.ts"
import { live } from "../../../test/support/tests.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

/** The store of a new folder. */
const store = Effect.gen(function*() {
  const directory = join(yield* folder, "store")
  mkdirSync(directory)
  const service = yield* Effect.provide(
    DocumentStore.use(Effect.succeed),
    NodeDocumentStore.layer({ folder: directory })
  )
  return { directory, service }
})

describe("NodeDocumentStore", () => {
  live("reads what is there, and writes a translation whole, in folders that it creates", function*() {
    const { directory, service } = yield* store
    writeFileSync(join(directory, "a.txt"), "Guten Tag")
    assert.strictEqual((yield* service.read("a.txt")).size, 9)
    yield* service.write("out/b.txt", Stream.make(bytes("Good "), bytes("day")))
    assert.strictEqual(readFileSync(join(directory, "out/b.txt"), "utf8"), "Good day")
    assert.strictEqual(statSync(join(directory, "out/b.txt")).mode & 0o777, 0o600)
    assert.deepStrictEqual(readdirSync(join(directory, "out")), ["b.txt"])
  })

  live("refuses names that lead out of its folder, and says what cannot be used", function*() {
    const { directory, service } = yield* store
    for (const name of ["", "/etc/passwd", "../a.txt", "a/../../b", "a//b", "a\0b", "a\\b", "."]) {
      const { message } = yield* Effect.flip(service.write(name, Stream.make(bytes("x"))))
      assert.include(message, "allowed the name of a file in the folder of the store")
      assert.include((yield* Effect.flip(service.read(name))).message, JSON.stringify(name))
    }
    assert.include((yield* Effect.flip(service.read("missing.txt"))).message, "there is no file missing.txt")
    writeFileSync(join(directory, "file"), "")
    const { message } = yield* Effect.flip(service.write("file/b.txt", Stream.make(bytes("x"))))
    assert.include(message, `given "file/b.txt", allowed a name that a file can have`)
  })

  live("keeps claims beyond a restart, and leaves no file of them", function*() {
    const { directory, service } = yield* store
    const later = yield* Effect.provide(
      DocumentStore.use(Effect.succeed),
      NodeDocumentStore.layer({ folder: directory }),
      { local: true }
    )
    yield* service.claim("out/a.txt", "one")
    yield* later.claim("out/a.txt", "one")
    const error = yield* Effect.flip(later.claim("out/a.txt", "two"))
    assert.deepInclude<object>(error, { _tag: "TargetExists", claimedBy: "one" })
    yield* later.release("out/a.txt", "two")
    yield* Effect.flip(later.claim("out/a.txt", "two"))
    yield* later.release("out/a.txt", "one")
    yield* service.claim("out/a.txt", "two")
    // A kill during the rename leaves a translation under both names.
    writeFileSync(join(directory, "out/a.txt"), "Good day")
    linkSync(join(directory, "out/a.txt"), join(directory, "out/.a.txt.translation.part"))
    yield* service.release("out/a.txt", "two")
    assert.deepStrictEqual(readdirSync(join(directory, "out")), ["a.txt"])
  })

  live("refuses folders, and links that lead out of its folder", function*() {
    const { directory, service } = yield* store
    const outside = `${directory}-other`
    mkdirSync(outside)
    writeFileSync(join(outside, "secret.txt"), "secret")
    mkdirSync(join(directory, "in"))
    symlinkSync(outside, join(directory, "link"))
    symlinkSync(join(outside, "secret.txt"), join(directory, "secret.txt"))
    for (const name of ["in", "link/secret.txt", "link/new/a.txt", "secret.txt"]) {
      assert.strictEqual((yield* Effect.flip(service.read(name)))._tag, "InvalidInput")
      assert.strictEqual((yield* Effect.flip(service.find(name)))._tag, "InvalidInput")
      assert.strictEqual((yield* Effect.flip(service.claim(name, "one")))._tag, "InvalidInput")
    }
    assert.strictEqual(
      (yield* Effect.flip(service.write("link/a.txt", Stream.make(bytes("x")))))._tag,
      "InvalidInput"
    )
    assert.deepStrictEqual(readdirSync(outside), ["secret.txt"])
  })

  live("refuses links that lead nowhere, names that no file can have, and those of its own files", function*() {
    const { directory, service } = yield* store
    symlinkSync(join(directory, "..", "later.txt"), join(directory, "dangling"))
    symlinkSync("circle", join(directory, "circle"))
    writeFileSync(join(directory, "file"), "")
    for (const name of ["dangling", "dangling/a.txt", "circle", "circle/a.txt", "file/a.txt", "a".repeat(300)]) {
      assert.strictEqual((yield* Effect.flip(service.find(name)))._tag, "InvalidInput", name)
      assert.strictEqual((yield* Effect.flip(service.claim(name, "one")))._tag, "InvalidInput", name)
    }
    yield* service.claim("a.txt", "one")
    yield* Effect.flip(service.write("a.txt", Stream.concat(Stream.make(bytes("par")), Stream.fail("cut"))))
    const own = readdirSync(directory).filter((name) => name.endsWith(".part"))
    assert.lengthOf(own, 2)
    for (const name of [...own, `in/${own[0]}`]) {
      const uses = [service.claim(name, "two"), service.write(name, Stream.make(bytes("two")), { overwrite: true })]
      for (const use of uses) assert.strictEqual((yield* Effect.flip(use))._tag, "InvalidInput", name)
      assert.strictEqual((yield* Effect.flip(service.read(name)))._tag, "InvalidInput", name)
    }
    assert.deepInclude<object>(yield* Effect.flip(service.claim("a.txt", "two")), { claimedBy: "one" })
  })

  it.live("refuses the files of the engine and of the journal, also through a link and before they are there", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const outside = yield* folder
      writeFileSync(join(directory, "a.txt"), "Guten Tag")
      symlinkSync(join(directory, "real.sqlite"), join(outside, "linked.sqlite"))
      const layer = DocumentWorkflow.layer({ firstPoll: "10 millis" }).pipe(
        Layer.provideMerge(NodeSqlite.layerWorkflowEngine({ path: join(directory, "work.sqlite") })),
        Layer.merge(NodeSqlite.layer({ path: join(outside, "linked.sqlite") })),
        Layer.provide(NodeDocumentStore.layer({ folder: directory })),
        Layer.provideMerge(FakeLanguageService.layerServices({ readyAfter: 0 })),
        Layer.provideMerge(NodeJournal.layer({ folder: join(directory, "journal") }))
      )
      yield* Effect.gen(function*() {
        const journal = yield* Journal
        yield* journal.put({
          _tag: "Uploading",
          uploadId: "one",
          host: "",
          account: "",
          startedAt: DateTime.makeUnsafe(0)
        })
        symlinkSync("work.sqlite", join(directory, "link.txt"))
        symlinkSync("journal", join(directory, "folder"))
        const before = readFileSync(join(directory, "journal/document-one.json"), "utf8")
        const names = ["", "-wal", "-shm", "-journal", ".lock"].map((suffix) => `work.sqlite${suffix}`)
        const more = ["WORK.sqlite-wal", "link.txt", "real.sqlite", "real.sqlite-wal", "folder/.document-x.json.1.tmp"]
        for (const target of [...names, ...more, "journal/document-one.json", "folder/document-two.json"]) {
          const fields = { targetLanguage: "en-US" }
          for (const given of [{ source: "a.txt", target, overwrite: true }, { source: target, target: "b.txt" }]) {
            const id = `${given.source} ${given.target}`
            const error = yield* Effect.flip(DocumentWorkflow.execute({ id, fields, ...given }))
            assert.deepInclude<object>(error, { _tag: "DocumentNotTranslated", cause: "InvalidInput" }, id)
            assert.include(error.message, "a file that is not a database or journal of this program", id)
          }
        }
        assert.strictEqual(readFileSync(join(directory, "journal/document-one.json"), "utf8"), before)
        assert.lengthOf(yield* (yield* FakeLanguageService).requests, 0)
        const other = { source: "a.txt", target: "journal/document.txt", fields: { targetLanguage: "en-US" } }
        assert.strictEqual((yield* DocumentWorkflow.execute({ id: "other", ...other })).size, 17)
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped))

  live("ends a workflow whose names can never be used before anything is sent, and not as transient", function*() {
    const directory = yield* folder
    writeFileSync(join(directory, "a.txt"), "Guten Tag")
    mkdirSync(join(directory, "in"))
    const layer = DocumentWorkflow.layer().pipe(
      Layer.provideMerge(WorkflowEngine.layerMemory),
      Layer.provide(NodeDocumentStore.layer({ folder: directory })),
      Layer.provideMerge(FakeLanguageService.layerServices())
    )
    yield* Effect.gen(function*() {
      const names = [["../a.txt", "b.txt"], ["a\0.txt", "b.txt"], ["in", "b.txt"], ["a.txt", "../b.txt"], [
        "a.txt",
        "in"
      ]]
      for (const [source = "", target = ""] of names) {
        const given = { id: `${source} ${target}`, source, target, fields: { targetLanguage: "en-US" } }
        const error = yield* Effect.flip(DocumentWorkflow.execute(given))
        assert.deepInclude<object>(error, {
          _tag: "DocumentNotTranslated",
          cause: "InvalidInput",
          isTransient: false
        })
        assert.include(error.message, "Correct it")
      }
      assert.lengthOf(yield* (yield* FakeLanguageService).requests, 0)
    }).pipe(Effect.provide(layer))
  })
})
