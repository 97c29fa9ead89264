import * as LanguageService from "@effect-lingua/core/LanguageService"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** A program that uses one service of this library. */
export const program = Effect.gen(function*() {
  const writing = yield* Writing
  const [improvement] = yield* writing.rephrase({ text: ["This are fine."], targetLanguage: "en-GB" })
  return improvement?.text
}).pipe(
  Effect.catchTag("RateLimited", () => Effect.succeed("later")),
  Effect.provide(
    LanguageService.layer({ key: Redacted.make("key"), baseUrl: "https://service.test" }).pipe(
      Layer.provide(FetchHttpClient.layer)
    )
  )
)
