/** The embedded fake of the service, with sample data. */
import type * as Admin from "@effect-lingua/core/account/Admin"
import type * as LanguageServiceConfig from "@effect-lingua/core/config/LanguageServiceConfig"
import { Documents } from "@effect-lingua/core/documents/Documents"
import * as Journal from "@effect-lingua/core/documents/Journal"
import { QualityEvaluation } from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
import * as Events from "@effect-lingua/core/telemetry/Events"
import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as NodeDocuments from "@effect-lingua/node/files/NodeDocuments"
import * as NodeTranslationMemories from "@effect-lingua/node/files/NodeTranslationMemories"
import * as Fake from "@effect-lingua/testing/fake/FakeLanguageService"
import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
import { SpokenTerms } from "@effect-lingua/voice/SpokenTerms"
import { Voice } from "@effect-lingua/voice/Voice"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

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
  yield* fake.addGlossary({
    name: "Hardware",
    sourceLanguage: "en",
    targetLanguage: "de",
    entries: new Map([["screw", "Schraube"], ["nut", "Mutter"]])
  })
  const translationMemoryId = yield* fake.addTranslationMemory({
    name: "Manuals",
    sourceLanguage: "en",
    targetLanguages: ["de"],
    segments: [
      { source: "Tighten the screw.", targets: { de: "Die Schraube anziehen." } },
      { source: "Loosen the nut.", targets: { de: "Die Mutter lösen." } }
    ]
  })
  const { documentId, documentKey } = yield* fake.addDocument({
    content: "[de] Good morning\n",
    fileName: "sample.txt",
    readyAfter: 0
  })
  const owner = (yield* Documents).owner
  const journal = yield* Journal.Journal
  yield* journal.put({
    _tag: "Uploaded",
    documentId,
    documentKey,
    ...owner,
    startedAt: DateTime.makeUnsafe(yield* Clock.currentTimeMillis),
    fileName: "sample.txt",
    fields: { targetLanguage: "de" },
    target: { folder: ".", overwrite: false }
  })
  const memories = yield* TranslationMemories
  yield* memories.startExport({ translationMemoryId })
  const voice = yield* Voice
  const content = new TextEncoder().encode("speech")
  const job = yield* voice.start({
    contentType: "audio/mpeg",
    fileName: "talk.mp3",
    size: content.length,
    targets: [{ language: "de", type: "text/plain" }]
  })
  yield* voice.upload({ job, content })
  const { start } = yield* QualityEvaluation
  yield* start({
    sourceLanguage: "en",
    targetLanguage: "de",
    segments: [{ source: "We pay 42 euros", target: "Wir zahlen 24 Euro" }]
  })
  const termLists = [{ language: "en", terms: ["Plimsoll line", "fairlead"] }]
  yield* SpokenTerms.use((service) => service.create({ name: "Harbour words", termLists }))
})

/** All services over the fake, which has a translated document and needs two seconds for each other document. */
export const layer = (client: Partial<LanguageServiceConfig.Options>) =>
  Layer.provideMerge(
    Layer.mergeAll(NodeDocuments.layer, NodeTranslationMemories.layer, Layer.effectDiscard(sample)),
    FakeVoice.layerServices({ client, seed: "effect-lingua", readyAfter: "2 seconds" })
  ).pipe(Layer.provideMerge(Layer.fresh(Journal.layerMemory)))

/** Administration over the fake, which has one key. */
export const layerAdmin = (client: Partial<Admin.Options>) =>
  Fake.layerAdmin(client).pipe(
    Layer.provideMerge(Fake.layer({ seed: "effect-lingua" })),
    Layer.provideMerge(Events.layer)
  )
