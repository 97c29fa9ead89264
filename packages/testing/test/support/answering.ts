// A service made of the contract that answers whatever a test says, encoded as the contract says.
import { Authorization, LanguageServiceApi, Resilience } from "@effect-lingua/core"
import { Context, Effect, Layer } from "effect"
import { FetchHttpClient, HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"

const api = LanguageServiceApi.LanguageServiceApi

/** The service: the next answer of any operation. */
export class Answering extends Context.Service<Answering, {
  next: Effect.Effect<unknown, { readonly _tag: string }>
}>()("@effect-lingua/testing/test/support/answering") {}

/** Each endpoint of a group gives the next answer. */
const group = (name: keyof typeof api.groups) =>
  HttpApiBuilder.group(
    api,
    name,
    Effect.fnUntraced(function*(handlers) {
      const service = yield* Answering
      const endpoints = Object.keys(api.groups[name].endpoints)
      const answers = Object.fromEntries(endpoints.map((key) => [key, () => Effect.suspend(() => service.next)]))
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a test answers with is not known here
      return handlers.handleAll(answers as never)
    })
  )

const groups = Layer.mergeAll(
  group("Admin"),
  group("Detection"),
  group("Documents"),
  group("Glossaries"),
  group("GlossariesV2"),
  group("Languages"),
  group("StyleRules"),
  group("Translation"),
  group("Usage"),
  group("TranslationMemories"),
  group("QualityEvaluation"),
  group("Writing")
)

const middlewares = Layer.mergeAll(
  Layer.succeed(Authorization.Authorization, { key: (effect) => effect }),
  Layer.succeed(Resilience.Resilience, (effect) => effect)
)

export const layer = Layer.unwrap(Effect.sync(() => {
  const service = Layer.succeed(Answering, { next: Effect.void })
  const app = HttpApiBuilder.layer(api).pipe(
    Layer.provide(groups),
    Layer.provide([middlewares, HttpServer.layerServices, service])
  )
  const { handler } = HttpRouter.toWebHandler(app, { disableLogger: true })
  const client = Layer.provide(
    FetchHttpClient.layer,
    Layer.succeed(FetchHttpClient.Fetch, (input, init) => handler(new Request(input, init)))
  )
  return Layer.merge(service, client)
}))
