import { FakeLanguageService, Fault, Script } from "@effect-lingua/testing"
import { DocumentExecutions, DocumentStore, DocumentWorkflow, NodeSqlite } from "@effect-lingua/workflow"
import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Effect, Exit, Layer, Logger, Schedule, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { request } from "./support/request.ts"

const layer = DocumentWorkflow.layer({ firstPoll: "10 millis", longestPoll: "10 millis" }).pipe(
  Layer.provideMerge(NodeSqlite.layerWorkflowEngine({
    path: ":memory:",
    shardingConfig: { entityTerminationTimeout: "10 millis" }
  })),
  Layer.provide(DocumentStore.layerMemory({ "letter.txt": "Guten Tag" })),
  Layer.provideMerge(FakeLanguageService.layerServices({ readyAfter: 0 })),
  Layer.provideMerge(Logger.layer([]))
)

const idsOf = (options?: DocumentExecutions.ListOptions) =>
  Effect.map(Stream.runCollect(DocumentExecutions.list(options)), (all) => all.map(({ request: { id } }) => id))

/** As many documents that ended as there is one of an id. */
const copies = Effect.fnUntraced(function*(id: string, number: number) {
  const sql = yield* SqlClient.SqlClient
  const steps = sql`WITH RECURSIVE steps(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM steps WHERE n < ${number})`
  const ofId = sql`m.tag = 'run' AND m.payload LIKE ${`%"id":"${id}"%`}`
  yield* sql`INSERT INTO cluster_messages
    (id, message_id, shard_id, entity_type, entity_id, kind, tag, payload, headers, request_id, processed)
    ${steps} SELECT m.id + n, m.message_id || n, m.shard_id, m.entity_type, m.entity_id || n, m.kind, m.tag, m.payload,
    m.headers, m.id + n, 1 FROM cluster_messages m, steps WHERE ${ofId}`
  yield* sql`INSERT INTO cluster_replies (id, rowid, kind, request_id, payload)
    ${steps} SELECT r.id + n, r.rowid + 10000 + n, r.kind, m.id + n, r.payload
    FROM cluster_messages m JOIN cluster_replies r ON r.request_id = m.id, steps WHERE ${ofId} AND length(m.entity_id) = 32`
})

describe("DocumentExecutions", () => {
  it.live("tells what became of each document, and forgets those that ended", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const begun = yield* Clock.currentTimeMillis
      yield* DocumentWorkflow.execute(request("one"))
      yield* DocumentWorkflow.execute(request("two"))
      yield* Effect.flip(DocumentWorkflow.execute(request("missing", "missing.txt")))
      yield* fake.script(Script.next(1, Fault.slow("1 hour"), "Documents.status"))
      yield* DocumentWorkflow.workflow.execute(request("slow"), { discard: true })
      const uploads = Effect.map(fake.effects, (effects) => effects["Documents.upload"].count)
      yield* Effect.repeat(uploads, { until: (count) => count === 3, schedule: Schedule.spaced("10 millis") })

      assert.deepStrictEqual(yield* DocumentExecutions.counts(), { unfinished: 1, translated: 2, failed: 1 })
      assert.deepStrictEqual(yield* idsOf(), ["one", "two", "missing", "slow"])
      assert.deepStrictEqual(yield* idsOf({ state: "unfinished" }), ["slow"])
      assert.deepStrictEqual(yield* idsOf({ state: "translated" }), ["one", "two"])
      assert.deepStrictEqual(yield* idsOf({ olderThan: "1 hour" }), [])
      const [failed] = yield* Stream.runCollect(DocumentExecutions.list({ state: "failed" }))
      assert.strictEqual(failed?.request.source, "missing.txt")
      assert.isAtLeast(DateTime.toEpochMillis(failed?.since ?? DateTime.makeUnsafe(0)), begun)
      assert(failed?.exit !== undefined && Exit.isFailure(failed.exit))
      assert.include(Exit.findErrorOption(failed.exit), { _tag: "Some" })

      assert.strictEqual(yield* DocumentExecutions.forget({ olderThan: "1 hour" }), 0)
      yield* Effect.sleep("5 millis")
      assert.strictEqual(yield* DocumentExecutions.forget({ olderThan: "1 millis" }), 3)
      assert.deepStrictEqual(yield* idsOf(), ["slow"])
      const sql = yield* SqlClient.SqlClient
      const [left] = yield* sql<{ readonly entities: number }>`
        SELECT count(DISTINCT entity_id) AS entities FROM cluster_messages`
      assert.strictEqual(left?.entities, 1)
      assert.deepStrictEqual(
        yield* sql`SELECT id FROM cluster_replies WHERE request_id NOT IN (SELECT id FROM cluster_messages)`,
        []
      )
    }).pipe(Effect.provide(layer)))

  it.live("reads and removes any number of documents", () =>
    Effect.gen(function*() {
      yield* DocumentWorkflow.execute(request("one"))
      yield* copies("one", 1200)
      const all = yield* Stream.runCollect(DocumentExecutions.list())
      assert.strictEqual(new Set(all.map(({ executionId }) => executionId)).size, 1201)
      // One of them waits.
      const sql = yield* SqlClient.SqlClient
      const last = sql`(SELECT max(id) FROM cluster_replies)`
      const [reply] = yield* sql<{ readonly payload: string }>`SELECT payload FROM cluster_replies WHERE id = ${last}`
      yield* sql`UPDATE cluster_replies SET payload = '{"_tag":"Suspended"}' WHERE id = ${last}`
      yield* Effect.sleep("20 millis")
      assert.strictEqual(yield* DocumentExecutions.forget({ olderThan: "1 millis" }), 1200)
      yield* sql`UPDATE cluster_replies SET payload = ${reply?.payload} WHERE id = ${last}`
      assert.strictEqual(yield* DocumentExecutions.forget({ olderThan: "1 millis" }), 1)
      assert.deepStrictEqual(yield* DocumentExecutions.counts(), { unfinished: 0, translated: 0, failed: 0 })
    }).pipe(Effect.provide(layer)))

  it.live("forgets again and again by a layer, also after a failure", () => {
    const prefix = "mine"
    const retention = DocumentExecutions.layerRetention({ olderThan: "1 millis", every: "20 millis", prefix })
    return Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* DocumentWorkflow.execute(request("one"))
      yield* sql`ALTER TABLE cluster_messages RENAME TO mine_messages`
      yield* Effect.gen(function*() {
        yield* Effect.sleep("50 millis")
        yield* sql`ALTER TABLE cluster_replies RENAME TO mine_replies`
        const { translated } = yield* Effect.repeat(DocumentExecutions.counts({ prefix }), {
          until: ({ translated }) => translated === 0,
          schedule: Schedule.spaced("20 millis"),
          times: 500
        })
        assert.strictEqual(translated, 0)
        yield* sql`ALTER TABLE mine_messages RENAME TO cluster_messages`
        yield* sql`ALTER TABLE mine_replies RENAME TO cluster_replies`
      }).pipe(Effect.provide(retention))
      const error = yield* Effect.flip(Effect.scoped(Layer.build(DocumentExecutions.layerRetention({ olderThan: 0 }))))
      assert.include(error.message, "olderThan must be more than 0")
    }).pipe(Effect.provide(Layer.fresh(layer)))
  })

  it.live("refuses a time or a state that cannot be, before it asks the database", () =>
    Effect.gen(function*() {
      const problems = [
        yield* Effect.flip(DocumentExecutions.forget({ olderThan: "-1 day" })),
        // @ts-expect-error no duration
        yield* Effect.flip(DocumentExecutions.forget({ olderThan: "next week" })),
        // @ts-expect-error no duration
        yield* Effect.flip(Stream.runDrain(DocumentExecutions.list({ olderThan: "next week" }))),
        // @ts-expect-error no state
        yield* Effect.flip(Stream.runDrain(DocumentExecutions.list({ state: "done" })))
      ]
      assert.deepStrictEqual(problems.map(({ message }) => message), [
        "olderThan must not be negative, and finite",
        "olderThan is not a duration such as \"5 seconds\"",
        "olderThan is not a duration such as \"5 seconds\"",
        "state must be unfinished or translated or failed"
      ])
    }).pipe(Effect.provide(Layer.fresh(layer))))
})
