/** Translates one text with `effect`, without this library. */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Schema from "effect/Schema"

export const Translated = Schema.Struct({
  translations: Schema.Array(
    Schema.Struct({
      text: Schema.String,
      detected_source_language: Schema.String,
      billed_characters: Schema.optionalKey(Schema.Int)
    })
  )
})

export const translate = Effect.fnUntraced(function*(url: string) {
  const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
  const request = yield* HttpClientRequest.bodyJson(
    HttpClientRequest.post(`${url}/v2/translate`, { headers: { authorization: "Service-Auth-Key key" } }),
    { text: ["Good."], target_lang: "DE" }
  )
  const response = yield* client.execute(request)
  const { translations } = yield* HttpClientResponse.schemaBodyJson(Translated)(response)
  return translations[0]?.text
})
