import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { DocumentStore, DocumentWorkflow, NodeSqlite } from "@effect-lingua/workflow"
import { assert, describe, it } from "@effect/vitest"
import { Context, DateTime, Effect, Fiber, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../packages/node/test/support/documents.ts"
import { scaled } from "../../../test/support/scale.ts"
import { effect, live } from "../../../test/support/tests.ts"
import { request } from "./support/request.ts"

const memory = NodeSqlite.layer({ path: ":memory:" })

const open = (path: string) =>
  Effect.flip(Effect.provide(SqlClient.SqlClient.use(Effect.succeed), NodeSqlite.layer({ path })))

describe.concurrent("NodeSqlite", () => {
  it.effect("keeps values as they are", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE things (id INTEGER PRIMARY KEY, big INTEGER, text TEXT, bytes BLOB, flag INTEGER)`
      const big = 2n ** 60n
      yield* sql`INSERT INTO things ${sql.insert({ id: 1, big, text: "é", bytes: new Uint8Array([1, 2]), flag: true })}`
      yield* sql`INSERT INTO things ${sql.insert({ id: 2, big: null, text: "", bytes: null, flag: false })}`
      const rows = yield* sql`SELECT * FROM things ORDER BY id`
      assert.deepStrictEqual(rows, [
        { id: 1, big, text: "é", bytes: new Uint8Array([1, 2]), flag: 1 },
        { id: 2, big: null, text: "", bytes: null, flag: 0 }
      ])
      yield* sql`UPDATE things SET text = ${DateTime.toDateUtc(DateTime.makeUnsafe(0))} WHERE id = 1`
      assert.deepStrictEqual(yield* sql`SELECT text FROM things WHERE id = 1`.values, [["1970-01-01T00:00:00.000Z"]])
      assert.deepStrictEqual(yield* sql`SELECT id FROM things`.values, [[1], [2]])
      assert.deepStrictEqual(yield* Stream.runCollect(sql`SELECT id FROM things`.stream), [{ id: 1 }, { id: 2 }])
      const isFile = existsSync(":memory:")
      // The next run would find it too.
      rmSync(":memory:", { force: true })
      assert.isFalse(isFile)
    }).pipe(Effect.provide(memory)))

  effect("syncs each transaction, which a power cut would lose otherwise, and waits for other processes", function*() {
    const path = join(yield* folder, "work.sqlite")
    const pragmas = SqlClient.SqlClient.use((sql) => Effect.all([sql`PRAGMA synchronous`, sql`PRAGMA busy_timeout`]))
    assert.deepStrictEqual(yield* Effect.provide(pragmas, NodeSqlite.layer({ path })), [
      [{ synchronous: 2 }],
      [{ timeout: 5000 }]
    ])
  })

  effect("keeps others from writing from the begin of a transaction, which could not write after them", function*() {
    const build = Layer.build(Layer.fresh(NodeSqlite.layer({ path: join(yield* folder, "work.sqlite") })))
    const clients = yield* Effect.all([build, build])
    const [one, other] = clients.map((context) => Context.get(context, SqlClient.SqlClient))
    if (one === undefined || other === undefined) return assert.fail("there are two clients")
    yield* one`CREATE TABLE counts (value INTEGER)`
    yield* other`PRAGMA busy_timeout = 0`
    const error = yield* one.withTransaction(
      Effect.andThen(one`SELECT value FROM counts`, Effect.flip(other`INSERT INTO counts VALUES (1)`))
    )
    assert.include(error.message, "database is locked")
  })

  it.effect("undoes a transaction that fails, and runs one at a time", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE counts (value INTEGER)`
      yield* sql`INSERT INTO counts VALUES (0)`
      const read = Effect.map(sql<{ readonly value: number }>`SELECT value FROM counts`, (rows) => rows[0]?.value ?? -1)
      const increment = sql.withTransaction(Effect.gen(function*() {
        const value = yield* read
        yield* Effect.yieldNow
        yield* sql`UPDATE counts SET value = ${value + 1}`
      }))
      yield* Effect.all(Array.from({ length: 10 }, () => increment), { concurrency: "unbounded" })
      assert.strictEqual(yield* read, 10)
      yield* Effect.flip(sql.withTransaction(Effect.andThen(sql`UPDATE counts SET value = 0`, Effect.fail("no"))))
      assert.strictEqual(yield* read, 10)
      const fiber = yield* Effect.forkChild(
        sql.withTransaction(Effect.andThen(sql`UPDATE counts SET value = 0`, Effect.never)),
        { startImmediately: true }
      )
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* read, 10)
    }).pipe(Effect.provide(memory)))

  effect("says which statement or file cannot be used, and why", function*() {
    const directory = yield* folder
    writeFileSync(join(directory, "text"), "this is not a database, but a text of some length".repeat(100))
    const notOne = yield* open(join(directory, "text"))
    assert.strictEqual(notOne.reason._tag, "ConnectionError")
    assert.include(notOne.message, "cannot be used: file is not a database")
    assert.include((yield* open(join(directory, "text", "below"))).message, "cannot be used")
    const path = join(directory, "new", "below", "work.sqlite")
    yield* Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE things (id INTEGER PRIMARY KEY)`
      yield* sql`INSERT INTO things VALUES (1)`
      assert.strictEqual((yield* Effect.flip(sql`INSERT INTO things VALUES (1)`)).reason._tag, "ConstraintError")
      assert.include((yield* Effect.flip(sql`SELECT missing FROM things`)).message, "no such column: missing")
    }).pipe(Effect.provide(NodeSqlite.layer({ path })))
    assert.strictEqual(statSync(path).mode & 0o077, 0)
  })
})

describe.concurrent("an engine on a file", () => {
  effect("has it for itself", function*() {
    const path = join(yield* folder, "work.sqlite")
    const engine = Layer.fresh(NodeSqlite.layerWorkflowEngine({ path }))
    yield* Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.scoped(Layer.build(engine)))
      assert(error._tag === "SqlError")
      assert.include(error.message, `Another process works with the database ${path}`)
    }).pipe(Effect.provide(engine))
    yield* Effect.scoped(Layer.build(engine))
  })

  live("fails for a file with damaged pages, whichever they are", function*() {
    const directory = yield* folder
    const path = join(directory, "work.sqlite")
    yield* Effect.scoped(Layer.build(Layer.fresh(NodeSqlite.layerWorkflowEngine({ path }))))
    const whole = readFileSync(path)
    const page = whole.readUInt16BE(16)
    assert.isAbove(whole.length / page, 5)
    for (let start = 0; start < whole.length; start += page * scaled(4, 1)) {
      const damaged = join(directory, `${start}.sqlite`)
      writeFileSync(damaged, Buffer.from(whole).fill("damaged ", start, start + page))
      const build = Layer.build(Layer.fresh(NodeSqlite.layerWorkflowEngine({ path: damaged })))
      const error = yield* Effect.flip(Effect.scoped(build))
      assert.strictEqual(error._tag, "SqlError", String(start))
      assert.include(error.message, damaged)
    }
  })

  it.live("does not wait for documents when it is released", () => {
    const layer = DocumentWorkflow.layer().pipe(
      Layer.provideMerge(NodeSqlite.layerWorkflowEngine({
        path: ":memory:",
        // Only the end of all steps ends it.
        shardingConfig: { entityTerminationTimeout: "1 hour" }
      })),
      Layer.provide(DocumentStore.layerMemory({ "letter.txt": "Guten Tag" })),
      Layer.provideMerge(FakeLanguageService.layerServices())
    )
    return Effect.gen(function*() {
      yield* DocumentWorkflow.workflow.execute(request("one"), { discard: true })
      const fake = yield* FakeLanguageService
      yield* Effect.repeat(Effect.delay(fake.documents, "10 millis"), { until: ({ length }) => length === 1 })
    }).pipe(Effect.provide(layer))
  })
})
