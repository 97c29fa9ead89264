import { type BadRequest, NotFound, QuotaExceeded } from "@effect-lingua/core/errors/ServiceError"
import { resultFn } from "@effect-lingua/core/extension/Service"
import {
  badRequest,
  checkName,
  countCharacters,
  Exchange,
  type Fake,
  faultOfTerm,
  findLanguage,
  handler,
  make,
  notSupported,
  remove,
  step,
  tookEffect
} from "@effect-lingua/testing/extension/Resource"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { TermListRef } from "../../SpokenTerms.ts"
import { type NewTermList, SpokenTermsId } from "../../SpokenTermsApi.ts"
import * as Groups from "./groups.ts"
import * as Stored from "./stored.ts"

type Lists = Stored.StoredSpokenTerms["lists"]

/** Maximum number of an account's collections; the service's limits per plan are unknown. */
const maxCollections = 100

const languageOf = (code: string): Result.Result<string, BadRequest> =>
  findLanguage("voice", code)?.usableAsSource === true ? Result.succeed(code.toLowerCase()) : notSupported("lang")

const summaryOf = (language: string, terms: ReadonlyArray<string>) => ({ language, entryCount: terms.length })

const info = ({ created, lists, name, spokenTermsId }: Stored.StoredSpokenTerms) => ({
  spokenTermsId,
  name,
  termLists: Array.from(lists, ([language, terms]) => summaryOf(language, terms)),
  creationTime: created
})

const find = ({ account, fake }: Exchange.Exchange, id: string) => Stored.spokenTerms(fake).find(account, id)

const findList = resultFn(function*(exchange: Exchange.Exchange, ref: TermListRef) {
  const collection = yield* find(exchange, ref.spokenTermsId)
  const language = yield* languageOf(ref.language)
  const terms = collection.lists.get(language)
  return terms === undefined
    ? yield* Result.fail(new NotFound({ description: "Term list not found" }))
    : { collection, language, terms }
})

const checked = (
  { settings }: Fake,
  terms: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, BadRequest> => {
  const { spokenTermsCharacters } = settings.limits
  const [wrong] = terms.flatMap((term) => faultOfTerm(term, Infinity) ?? [])
  const problem = countCharacters(terms.join("\n")) > spokenTermsCharacters
    ? `a list has at most ${spokenTermsCharacters} characters`
    : new Set(terms).size < terms.length
    ? "a term is a duplicate"
    : wrong && `a term ${wrong}`
  return problem === undefined ? Result.succeed(terms) : badRequest(`Bad request. Reason: ${problem}.`)
}

const read = (fake: Fake, { entries, language }: NewTermList) =>
  Result.all([languageOf(language), checked(fake, entries.split("\n"))])

const merged = resultFn(function*(fake: Fake, lists: Lists, added: ReadonlyArray<NewTermList>) {
  const all = new Map(lists)
  for (const list of added) {
    const [language, terms] = yield* read(fake, list)
    all.set(language, yield* checked(fake, Array.from(new Set([...all.get(language) ?? [], ...terms]))))
  }
  return all
})

const change = ({ fake, note }: Exchange.Exchange, collection: Stored.StoredSpokenTerms): Stored.StoredSpokenTerms => {
  Stored.spokenTerms(fake).set(collection.spokenTermsId, collection)
  tookEffect(fake, note, collection.spokenTermsId)
  return collection
}

export const resource = make(Groups.SpokenTerms, (handlers) =>
  handlers.handleAll({
    create: handler(function*({ payload: { name, termLists = [] } }, created, exchange) {
      const { account, fake } = exchange
      yield* checkName(name, fake.settings.limits.spokenTermsNameBytes)
      const lists = yield* merged(fake, new Map(), termLists)
      if (Stored.spokenTerms(fake).owned(account).length >= maxCollections) {
        yield* Result.fail(new QuotaExceeded({ description: "Spoken Terms quota exhausted" }))
      }
      const spokenTermsId = SpokenTermsId.make(fake.store.ids.uuid())
      const collection = { spokenTermsId, name, lists, created }
      Stored.spokenTerms(fake).add(account, spokenTermsId, collection)
      return info(change(exchange, collection))
    }),
    list: () =>
      Effect.map(
        Exchange.Current,
        ({ account, fake }) => ({ spokenTerms: Stored.spokenTerms(fake).owned(account).map(info) })
      ),
    get: ({ params }) => step((_now, exchange) => Result.map(find(exchange, params.spokenTermsId), info)),
    merge: handler(function*({ params, payload }, _now, exchange) {
      const { fake } = exchange
      const collection = yield* find(exchange, params.spokenTermsId)
      const { name = collection.name, termLists = [] } = payload
      yield* checkName(name, fake.settings.limits.spokenTermsNameBytes)
      return info(change(exchange, { ...collection, name, lists: yield* merged(fake, collection.lists, termLists) }))
    }),
    remove: ({ params: { spokenTermsId } }) =>
      remove(Stored.spokenTerms, spokenTermsId, (exchange) => find(exchange, spokenTermsId)),
    terms: handler(function*({ params, query }, _now, exchange) {
      const { language, terms } = yield* findList(exchange, { ...params, ...query })
      return { language, entries: terms.join("\n") }
    }),
    replaceList: handler(function*({ params, payload }, _now, exchange) {
      const collection = yield* find(exchange, params.spokenTermsId)
      const [language, terms] = yield* read(exchange.fake, payload)
      change(exchange, { ...collection, lists: new Map([...collection.lists, [language, terms]]) })
      return summaryOf(language, terms)
    }),
    removeList: handler(function*({ params, query }, _now, exchange) {
      const { collection, language } = yield* findList(exchange, { ...params, ...query })
      change(exchange, { ...collection, lists: new Map([...collection.lists].filter(([other]) => other !== language)) })
    })
  }))
