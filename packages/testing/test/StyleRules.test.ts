import { InstructionId, StyleId } from "@effect-lingua/core/StyleRulesApi"
import * as FakeLanguageService from "@effect-lingua/testing/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { client, send, tagOf } from "./support/client.ts"

const fake = FakeLanguageService.FakeLanguageService
const rules = { punctuation: { periods_in_academic_degrees: "do_not_use" } }

describe("StyleRules", () => {
  it.effect("are created whole, with version 1 and the time of the clock", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 2, 1, 8))
      const api = yield* client
      const list = yield* api.StyleRules.create({
        payload: {
          name: "House style",
          language: "EN",
          configuredRules: rules,
          customInstructions: [
            { label: "Currency", prompt: "Put the sign first.", sourceLanguage: "DE" },
            { label: "Dates", prompt: "Write months out." }
          ]
        }
      })
      assert.deepInclude(list, { name: "House style", language: "en", version: 1, configuredRules: rules })
      assert.strictEqual(DateTime.formatIso(list.creationTime), "2026-03-01T08:00:00.000Z")
      assert.deepStrictEqual(list.updatedTime, list.creationTime)
      assert.deepStrictEqual(
        list.customInstructions.map(({ label, sourceLanguage }) => [label, sourceLanguage]),
        [["Currency", "de"], ["Dates", "en"]]
      )
      assert.deepStrictEqual(yield* api.StyleRules.get({ params: { styleId: list.styleId } }), list)
      const raw = yield* send("POST", "/v3/style_rules", { body: `{"name":"x","language":"de","unknown":[1]}` })
      assert.strictEqual(raw.status, 201)
      assert.deepInclude(raw.json, { version: 1, creation_time: "2026-03-01T08:00:00.000Z", custom_instructions: [] })
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("rise by one version with each change and with nothing else", () =>
    Effect.gen(function*() {
      const api = yield* client
      const { styleId } = yield* api.StyleRules.create({ payload: { name: "House", language: "en" } })
      const params = { styleId }
      const state = Effect.map(
        api.StyleRules.get({ params }),
        ({ updatedTime, version }) => [version, DateTime.toEpochMillis(updatedTime)]
      )
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* api.StyleRules.rename({ params, payload: { name: "New" } })).name, "New")
      assert.deepStrictEqual(yield* state, [2, 1000])
      yield* TestClock.adjust("1 second")
      const replaced = yield* api.StyleRules.replaceConfiguredRules({ params, payload: rules })
      assert.deepStrictEqual(replaced.configuredRules, rules)
      const added = yield* api.StyleRules.addInstruction({ params, payload: { label: "a", prompt: "b" } })
      assert.deepStrictEqual(yield* state, [4, 2000])
      if (!("id" in added)) return assert.fail("the answer is the instruction")
      const item = { styleId, instructionId: added.id }
      const payload = { label: "c", prompt: "d", sourceLanguage: "de" }
      yield* api.StyleRules.replaceInstruction({ params: item, payload })
      assert.deepStrictEqual(yield* state, [5, 2000])
      yield* api.StyleRules.removeInstruction({ params: item })
      assert.deepStrictEqual(yield* state, [6, 2000])
      yield* Effect.flip(api.StyleRules.removeInstruction({ params: item }))
      yield* Effect.flip(api.StyleRules.rename({ params, payload: { name: "x".repeat(1025) } }))
      yield* api.StyleRules.list({ query: { detailed: true } })
      assert.deepStrictEqual(yield* state, [6, 2000])
      assert.deepStrictEqual((yield* api.StyleRules.get({ params })).configuredRules, rules)
      yield* api.StyleRules.rename({ params, payload: {} })
      assert.deepStrictEqual(yield* state, [7, 2000])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("keep the place of an instruction that is replaced", () =>
    Effect.gen(function*() {
      const api = yield* client
      const labels = ["a", "b", "c"]
      const { customInstructions, styleId } = yield* api.StyleRules.create({
        payload: {
          name: "House",
          language: "en",
          customInstructions: labels.map((label) => ({ label, prompt: label }))
        }
      })
      const instructionId = customInstructions[1]?.id ?? InstructionId.make("")
      const payload = { label: "B", prompt: "New", sourceLanguage: "fr" }
      const replaced = yield* api.StyleRules.replaceInstruction({ params: { styleId, instructionId }, payload })
      assert.deepStrictEqual(replaced, { id: instructionId, ...payload })
      assert.deepStrictEqual(yield* api.StyleRules.getInstruction({ params: { styleId, instructionId } }), replaced)
      const list = yield* api.StyleRules.get({ params: { styleId } })
      assert.deepStrictEqual(list.customInstructions.map(({ label }) => label), ["a", "B", "c"])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("are listed in pages, with details only on request", () =>
    Effect.gen(function*() {
      const api = yield* client
      for (let index = 0; index < 12; index++) {
        yield* api.StyleRules.create({ payload: { name: `${index}`, language: "de", configuredRules: rules } })
      }
      const names = (query: { readonly page?: number; readonly pageSize?: number }) =>
        Effect.map(api.StyleRules.list({ query }), ({ styleRules }) => styleRules.map(({ name }) => name))
      assert.deepStrictEqual(yield* names({}), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"])
      assert.deepStrictEqual(yield* names({ page: 1 }), ["10", "11"])
      assert.deepStrictEqual(yield* names({ page: 2, pageSize: 5 }), ["10", "11"])
      assert.deepStrictEqual(yield* names({ page: 3, pageSize: 5 }), [])
      assert.strictEqual((yield* names({ pageSize: 25 })).length, 12)
      for (const query of [{ page: -1 }, { pageSize: 0 }, { pageSize: 26 }]) {
        assert.strictEqual((yield* Effect.flip(names(query)))._tag, "BadRequest")
      }
      const short = yield* send("GET", "/v3/style_rules?page_size=1")
      assert.deepStrictEqual(Object.keys(short.json.style_rules[0]).toSorted(), [
        "creation_time",
        "language",
        "name",
        "style_id",
        "updated_time",
        "version"
      ])
      const detailed = yield* send("GET", "/v3/style_rules?page_size=1&detailed=true")
      assert.deepInclude(detailed.json.style_rules[0], { configured_rules: rules, custom_instructions: [] })
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("have limits of length and of number", () =>
    Effect.gen(function*() {
      const api = yield* client
      const create = (payload: Parameters<typeof api.StyleRules.create>[0]["payload"]) =>
        Effect.map(
          Effect.flip(api.StyleRules.create({ payload })),
          (error) => [error._tag, "status" in error && error.status]
        )
      const one = { label: "a", prompt: "b" }
      assert.deepStrictEqual(yield* create({ name: "x", language: "nl" }), ["BadRequest", 400])
      assert.deepStrictEqual(yield* create({ name: "x", language: "en-GB" }), ["BadRequest", 400])
      assert.deepStrictEqual(yield* create({ name: "x".repeat(1025), language: "en" }), ["BadRequest", 400])
      for (const instruction of [{ ...one, label: "x".repeat(101) }, { ...one, prompt: "x".repeat(301) }]) {
        const payload = { name: "x", language: "en", customInstructions: [instruction] }
        assert.deepStrictEqual(yield* create(payload), ["BadRequest", 400])
      }
      const many = Array.from({ length: 201 }, () => one)
      assert.deepStrictEqual(
        yield* create({ name: "x", language: "en", customInstructions: many }),
        ["QuotaExceeded", 456]
      )
      assert.strictEqual((yield* (yield* fake).effects)["StyleRules.create"].count, 0)
      const { styleId } = yield* api.StyleRules.create({
        payload: {
          name: "👋".repeat(1024),
          language: "en",
          customInstructions: [{ label: "👋".repeat(100), prompt: "👋".repeat(300) }, ...many.slice(3)]
        }
      })
      yield* api.StyleRules.addInstruction({ params: { styleId }, payload: one })
      const error = yield* Effect.flip(api.StyleRules.addInstruction({ params: { styleId }, payload: one }))
      assert.strictEqual(error._tag, "QuotaExceeded")
      assert.strictEqual((yield* api.StyleRules.get({ params: { styleId } })).version, 2)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("need all fields of an instruction that replaces another", () =>
    Effect.gen(function*() {
      const api = yield* client
      const { customInstructions: [instruction], styleId } = yield* api.StyleRules.create({
        payload: { name: "House", language: "en", customInstructions: [{ label: "a", prompt: "b" }] }
      })
      const path = `/v3/style_rules/${styleId}/custom_instructions/${instruction?.id}`
      const { json, status } = yield* send("PUT", path, { body: `{"label":"a","prompt":"b"}` })
      assert.deepStrictEqual([status, json.message], [400, "Missing parameter source_language."])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

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

  it.effect("are not found under ids that are unknown or were deleted", () =>
    Effect.gen(function*() {
      const api = yield* client
      const { styleId } = yield* api.StyleRules.create({ payload: { name: "House", language: "en" } })
      const unknown = { styleId, instructionId: InstructionId.make("none") }
      const instruction = { label: "a", prompt: "b", sourceLanguage: "en" }
      assert.deepStrictEqual(
        yield* Effect.all([
          tagOf(api.StyleRules.getInstruction({ params: unknown })),
          tagOf(api.StyleRules.replaceInstruction({ params: unknown, payload: instruction })),
          tagOf(api.StyleRules.removeInstruction({ params: unknown }))
        ]),
        ["NotFound", "NotFound", "NotFound"]
      )
      yield* api.StyleRules.remove({ params: { styleId } })
      const onList = (params: { readonly styleId: StyleId }) =>
        Effect.all([
          tagOf(api.StyleRules.get({ params })),
          tagOf(api.StyleRules.rename({ params, payload: {} })),
          tagOf(api.StyleRules.remove({ params })),
          tagOf(api.StyleRules.replaceConfiguredRules({ params, payload: {} })),
          tagOf(api.StyleRules.addInstruction({ params, payload: instruction })),
          tagOf(api.StyleRules.getInstruction({ params: { ...unknown, ...params } }))
        ])
      assert.isTrue((yield* onList({ styleId })).every((tag) => tag === "NotFound"))
      assert.isTrue((yield* onList({ styleId: StyleId.make("none") })).every((tag) => tag === "NotFound"))
    }).pipe(Effect.provide(FakeLanguageService.layer())))
})
