import { InstructionId, StyleId } from "@effect-lingua/core/contract/Ids"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { scaled } from "../../../../../test/support/scale.ts"
import { client, send, tagOf } from "../../support/client.ts"

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
      assert.strictEqual(list.creationTime && DateTime.formatIso(list.creationTime), "2026-03-01T08:00:00.000Z")
      assert.deepStrictEqual(list.updatedTime, list.creationTime)
      assert.deepStrictEqual(
        list.customInstructions?.map(({ label, sourceLanguage }) => [label, sourceLanguage]),
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
        ({ updatedTime, version }) => [version, updatedTime && DateTime.toEpochMillis(updatedTime)]
      )
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* api.StyleRules.rename({ params, payload: { name: "New" } })).name, "New")
      assert.deepStrictEqual(yield* state, [2, 1000])
      yield* TestClock.adjust("1 second")
      const replaced = yield* api.StyleRules.replaceConfiguredRules({ params, payload: rules })
      assert.deepStrictEqual(replaced.configuredRules, rules)
      const added = yield* api.StyleRules.addInstruction({ params, payload: { label: "a", prompt: "b" } })
      assert.deepStrictEqual(yield* state, [4, 2000])
      if (!("instructionId" in added)) return assert.fail("the answer is the instruction")
      const item = { styleId, instructionId: added.instructionId }
      const payload = { label: "c", prompt: "d", sourceLanguage: "de" }
      yield* api.StyleRules.replaceInstruction({ params: item, payload })
      assert.deepStrictEqual(yield* state, [5, 2000])
      yield* api.StyleRules.removeInstruction({ params: item })
      assert.deepStrictEqual(yield* state, [6, 2000])
      yield* Effect.flip(api.StyleRules.removeInstruction({ params: item }))
      yield* Effect.flip(api.StyleRules.rename({ params, payload: { name: "x".repeat(1025) } }))
      yield* api.StyleRules.listPage({ query: { detailed: true } })
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
      const instructionId = customInstructions?.[1]?.instructionId ?? InstructionId.make("")
      const payload = { label: "B", prompt: "New", sourceLanguage: "fr" }
      const replaced = yield* api.StyleRules.replaceInstruction({ params: { styleId, instructionId }, payload })
      assert.deepStrictEqual(replaced, { instructionId, ...payload })
      assert.deepStrictEqual(yield* api.StyleRules.getInstruction({ params: { styleId, instructionId } }), replaced)
      const list = yield* api.StyleRules.get({ params: { styleId } })
      assert.deepStrictEqual(list.customInstructions?.map(({ label }) => label), ["a", "B", "c"])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("are listed in pages, with details only on request", () =>
    Effect.gen(function*() {
      const api = yield* client
      for (let index = 0; index < 12; index++) {
        yield* api.StyleRules.create({ payload: { name: `${index}`, language: "de", configuredRules: rules } })
      }
      const names = (query: { readonly page?: number; readonly pageSize?: number }) =>
        Effect.map(api.StyleRules.listPage({ query }), ({ styleRules }) => styleRules.map(({ name }) => name))
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
        ["BadRequest", 400]
      )
      assert.strictEqual((yield* (yield* fake).effects())["StyleRules.create"].count, 0)
      const { styleId } = yield* api.StyleRules.create({
        payload: {
          name: "👋".repeat(1024),
          language: "en",
          customInstructions: [{ label: "👋".repeat(100), prompt: "👋".repeat(300) }, ...many.slice(3)]
        }
      })
      yield* api.StyleRules.addInstruction({ params: { styleId }, payload: one })
      const error = yield* Effect.flip(api.StyleRules.addInstruction({ params: { styleId }, payload: one }))
      assert.strictEqual(error._tag, "BadRequest")
      assert.strictEqual((yield* api.StyleRules.get({ params: { styleId } })).version, 2)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("need all fields of an instruction that replaces another", () =>
    Effect.gen(function*() {
      const api = yield* client
      const { customInstructions: [instruction] = [], styleId } = yield* api.StyleRules.create({
        payload: { name: "House", language: "en", customInstructions: [{ label: "a", prompt: "b" }] }
      })
      const path = `/v3/style_rules/${styleId}/custom_instructions/${instruction?.instructionId}`
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

  it.effect("write their times in ISO 8601 and UTC", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 11, 31, 23, 59, 59, 7))
      const { json } = yield* send("POST", "/v3/style_rules", { body: `{"name":"House","language":"en"}` })
      assert.deepStrictEqual(
        [json.creation_time, json.updated_time],
        ["2026-12-31T23:59:59.007Z", "2026-12-31T23:59:59.007Z"]
      )
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("have the names, statuses and bodies of the wire", () =>
    Effect.gen(function*() {
      const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
      const instruction = { label: "Currency", prompt: "Put the sign first.", source_language: "de" }
      const created = yield* send("POST", "/v3/style_rules", {
        body: JSON.stringify({
          name: "House",
          language: "en",
          configured_rules: rules,
          custom_instructions: [instruction]
        })
      })
      const { style_id: id } = created.json
      assert.strictEqual(created.status, 201)
      assert.match(id, uuid)
      assert.deepStrictEqual(Object.keys(created.json).toSorted(), [
        "configured_rules",
        "creation_time",
        "custom_instructions",
        "language",
        "name",
        "style_id",
        "updated_time",
        "version"
      ])
      const [{ id: instructionId, ...first }] = created.json.custom_instructions
      assert.match(instructionId, uuid)
      assert.deepStrictEqual(first, instruction)
      const path = `/v3/style_rules/${id}`
      const page = yield* send("GET", "/v3/style_rules?detailed=false")
      assert.deepStrictEqual([page.status, Object.keys(page.json)], [200, ["style_rules"]])
      assert.deepStrictEqual((yield* send("GET", path)).json, created.json)
      const renamed = yield* send("PATCH", path, { body: `{"name":"New"}` })
      assert.deepStrictEqual([renamed.status, renamed.json.name, renamed.json.version], [200, "New", 2])
      const cleared = yield* send("PUT", `${path}/configured_rules`, { body: "{}" })
      assert.deepStrictEqual([cleared.status, cleared.json.configured_rules], [200, {}])
      assert.strictEqual(cleared.json.custom_instructions.length, 1)
      const added = yield* send("POST", `${path}/custom_instructions`, { body: `{"label":"x","prompt":"y"}` })
      assert.deepStrictEqual([added.status, added.json.label], [201, "x"])
      const item = `${path}/custom_instructions/${instructionId}`
      assert.deepStrictEqual((yield* send("GET", item)).json, { id: instructionId, ...instruction })
      const replaced = yield* send("PUT", item, { body: JSON.stringify({ ...instruction, label: "Money" }) })
      assert.deepStrictEqual([replaced.status, replaced.json], [200, {
        id: instructionId,
        ...instruction,
        label: "Money"
      }])
      for (const gone of [item, path]) {
        const removed = yield* send("DELETE", gone)
        assert.deepStrictEqual([removed.status, removed.text], [204, ""])
        assert.strictEqual((yield* send("DELETE", gone)).status, 404)
      }
      const form = yield* send("POST", "/v3/style_rules", {
        body: "name=House&language=en",
        contentType: "application/x-www-form-urlencoded"
      })
      assert.strictEqual(form.status, 400)
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
