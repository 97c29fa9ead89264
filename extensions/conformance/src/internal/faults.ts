/** Checks that need a fake: a failing service, and an account whose character quota is used up. */
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { GlossariesV2 } from "@effect-lingua/core/glossaries/GlossariesV2"
import { Languages } from "@effect-lingua/core/languages/Languages"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { fakeCheck, refused, same, that } from "./check.ts"
import { aList } from "./lists.ts"
import type { Check } from "./model.ts"

/** Runs a call without retries or a concurrency limit. */
const once: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = ResiliencePolicy.within({
  attempts: 1,
  concurrency: Number.POSITIVE_INFINITY
})

const faultStatuses = [
  [414, "UriTooLong"],
  [429, "RateLimited"],
  [500, "InternalServerError"],
  [502, "BadGateway"],
  [503, "ServiceUnavailable"],
  [504, "GatewayTimeout"],
  [529, "Overloaded"]
] as const

export const faults: ReadonlyArray<Check> = [
  fakeCheck("Faults: each status of a failing service has its error, with Retry-After", {
    source: "Errors"
  }, ({ fake }) =>
    Effect.forEach(faultStatuses, ([status, name]) =>
      Effect.gen(function*() {
        const { translate } = yield* Translation
        yield* fake.script({ operation: "Translation.translate", fault: { status, retryAfter: "7 seconds" } })
        const error = yield* refused(once(translate({ text: ["a"], targetLanguage: "de" })), name)
        yield* that(
          "retryAfter" in error && error.retryAfter !== undefined && Duration.toSeconds(error.retryAfter) === 7,
          "a wait of 7 seconds",
          error.message
        )
      }))),
  fakeCheck("Faults: too many documents and too many requests are distinguished", {}, function*({ fake }) {
    const { upload } = yield* Documents
    const fault = { status: 429, description: "Too many documents wait to be downloaded" }
    yield* fake.script({ operation: "Documents.upload", fault })
    const options = { content: new Uint8Array([65]), fileName: "a.txt", targetLanguage: "en-US" }
    yield* refused(once(upload(options)), "TooManyDocuments")
  }),
  fakeCheck(
    "Faults: too many requests to the glossary endpoints are refused with a 456 that is not about the quota",
    {},
    function*({ fake }) {
      const [glossaries, glossariesV2] = yield* Effect.all([Glossaries, GlossariesV2])
      yield* fake.script({ operation: "Glossaries.list", fault: { status: 456 } })
      yield* refused(Stream.runCollect(glossaries.list), "TooManyGlossaryRequests")
      yield* fake.script({ operation: "GlossariesV2.list", fault: { status: 456 } })
      yield* refused(glossariesV2.list, "TooManyGlossaryRequests")
      yield* fake.script({ operation: "Translation.translate", fault: { status: 456 } })
      const translate = Translation.use(({ translate }) => translate({ text: ["a"], targetLanguage: "de" }))
      yield* refused(translate, "QuotaExceeded")
    }
  ),
  fakeCheck("Faults: a refused change takes no effect", { source: "Errors" }, function*({ fake }) {
    const list = yield* aList()
    const { get, rename } = yield* StyleRules
    yield* fake.script({ operation: "StyleRules.rename", fault: { status: 503 } })
    yield* refused(once(rename({ styleId: list.styleId, name: list.name })), "ServiceUnavailable")
    yield* same("the list", yield* get({ styleId: list.styleId }), list)
  }),
  fakeCheck("Faults: without characters left improvement and translation are refused with 456, and reads are not", {
    source: "Limits"
  }, function*({ fake }) {
    const { characters, used } = yield* fake.quota()
    const [languages, translation, writing] = yield* Effect.all([Languages, Translation, Writing])
    const text = ["a"]
    yield* Effect.gen(function*() {
      yield* fake.setQuota({ characters: used })
      yield* refused(translation.translate({ text, targetLanguage: "de" }), "QuotaExceeded")
      yield* refused(writing.rephrase({ text, targetLanguage: "de" }), "QuotaExceeded")
      yield* refused(writing.correct({ text, targetLanguage: "de" }), "QuotaExceeded")
      yield* languages.resources
      yield* same("the characters used", (yield* fake.quota()).used, used)
    }).pipe(Effect.ensuring(fake.setQuota({ characters })))
  })
]
