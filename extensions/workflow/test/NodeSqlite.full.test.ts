import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import { DocumentStore } from "@effect-lingua/workflow/DocumentStore"
import * as DocumentWorkflow from "@effect-lingua/workflow/DocumentWorkflow"
import * as NodeSqlite from "@effect-lingua/workflow/NodeSqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Random, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../packages/node/test/support/documents.ts"
import { bundled } from "../../../test/support/bundled.ts"
import { killed } from "../../../test/support/killed.ts"
import { startNode, variablesOf } from "../../../test/support/processes.ts"
import { scaled } from "../../../test/support/scale.ts"
import { request } from "./support/request.ts"

const Results = Schema.fromJsonString(Schema.Array(Schema.Tuple([Schema.String, Schema.String, Schema.Int])))

const script = await bundled(new URL("support/singleRunner.ts", import.meta.url))

describe.concurrent("a single runner on a file", () => {
  it.live("loses no document in silence, and pays for none twice, while it is killed", () =>
    Effect.gen(function*() {
      const number = scaled(8, 60)
      const documents = yield* folder
      const out = join(documents, "out")
      mkdirSync(out)
      const fake = yield* FakeLanguageService
      for (let index = 0; index < number; index++) {
        writeFileSync(join(documents, `${index}.txt`), `Guten Tag ${index}.txt`)
      }
      const start = startNode(script, [documents], variablesOf(fake))
      let kills = 0
      const results = join(documents, "results.json")
      const saved = () => readdirSync(out).filter((name) => !name.startsWith("."))
      yield* Effect.gen(function*() {
        while (!existsSync(results)) {
          const runner = yield* start
          const closed = Effect.promise(() => runner.closed)
          if (kills >= scaled(1, 5)) {
            assert.deepStrictEqual(yield* closed, [0, null])
            continue
          }
          yield* Effect.sleep(yield* Random.nextIntBetween(1500, 5000))
          if (existsSync(results)) continue
          kills++
          runner.child.kill("SIGKILL")
          killed()
          const [code] = yield* closed
          assert.oneOf(code, [null, 0])
        }
      }).pipe(Effect.scoped, Effect.timeout("9 minutes"))
      const ended = yield* Schema.decodeEffect(Results)(readFileSync(results, "utf8"))
      assert.strictEqual(new Set(ended.map(([id]) => id)).size, number)
      const lost = ended.filter(([, state]) => state !== "saved")
      assert.deepStrictEqual(lost.filter(([, state]) => state !== "DocumentLost"), [])
      for (const name of saved()) {
        assert.strictEqual(readFileSync(join(out, name), "utf8"), `[en-US] Guten Tag ${name}`)
      }
      assert.strictEqual(saved().length, number - lost.length)
      const effects = yield* fake.effects
      process.stdout.write(
        `${number} documents on a file, ${kills} kills: ${saved().length} saved, ${lost.length} lost, ` +
          `${effects["Documents.upload"].count} uploads, ${effects["Documents.download"].count} downloads\n`
      )
      assert.isAtMost(effects["Documents.download"].count, number)
      // A kill can come between the response and the note of several uploads. Each is repeated, and counted.
      const recorded = ended.reduce((sum, [, , attempts]) => sum + attempts, 0)
      assert.isAtMost(effects["Documents.upload"].count, recorded + lost.length * (1 + kills))
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(NodeFakeLanguageService.layer()))), 600_000)
})

describe.concurrent("a database that is lost while documents are translated", () => {
  it.live(
    "fails requests with a typed error, and loses nothing: the same ids go on when it is back",
    () =>
      Effect.gen(function*() {
        const directory = yield* folder
        const layer = DocumentWorkflow.layer({ firstPoll: "200 millis", longestPoll: "200 millis" }).pipe(
          Layer.provideMerge(NodeSqlite.layerWorkflowEngine({
            path: join(directory, "work.sqlite"),
            shardingConfig: { entityMessagePollInterval: "300 millis" }
          })),
          Layer.provide(DocumentStore.layerMemory({ "letter.txt": "Guten Tag" })),
          Layer.provideMerge(FakeLanguageService.layerServices({ readyAfter: "500 millis" })),
          Layer.provide(Logger.layer([]))
        )
        yield* Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const fake = yield* FakeLanguageService
          const uploads = Effect.map(fake.effects, (effects) => effects["Documents.upload"].count)
          const first = yield* Effect.forkChild(Effect.result(DocumentWorkflow.execute(request("one"))))
          yield* Effect.repeat(Effect.delay(uploads, "20 millis"), { until: (count) => count === 1 })
          yield* sql`ALTER TABLE cluster_messages RENAME TO away`
          const error = yield* Effect.flip(DocumentWorkflow.execute(request("two")))
          assert.deepInclude<object>(error, { _tag: "WorkflowStorageUnavailable", isTransient: true })
          assert.include(error.message, `document "two"`)
          const stream = yield* Effect.forkChild(
            Stream.runCollect(DocumentWorkflow.all(Stream.make(request("three")))),
            { startImmediately: true }
          )
          yield* Effect.sleep("1 second")
          yield* sql`ALTER TABLE away RENAME TO cluster_messages`
          // Effect reads a message that it could not end after ten minutes again.
          yield* sql`UPDATE cluster_messages SET last_read = NULL WHERE processed = 0`
          yield* Fiber.await(first)
          const ended = yield* Effect.forEach(["one", "two"], (id) => DocumentWorkflow.execute(request(id)))
          assert.deepStrictEqual(ended.map(({ size }) => size), [17, 17])
          assert.deepStrictEqual((yield* Fiber.join(stream)).map(({ result }) => result._tag), ["Success"])
          assert.strictEqual(yield* uploads, 3)
        }).pipe(Effect.provide(layer))
      }).pipe(Effect.scoped)
  )
})
