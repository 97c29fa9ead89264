/** The embedded fake of the service, with something in it to look at. */
import * as DocumentJournal from "@effect-lingua/core/DocumentJournal"
import type * as LanguageServiceConfig from "@effect-lingua/core/LanguageServiceConfig"
import * as Fake from "@effect-lingua/testing/FakeLanguageService"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeDocuments from "../../NodeDocuments.ts"

const sample = Effect.gen(function*() {
  const fake = yield* Fake.FakeLanguageService
  yield* fake.addStyleRuleList({
    name: "House style",
    language: "en",
    configuredRules: { dates_and_times: { time_format: "use_24_hour_clock" } },
    customInstructions: [{
      label: "Currency",
      prompt: "Write amounts with the code of the currency",
      sourceLanguage: "en"
    }]
  })
  yield* fake.addGlossary({ sourceLanguage: "en", targetLanguage: "de" })
  yield* fake.addTranslationMemory({ sourceLanguage: "en", targetLanguages: ["de"] })
})

/** All services over the fake. */
export const layer = (client: Partial<LanguageServiceConfig.Options>) =>
  Layer.provideMerge(
    Layer.merge(NodeDocuments.layer, Layer.effectDiscard(sample)),
    Fake.layerServices({ client, seed: "effect-lingua" })
  ).pipe(Layer.provide(DocumentJournal.layerMemory))
