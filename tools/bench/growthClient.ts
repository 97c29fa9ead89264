/** A process that does the requested amount of one kind of work. Argument: `GrowthOrder`, as JSON. */
import { Detection } from "@effect-lingua/core/texts/Detection"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, FileSystem, Layer, ManagedRuntime, Redacted, Stream } from "effect"
import { join } from "node:path"
import type { GrowthKind, GrowthOrder } from "./protocol.ts"
import { answerRuns } from "./running.ts"

const order: GrowthOrder = JSON.parse(process.argv[2] ?? "{}")

const services = Layer.merge(
  NodeLanguageService.layer({
    key: Redacted.make("key"),
    baseUrl: order.url,
    journal: { folder: join(order.folder, `journal-${process.pid}`) }
  }),
  NodeFileSystem.layer
)

// Generated on demand, so that the texts take no memory.
const textsOf = function*(size: number) {
  for (let index = 0; index < size; index++) yield `All is well that ends well, number ${index}.`
}

const target = join(order.folder, `translated-${process.pid}`)

const runtime = ManagedRuntime.make(services)

const clear = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.remove(target, { recursive: true, force: true }))

const translateDocuments = Effect.fnUntraced(function*(size: number) {
  const fs = yield* FileSystem.FileSystem
  const documents = yield* NodeDocuments
  yield* fs.makeDirectory(target)
  const saved = yield* Effect.forEach(
    Array.from({ length: size }, (_, index) => join(target, `${index}.txt`)),
    (path) => documents.translate({ source: order.source, target: path, targetLanguage: "de" }),
    { concurrency: "unbounded" }
  )
  return saved.length
})

const works: Readonly<Record<GrowthKind, (size: number) => Promise<number>>> = {
  detectAll: (size) =>
    runtime.runPromise(Effect.flatMap(Detection, (detection) => Stream.runCount(detection.detectAll(textsOf(size))))),
  translateAll: (size) =>
    runtime.runPromise(
      Effect.flatMap(
        Translation,
        (translation) => Stream.runCount(translation.translateAll(textsOf(size), { targetLanguage: "de" }))
      )
    ),
  documents: (size) => runtime.runPromise(translateDocuments(size))
}

answerRuns(works[order.kind], () => runtime.runPromise(clear))
