import { DocumentStore } from "@effect-lingua/core/durable/DocumentStore"
import * as NodeDocumentStore from "@effect-lingua/node/NodeDocumentStore"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "./support/documents.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

/** The store of a new folder. */
const store = Effect.gen(function*() {
  const directory = yield* folder
  const service = yield* Effect.provide(
    DocumentStore.use(Effect.succeed),
    NodeDocumentStore.layer({ folder: directory })
  )
  return { directory, service }
})

describe("NodeDocumentStore", () => {
  it.live("reads what is there, and writes a translation whole, in folders that it creates", () =>
    Effect.gen(function*() {
      const { directory, service } = yield* store
      writeFileSync(join(directory, "a.txt"), "Guten Tag")
      const { content, size } = yield* service.read("a.txt")
      assert.strictEqual(size, 9)
      assert.strictEqual(yield* Stream.mkString(Stream.decodeText(content)), "Guten Tag")
      assert.isUndefined(yield* service.find("out/b.txt"))
      assert.deepStrictEqual(yield* service.write("out/b.txt", Stream.make(bytes("Good "), bytes("day"))), { size: 8 })
      assert.deepStrictEqual(yield* service.find("out/b.txt"), { size: 8 })
      assert.strictEqual(readFileSync(join(directory, "out/b.txt"), "utf8"), "Good day")
      assert.strictEqual(statSync(join(directory, "out/b.txt")).mode & 0o777, 0o600)
      assert.deepStrictEqual(readdirSync(join(directory, "out")), ["b.txt"])
    }).pipe(Effect.scoped))

  it.live("keeps what arrived of a translation, also when the next attempt brings nothing", () =>
    Effect.gen(function*() {
      const { directory, service } = yield* store
      const cut = Stream.concat(Stream.make(bytes("Good d")), Stream.fail("cut"))
      assert.strictEqual(yield* Effect.flip(service.write("b.txt", cut)), "cut")
      assert.isUndefined(yield* service.find("b.txt"))
      const part = yield* service.part("b.txt")
      assert.isDefined(part)
      assert.strictEqual(yield* Effect.flip(service.write("b.txt", Stream.fail("gone"))), "gone")
      assert.strictEqual(readFileSync(join(directory, part ?? ""), "utf8"), "Good d")
      yield* service.write("b.txt", Stream.make(bytes("day")))
      assert.strictEqual(readFileSync(join(directory, "b.txt"), "utf8"), "day")
      assert.isUndefined(yield* service.part("b.txt"))
      yield* Effect.flip(service.write("c.txt", cut))
      yield* service.write("c.txt", Stream.empty)
      assert.strictEqual(readFileSync(join(directory, "c.txt"), "utf8"), "")
    }).pipe(Effect.scoped))

  it.live("refuses names that lead out of its folder, and says what cannot be used", () =>
    Effect.gen(function*() {
      const { directory, service } = yield* store
      for (const name of ["", "/etc/passwd", "../a.txt", "a/../../b", "a//b", "a\0b", "a\\b", "."]) {
        const { message } = yield* Effect.flip(service.write(name, Stream.make(bytes("x"))))
        assert.include(message, "is not the name of a file in the folder of the store")
        assert.include((yield* Effect.flip(service.read(name))).message, JSON.stringify(name))
      }
      assert.include((yield* Effect.flip(service.read("missing.txt"))).message, "there is no file missing.txt")
      writeFileSync(join(directory, "file"), "")
      const { message } = yield* Effect.flip(service.write("file/b.txt", Stream.make(bytes("x"))))
      assert.include(message, "file/b.txt cannot be written")
    }).pipe(Effect.scoped))
})
