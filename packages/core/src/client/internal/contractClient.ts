/** The client of one group of the contract, over the platform's `HttpClient` and the resilience middleware. */
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpClient from "effect/http/HttpClient"
import { LanguageServiceConfig } from "../LanguageServiceConfig.ts"
import { CurrentCall } from "./currentCall.ts"

/** Returns the success that the attempt has decoded, instead of decoding it again. */
const decodedOnce = <E, R>(decode: Effect.Effect<unknown, E, R>): Effect.Effect<unknown, E, R> =>
  Effect.flatMap(CurrentCall, (call) => call?.success === undefined ? decode : Effect.succeed(call.success.value))

/**
 * Derives the client of a group, under the name of the group. Unused groups of the contract are not bundled. The
 * client is made on first use, as that takes a walk over the group, and most programs use few of them.
 */
export const make = <Group extends HttpApiGroup.Constraint>(group: Group) =>
  Effect.gen(function*() {
    const httpClient = yield* HttpClient.HttpClient
    const { baseUrl } = yield* LanguageServiceConfig
    const context = yield* Effect.context<HttpApiGroup.MiddlewareClient<Group>>()
    const derive = HttpApiClient.makeWith(HttpApi.make("LanguageService").add(group), {
      httpClient,
      transformResponse: decodedOnce,
      baseUrl: baseUrl.href.replace(/\/$/, "")
    })
    let client: Effect.Success<typeof derive> | undefined
    return () => client ??= Effect.runSyncWith(context)(derive)
  })
