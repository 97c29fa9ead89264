import { Documents, Journal } from "@effect-lingua/core"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { KeyValueStore } from "effect/persistence"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../support/documents.ts"

const fake = FakeLanguageService.layerServices({ readyAfter: 0 })

/** A journal whose store writes, and cannot be read. */
const unreadable = Layer.sync(Journal, () => {
  const fails = Effect.fail(new KeyValueStore.KeyValueStoreError({ method: "get", message: "no connection" }))
  return Journal.make({
    store: KeyValueStore.makeStringOnly({
      get: () => fails,
      set: () => Effect.void,
      remove: () => Effect.void,
      clear: Effect.void,
      size: Effect.succeed(0),
      keys: Effect.succeed([])
    })
  })
})

describe.each([
  ["over the services of the fake", NodeDocuments.layer],
  ["with a journal of its own in the context", Layer.provide(NodeDocuments.layer, Journal.layerMemory)]
])("NodeDocuments %s", (_, documents) => {
  layer(Layer.provideMerge(documents, fake), { excludeTestServices: true })((it) => {
    it.effect("shares the journal of Documents", () =>
      Effect.gen(function*() {
        const directory = yield* folder
        const source = join(directory, "letter.txt")
        writeFileSync(source, "Good day")
        const { translate } = yield* NodeDocuments
        const { path } = yield* translate({ source, target: join(directory, "brief.txt"), targetLanguage: "de" })
        assert.isNotEmpty(readFileSync(path, "utf8"))
      }))
  })
})

describe("NodeDocuments with a journal that cannot be read", () => {
  it.live("saves the document that it has uploaded", () =>
    Effect.gen(function*() {
      const source = join(yield* folder, "letter.txt")
      writeFileSync(source, "Good day")
      const { translate } = yield* NodeDocuments
      const { path } = yield* translate({ source, targetLanguage: "de" })
      assert.strictEqual(readFileSync(path, "utf8"), "[de] Good day")
    }).pipe(Effect.provide(NodeDocuments.layer.pipe(Layer.provide(fake), Layer.provide(unreadable)))))
})

describe("a journal that cannot be read", () => {
  it.live("is the reason why nothing is resumed or adopted", () =>
    Effect.gen(function*() {
      const { adopt, resume } = yield* Documents
      const files = yield* NodeDocuments
      const id = { entryId: "an-upload" }
      const errors = [
        yield* Effect.flip(files.resume(id)),
        yield* Effect.flip(resume(id)),
        yield* Effect.flip(adopt(id))
      ]
      for (const error of errors) {
        assert.deepInclude<object>(error, {
          _tag: "NotResumable",
          description: "The journal cannot be read: no connection"
        })
      }
    }).pipe(Effect.provide(Layer.provideMerge(NodeDocuments.layer, fake).pipe(Layer.provide(unreadable)))))
})

describe("NodeDocuments of a client with a name", () => {
  it.live("has it in its metrics, also for a caller without the client in its context", () =>
    Effect.gen(function*() {
      const client = Layer.provideMerge(
        NodeDocuments.layer,
        FakeLanguageService.layerServices({ client: { name: "eu" } })
      )
      const { upload } = yield* Effect.provide(NodeDocuments, client)
      yield* Effect.flip(upload({ source: "/no/such/file.txt", targetLanguage: "de" }))
      const operations = (yield* Metric.snapshot)
        .filter(({ id }) => id === "language_service.client.operation.duration")
        .map(({ attributes }) => [attributes?.["operation"], attributes?.["client"]])
      assert.deepStrictEqual(operations, [["NodeDocuments.upload", "eu"]])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))
})
