/**
 * A process that translates small documents in one of the ways of `fleet.ts`, and counts the statements of its database. Argument: `FleetOrder`, as
 * JSON.
 */
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as DocumentWorkflow from "@effect-lingua/workflow/DocumentWorkflow"
import * as NodeDocumentStore from "@effect-lingua/workflow/NodeDocumentStore"
import * as NodeSqlite from "@effect-lingua/workflow/NodeSqlite"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, ManagedRuntime, Option, Redacted, Stream } from "effect"
import { ClusterWorkflowEngine, RunnerAddress } from "effect/cluster"
import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { countSqlite } from "./countSqlite.ts"
import { type FleetOrder, onMessage, sendToParent } from "./protocol.ts"
import { answerRuns } from "./running.ts"

const order: FleetOrder = JSON.parse(process.argv[2] ?? "{}")

const counts = countSqlite()

const service = NodeLanguageService.layer({ key: Redacted.make("key"), baseUrl: order.url })
const journal = NodeJournal.layer({ folder: join(order.folder, "journal") })

const database = Layer.suspend(() => PgClient.layer({ url: Redacted.make(order.database ?? ""), maxConnections: 5 }))

const engine = Layer.suspend(() => {
  if (order.way === "SQLite") return NodeSqlite.layerWorkflowEngine({ path: join(order.folder, "work.sqlite") })
  const runnerAddress = Option.map(Option.fromNullishOr(order.port), (port) => RunnerAddress.make("127.0.0.1", port))
  return ClusterWorkflowEngine.layer.pipe(
    Layer.provide(
      NodeClusterSocket.layer({ clientOnly: order.way === "PostgreSQL, client", shardingConfig: { runnerAddress } })
    ),
    Layer.provide(database)
  )
})

const workflow = DocumentWorkflow.layer({ firstPoll: "100 millis", longestPoll: "100 millis" }).pipe(
  Layer.provideMerge(engine),
  Layer.provide(NodeDocumentStore.layer({ folder: order.folder })),
  Layer.provide(service),
  Layer.provide(journal)
)

const nameOf = (index: number) => `${index}.txt`

/** Number of runs so far, which gives each run new file names. */
let runs = 0

const files = (concurrency: number) => {
  const runtime = ManagedRuntime.make(Layer.provide(service, journal))
  return (size: number) => {
    const out = join(order.folder, `out-${process.pid}-${++runs}`)
    mkdirSync(out)
    const all = NodeDocuments.use(({ translate }) =>
      Effect.forEach(
        Array.from({ length: size }, (_, index) => nameOf(index)),
        (name) => translate({ source: join(order.folder, name), target: join(out, name), targetLanguage: "de" }),
        { concurrency }
      )
    )
    return runtime.runPromise(Effect.map(all, ({ length }) => length))
  }
}

const requestsOf = (size: number) => {
  const run = ++runs
  return Stream.map(Stream.range(0, size - 1), (index) =>
    new DocumentWorkflow.DocumentRequest({
      id: `${run} ${index}`,
      source: nameOf(index),
      target: `out/${run}-${nameOf(index)}`,
      fields: { targetLanguage: "de" }
    }))
}

const requesting = () => {
  const runtime = ManagedRuntime.make(order.way === "SQLite" ? workflow : engine)
  return (size: number) =>
    runtime.runPromise(
      Stream.runFold(
        DocumentWorkflow.all(requestsOf(size), { concurrency: 50 }),
        () => 0,
        (done, { result }) => result._tag === "Success" ? done + 1 : done
      )
    )
}

/** Starts a runner. A run ends when all translations are saved. */
const running = () => {
  void ManagedRuntime.make(workflow).context()
  const saved = Effect.sync(() => readdirSync(join(order.folder, "out")).filter((name) => !name.startsWith(".")).length)
  let before = 0
  return (size: number) =>
    Effect.runPromise(
      Effect.as(
        Effect.repeat(Effect.delay(saved, "50 millis"), { until: (count) => count === before + size }),
        size
      ).pipe(Effect.tap(() => Effect.sync(() => before += size)))
    )
}

const works: Readonly<Record<FleetOrder["way"], () => (size: number) => Promise<number>>> = {
  "one after the other": () => files(1),
  "20 at a time": () => files(20),
  "SQLite": requesting,
  "PostgreSQL, client": requesting,
  "PostgreSQL, runner": running
}

onMessage(({ tag }) => {
  if (tag === "count") sendToParent({ tag: "transactions", ...counts })
})
answerRuns(works[order.way]())
