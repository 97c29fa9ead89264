/** The methods of the handle, over the state. */
import { GlossaryId, TranslationMemoryId } from "@effect-lingua/core/TranslationApi"
import * as Effect from "effect/Effect"
import type { FakeLanguageService } from "../FakeLanguageService.ts"
import type { OperationName } from "../Fault.ts"
import * as Documents from "./documents.ts"
import * as Faults from "./faults.ts"
import type { OperationEffects } from "./model.ts"
import { operationNames } from "./operations.ts"
import * as Quota from "./quota.ts"
import { left } from "./scripts.ts"
import { type FakeState, makeStore } from "./state.ts"
import { canonicalCode, rootOf } from "./text.ts"

type Fake = FakeState["Service"]

const effects = (fake: Fake): Readonly<Record<OperationName, OperationEffects>> => {
  const entries = operationNames.map((name): [string, OperationEffects] => {
    const { count = 0, ids = [] } = fake.store.effects.get(name) ?? {}
    return [name, { count, ids: [...ids] }]
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is an entry for every name
  return Object.fromEntries(entries) as Record<OperationName, OperationEffects>
}

export const make = (fake: Fake, url: string): FakeLanguageService["Service"] => ({
  url,
  addDocument: (document) => Documents.add(fake, document),
  documents: Documents.states(fake),
  addGlossary: ({ sourceLanguage, targetLanguage }) =>
    Effect.sync(() => {
      const id = GlossaryId.make(fake.store.ids.uuid())
      fake.store.glossaries.set(id, { source: rootOf(sourceLanguage), target: rootOf(targetLanguage) })
      return id
    }),
  addTranslationMemory: ({ sourceLanguage, targetLanguages }) =>
    Effect.sync(() => {
      const id = TranslationMemoryId.make(fake.store.ids.uuid())
      fake.store.memories.set(id, { source: rootOf(sourceLanguage), targets: targetLanguages.map(canonicalCode) })
      return id
    }),
  quota: Quota.read(fake),
  setQuota: (quota) => Quota.set(fake, quota),
  script: (scripts) => Faults.addScripts(fake, scripts),
  unplayed: Effect.sync(() => left(fake.store.scripts)),
  weather: (weather) => Faults.setWeather(fake, weather),
  requests: Effect.sync(() => fake.store.requests.map((request) => ({ ...request }))),
  effects: Effect.sync(() => effects(fake)),
  reset: Effect.map(makeStore(fake.settings), (store) => {
    fake.store = store
  })
})
