/** The lists of languages shared by the services: one complete list per resource. */
import * as Effect from "effect/Effect"
import * as Operations from "../../call/internal/operation.ts"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import { type LanguageResource, LanguagesApi } from "./languagesApi.ts"
import * as StaleWhileRevalidate from "./staleWhileRevalidate.ts"

export const make = Effect.gen(function*() {
  const api = yield* Operations.make(LanguagesApi)
  const { languages: terms } = yield* LanguageServiceConfig
  const languages = yield* StaleWhileRevalidate.make(
    (resource: LanguageResource) => api.list({ query: { resource, include: ["beta", "external"] } }),
    terms
  )
  const requirements = yield* StaleWhileRevalidate.make((resources: "resources") => api[resources](), terms)
  return { languages, requirements: requirements.get("resources") }
})

/** The lists of languages of a client. */
export type LanguageLists = Effect.Success<typeof make>
