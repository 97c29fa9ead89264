/** Claims about spoken terms. */
import { SpokenTermsId } from "@effect-lingua/core/contract/Ids"
import { SpokenTerms, type TermListOptions } from "@effect-lingua/core/voice/SpokenTerms"
import { Voice } from "@effect-lingua/core/voice/Voice"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { fakeCheck, nothing, paidCheck, present, refused, same } from "../check.ts"
import { send } from "../host.ts"
import { nameOf } from "../lists.ts"
import type { Check } from "../model.ts"

const unknownId = SpokenTermsId.make(nothing)

const english = { language: "en", terms: ["Plimsoll line", "fairlead"] } as const

const session = (spokenTermsId: SpokenTermsId) =>
  Voice.use((voice) => voice.requestSession({ sourceMediaContentType: "audio/webm", spokenTermsId }))

/** Makes a collection that is removed with the scope. */
const aCollection = Effect.fnUntraced(function*(...termLists: ReadonlyArray<TermListOptions>) {
  const spokenTerms = yield* SpokenTerms
  const name = yield* nameOf("spoken terms")
  return yield* Effect.acquireRelease(
    spokenTerms.create({ name, termLists }),
    ({ spokenTermsId }) => Effect.ignore(spokenTerms.remove({ spokenTermsId }))
  )
})

export const spokenTerms: ReadonlyArray<Check> = [
  paidCheck(
    "SpokenTerms: an id that belongs to nothing is not found, where the account is let in",
    {},
    () => refused(SpokenTerms.use((terms) => terms.get({ spokenTermsId: unknownId })), "NotFound", "AccessDenied")
  ),
  fakeCheck("SpokenTerms: a collection is made, listed, renamed, read, used and deleted", {}, function*() {
    const service = yield* SpokenTerms
    const { name, spokenTermsId, termLists } = yield* aCollection(english)
    yield* same("the lists", termLists, [{ language: "en", entryCount: 2 }])
    yield* present(
      "the collection in the list",
      (yield* Stream.runCollect(service.list())).find((other) => other.spokenTermsId === spokenTermsId)
    )
    yield* service.merge({ spokenTermsId, name: `${name} renamed` })
    yield* same("the name", (yield* service.get({ spokenTermsId })).name, `${name} renamed`)
    yield* session(spokenTermsId)
    yield* refused(session(unknownId), "BadRequest")
    yield* service.remove({ spokenTermsId })
    yield* refused(service.get({ spokenTermsId }), "NotFound")
    yield* refused(service.remove({ spokenTermsId }), "NotFound")
  }),
  fakeCheck("SpokenTerms: terms are added to a list, or replace all of a language", {}, function*() {
    const service = yield* SpokenTerms
    const { spokenTermsId } = yield* aCollection(english)
    const list = { spokenTermsId, language: "en" }
    yield* service.merge({ spokenTermsId, termLists: [{ language: "EN", terms: ["fairlead", "bollard"] }] })
    yield* same("the merged terms", yield* service.terms(list), ["Plimsoll line", "fairlead", "bollard"])
    yield* service.replaceList({ ...list, terms: ["cleat"] })
    yield* service.replaceList({ spokenTermsId, language: "de", terms: ["Klampe", "Poller"] })
    yield* same("the terms that replaced all", yield* service.terms(list), ["cleat"])
    yield* service.removeList(list)
    yield* refused(service.terms(list), "NotFound")
    yield* refused(service.removeList(list), "NotFound")
    yield* same("the lists that are left", (yield* service.get({ spokenTermsId })).termLists, [
      { language: "de", entryCount: 2 }
    ])
  }),
  fakeCheck("SpokenTerms: a list that breaks a rule is refused, and changes nothing", {}, function*() {
    const { spokenTermsId } = yield* aCollection(english)
    for (const entries of ["", "a\n\nb", "a\na", " a", "a\tb", "a".repeat(301)]) {
      const { status } = yield* send("PUT", `/v3/spoken-terms/${spokenTermsId}/term-lists`, {
        body: { lang: "en", entries }
      })
      yield* same(`the status for ${JSON.stringify(entries.slice(0, 10))}`, status, 400)
    }
    const terms = yield* SpokenTerms.use((service) => service.terms({ spokenTermsId, language: "en" }))
    yield* same("the terms", terms, english.terms)
  })
]
