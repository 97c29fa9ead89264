/** The embedded fake of the service, with sample data. */
import type { Admin } from "@effect-lingua/core/account/Admin"
import type { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { Journal } from "@effect-lingua/core/documents/Journal"
import type { Requirements } from "@effect-lingua/core/LanguageServiceClient"
import { QualityEvaluation } from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
import { Events } from "@effect-lingua/core/telemetry/Events"
import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import { NodeTranslationMemories } from "@effect-lingua/node/files/NodeTranslationMemories"
import { FakeLanguageService as Fake } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Failure } from "../screen/failures.ts"

const sample = Effect.gen(function*() {
  const fake = yield* Fake
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
  const journal = yield* Journal
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
  const { start } = yield* QualityEvaluation
  yield* start({
    sourceLanguage: "en",
    targetLanguage: "de",
    segments: [{ source: "We pay 42 euros", target: "Wir zahlen 24 Euro" }]
  })
})

/** A resource's part of the fake: its handlers, and sample data for examples. */
export interface Resource<Services> {
  readonly resources: Fake.Options["resources"] & {}
  readonly sample?: Effect.Effect<unknown, Failure, Services>
}

/** All services over the fake, which has one translated document and translates other documents in two seconds. */
export const layer = <A>(
  client: Partial<LanguageServiceConfig.Options>,
  added: Layer.Layer<A, never, Requirements>,
  { resources, sample: others = Effect.void }: Resource<A>
) =>
  Layer.effectDiscard(Effect.andThen(sample, others)).pipe(
    Layer.provideMerge(Layer.mergeAll(NodeDocuments.layer, NodeTranslationMemories.layer, added)),
    Layer.provideMerge(Fake.layerServices({ client, resources, seed: "effect-lingua", readyAfter: "2 seconds" })),
    Layer.provideMerge(Layer.fresh(Journal.layerMemory))
  )

export const layerAdmin = (client: Partial<Admin.Options>) =>
  Fake.layerAdmin(client).pipe(
    Layer.provideMerge(Fake.layer({ seed: "effect-lingua" })),
    Layer.provideMerge(Events.layer)
  )
