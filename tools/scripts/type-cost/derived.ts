import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"

class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", { message: Schema.String }, {
  httpApiStatus: 429
}) {}

class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>()("QuotaExceeded", { message: Schema.String }, {
  httpApiStatus: 456
}) {}

const RephraseBody = Schema.Struct({
  text: Schema.Array(Schema.String),
  targetLanguage: Schema.optionalKey(Schema.String)
}).pipe(Schema.encodeKeys({ targetLanguage: "target_lang" }))

const Improvement = Schema.Struct({
  text: Schema.String,
  detectedSourceLanguage: Schema.String,
  targetLanguage: Schema.String
}).pipe(Schema.encodeKeys({ detectedSourceLanguage: "detected_source_language", targetLanguage: "target_language" }))

const rephrase = HttpApiEndpoint.post("rephrase", "/v2/write/rephrase", {
  payload: RephraseBody,
  success: Schema.Struct({ improvements: Schema.Array(Improvement) }),
  error: [RateLimited, QuotaExceeded]
})

const Api = HttpApi.make("LanguageService").add(HttpApiGroup.make("Writing").add(rephrase))

/** The program of `service.ts` with a client that is derived by hand from one endpoint. */
export const program = Effect.gen(function*() {
  const client = yield* HttpApiClient.make(Api, {
    baseUrl: "https://service.test",
    transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("authorization", "Service-Auth-Key key"))
  })
  const payload = { text: ["This are fine."], targetLanguage: "en-GB" }
  const { improvements: [improvement] } = yield* client.Writing.rephrase({ payload })
  return improvement?.text
}).pipe(
  Effect.catchTag("RateLimited", () => Effect.succeed("later")),
  Effect.provide(FetchHttpClient.layer)
)
