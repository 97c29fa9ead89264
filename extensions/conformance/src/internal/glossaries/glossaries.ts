import { GlossaryId } from "@effect-lingua/core/contract/Ids"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { GlossariesV2 } from "@effect-lingua/core/glossaries/GlossariesV2"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { check, nothing, present, refused, same, that } from "../check.ts"
import { send } from "../host.ts"
import { aGlossary, nameOf, removeGlossary } from "../lists.ts"
import type { Check } from "../model.ts"

const unknownId = GlossaryId.make(nothing)

const pair = { sourceLanguage: "en", targetLanguage: "de" } as const
const back = { sourceLanguage: "de", targetLanguage: "en" } as const
const terms = new Map([["screw", "Schraube"], ["nut, hex", "Sechskantmutter"]])
const termsText = Array.from(terms, (term) => term.join("\t")).join("\n")

const aGlossaryV2 = Effect.gen(function*() {
  const glossaries = yield* GlossariesV2
  const name = yield* nameOf("glossary of version 2")
  const glossary = yield* glossaries.create({ name, ...pair, entries: termsText, entriesFormat: "tsv" })
  yield* Effect.addFinalizer(() => removeGlossary(glossary.glossaryId))
  return glossary
})

export const glossaries: ReadonlyArray<Check> = [
  check("Glossaries: a glossary is created, listed, renamed, read and deleted", {}, function*() {
    const service = yield* Glossaries
    const { dictionaries, glossaryId, name } = yield* aGlossary(terms)
    const dictionary = yield* present("a dictionary", dictionaries?.[0])
    yield* same("the languages", [dictionary.sourceLanguage, dictionary.targetLanguage], ["en", "de"])
    yield* same("the number of entries", dictionary.entryCount, 2)
    yield* present(
      "the glossary in the list",
      (yield* Stream.runCollect(service.list)).find((other) => other.glossaryId === glossaryId)
    )
    yield* service.merge({ glossaryId, name: `${name} renamed` })
    yield* same("the name", (yield* service.get({ glossaryId })).name, `${name} renamed`)
    yield* service.remove({ glossaryId })
    yield* refused(service.get({ glossaryId }), "NotFound")
  }),
  check("Glossaries: entries are merged by their source, or replace all of a dictionary", {}, function*() {
    const service = yield* Glossaries
    const { glossaryId } = yield* aGlossary(terms)
    yield* same("the entries", yield* service.entries({ glossaryId, ...pair }), terms)
    yield* service.merge({
      glossaryId,
      dictionary: { ...pair, entries: new Map([["screw", "Bolzen"], ["washer", "Scheibe"]]) }
    })
    yield* same(
      "the merged entries",
      yield* service.entries({ glossaryId, ...pair }),
      new Map([["screw", "Bolzen"], ["nut, hex", "Sechskantmutter"], ["washer", "Scheibe"]])
    )
    yield* service.replaceDictionary({ glossaryId, ...pair, entries: new Map([["bolt", "Bolzen"]]) })
    yield* service.replaceDictionary({ glossaryId, ...back, entries: new Map([["Bolzen", "bolt"]]) })
    yield* same(
      "the entries that replaced all",
      yield* service.entries({ glossaryId, ...pair }),
      new Map([["bolt", "Bolzen"]])
    )
    yield* service.removeDictionary({ glossaryId, ...pair })
    yield* refused(service.entries({ glossaryId, ...pair }), "NotFound")
    const { dictionaries } = yield* service.get({ glossaryId })
    yield* same("the dictionaries that are left", dictionaries?.map(({ sourceLanguage }) => sourceLanguage), ["de"])
  }),
  check("Glossaries: entries that break a rule are refused, and change nothing", {}, function*() {
    const service = yield* Glossaries
    const { glossaryId } = yield* aGlossary(terms)
    for (const entries of ["a\tb\na\tc", "a\t", "a b", `${"a".repeat(1025)}\tb`]) {
      const { status } = yield* send("PUT", `/v3/glossaries/${glossaryId}/dictionaries`, {
        body: { source_lang: "en", target_lang: "de", entries, entries_format: "tsv" }
      })
      yield* same(`the status for ${JSON.stringify(entries.slice(0, 10))}`, status, 400)
    }
    yield* same("the entries", yield* service.entries({ glossaryId, ...pair }), terms)
  }),
  check("Glossaries: unknown ids are not found", {}, function*() {
    const service = yield* Glossaries
    const old = yield* GlossariesV2
    yield* refused(service.get({ glossaryId: unknownId }), "NotFound")
    yield* refused(service.remove({ glossaryId: unknownId }), "NotFound")
    yield* refused(old.get({ glossaryId: unknownId }), "NotFound")
    yield* refused(old.remove({ glossaryId: unknownId }), "NotFound")
  }),
  check("GlossariesV2: a glossary is created, listed, read and deleted", {}, function*() {
    const service = yield* GlossariesV2
    const { entryCount, glossaryId, name } = yield* aGlossaryV2
    yield* same("the number of entries", entryCount, 2)
    yield* present(
      "the glossary in the list",
      (yield* service.list).glossaries.find((other) => other.glossaryId === glossaryId)
    )
    yield* same("the name", (yield* service.get({ glossaryId })).name, name)
    yield* same("the entries", yield* service.entries({ glossaryId }), termsText)
    const { headers: { "content-type": type = "" }, status } = yield* send(
      "GET",
      `/v2/glossaries/${glossaryId}/entries`
    )
    yield* same("the status of the entries", status, 200)
    yield* that(type.startsWith("text/tab-separated-values"), "entries of type text/tab-separated-values", type)
    yield* service.remove({ glossaryId })
    yield* refused(service.get({ glossaryId }), "NotFound")
  }),
  check("GlossariesV2: a glossary that version 3 has edited is deleted by version 3 only", {}, function*() {
    const { glossaryId } = yield* aGlossaryV2
    const service = yield* Glossaries
    yield* service.merge({ glossaryId, dictionary: { ...pair, entries: new Map([["bolt", "Bolzen"]]) } })
    const outcome = yield* GlossariesV2.use((old) => old.remove({ glossaryId })).pipe(
      Effect.as("it was deleted"),
      Effect.catch((error) => Effect.succeed(error._tag))
    )
    yield* that(["AccessDenied", "BadRequest", "NotFound"].includes(outcome), "the deletion is refused", outcome)
    yield* service.remove({ glossaryId })
  })
]
