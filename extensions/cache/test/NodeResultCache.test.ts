import * as NodeResultCache from "@effect-lingua/cache/NodeResultCache"
import { Translation } from "@effect-lingua/core/texts/Translation"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { FakeLanguageService, NodeFakeLanguageService } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { folder } from "../../../packages/node/test/support/documents.ts"
import { recordedLog } from "../../../test/support/logs.ts"
import { live, liveWith } from "../../../test/support/tests.ts"

const served = NodeFakeLanguageService.layer()

const Body = Schema.fromJsonString(Schema.Struct({ text: Schema.Array(Schema.String) }))

/** Texts that the fake has received. */
const texts = Effect.gen(function*() {
  const fake = yield* FakeLanguageService
  return (yield* fake.requests).flatMap(({ body }) => Schema.decodeUnknownSync(Body)(body).text)
})

type Request = string | ReadonlyArray<string>

/** Sends requests with a text or more by a client of its own, and returns what it logs. */
const translate = Effect.fnUntraced(function*(options: NodeResultCache.Options, ...requests: ReadonlyArray<Request>) {
  const { url } = yield* FakeLanguageService
  const log = recordedLog(Logger.formatLogFmt)
  // On a busy machine a file answers late, and the text would be sent.
  const client = NodeResultCache.layer({ timeout: "1 minute", ...options }).pipe(
    Layer.provide(NodeLanguageService.layer({ key: Redacted.make(FakeLanguageService.defaultKey), baseUrl: url }))
  )
  yield* Translation.use(({ translate }) =>
    Effect.forEach(requests, (texts) => translate([texts].flat(), { targetLanguage: "de" }))
  )
    .pipe(Effect.provide(client, { local: true }), Effect.provide(log.layer))
  return log.lines
})

/** Changes a file as another program would. */
const inFile = (path: string, statement: string) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new DatabaseSync(path)),
    (database) => Effect.sync(() => database.exec(statement)),
    (database) => Effect.sync(() => database.close())
  )

const many = (prefix: string) => Array.from({ length: 50 }, (_, index) => `${prefix}${index}`)

const test = liveWith(served)

describe("NodeResultCache", () => {
  live("in Redis has the options of a cache", function*() {
    const cache = NodeResultCache.layerRedis({ url: Redacted.make("redis://127.0.0.1:1"), storeId: "no name" })
    const error = yield* Effect.flip(Layer.build(Layer.provide(cache, FakeLanguageService.layerServices())))
    assert.deepInclude<object>(error, { _tag: "InvalidConfiguration", setting: "storeId" })
  })

  live("has the time of the call, also if its layer is built under another clock", function*() {
    const path = join(yield* folder, "results.sqlite")
    const client = Layer.provideMerge(NodeResultCache.layer({ path }), FakeLanguageService.layerServices())
    const program = Effect.gen(function*() {
      const { translate } = yield* Translation
      yield* translate(["a"], { targetLanguage: "de" })
      yield* TestClock.adjust("31 days")
      yield* translate(["a"], { targetLanguage: "de" })
      assert.deepStrictEqual(yield* texts, ["a", "a"])
    })
    yield* Effect.provide(program, [client, TestClock.layer()])
  })

  test("drops what was written first", function*() {
    const path = join(yield* folder, "results.sqlite")
    const last = ["d", "e", "f"]
    yield* translate({ path, maximumEntries: 3 }, "a", "b", "c")
    yield* inFile(path, "UPDATE results SET used = used - 1000")
    yield* translate({ path, maximumEntries: 3 }, ...last)
    assert.strictEqual((yield* NodeResultCache.stats({ path })).entries, 3)
    yield* translate({ path, maximumEntries: 3 }, ...last)
    assert.strictEqual((yield* texts).length, 6)
    yield* translate({ path, maximumEntries: 1 }, "g")
    assert.strictEqual((yield* NodeResultCache.stats({ path })).entries, 1)
  })

  test("drops what has expired", function*() {
    const path = join(yield* folder, "results.sqlite")
    yield* translate({ path }, many("old"))
    yield* inFile(path, "UPDATE results SET expires = 1")
    yield* translate({ path }, many("new"), many("newer"))
    assert.strictEqual((yield* NodeResultCache.stats({ path })).entries, 100)
  })

  test("keeps the results of several stores in one file apart", function*() {
    const path = join(yield* folder, "results.sqlite")
    for (const storeId of ["one", "other", "one", "other"]) yield* translate({ path, storeId }, "a")
    assert.deepStrictEqual(yield* texts, ["a", "a"])
  })

  it.effect("writes the results of a request all or none, and the next ones after a failure", () =>
    Effect.gen(function*() {
      const path = join(yield* folder, "results.sqlite")
      const { url } = yield* FakeLanguageService
      const client = NodeLanguageService.layer({ key: Redacted.make(FakeLanguageService.defaultKey), baseUrl: url })
      const cached = Layer.provide(NodeResultCache.layer({ path }), client)
      yield* Effect.gen(function*() {
        const { translate } = yield* Translation
        const ask = (...texts: ReadonlyArray<string>) => translate(texts, { targetLanguage: "de" })
        yield* ask("a")
        yield* inFile(
          path,
          `CREATE TRIGGER failing BEFORE INSERT ON results WHEN NEW.value LIKE '%refused%'
          BEGIN SELECT RAISE(ABORT, 'refused'); END`
        )
        yield* ask("b", "refused")
        assert.strictEqual((yield* NodeResultCache.stats({ path })).entries, 1)
        // A store that failed is not used for a second.
        yield* TestClock.adjust("1 second")
        yield* ask("c")
        assert.strictEqual((yield* NodeResultCache.stats({ path })).entries, 2)
      }).pipe(Effect.provide(cached))
    }).pipe(Effect.scoped, Effect.provide(served)))

  test("replaces an entry that is not JSON", function*() {
    const path = join(yield* folder, "results.sqlite")
    yield* translate({ path }, "a")
    yield* inFile(path, "UPDATE results SET value = '{'")
    assert.deepStrictEqual(yield* translate({ path }, "a", "b", "a", "b"), [])
    assert.deepStrictEqual(yield* texts, ["a", "a", "b"])
  })

  test("sends texts while its file cannot be used, and says so once", function*() {
    const path = join(yield* folder, "results.sqlite")
    writeFileSync(path, "no database ".repeat(1000))
    const lines = yield* translate({ path }, "a", "b")
    assert.strictEqual(lines.length, 1)
    assert.include(
      lines[0],
      `The cache of results is unavailable; texts are sent: The cache ${path} cannot be used: file is not a database`
    )
    assert.include(readFileSync(path, "utf8"), "no database")
    const error = yield* Effect.flip(NodeResultCache.stats({ path }))
    assert.strictEqual(
      error.message,
      `The cache ${path} cannot be used: file is not a database. Delete it, or name another file.`
    )
    // A killed program leaves the log, which has results too.
    writeFileSync(`${path}-wal`, "")
    assert.deepStrictEqual(yield* NodeResultCache.clear({ path }), { path, entries: 0, bytes: 12_000 })
    assert.deepStrictEqual([existsSync(path), existsSync(`${path}-wal`)], [false, false])
    const folded = yield* translate({ path: "/proc/effect-lingua/results.sqlite" }, "c")
    assert.include(folded[0], "The cache of results is unavailable")
    assert.deepStrictEqual(yield* texts, ["a", "b", "c"])
  })
})
