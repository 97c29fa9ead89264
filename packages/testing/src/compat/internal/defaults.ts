import { StyleId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { FakeLanguageService, NewStyleRuleList, NewTranslationMemory } from "../../fake/FakeLanguageService.ts"

export const authScheme = "DeepL-Auth-Key"

const styleId = StyleId.make("dca2e053-8ae5-45e6-a0d2-881156e7f4e4")

const list: NewStyleRuleList = {
  styleId,
  name: "Default Style Rule",
  language: "en",
  configuredRules: { dates_and_times: { calendar_era: "use_bce_and_ce" } },
  isShared: true
}

const memory: NewTranslationMemory = {
  translationMemoryId: TranslationMemoryId.make("a74d88fb-ed2a-4943-a664-a4512398b994"),
  name: "Default Translation Memory",
  sourceLanguage: "de",
  targetLanguages: ["en", "es", "fr"],
  segments: Array.from({ length: 12 }, (_, number) => ({
    source: `Quelltext Nummer ${number}`,
    targets: Object.fromEntries(
      ["en", "es", "fr"].map((language) => [language, `Target text number ${number} (de->${language})`])
    ),
    ...(number % 3 === 0 ? { lastUsedTime: DateTime.makeUnsafe(0) } : undefined)
  })),
  isShared: true
}

export const add = (fake: FakeLanguageService["Service"]): Effect.Effect<void> =>
  Effect.andThen(fake.addStyleRuleList(list), Effect.asVoid(fake.addTranslationMemory(memory)))

/** Adds the style rule list again if a request may have changed it. */
export const restore = (fake: FakeLanguageService["Service"], method: string, path: string): Effect.Effect<void> =>
  method !== "GET" && path.includes(styleId) ? Effect.asVoid(fake.addStyleRuleList(list)) : Effect.void
