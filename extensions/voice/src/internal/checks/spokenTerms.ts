import { Claims, nameOf, Requests } from "@effect-lingua/conformance/Checks"
import type { Check } from "@effect-lingua/conformance/Conformance"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { SpokenTerms } from "../../SpokenTerms.ts"
import { SpokenTermsId } from "../../SpokenTermsApi.ts"
import { Voice } from "../../Voice.ts"

const { fakeCheck, nothing, paidCheck, present, refused, same } = Claims
const { refusal, send, status } = Requests

const ofHost = Effect.provide(SpokenTerms.use(Effect.succeed), SpokenTerms.layer)

const unknown = { spokenTermsId: SpokenTermsId.make(nothing), language: "en" }

const terms = ["Plimsoll line", "fairlead"]

export const spokenTerms: ReadonlyArray<Check> = [
  paidCheck(
    "SpokenTerms: an unknown id is not found, if the account has access",
    { since: "2026-07" },
    function*() {
      const service = yield* ofHost
      const { get, merge, remove, removeList, replaceList } = service
      const calls = [get(unknown), merge({ ...unknown, name: "a" }), remove(unknown), removeList(unknown)]
      for (const call of calls) yield* refused(call, "NotFound", "AccessDenied")
      yield* refused(service.terms(unknown), "NotFound", "AccessDenied")
      yield* refused(replaceList({ ...unknown, terms }), "NotFound", "AccessDenied")
      yield* refusal(yield* send("POST", "/v3/spoken-terms", { body: {} }), 400, 403)
      yield* status(yield* send("GET", "/v3/spoken-terms"), 200, 403)
    }
  ),
  fakeCheck(
    "SpokenTerms: a collection is made, used, changed by valid terms only, and deleted",
    { since: "2026-07" },
    function*() {
      const service = yield* ofHost
      const { requestSession } = yield* Effect.provide(Voice.use(Effect.succeed), Voice.layer)
      const name = yield* nameOf("spoken terms")
      const { spokenTermsId, termLists } = yield* service.create({ name, termLists: [{ language: "en", terms }] })
      const list = { spokenTermsId, language: "en" }
      yield* Effect.addFinalizer(() => Effect.ignore(service.remove(list)))
      yield* same("the lists", termLists, [{ language: "en", entryCount: 2 }])
      const all = yield* Stream.runCollect(service.list)
      yield* present("the collection in the list", all.find((other) => other.spokenTermsId === spokenTermsId))
      yield* requestSession({ sourceMediaContentType: "audio/webm", spokenTermsId })
      yield* service.merge({ ...list, termLists: [{ language: "EN", terms: ["fairlead", "bollard"] }] })
      yield* same("the merged terms", yield* service.terms(list), [...terms, "bollard"])
      yield* service.replaceList({ ...list, terms: ["cleat"] })
      for (const entries of ["", "a\n\nb", "a\na", " a", "a\tb", "a".repeat(301)]) {
        const body = { lang: "en", entries }
        yield* status(yield* send("PUT", `/v3/spoken-terms/${spokenTermsId}/term-lists`, { body }), 400)
      }
      yield* same("the terms that replaced all", yield* service.terms(list), ["cleat"])
      yield* service.removeList(list)
      yield* refused(service.terms(list), "NotFound")
      yield* same("the name", (yield* service.get(list)).name, name)
      yield* service.remove(list)
      yield* refused(service.get(list), "NotFound")
      yield* refused(requestSession({ sourceMediaContentType: "audio/webm", spokenTermsId }), "BadRequest")
    }
  )
]
