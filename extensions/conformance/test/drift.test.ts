import * as Drift from "@effect-lingua/conformance/Drift"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { effect } from "../../../test/support/tests.ts"

const drift = (options: Parameters<typeof FakeLanguageService.layerServices>[0] = {}) =>
  Effect.gen(function*() {
    const report = yield* Drift.check
    const fake = yield* FakeLanguageService
    const effects = Object.values(yield* fake.effects).filter(({ count }) => count > 0)
    return { ...report, effects, used: (yield* fake.quota()).used }
  }).pipe(Effect.provide(FakeLanguageService.layerServices(options)))

describe("drift", () => {
  effect("is none of a host that follows the specification, and checking it costs nothing", function*() {
    const { compared, effects, findings, used } = yield* drift()
    assert.deepStrictEqual(findings, [])
    assert.includeMembers([...compared], ["Usage.get", "Languages.list", "Languages.resources", "Glossaries.list"])
    assert.deepStrictEqual([effects, used], [[], 0])
  })

  effect("names unknown fields by their paths, without values", function*() {
    const { findings } = yield* drift({ dialect: { unknownFields: true } })
    assert.isAbove(findings.length, 3)
    for (const { kind, what } of findings) {
      assert.strictEqual(kind, "unknown field")
      assert.match(what, /^\w+\.\w+: [\w.[\]]+$/)
    }
  })

  effect("finds unknown fields in lists, and below fields that are known", function*() {
    const body = {
      character_count: 1,
      character_limit: 2,
      products: [{ tier: 1 }, { tier: 2, more: {} }],
      region: "eu"
    }
    const { findings } = yield* drift({
      scripts: [{ operation: "Usage.get", fault: { status: 200, body: JSON.stringify(body) } }]
    })
    assert.deepStrictEqual(findings.map(({ what }) => what), [
      "Usage.get: products[].tier",
      "Usage.get: products[].more",
      "Usage.get: region"
    ])
  })

  effect("names languages that are new or missing, and new features", function*() {
    const list = [
      { lang: "de", name: "German", usable_as_source: true, usable_as_target: true, features: { poetry: {} } },
      { lang: "tlh", name: "Klingon", usable_as_source: true, usable_as_target: true, features: {} }
    ]
    const { findings } = yield* drift({
      scripts: [{ operation: "Languages.list", fault: { status: 200, body: JSON.stringify(list) }, count: 1 }]
    })
    const told = findings.map(({ kind, what }) => `${kind} ${what}`)
    assert.includeMembers(told, [
      "new language translate_text: tlh",
      "new feature translate_text: poetry",
      "missing language translate_text: en"
    ])
    assert.notInclude(told.join(), "missing language translate_text: de,")
  })

  effect("names what the service has since July 2026, in the state of the fake", function*() {
    const { findings } = yield* drift({ dialect: { languages: "2026-07" } })
    assert.deepStrictEqual(new Set(findings.map(({ kind }) => kind)), new Set(["new language"]))
    const told = findings.map(({ what }) => what)
    assert.includeMembers(told, ["translate_text: de-CH", "style_rules: uk", "translation_memory: fr-CA"])
    assert.lengthOf(told.filter((what) => what.startsWith("translate_text")), 4)
    assert.lengthOf(told.filter((what) => what.startsWith("style_rules")), 25)
  })

  effect("says what could not be read, and goes on", function*() {
    const { compared, findings } = yield* drift({
      scripts: [{ operation: "Usage.get", fault: { status: 403 } }],
      client: { resilience: { attempts: 1 } }
    })
    assert.deepStrictEqual(findings.map(({ kind }) => kind), ["not read"])
    assert.match(Drift.format({ compared, findings }), /^\*\*not read\*\*\n\n- `Usage\.get: .+`$/)
  })
})
