import { GlossariesV2 } from "@effect-lingua/core/glossaries/GlossariesV2"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Wire from "../support/Wire.ts"

describe("a list of glossaries of version 2", () => {
  it.effect("can have one that version 3 made", () =>
    Effect.gen(function*() {
      const { glossaries } = yield* GlossariesV2.use((service) => service.list)
      assert.deepStrictEqual(glossaries.map(({ name, sourceLanguage }) => [name, sourceLanguage]), [
        ["Old", "en"],
        ["New", undefined]
      ])
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, {
        glossaries: [
          { glossary_id: "a", name: "Old", source_lang: "en", target_lang: "de", ready: true, entry_count: 1 },
          { glossary_id: "b", name: "New", source_lang: null, dictionaries: [] }
        ]
      })
    ]))))
})
