import { InstructionId, StyleId } from "@effect-lingua/core/contract/Ids"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { scaled } from "../../../../../test/support/scale.ts"
import { client, send } from "../../support/client.ts"

const rules = { punctuation: { periods_in_academic_degrees: "do_not_use" } }

describe("StyleRules", () => {
  it.effect("take any id as one that may exist", () =>
    Effect.gen(function*() {
      for (const id of ["a%2Fb", "..%2F..", "x".repeat(2000), "%F0%9F%91%8B", "%00"]) {
        const { json, status } = yield* send("GET", `/v3/style_rules/${id}`)
        assert.deepStrictEqual([status, json.message], [404, "Style rule list not found"], id)
      }
      for (const id of ["%zz", "%E0%A4"]) {
        assert.include([400, 404], (yield* send("GET", `/v3/style_rules/${id}`)).status)
      }
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("count a write that changes nothing, but no read, no failed write and no use", () =>
    Effect.gen(function*() {
      const api = yield* client
      const { customInstructions: [instruction] = [], styleId } = yield* api.StyleRules.create({
        payload: {
          name: "House",
          language: "en",
          configuredRules: rules,
          customInstructions: [{ label: "a", prompt: "b" }]
        }
      })
      const params = { styleId }
      const item = { styleId, instructionId: instruction?.instructionId ?? InstructionId.make("none") }
      const state = Effect.map(
        api.StyleRules.get({ params }),
        ({ updatedTime, version }) => [version, updatedTime && DateTime.toEpochMillis(updatedTime)]
      )
      yield* TestClock.adjust("1 second")
      yield* api.StyleRules.rename({ params, payload: { name: "House" } })
      yield* TestClock.adjust("1 second")
      yield* api.StyleRules.replaceConfiguredRules({ params, payload: rules })
      yield* TestClock.adjust("1 second")
      yield* api.StyleRules.replaceInstruction({
        params: item,
        payload: { label: "a", prompt: "b", sourceLanguage: "en" }
      })
      assert.deepStrictEqual(yield* state, [4, 3000])
      yield* TestClock.adjust("1 second")
      const long = { label: "a", prompt: "x".repeat(301) }
      yield* api.StyleRules.listPage({ query: { detailed: true } })
      yield* api.StyleRules.getInstruction({ params: item })
      yield* api.Translation.translate({ payload: { text: ["Hallo"], targetLanguage: "en-GB", styleId } })
      yield* Effect.flip(api.StyleRules.addInstruction({ params, payload: long }))
      yield* Effect.flip(
        api.StyleRules.replaceInstruction({ params: item, payload: { ...long, sourceLanguage: "en" } })
      )
      yield* Effect.flip(
        api.StyleRules.removeInstruction({ params: { styleId, instructionId: InstructionId.make("none") } })
      )
      yield* Effect.flip(api.StyleRules.rename({ params, payload: { name: "x".repeat(1025) } }))
      yield* send("PUT", `/v3/style_rules/${styleId}/configured_rules`, { body: `{"a":1}` })
      assert.deepStrictEqual(yield* state, [4, 3000])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  const Write = Schema.Literals(["rename", "rules", "add", "replace", "remove", "tooLong", "unknown", "get", "list"])

  it.effect.prop("have a version that counts the writes that succeeded, whatever else happens", [Schema.Array(Write)], (
    [writes]
  ) =>
    Effect.gen(function*() {
      const { StyleRules } = yield* client
      const { styleId } = yield* StyleRules.create({ payload: { name: "House", language: "en" } })
      const params = { styleId }
      const long = "x".repeat(301)
      const model = { version: 1, updated: 0, labels: Array<string>(), time: 0 }
      const first = Effect.map(
        StyleRules.get({ params }),
        (list) => ({
          styleId,
          instructionId: list.customInstructions?.[0]?.instructionId ?? InstructionId.make("none")
        })
      )
      const play = (write: typeof Write.Type) => {
        switch (write) {
          case "rename":
            return StyleRules.rename({ params, payload: { name: String(model.time) } })
          case "rules":
            return StyleRules.replaceConfiguredRules({ params, payload: rules })
          case "add":
            return StyleRules.addInstruction({ params, payload: { label: String(model.time), prompt: "p" } })
          case "replace":
            return Effect.flatMap(first, (item) =>
              StyleRules.replaceInstruction({
                params: item,
                payload: { label: `new ${model.time}`, prompt: "p", sourceLanguage: "de" }
              }))
          case "remove":
            return Effect.flatMap(first, (item) => StyleRules.removeInstruction({ params: item }))
          case "tooLong":
            return StyleRules.addInstruction({ params, payload: { label: "a", prompt: long } })
          case "unknown":
            return StyleRules.rename({ params: { styleId: StyleId.make("none") }, payload: { name: "x" } })
          case "get":
            return StyleRules.get({ params })
          case "list":
            return StyleRules.listPage({ query: { detailed: true } })
        }
      }
      for (const write of writes) {
        yield* TestClock.adjust("1 second")
        model.time += 1000
        const { _tag } = yield* Effect.result(play(write))
        const item = write === "replace" || write === "remove"
        assert.strictEqual(
          _tag,
          write === "tooLong" || write === "unknown" || (item && model.labels.length === 0) ? "Failure" : "Success"
        )
        if (write === "add") model.labels.push(String(model.time))
        if (write === "replace" && _tag === "Success") model.labels[0] = `new ${model.time}`
        if (write === "remove") model.labels.shift()
        if (_tag === "Success" && write !== "get" && write !== "list") {
          model.version += 1
          model.updated = model.time
        }
        const list = yield* StyleRules.get({ params })
        assert.deepStrictEqual(
          [
            list.version,
            list.updatedTime && DateTime.toEpochMillis(list.updatedTime),
            list.customInstructions?.map(({ label }) => label)
          ],
          [model.version, model.updated, model.labels]
        )
        assert.strictEqual(list.creationTime && DateTime.toEpochMillis(list.creationTime), 0)
      }
    }).pipe(Effect.provide(FakeLanguageService.layer())), { arbitrary: { runs: scaled(10, 100) } })

  it.effect.prop(
    "are covered by their pages, each once and in the order of their making",
    [
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 })),
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 25 }))
    ],
    ([count, pageSize]) =>
      Effect.gen(function*() {
        const { StyleRules } = yield* client
        const made = yield* Effect.forEach(
          Array.from({ length: count }, (_, index) => `${index}`),
          (name) => StyleRules.create({ payload: { name, language: "en" } })
        )
        const pages = yield* Effect.forEach(
          Array.from({ length: Math.ceil(count / pageSize) + 2 }, (_, page) => page),
          (page) => StyleRules.listPage({ query: { page, pageSize } })
        )
        const sizes = pages.map(({ styleRules }) => styleRules.length)
        assert.deepStrictEqual(
          pages.flatMap(({ styleRules }) => styleRules.map(({ styleId }) => styleId)),
          made.map(({ styleId }) => styleId)
        )
        assert.isTrue(sizes.every((size, page) => size === Math.min(pageSize, Math.max(0, count - page * pageSize))))
      }).pipe(Effect.provide(FakeLanguageService.layer())),
    { arbitrary: { runs: scaled(10, 100) } }
  )
})
