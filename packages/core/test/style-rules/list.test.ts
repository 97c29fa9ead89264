import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Sample, Wire } from "../support/index.ts"

const entry = (number: number) => ({ ...Sample.summary, style_id: `s${number}` })

/** A page with the lists from one number up to another. */
const page = (from: number, to: number) =>
  Wire.answer(200, { style_rules: Array.from({ length: to - from }, (_, index) => entry(from + index)) })

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `s${from + index}`)

const urls = Effect.map(Wire.sent, (sent) => sent.map(({ url }) => url.replace(/.*\?/, "")))

const collect = (options?: { readonly detailed?: boolean }) =>
  StyleRules.use((rules) =>
    Effect.map(Stream.runCollect(rules.list(options)), (entries) => entries.map(({ styleId }) => styleId))
  )

describe("list", () => {
  it.effect("gets page after page up to the first that is not full", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* collect(), ids(0, 53))
      assert.deepStrictEqual(yield* urls, ["page=0&page_size=25", "page=1&page_size=25", "page=2&page_size=25"])
    }).pipe(Effect.provide(Wire.layer([page(0, 25), page(25, 50), page(50, 53)]))))

  it.effect("ends with an empty page", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* collect({ detailed: true }), ids(0, 25))
      assert.deepStrictEqual(yield* urls, ["page=0&page_size=25&detailed=true", "page=1&page_size=25&detailed=true"])
    }).pipe(Effect.provide(Wire.layer([page(0, 25), page(25, 25)]))))

  it.effect("gives a list that moved from page to page once", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* collect(), ids(0, 48))
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(Wire.layer([page(0, 25), page(24, 48)]))))

  it.effect("gets no more pages than are asked for", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      yield* Stream.runDrain(Stream.take(rules.list(), 25))
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer([page(0, 25)]))))

  it.effect("starts anew each time it is run", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      const all = rules.list()
      assert.strictEqual((yield* Stream.runCollect(all)).length, 3)
      assert.strictEqual((yield* Stream.runCollect(all)).length, 3)
    }).pipe(Effect.provide(Wire.layer(page(0, 3)))))

  it.effect("fails with the error of the page that failed", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(collect())
      assert.deepInclude<object>(error, { _tag: "AccessDenied", operation: "StyleRules.listPage" })
    }).pipe(Effect.provide(Wire.layer([page(0, 25), Wire.answer(403)]))))

  it.effect("has pages of the size that the plan allows", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* collect(), ids(0, 3))
      assert.deepStrictEqual(yield* urls, ["page=0&page_size=2", "page=1&page_size=2"])
    }).pipe(Effect.provide(Wire.layer([page(0, 2), page(2, 3)], { limits: { pageSize: 2 } }))))
})
