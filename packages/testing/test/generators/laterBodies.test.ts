import * as Admin from "@effect-lingua/core/account/Admin"
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as OtherServices from "@effect-lingua/core/OtherServices"
import { defaultAdminKey, defaultKey } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Generators from "@effect-lingua/testing/generators/Generators"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Formatter, Layer, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { sampled } from "../../../../test/support/scale.ts"
import { calls, operations } from "../support/operations.ts"

const withoutJson: ReadonlySet<string> = new Set([
  "Documents.download",
  "Glossaries.remove",
  "Glossaries.removeDictionary",
  "GlossariesV2.entries",
  "GlossariesV2.remove",
  "StyleRules.remove",
  "StyleRules.removeInstruction",
  "TranslationMemories.remove"
])

const isJsonName = (name: string): name is Generators.JsonName => !withoutJson.has(name)

/** The real client, with one body for every request. */
const answering = (body: string) => {
  const options = { baseUrl: "https://later.test", resilience: ResiliencePolicy.none }
  return Layer.merge(
    Layer.provideMerge(OtherServices.layer, LanguageService.layer({ ...options, key: Redacted.make(defaultKey) })),
    Admin.layer({ ...options, adminKey: Redacted.make(defaultAdminKey) })
  ).pipe(Layer.provide(Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) =>
      Effect.sync(() =>
        HttpClientResponse.fromWeb(
          request,
          new Response(body, { status: 200, headers: { "content-type": "application/json" } })
        )
      )
    )
  )))
}

const withRequest = <Name extends Generators.JsonName>(name: Name) =>
  Arbitrary.flatMap(
    Generators.request(name),
    (request) => Arbitrary.map(Generators.laterBodyTo(name, request), (body) => ({ request, body }))
  )

/** The types of an operation are its own. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- request and call belong to one name
const holds = <Name extends Generators.JsonName>(name: Name) => {
  const call: (request: Generators.Request<Name>) => Effect.Effect<
    unknown,
    { readonly _tag: string },
    Admin.Admin | LanguageService.LanguageService | OtherServices.OtherServices
  > = calls[name]
  return Effect.map(
    Arbitrary.checkEffect(
      withRequest(name),
      ({ body, request }) =>
        Effect.match(Effect.provide(call(request), answering(body)), {
          onSuccess: () => true,
          onFailure: (error) => assert.fail(`${Formatter.format(error)}\n${body}`)
        }),
      { runs: 25, size: 20, seed: "later" }
    ),
    (result) => {
      const failure = Arbitrary.formatCheckFailure(result)
      if (failure !== undefined) assert.fail(failure)
    }
  )
}

describe("bodies of a later version", () => {
  it.effect.each(sampled(operations.filter(isJsonName), 8))("%s takes them", (name) => holds(name))

  it.effect("differ from those of today in every way", () =>
    Effect.gen(function*() {
      const request = { text: ["Hello"], targetLanguage: "de" } as const
      const bodies = yield* Effect.orDie(
        Arbitrary.sampleEffect(Generators.laterBodyTo("Translation.translate", request), {
          count: 200,
          size: 20,
          seed: "a"
        })
      )
      const all = bodies.join()
      for (
        const part of [
          "a_later_field",
          "\"detected_source_language\":null",
          "\"detected_source_language\":0.5",
          "{\"text\":"
        ]
      ) assert.include(all, part)
      assert.isTrue(bodies.some((body) => !body.includes("detected_source_language")))
    }))
})
