/** The methods of the handle, over the state. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Redacted from "effect/Redacted"
import * as Struct from "effect/Struct"
import type { OperationName } from "../../faults/Fault.ts"
import { operationNames } from "../../faults/internal/operations.ts"
import { left } from "../../faults/internal/scripts.ts"
import type { AwaitOptions, FakeLanguageService } from "../FakeLanguageService.ts"
import * as RecordedRequest from "../RecordedRequest.ts"
import * as Admin from "./account/admin.ts"
import * as Documents from "./documents/documents.ts"
import * as Faults from "./faults.ts"
import * as Glossaries from "./glossaries/glossaries.ts"
import type { OperationEffects, ServiceState } from "./model.ts"
import * as Options from "./options.ts"
import * as Quota from "./quota.ts"
import { type Fake, makeStore, ownerOf } from "./state.ts"
import * as StyleRules from "./style-rules/styleRules.ts"
import { rootOf } from "./text.ts"
import { inTimeOf } from "./time.ts"
import * as Memories from "./translation-memories/memories.ts"

const effects = (fake: Fake): Readonly<Record<OperationName, OperationEffects>> => {
  const entries = operationNames.map((name): [string, OperationEffects] => {
    const { count = 0, ids = [] } = fake.store.effects.get(name) ?? {}
    return [name, { count, ids: [...ids] }]
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is an entry for every name
  return Object.fromEntries(entries) as Record<OperationName, OperationEffects>
}

/** Subscribes before it looks, so that no change is missed between two looks. */
const awaitRequest = Effect.fnUntraced(function*<Name extends OperationName>(
  fake: Fake,
  operation: Name,
  { count = 1, where }: AwaitOptions<Name>
) {
  yield* Options.check([Options.operation(operation), Options.count(count)])
  const changes = yield* PubSub.subscribe(fake.changes)
  while (true) {
    // Decoding costs more than the rest, so only what is needed is decoded.
    const own = fake.store.requests.filter((request) => request.operation === operation)
    const found = where === undefined
      ? RecordedRequest.select(own.slice(count - 1, count), operation)[0]
      : RecordedRequest.select(own, operation).filter(where)[count - 1]
    if (found !== undefined) return found
    yield* PubSub.take(changes)
  }
}, Effect.scoped)

const state = Effect.fnUntraced(function*(fake: Fake): Effect.fn.Return<ServiceState> {
  const time = yield* DateTime.now
  Memories.settle(fake, DateTime.toEpochMillis(time))
  return {
    time,
    documents: yield* Documents.states(fake),
    styleRuleLists: Array.from(fake.store.styleLists.values()),
    glossaries: Array.from(
      fake.store.glossaries.values(),
      (glossary) => Struct.pick(glossary, ["glossaryId", "name", "dictionaries"])
    ),
    translationMemories: Array.from(fake.store.memories.values(), ({ id, name, segments, source, targets }) => ({
      translationMemoryId: id,
      name,
      sourceLanguage: source,
      targetLanguages: targets,
      segments: segments.map((segment) => ({ source: segment.source, targets: Object.fromEntries(segment.targets) }))
    })),
    developerKeys: Array.from(fake.store.keys.values(), Admin.stateOf),
    quota: yield* Quota.read(fake)
  }
})

const secrets = ({ settings: { keys }, store }: Fake): ReadonlyArray<Redacted.Redacted> => {
  const made = Array.from(store.keys.values()).filter(({ access }) => !keys.includes(access))
  const secrets: ReadonlyArray<readonly [label: string, secret: string]> = [
    ...keys.map(({ key }, index) => [`API key ${index + 1}`, key] as const),
    ...made.map(({ access, id }) => [`API key ${id}`, access.key] as const),
    ...Array.from(store.documents.values(), ({ id, key }) => [`key of document ${id}`, key] as const),
    ...Array.from(store.jobs.values(), ({ id, signature }) => [`signature of job ${id}`, signature] as const),
    ...Array.from(
      store.voiceJobs.values(),
      ({ id, signature }) => [`signature of voice job ${id}`, signature] as const
    ),
    ...Array.from(store.voiceTokens, ([token, { session }]) => [`token of voice session ${session}`, token] as const)
  ]
  return secrets.map(([label, secret]) => Redacted.make(secret, { label }))
}

/** Checks something that a test adds, and gives the time of the fake. */
const timeToAdd = <A extends { readonly account?: string | undefined }>(
  fake: Fake,
  check: (given: A) => string | undefined,
  given: A
): Effect.Effect<DateTime.Utc> =>
  Effect.andThen(
    Options.check([check(given) ?? Options.account(fake.settings.keys, given.account)]),
    inTimeOf(fake)(DateTime.now)
  )

export const make = (fake: Fake): FakeLanguageService["Service"] => ({
  url: `${fake.origin}${fake.settings.basePath}`,
  addDocument: (document) => inTimeOf(fake)(Documents.add(fake, document)),
  documents: () => inTimeOf(fake)(Documents.states(fake)),
  untakenDocuments: () =>
    Effect.map(inTimeOf(fake)(Documents.states(fake)), (documents) => documents.filter(Documents.isUntaken)),
  addStyleRuleList: (given) =>
    Effect.map(timeToAdd(fake, Options.styleRuleList, given), (now) => {
      const { account, ...list } = given
      const owner = ownerOf(fake.settings, account)
      return StyleRules.add(fake, owner, { ...list, language: list.language.toLowerCase() }, now)
    }),
  addGlossary: (given) =>
    Effect.map(timeToAdd(fake, Options.glossary, given), (now) => {
      const { account, entries = new Map(), name = "Glossary", sourceLanguage, targetLanguage } = given
      const dictionary = { sourceLanguage: rootOf(sourceLanguage), targetLanguage: rootOf(targetLanguage), entries }
      const owner = ownerOf(fake.settings, account)
      return Glossaries.add(fake, owner, { name, version: 3, dictionaries: [dictionary] }, now).glossaryId
    }),
  addTranslationMemory: (given) =>
    Effect.map(timeToAdd(fake, Options.translationMemory, given), (now) => Memories.add(fake, given, now)),
  quota: () => inTimeOf(fake)(Quota.read(fake)),
  setQuota: (quota) => inTimeOf(fake)(Quota.set(fake, quota)),
  script: (scripts) => Faults.addScripts(fake, scripts),
  unplayed: () => Effect.sync(() => left(fake.store.scripts)),
  weather: (weather) => Faults.setWeather(fake, weather),
  requests: () => Effect.sync(() => fake.store.requests.map((request) => ({ ...request }))),
  requestsOf: (operation) =>
    Effect.map(
      Options.check([Options.operation(operation)]),
      () => RecordedRequest.select(fake.store.requests, operation)
    ),
  awaitRequest: (operation, options = {}) => awaitRequest(fake, operation, options),
  effects: () => Effect.sync(() => effects(fake)),
  state: () => inTimeOf(fake)(state(fake)),
  secrets: () => Effect.sync(() => secrets(fake)),
  advance: (duration) =>
    Effect.flatMap(Options.check([Options.advance(duration)]), () => {
      fake.store.advanced += Math.round(Duration.toMillis(duration))
      return inTimeOf(fake)(DateTime.now)
    }),
  reset: () =>
    Effect.map(makeStore(fake.settings), (store) => {
      fake.store = store
    })
})
