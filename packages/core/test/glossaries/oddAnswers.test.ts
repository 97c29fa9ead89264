import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { GlossariesV2 } from "@effect-lingua/core/glossaries/GlossariesV2"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Wire from "../support/Wire.ts"

describe("a list of glossaries of version 2", () => {
  it.effect("can have one that version 3 made", () =>
    Effect.gen(function*() {
      const { glossaries } = yield* GlossariesV2.use((service) => service.list)
      assert.deepStrictEqual(glossaries.map(({ name, ready, sourceLanguage }) => [name, ready, sourceLanguage]), [
        ["Old", false, "en"],
        ["New", true, undefined]
      ])
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, {
        glossaries: [
          { glossary_id: "a", name: "Old", source_lang: "en", target_lang: "de", ready: false, entry_count: 1 },
          { glossary_id: "b", name: "New", source_lang: null, dictionaries: [] }
        ]
      })
    ]))))
})

it.effect("a plan replaces a dictionary that lacks an entry, also if the service does not count its entries", () => {
  const pair = { source_lang: "en", target_lang: "de" }
  const dictionary = { sourceLanguage: "en", targetLanguage: "de", entries: new Map([["a", "x"], ["b", "y"]]) }
  return Effect.gen(function*() {
    const { steps } = yield* Glossaries.use(({ plan }) =>
      plan({ glossaries: [{ name: "A", dictionaries: [dictionary] }] })
    )
    assert.deepStrictEqual(steps.map(({ _tag }) => _tag), ["ReplaceDictionary"])
  }).pipe(Effect.provide(Wire.layer([
    Wire.answer(200, { glossaries: [{ glossary_id: "a", name: "A", dictionaries: [pair] }] }),
    Wire.answer(200, { dictionaries: [{ ...pair, entries: "a\tx" }] })
  ])))
})
