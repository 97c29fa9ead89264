/** The client of one group of the contract, over the platform's `HttpClient` and the resilience middleware. */
import * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpClient from "effect/http/HttpClient"
import { LanguageServiceApi } from "../LanguageServiceApi.ts"
import { LanguageServiceConfig } from "../LanguageServiceConfig.ts"
import * as Resilience from "./resilience.ts"

type Groups = (typeof LanguageServiceApi)["groups"][keyof (typeof LanguageServiceApi)["groups"]]

/** Derives the client of a group. */
export const make = <const Name extends HttpApiGroup.Identifier<Groups>>(group: Name) =>
  Effect.gen(function*() {
    const httpClient = yield* HttpClient.HttpClient
    const { baseUrl } = yield* LanguageServiceConfig
    return yield* HttpApiClient.group(LanguageServiceApi, {
      group,
      httpClient,
      baseUrl: baseUrl.href.replace(/\/$/, "")
    })
  })

/** The client half of the middleware. One layer, so that all groups share one. */
export const layer = Resilience.layer
