import * as NodeResultCache from "@effect-lingua/cache/NodeResultCache"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import { assert, describe } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { folder, modeOf } from "../../../packages/node/test/support/documents.ts"
import { redisServer } from "../../../packages/node/test/support/redisServer.ts"
import { bundled } from "../../../test/support/bundled.ts"
import { has } from "../../../test/support/has.ts"
import { runNode, variablesOf } from "../../../test/support/processes.ts"
import { liveWith } from "../../../test/support/tests.ts"

const served = NodeFakeLanguageService.layer()

const Body = Schema.fromJsonString(Schema.Struct({ text: Schema.Array(Schema.String) }))

/** Texts that the fake has received. */
const texts = Effect.gen(function*() {
  const fake = yield* FakeLanguageService
  return (yield* fake.requests).flatMap(({ body }) => Schema.decodeUnknownSync(Body)(body).text)
})

const script = await bundled(new URL("support/cachedCalls.ts", import.meta.url))

const run = Effect.fnUntraced(function*(place: string, ...texts: ReadonlyArray<string>) {
  return (yield* runNode(script, [place, ...texts], variablesOf(yield* FakeLanguageService))).code
})

const many = (prefix: string) => Array.from({ length: 50 }, (_, index) => `${prefix}${index}`)

const test = liveWith(served)

describe("NodeResultCache", () => {
  test("keeps results in a file that only the user can read, for other processes", function*() {
    const path = join(yield* folder, "cache", "results.sqlite")
    assert.strictEqual(yield* run(path, "a", "b"), 0)
    assert.strictEqual(yield* run(path, "b", "c"), 0)
    assert.strictEqual(yield* run(path, "a", "c"), 0)
    assert.deepStrictEqual(yield* texts, ["a", "b", "c"])
    assert.strictEqual(modeOf(path), "600")
    const { bytes, entries } = yield* NodeResultCache.stats({ path })
    assert.strictEqual(entries, 3)
    assert.isAbove(bytes, 1000)
    assert.strictEqual((yield* NodeResultCache.clear({ path })).entries, 3)
    assert.isFalse(existsSync(path))
    assert.deepStrictEqual(yield* NodeResultCache.stats({ path }), { path, entries: 0, bytes: 0 })
  })

  test("is written by two processes at a time", function*() {
    const path = join(yield* folder, "results.sqlite")
    assert.deepStrictEqual(
      yield* Effect.all([run(path, ...many("a")), run(path, ...many("b"))], { concurrency: 2 }),
      [0, 0]
    )
    assert.strictEqual((yield* NodeResultCache.stats({ path })).entries, 100)
  })
})

describe.skipIf(!has("Redis"))("ResultCache with a redis-server", () => {
  test("serves two processes", function*() {
    const redis = yield* redisServer()
    yield* redis.start
    assert.strictEqual(yield* run(redis.url, "a", "b"), 0)
    assert.strictEqual(yield* run(redis.url, "b", "c"), 0)
    assert.deepStrictEqual(yield* texts, ["a", "b", "c"])
    yield* redis.kill
    assert.strictEqual(yield* run(redis.url, "d"), 0)
  })
})
