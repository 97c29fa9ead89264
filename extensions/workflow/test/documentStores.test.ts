/** What each store promises, whatever it keeps its documents in. */
import { DocumentStore, NodeDocumentStore } from "@effect-lingua/workflow"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../packages/node/test/support/documents.ts"

const source = { "a.txt": "Guten Tag" }

const stores = {
  "in memory": Effect.succeed(DocumentStore.layerMemory(source)),
  "in a folder": Effect.map(folder, (folder) => {
    for (const [name, text] of Object.entries(source)) writeFileSync(join(folder, name), text)
    return NodeDocumentStore.layer({ folder })
  })
}

const chunks = (...texts: ReadonlyArray<string>) =>
  Stream.map(Stream.fromIterable(texts), (text) => new TextEncoder().encode(text))

const textOf = Effect.fnUntraced(function*(name: string) {
  const store = yield* DocumentStore
  return yield* Stream.mkString(Stream.decodeText((yield* store.read(name)).content))
})

describe.each(Object.entries(stores))("a store %s", (_, makeLayer) => {
  const check = <E>(name: string, test: (store: DocumentStore["Service"]) => Effect.Effect<void, E, DocumentStore>) =>
    it.live(
      name,
      () => Effect.flatMap(makeLayer, (layer) => Effect.provide(DocumentStore.use(test), layer)).pipe(Effect.scoped)
    )

  check("reads what is there, as often as it is asked, and fails for what is not", (store) =>
    Effect.gen(function*() {
      const { content, size } = yield* store.read("a.txt")
      assert.strictEqual(size, 9)
      const text = Stream.mkString(Stream.decodeText(content))
      assert.deepStrictEqual([yield* text, yield* text], ["Guten Tag", "Guten Tag"])
      assert.strictEqual((yield* store.find("a.txt"))?.size, 9)
      assert.isUndefined(yield* store.find("b.txt"))
      const { _tag, message } = yield* Effect.flip(store.read("b.txt"))
      assert.strictEqual(_tag, "PersistenceError")
      assert.include(message, "b.txt")
    }))

  check("makes a translation visible when it is complete", (store) =>
    Effect.gen(function*() {
      const visible: Array<unknown> = []
      const content = Stream.tap(chunks("Good ", "day"), () =>
        Effect.map(store.find("b.txt"), (found) => void visible.push(found)))
      assert.deepStrictEqual(yield* store.write("b.txt", content), { size: 8 })
      assert.deepStrictEqual(visible, [undefined, undefined])
      assert.strictEqual(yield* textOf("b.txt"), "Good day")
      assert.strictEqual((yield* store.find("b.txt"))?.size, 8)
      assert.isUndefined(yield* store.part("b.txt"))
      yield* store.write("empty.txt", Stream.empty)
      assert.strictEqual(yield* textOf("empty.txt"), "")
    }))

  check(
    "keeps what arrived of a translation, also when the next attempt brings nothing",
    (store) =>
      Effect.gen(function*() {
        const cut = Stream.concat(chunks("Good d"), Stream.fail("cut"))
        assert.strictEqual(yield* Effect.flip(store.write("b.txt", cut)), "cut")
        assert.isUndefined(yield* store.find("b.txt"))
        assert.strictEqual((yield* store.part("b.txt"))?.size, 6)
        assert.strictEqual(yield* Effect.flip(store.write("b.txt", Stream.fail("gone"))), "gone")
        assert.strictEqual((yield* store.part("b.txt"))?.size, 6)
        yield* store.write("b.txt", chunks("day"))
        assert.strictEqual(yield* textOf("b.txt"), "day")
        assert.isUndefined(yield* store.part("b.txt"))
        // The end of a translation without bytes is one.
        yield* Effect.flip(store.write("c.txt", cut))
        yield* store.write("c.txt", Stream.empty)
        assert.strictEqual(yield* textOf("c.txt"), "")
      })
  )

  check("replaces a translation only if it is asked to, and tells both apart", (store) =>
    Effect.gen(function*() {
      yield* store.write("b.txt", chunks("old"))
      const before = yield* store.find("b.txt")
      assert.deepStrictEqual(yield* store.find("b.txt"), before)
      assert.include((yield* Effect.flip(store.write("b.txt", chunks("new")))).message, "b.txt")
      assert.strictEqual(yield* textOf("b.txt"), "old")
      assert.strictEqual((yield* store.part("b.txt"))?.size, 3)
      assert.deepStrictEqual(yield* store.complete("b.txt", { overwrite: true }), { size: 3 })
      assert.strictEqual(yield* textOf("b.txt"), "new")
      assert.isUndefined(yield* store.part("b.txt"))
      const after = yield* store.find("b.txt")
      assert.notDeepEqual(after, before)
      yield* store.write("b.txt", chunks("two"), { overwrite: true })
      assert.notDeepEqual(yield* store.find("b.txt"), after)
    }))

  check("completes what an attempt left, once", (store) =>
    Effect.gen(function*() {
      yield* Effect.flip(store.write("b.txt", Stream.concat(chunks("whole"), Stream.fail("killed"))))
      assert.deepStrictEqual(yield* store.complete("b.txt"), { size: 5 })
      assert.strictEqual(yield* textOf("b.txt"), "whole")
      assert.isUndefined(yield* store.part("b.txt"))
      yield* Effect.flip(store.complete("b.txt"))
      yield* Effect.flip(store.complete("c.txt"))
      assert.isUndefined(yield* store.find("c.txt"))
      assert.isUndefined(yield* store.part("c.txt"))
    }))

  check("claims a target for one owner, until its release", (store) =>
    Effect.gen(function*() {
      yield* store.claim("b.txt", "one")
      yield* store.claim("b.txt", "one")
      yield* store.claim("c.txt", "two")
      const error = yield* Effect.flip(store.claim("b.txt", "two"))
      assert.deepInclude<object>(error, { _tag: "TargetExists", path: "b.txt", claimedBy: "one" })
      yield* store.release("b.txt", "two")
      yield* Effect.flip(store.claim("b.txt", "two"))
      yield* store.release("b.txt", "one")
      yield* store.claim("b.txt", "two")
    }))
})
