/** Spoken terms. */
import { SpokenTermsId } from "@effect-lingua/core/contract/Ids"
import { type BadRequest, NotFound, QuotaExceeded } from "@effect-lingua/core/errors/ServiceError"
import type { NewTermList } from "@effect-lingua/core/voice/SpokenTermsApi"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { badRequest, notSupported } from "../answers.ts"
import * as Exchange from "../exchange.ts"
import { fault } from "../glossaries/glossaryEntries.ts"
import { group } from "../group.ts"
import { findLanguage } from "../languages/languages.ts"
import { remove, step, type StoredSpokenTerms, tookEffect } from "../state.ts"
import { countCharacters } from "../text.ts"

type Lists = StoredSpokenTerms["lists"]

/** The greatest number of collections of an account. Those of the plans are not described. */
const maxCollections = 100

const languageOf = (code: string): Result.Result<string, BadRequest> =>
  findLanguage("voice", code)?.usableAsSource === true ? Result.succeed(code.toLowerCase()) : notSupported("lang")

const listOf = ({ lists }: StoredSpokenTerms, language: string): Result.Result<ReadonlyArray<string>, NotFound> => {
  const terms = lists.get(language)
  return terms === undefined
    ? Result.fail(new NotFound({ description: "Term list not found" }))
    : Result.succeed(terms)
}

const summaryOf = (language: string, terms: ReadonlyArray<string>) => ({ language, entryCount: terms.length })

const info = ({ created, lists, name, spokenTermsId }: StoredSpokenTerms) => ({
  spokenTermsId,
  name,
  termLists: Array.from(lists, ([language, terms]) => summaryOf(language, terms)),
  creationTime: created
})

export const layer = group("SpokenTerms", (handlers, fake) => {
  const { spokenTermsCharacters, spokenTermsNameBytes } = fake.settings.limits
  const find = (account: string, id: string) => fake.store.spokenTerms.find(account, id)

  const checkName = (name: string): Result.Result<void, BadRequest> =>
    name === "" || new TextEncoder().encode(name).length > spokenTermsNameBytes
      ? notSupported("name")
      : Result.succeed(undefined)

  const checked = (terms: ReadonlyArray<string>): Result.Result<ReadonlyArray<string>, BadRequest> => {
    if (countCharacters(terms.join("\n")) > spokenTermsCharacters) {
      return badRequest(`Bad request. Reason: a term list has at most ${spokenTermsCharacters} characters.`)
    }
    const problems = terms.map((term, index) =>
      fault(term, Infinity) ?? (terms.indexOf(term) < index ? "is a duplicate" : undefined)
    )
    const index = problems.findIndex((problem) => problem !== undefined)
    return index === -1
      ? Result.succeed(terms)
      : badRequest(`Bad request. Reason: the term with the index ${index} ${problems[index]}.`)
  }

  const read = ({ entries, language }: NewTermList) => Result.all([languageOf(language), checked(entries.split("\n"))])

  /** The lists with the terms of others added. */
  const merged = (lists: Lists, given: ReadonlyArray<NewTermList>): Result.Result<Lists, BadRequest> =>
    Result.gen(function*() {
      const all = new Map(lists)
      for (const list of given) {
        const [language, terms] = yield* read(list)
        all.set(language, yield* checked(Array.from(new Set([...all.get(language) ?? [], ...terms]))))
      }
      return all
    })

  const change = (note: Exchange.Note, collection: StoredSpokenTerms): StoredSpokenTerms => {
    fake.store.spokenTerms.set(collection.spokenTermsId, collection)
    tookEffect(fake, note, collection.spokenTermsId)
    return collection
  }

  return handlers.handleAll({
    create: ({ payload: { name, termLists = [] } }) =>
      step(function*(created, { account, note }) {
        yield* checkName(name)
        const lists = yield* merged(new Map(), termLists)
        if (fake.store.spokenTerms.owned(account).length >= maxCollections) {
          yield* Result.fail(new QuotaExceeded({ description: "Spoken Terms quota exhausted" }))
        }
        const spokenTermsId = SpokenTermsId.make(fake.store.ids.uuid())
        const collection = { spokenTermsId, name, lists, created }
        fake.store.spokenTerms.add(account, spokenTermsId, collection)
        return info(change(note, collection))
      }),
    list: () =>
      Effect.map(Exchange.Current, ({ account }) => ({ spokenTerms: fake.store.spokenTerms.owned(account).map(info) })),
    get: ({ params }) => step((_now, { account }) => Result.map(find(account, params.spokenTermsId), info)),
    merge: ({ params, payload }) =>
      step(function*(_now, { account, note }) {
        const collection = yield* find(account, params.spokenTermsId)
        const { name = collection.name, termLists = [] } = payload
        yield* checkName(name)
        return info(change(note, { ...collection, name, lists: yield* merged(collection.lists, termLists) }))
      }),
    remove: ({ params: { spokenTermsId } }) =>
      remove(fake, fake.store.spokenTerms, spokenTermsId, (account) => find(account, spokenTermsId)),
    terms: ({ params, query }) =>
      step(function*(_now, { account }) {
        const collection = yield* find(account, params.spokenTermsId)
        const language = yield* languageOf(query.language)
        return { language, entries: (yield* listOf(collection, language)).join("\n") }
      }),
    replaceList: ({ params, payload }) =>
      step(function*(_now, { account, note }) {
        const collection = yield* find(account, params.spokenTermsId)
        const [language, terms] = yield* read(payload)
        change(note, { ...collection, lists: new Map([...collection.lists, [language, terms]]) })
        return summaryOf(language, terms)
      }),
    removeList: ({ params, query }) =>
      step(function*(_now, { account, note }) {
        const collection = yield* find(account, params.spokenTermsId)
        const language = yield* languageOf(query.language)
        yield* listOf(collection, language)
        change(note, { ...collection, lists: new Map([...collection.lists].filter(([other]) => other !== language)) })
      })
  })
})
