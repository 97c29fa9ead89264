import { GlossaryId } from "@effect-lingua/core/contract/Ids"
import {
  type BadRequest,
  NotFound,
  PayloadTooLarge,
  QuotaExceeded,
  UnsupportedMediaType
} from "@effect-lingua/core/errors/ServiceError"
import type { GlossariesApi } from "@effect-lingua/core/extension/Resources"
import { resultFn } from "@effect-lingua/core/extension/Service"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { badRequest, checkName, notSupported } from "../answers.ts"
import * as Exchange from "../exchange.ts"
import { group } from "../group.ts"
import * as Data from "../languages/languageData.ts"
import type { NewGlossary } from "../model.ts"
import type { Fake, StoredDictionary, StoredGlossary } from "../state.ts"
import { handler, remove, step, tookEffect } from "../steps.ts"
import * as Entries from "./glossaryEntries.ts"

type Pair = Pick<StoredDictionary, "sourceLanguage" | "targetLanguage">

const maxGlossaries = 1000

/** Finds a glossary for API version 2. Refuses a glossary that API version 3 has edited. */
const findV2 = (fake: Fake, account: string, id: string): Result.Result<StoredGlossary, BadRequest | NotFound> =>
  Result.andThen(
    fake.store.glossaries.find(account, id),
    (glossary): Result.Result<StoredGlossary, BadRequest | NotFound> =>
      glossary.version === 3
        ? fake.store.glossaries.absent()
        : glossary.edited
        ? badRequest("Bad request. Reason: The glossary was edited with version 3, use version 3 for it.")
        : Result.succeed(glossary)
  )

const isPair = (one: Pair, other: Pair): boolean =>
  one.sourceLanguage === other.sourceLanguage && one.targetLanguage === other.targetLanguage

/** Requires two different languages without a region. Codes may have any case. */
const pairOf = (given: Pair): Result.Result<Pair, BadRequest> => {
  const [sourceLanguage, targetLanguage] = [given.sourceLanguage.toLowerCase(), given.targetLanguage.toLowerCase()]
  if (!Data.languages.glossary.includes(sourceLanguage)) return notSupported("source_lang")
  return Data.languages.glossary.includes(targetLanguage) && sourceLanguage !== targetLanguage
    ? Result.succeed({ sourceLanguage, targetLanguage })
    : notSupported("target_lang")
}

const read = resultFn(function*({ settings: { limits } }: Fake, given: GlossariesApi.NewDictionary) {
  const pair = yield* pairOf(given)
  const { entries, entriesFormat = "tsv" } = given
  return { ...pair, entries: yield* Entries.read(entries, entriesFormat, pair, limits.glossaryTermBytes) }
})

const readAll = resultFn(function*(fake: Fake, given: ReadonlyArray<GlossariesApi.NewDictionary>) {
  const dictionaries: Array<StoredDictionary> = []
  for (const item of given) {
    const dictionary = yield* read(fake, item)
    if (dictionaries.some((other) => isPair(other, dictionary))) {
      yield* badRequest("Bad request. Reason: there are several dictionaries for a language pair.")
    }
    dictionaries.push(dictionary)
  }
  return dictionaries
})

const checkSize = (
  { settings: { limits } }: Fake,
  dictionaries: ReadonlyArray<StoredDictionary>
): Result.Result<void, PayloadTooLarge> =>
  dictionaries.reduce((sum, { entries }) => sum + Entries.size(entries), 0) > limits.glossaryBytes
    ? Result.fail(new PayloadTooLarge({ description: `A glossary has at most ${limits.glossaryBytes} bytes` }))
    : Result.succeed(undefined)

export const add = (
  fake: Fake,
  account: string,
  glossary: Pick<StoredGlossary, "name" | "version" | "dictionaries">,
  created: DateTime.Utc,
  given: Pick<NewGlossary, "glossaryId" | "isShared"> = {}
): StoredGlossary => {
  const glossaryId = given.glossaryId ?? GlossaryId.make(fake.store.ids.uuid())
  const added = { glossaryId, created, edited: false, ...glossary }
  fake.store.glossaries.add(account, glossaryId, added, given.isShared)
  return added
}

const create = resultFn(
  function*(
    fake: Fake,
    account: string,
    glossary: Pick<StoredGlossary, "name" | "version" | "dictionaries">,
    now: DateTime.Utc
  ) {
    yield* checkName(glossary.name, fake.settings.limits.glossaryNameBytes)
    yield* checkSize(fake, glossary.dictionaries)
    if (fake.store.glossaries.owned(account).length >= maxGlossaries) {
      yield* Result.fail(
        new QuotaExceeded({ description: `Quota Exceeded: an account has at most ${maxGlossaries} glossaries` })
      )
    }
    return add(fake, account, glossary, now)
  }
)

/** Changes a glossary with API version 3; from then on, version 2 refuses the glossary. */
const change = (
  fake: Fake,
  glossary: StoredGlossary,
  changed: Partial<Pick<StoredGlossary, "name" | "dictionaries">>
): Result.Result<StoredGlossary, PayloadTooLarge> =>
  Result.map(checkSize(fake, changed.dictionaries ?? glossary.dictionaries), () => {
    const next = { ...glossary, ...changed, edited: true }
    fake.store.glossaries.set(glossary.glossaryId, next)
    return next
  })

const withDictionary = (
  { dictionaries }: StoredGlossary,
  dictionary: StoredDictionary
): ReadonlyArray<StoredDictionary> =>
  dictionaries.some((other) => isPair(other, dictionary))
    ? dictionaries.map((other) => isPair(other, dictionary) ? dictionary : other)
    : [...dictionaries, dictionary]

const findDictionary = (glossary: StoredGlossary, pair: Pair): Result.Result<StoredDictionary, NotFound> =>
  Result.fromNullishOr(
    glossary.dictionaries.find((other) => isPair(other, pair)),
    () => new NotFound({ description: "Dictionary not found" })
  )

const dictionaryInfo = ({ entries, ...pair }: StoredDictionary) => ({ ...pair, entryCount: entries.size })

const info = ({ created, dictionaries, glossaryId, name }: StoredGlossary) => ({
  glossaryId,
  name,
  dictionaries: dictionaries.map(dictionaryInfo),
  creationTime: created
})

const glossariesOf = ({ store }: Fake) => store.glossaries

const version3 = group("Glossaries", (handlers) =>
  handlers.handleAll({
    create: handler(function*({ payload: { dictionaries, name } }, now, { account, fake, note }) {
      const read = yield* readAll(fake, dictionaries)
      const glossary = yield* create(fake, account, { name, version: 3, dictionaries: read }, now)
      tookEffect(fake, note, glossary.glossaryId)
      return info(glossary)
    }),
    list: () =>
      Effect.map(
        Exchange.Current,
        ({ account, fake }) => ({ glossaries: fake.store.glossaries.owned(account).map(info) })
      ),
    get: ({ params }) =>
      step((_now, { account, fake }) => Result.map(fake.store.glossaries.find(account, params.glossaryId), info)),
    merge: handler(function*({ params, payload: { dictionaries = [], name } }, _now, { account, fake, note }) {
      const glossary = yield* fake.store.glossaries.find(account, params.glossaryId)
      if (name !== undefined) yield* checkName(name, fake.settings.limits.glossaryNameBytes)
      if (dictionaries.length > 1) yield* badRequest("Bad request. Reason: at most one dictionary can be edited.")
      const [given] = yield* readAll(fake, dictionaries)
      const before = given && glossary.dictionaries.find((other) => isPair(other, given))
      const changed = yield* change(fake, glossary, {
        ...(name === undefined ? undefined : { name }),
        ...(given === undefined ? undefined : {
          dictionaries: withDictionary(glossary, {
            ...given,
            entries: new Map([...before?.entries ?? [], ...given.entries])
          })
        })
      })
      tookEffect(fake, note, glossary.glossaryId)
      return info(changed)
    }),
    remove: ({ params: { glossaryId } }) =>
      remove(glossariesOf, glossaryId, ({ account, fake }) => glossariesOf(fake).find(account, glossaryId)),
    entries: handler(function*({ params, query }, _now, { account, fake }) {
      const glossary = yield* fake.store.glossaries.find(account, params.glossaryId)
      const { entries, ...pair } = yield* findDictionary(glossary, yield* pairOf(query))
      const dictionary = { ...pair, entries: Entries.write(entries), entriesFormat: "tsv" as const }
      return fake.settings.dialect.glossaryEntries === "bare" ? dictionary : { dictionaries: [dictionary] }
    }),
    replaceDictionary: handler(function*({ params, payload }, _now, { account, fake, note }) {
      const glossary = yield* fake.store.glossaries.find(account, params.glossaryId)
      const dictionary = yield* read(fake, payload)
      yield* change(fake, glossary, { dictionaries: withDictionary(glossary, dictionary) })
      tookEffect(fake, note, glossary.glossaryId)
      return dictionaryInfo(dictionary)
    }),
    removeDictionary: handler(function*({ params, query }, _now, { account, fake, note }) {
      const glossary = yield* fake.store.glossaries.find(account, params.glossaryId)
      const pair = yield* pairOf(query)
      yield* findDictionary(glossary, pair)
      yield* change(fake, glossary, {
        dictionaries: glossary.dictionaries.filter((other) => !isPair(other, pair))
      })
      tookEffect(fake, note, glossary.glossaryId)
    })
  }))

const noEntries: StoredDictionary = { sourceLanguage: "", targetLanguage: "", entries: new Map() }

/** A glossary in the form of API version 2, with its first dictionary. */
const infoV2 = ({ created, dictionaries: [dictionary = noEntries], glossaryId, name }: StoredGlossary) => ({
  glossaryId,
  name,
  ready: true,
  ...dictionaryInfo(dictionary),
  creationTime: created
})

/** True if the header `Accept` allows TSV, the only format. */
const takesTsv = (accept: string | undefined): boolean =>
  accept === undefined || accept.trim() === "" || /\*\/\*|\btext\/(\*|tab-separated-values)/.test(accept)

const version2 = group("GlossariesV2", (handlers) =>
  handlers.handleAll({
    create: handler(function*({ payload: { name, ...given } }, now, { account, fake, note }) {
      const dictionary = yield* read(fake, given)
      const glossary = yield* create(fake, account, { name, version: 2, dictionaries: [dictionary] }, now)
      tookEffect(fake, note, glossary.glossaryId)
      return infoV2(glossary)
    }),
    list: () =>
      Effect.map(Exchange.Current, ({ account, fake }) => ({
        glossaries: fake.store.glossaries.owned(account).filter(({ edited, version }) => version === 2 && !edited)
          .map(infoV2)
      })),
    get: ({ params }) =>
      step((_now, { account, fake }) => Result.map(findV2(fake, account, params.glossaryId), infoV2)),
    entries: handler(function*({ params, request }, _now, { account, fake }) {
      if (!takesTsv(request.headers["accept"])) {
        yield* Result.fail(
          new UnsupportedMediaType({ description: "Only text/tab-separated-values is supported." })
        )
      }
      const { dictionaries: [dictionary = noEntries] } = yield* findV2(fake, account, params.glossaryId)
      return Entries.write(dictionary.entries)
    }),
    remove: ({ params: { glossaryId } }) =>
      remove(glossariesOf, glossaryId, ({ account, fake }) => findV2(fake, account, glossaryId))
  }))

export const layer = Layer.mergeAll(version3, version2)
