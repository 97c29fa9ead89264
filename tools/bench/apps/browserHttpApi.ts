/** A client that `effect` derives from an `HttpApi` with one endpoint, over `fetch`. */
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Schema from "effect/Schema"
import { Translated } from "./effect.ts"

const Api = HttpApi.make("Service").add(
  HttpApiGroup.make("Translation").add(
    HttpApiEndpoint.post("translate", "/v2/translate", {
      payload: Schema.Struct({ text: Schema.Array(Schema.String), target_lang: Schema.String }),
      success: Translated
    })
  )
)

const translate = Effect.fnUntraced(function*(baseUrl: string) {
  const { Translation } = yield* HttpApiClient.make(Api, { baseUrl })
  const { translations } = yield* Translation.translate({ payload: { text: ["Good."], target_lang: "DE" } })
  return translations[0]?.text
})

export const run = (url: string) => translate(url).pipe(Effect.provide(FetchHttpClient.layer), Effect.runPromise)
