// A service made of the contract that answers whatever a test says, encoded as the contract says.
import { Authorization, LanguageServiceApi, Resilience } from "@effect-lingua/core"
import { Context, Effect, Layer } from "effect"
import {
  HttpClient,
  HttpClientRequest,
  HttpEffect,
  HttpRouter,
  HttpServer,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { HttpApiBuilder } from "effect/http-api"

/** The service: the next answer of any operation. */
export class Answering extends Context.Service<Answering, {
  next: Effect.Effect<unknown, { readonly _tag: string }>
}>()("@effect-lingua/testing/test/support/answering") {}

/** Each endpoint of a group gives the next answer. */
const group = (name: keyof typeof LanguageServiceApi.LanguageServiceApi["groups"]) =>
  HttpApiBuilder.group(
    LanguageServiceApi.LanguageServiceApi,
    name,
    Effect.fnUntraced(function*(handlers) {
      const service = yield* Answering
      const endpoints = Object.keys(LanguageServiceApi.LanguageServiceApi.groups[name].endpoints)
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

const client = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function*() {
    const answer = yield* HttpRouter.toHttpEffect(
      HttpApiBuilder.layer(LanguageServiceApi.LanguageServiceApi).pipe(
        Layer.provide(groups),
        Layer.provide(middlewares),
        Layer.provide(HttpServer.layerServices)
      )
    )
    return HttpClient.make((request) =>
      answer.pipe(
        Effect.map((response) =>
          HttpServerResponse.toClientResponse(HttpEffect.scopeTransferToStream(response), { request })
        ),
        Effect.provideServiceEffect(
          HttpServerRequest.HttpServerRequest,
          Effect.map(HttpClientRequest.toWeb(request), HttpServerRequest.fromWeb)
        ),
        Effect.orDie,
        Effect.scoped
      )
    )
  })
)

export const layer = Layer.provideMerge(client, Layer.sync(Answering, () => ({ next: Effect.void })))
