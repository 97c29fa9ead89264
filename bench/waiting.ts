/**
 * What waiting costs: memory of a runner and its requests in flight while so many documents are translated, which takes an hour each. The
 * database is in memory: in a file each document takes a dozen transactions, whose time is that of the disk.
 *
 *     npx -y pnpm@12 bench:waiting [documents]
 */
import { ClientState } from "@effect-lingua/core/client/ClientState"
import * as DocumentStore from "@effect-lingua/core/durable/DocumentStore"
import * as DocumentWorkflow from "@effect-lingua/core/durable/DocumentWorkflow"
import * as NodeSqlite from "@effect-lingua/node/NodeSqlite"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Duration, Effect, Layer } from "effect"
import { ClusterWorkflowEngine, SingleRunner } from "effect/cluster"

const documents = Number(process.argv[2] ?? 10_000)

const layer = DocumentWorkflow.layer({ firstPoll: "1 hour", longestPoll: "1 hour" }).pipe(
  Layer.provideMerge(ClusterWorkflowEngine.layer),
  Layer.provide(SingleRunner.layer()),
  Layer.provide(NodeCrypto.layerDigest),
  Layer.provide(NodeSqlite.layer({ path: ":memory:" })),
  Layer.provide(DocumentStore.layerMemory({ "letter.txt": "Guten Tag" })),
  Layer.provideMerge(FakeLanguageService.layerServices({
    readyAfter: "1 hour",
    maxDocuments: documents
  }))
)

const heap = Effect.sync(() => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1024 / 1024
})

const uploads = FakeLanguageService.FakeLanguageService.use((fake) =>
  Effect.map(fake.effects(), (effects) => effects["Documents.upload"].count)
)

const start = (from: number, to: number) =>
  Effect.gen(function*() {
    yield* Effect.forEach(
      Array.from({ length: to - from }, (_, index) => from + index),
      (index) =>
        DocumentWorkflow.workflow.execute({
          id: `${index}`,
          source: "letter.txt",
          target: `${index}.txt`,
          fields: { targetLanguage: "en-US" }
        }, { discard: true }),
      { concurrency: 100, discard: true }
    )
    while ((yield* uploads) < to) yield* Effect.sleep("100 millis")
  })

/** Documents that are started at a time: one database answers for all of them, and for the runner's hold on its shards. */
const wave = 250

/** The engine keeps what it knows of an execution for a minute after its last step. */
const settled = Effect.sleep("70 seconds")

const program = Effect.gen(function*() {
  yield* start(0, 100)
  yield* settled
  const before = yield* heap
  const [took] = yield* Effect.timed(
    Effect.forEach(Array.from({ length: Math.ceil((documents - 100) / wave) }), (_, index) => {
      const from = 100 + index * wave
      return start(from, Math.min(from + wave, documents))
    }, { discard: true })
  )
  yield* settled
  const after = yield* heap
  const { inFlight, queued } = yield* ClientState.use((state) => state.get())
  yield* Console.log(
    `${documents} documents are waited for: ${
      ((after - before) * 1024 / (documents - 100)).toFixed(1)
    } KiB of memory for each, with ` +
      `those of the fake; ${inFlight} requests in flight, ${queued} queued; uploaded in ${Duration.format(took)}`
  )
}).pipe(Effect.provide(layer))

NodeRuntime.runMain(program)
