import * as LanguageToolkit from "@effect-lingua/agents/LanguageToolkit"
import { FakeLanguageService, VirtualTime } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { effectWith } from "../../../test/support/tests.ts"

const all = Toolkit.merge(LanguageToolkit.toolkit, LanguageToolkit.changes)

const layer = Layer.provideMerge(
  Layer.merge(LanguageToolkit.layer, LanguageToolkit.layerChanges),
  FakeLanguageService.layerServices()
)

/** The result of a tool for arguments of a model, which have no types. A failure is a result as well. */
const call = (name: keyof typeof all.tools, given: object = {}) =>
  Effect.gen(function*() {
    const tools = yield* all
    // @ts-expect-error -- the arguments of a model
    const results: Stream.Stream<{ isFailure: boolean; encodedResult: object }> = yield* tools.handle(name, given)
    const [only] = yield* Stream.runCollect(results)
    return yield* only?.isFailure === true ? Effect.fail(only.encodedResult) : Effect.succeed(only?.encodedResult)
  })

const next = (body: object) =>
  FakeLanguageService.use((fake) =>
    fake.script({ fault: { status: 200, body: JSON.stringify(body), headers: { "content-type": "application/json" } } })
  )

const bodies = Effect.map(
  FakeLanguageService.use((fake) => fake.requests),
  (requests) => requests.map(({ body }): unknown => JSON.parse(body))
)

const hints = ({ annotations }: Tool.Any) =>
  [Tool.Readonly, Tool.Destructive, Tool.Idempotent].map((hint) => Context.get(annotations, hint)).join()

const pair = { source_language: "en", target_language: "de" }

const test = effectWith(layer)

describe("the tools for language models", () => {
  it("that read are marked so, and only the deletion is destructive", () => {
    const names = ["translate", "rephrase", "correct", "detect_language", "list_languages", "list_glossaries"]
    assert.deepStrictEqual(
      Object.values(LanguageToolkit.toolkit.tools).map((tool) => [tool.name, hints(tool)]),
      [...names, "list_style_rules", "usage"].map((name) => [name, "true,false,true"])
    )
    assert.deepStrictEqual(Object.values(LanguageToolkit.changes.tools).map((tool) => [tool.name, hints(tool)]), [
      ["create_glossary", "false,false,false"],
      ["delete_glossary", "false,true,true"]
    ])
  })

  test("return the results of the service as plain values", function*() {
    const fake = yield* FakeLanguageService
    const { styleId } = yield* fake.addStyleRuleList({ name: "House", language: "en" })
    const created = yield* call("create_glossary", {
      ...pair,
      name: "Terms",
      entries: [{ source: "a", target: "b" }]
    })
    const glossary = { glossary_id: (yield* fake.state).glossaries[0]?.glossaryId }
    assert.deepStrictEqual(created, glossary)
    assert.deepStrictEqual(yield* call("list_glossaries"), [{ ...glossary, name: "Terms", pairs: ["en to de"] }])
    assert.deepStrictEqual(yield* call("delete_glossary", glossary), { deleted: true })
    assert.deepStrictEqual(yield* call("list_style_rules"), [{ style_id: styleId, name: "House", language: "en" }])
    assert.deepStrictEqual(yield* call("detect_language", { texts: ["Guten Morgen", "12345"] }), ["de", null])
    yield* fake.setQuota({ used: 20, characters: 50 })
    assert.deepStrictEqual(yield* call("usage"), { used: 20, left: 30 })
    yield* next([{ lang: "de", name: "German", usable_as_source: true, usable_as_target: false, features: {} }])
    assert.deepStrictEqual(yield* call("list_languages", { resource: "voice" }), [
      { code: "de", name: "German", usable_as_source: true, usable_as_target: false }
    ])
    yield* next({ glossaries: [{ glossary_id: "g", name: "Bare" }] })
    assert.deepStrictEqual(yield* call("list_glossaries"), [{ glossary_id: "g", name: "Bare", pairs: [] }])
    yield* next({ style_rules: [{ style_id: "s", name: "Bare" }] })
    assert.deepStrictEqual(yield* call("list_style_rules"), [{ style_id: "s", name: "Bare", language: "" }])
  })

  test("send the arguments of a model", function*() {
    yield* call("translate", { ...pair, texts: ["a"], formality: "prefer_more", context: "c" })
    yield* call("rephrase", { texts: ["a"], style: "business", target_language: "de" })
    yield* call("rephrase", { texts: ["a"], tone: "friendly" })
    yield* call("correct", { texts: ["a"], target_language: "de" })
    const text = ["a"]
    assert.deepStrictEqual(yield* bodies, [
      { text, source_lang: "en", target_lang: "de", formality: "prefer_more", context: "c" },
      { text, target_lang: "de", writing_style: "business" },
      { text, tone: "friendly" },
      { text, target_lang: "de" }
    ])
  })

  it.effect("give a failure as a result for the model, with advice, and with whether the call may succeed later", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      for (const [status, count, isTransient, advice] of [[403, 1, false, "key"], [503, 9, true, "later"]] as const) {
        yield* fake.script({ fault: { status }, count })
        const failure = yield* Effect.flip(call("usage"))
        assert.deepInclude<object>(failure, { may_succeed_later: isTransient })
        assert.include(JSON.stringify(failure), advice)
      }
      assert.isFalse(LanguageToolkit.failureOf({ _tag: "Mine", message: "no" }).may_succeed_later)
    }).pipe(VirtualTime.run, Effect.provide(layer)))

  test.each<[name: keyof typeof all.tools, given: object, named: string]>([
    ["translate", { texts: "a", target_language: "de" }, "texts"],
    ["translate", { texts: ["a"] }, "target_language"],
    ["translate", { texts: ["a"], target_language: "de", formality: "more" }, "prefer_more"],
    ["list_languages", { resource: "text" }, "translate_text"],
    // As lines of a file, 3 entries.
    ["create_glossary", { ...pair, name: "x", entries: [{ source: "a", target: "b\nc\td\ne\tf" }] }, "target"],
    [
      "create_glossary",
      { ...pair, name: "x", entries: [{ source: "a", target: "b" }, { source: "a", target: "c" }] },
      "duplicate"
    ]
  ])("%s refuses a wrong argument with its place, before anything is sent", function*([name, given, named]) {
    assert.include(JSON.stringify(yield* Effect.flip(call(name, given))), named)
    assert.deepStrictEqual(yield* bodies, [])
  })
})
