/**
 * Measures the cost of waiting documents, whose translations take an hour, in one process with SQLite: the time to start the documents, memory and
 * statements while the documents wait, and the time until all documents continue after a restart.
 *
 *     npx -y pnpm@12 exec node --expose-gc tools/bench/waiting.ts [documents …]
 */
import { ClientState } from "@effect-lingua/core/telemetry/ClientState"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { DocumentStore } from "@effect-lingua/workflow/DocumentStore"
import * as DocumentWorkflow from "@effect-lingua/workflow/DocumentWorkflow"
import * as NodeSqlite from "@effect-lingua/workflow/NodeSqlite"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Console, Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { countSqlite } from "./countSqlite.ts"
import { machine, table } from "./report.ts"

const given = process.argv.slice(2).map(Number)
const numbers = given.length === 0 ? [100, 1000, 5000] : given

/** Milliseconds between status requests of a document: long enough that all documents have started before the first is due. */
const pause = 120_000

const counts = countSqlite()

const engine = (path: string) =>
  DocumentWorkflow.layer({ firstPoll: pause, longestPoll: pause }).pipe(
    Layer.provideMerge(NodeSqlite.layerWorkflowEngine({ path })),
    Layer.provide(DocumentStore.layerMemory({ "letter.txt": "Guten Tag" }))
  )

const heap = Effect.sync(() => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1024
})

const questions = FakeLanguageService.use((fake) =>
  Effect.map(fake.requests, (requests) => requests.filter(({ operation }) => operation === "Documents.status").length)
)

/** Seconds until the fake has received `number` status requests. */
const untilAsked = (number: number) =>
  Effect.gen(function*() {
    const begun = yield* Clock.currentTimeMillis
    while ((yield* questions) < number) yield* Effect.sleep("50 millis")
    return ((yield* Clock.currentTimeMillis) - begun) / 1000
  })

const start = (number: number) =>
  Effect.forEach(Array.from({ length: number }, (_, index) => index), (index) =>
    DocumentWorkflow.workflow.execute({
      id: `${index}`,
      source: "letter.txt",
      target: `${index}.txt`,
      fields: { targetLanguage: "en-US" }
    }, { discard: true }), { concurrency: 100, discard: true })

const measure = Effect.fnUntraced(function*(number: number) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "bench-waiting-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  const path = join(folder, "work.sqlite")
  const fake = yield* FakeLanguageService
  const uploads = Effect.map(fake.effects, (effects) => effects["Documents.upload"].count)
  const empty = yield* heap
  const waiting = yield* Effect.gen(function*() {
    const begun = yield* Clock.currentTimeMillis
    const cpu = process.cpuUsage()
    yield* start(number)
    while ((yield* uploads) < number) yield* Effect.sleep("50 millis")
    const { system, user } = process.cpuUsage(cpu)
    const started = ((yield* Clock.currentTimeMillis) - begun) / 1000
    // The engine removes an execution from memory some seconds after its last step.
    yield* Effect.sleep("30 seconds")
    const { inFlight } = yield* ClientState.use((state) => state.get)
    const before = counts.statements
    yield* Effect.sleep("10 seconds")
    return {
      started,
      cpu: (system + user) / 1000 / number,
      memory: ((yield* heap) - empty) / number,
      statements: (counts.statements - before) / 10,
      inFlight
    }
  }).pipe(Effect.provide(engine(path), { local: true }))
  yield* Effect.sleep(pause)
  const [first, all] = yield* Effect.gen(function*() {
    const first = yield* untilAsked(1)
    return [first, first + (yield* untilAsked(number))]
  }).pipe(Effect.provide(engine(path), { local: true }))
  return [
    `${number}`,
    waiting.started.toFixed(1),
    waiting.cpu.toFixed(1),
    waiting.memory.toFixed(1),
    waiting.statements.toFixed(1),
    `${waiting.inFlight}`,
    first?.toFixed(1) ?? "",
    all?.toFixed(1) ?? ""
  ]
}, Effect.scoped)

const program = Effect.gen(function*() {
  const rows = yield* Effect.forEach(numbers, (number) =>
    Effect.provide(
      measure(number),
      FakeLanguageService.layerServices({ readyAfter: "1 hour", maxDocuments: number }),
      { local: true }
    ))
  yield* Console.log(`${machine()}\n`)
  yield* Console.log(table([
    "documents",
    "start, s",
    "CPU of each, ms",
    "memory of each while it waits, KiB",
    "statements a second",
    "requests in flight",
    "first after a restart, s",
    "all, s"
  ], rows))
})

NodeRuntime.runMain(program)
