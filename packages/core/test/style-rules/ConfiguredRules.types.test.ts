import { type Catalogue, ConfiguredRules, type Encoded } from "@effect-lingua/core/style-rules/ConfiguredRules"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { expectTypeOf } from "vitest"

describe("ConfiguredRules", () => {
  it("takes names of the catalogue and names it does not know", () => {
    const known = { dates_and_times: { calendar_era: "use_bc_and_ad" } } satisfies ConfiguredRules
    const unknownCategory = { ...known, poetry: { rhyme: "avoid" } } satisfies ConfiguredRules
    const unknownRule = { numbers: { dozens: "spell_out" } } satisfies ConfiguredRules
    const unknownOption = { numbers: { decimal_separator: "use_a_star" } } satisfies ConfiguredRules
    expectTypeOf(known).toExtend<ConfiguredRules>()
    expectTypeOf(unknownCategory).toExtend<ConfiguredRules>()
    expectTypeOf(unknownRule).toExtend<ConfiguredRules>()
    expectTypeOf(unknownOption).toExtend<ConfiguredRules>()
    const mixed: ConfiguredRules = {
      dates_and_times: { calendar_era: "use_bc_and_ad", eclipses: "use_a_star" },
      poetry: { rhyme: "avoid" }
    }
    assert.strictEqual(mixed.dates_and_times?.calendar_era, "use_bc_and_ad")
  })

  it("takes what another program read as plain records, and gives plain records", () => {
    expectTypeOf<Record<string, Record<string, string>>>().toExtend<ConfiguredRules>()
    expectTypeOf<ConfiguredRules>().toExtend<Encoded>()
    expectTypeOf<typeof ConfiguredRules.Encoded>().toEqualTypeOf<Encoded>()
    expectTypeOf<typeof ConfiguredRules.DecodingServices>().toEqualTypeOf<never>()
    expectTypeOf<typeof ConfiguredRules.EncodingServices>().toEqualTypeOf<never>()
  })

  it("offers the options of the catalogue", () => {
    expectTypeOf<NonNullable<ConfiguredRules["dates_and_times"]>["calendar_era"]>().toEqualTypeOf<
      Catalogue["dates_and_times"]["calendar_era"] | (string & {}) | undefined
    >()
    expectTypeOf<"use_bc_and_ad">().toExtend<Catalogue["dates_and_times"]["calendar_era"]>()
  })

  it("refuses what is not text, undefined included", () => {
    // @ts-expect-error a number is no option
    const number: ConfiguredRules = { dates_and_times: { calendar_era: 1 } }
    // @ts-expect-error a rule that is off is left out
    const off: ConfiguredRules = { dates_and_times: { calendar_era: undefined } }
    // @ts-expect-error a category without rules is left out or empty
    const none: ConfiguredRules = { dates_and_times: undefined }
    for (const rules of [number, off, none]) assert.isFalse(Schema.is(ConfiguredRules)(rules))
  })

  it.effect("reads and writes known and unknown names unchanged", () =>
    Effect.gen(function*() {
      const wire = { dates_and_times: { calendar_era: "use_bc_and_ad" }, poetry: { rhyme: "avoid" }, vocabulary: {} }
      const rules = yield* Schema.decodeUnknownEffect(ConfiguredRules)(wire)
      expectTypeOf(rules).toEqualTypeOf<ConfiguredRules>()
      assert.deepStrictEqual(rules, wire)
      assert.deepStrictEqual(yield* Schema.encodeEffect(ConfiguredRules)(rules), wire)
    }))

  it.effect.prop("reads back whatever it wrote", [ConfiguredRules], ([rules]) =>
    Effect.gen(function*() {
      const wire = yield* Schema.encodeEffect(ConfiguredRules)(rules)
      assert.deepStrictEqual(yield* Schema.decodeEffect(ConfiguredRules)(wire), rules)
    }))
})
