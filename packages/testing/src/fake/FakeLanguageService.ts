/**
 * A stateful fake of the Language Service API, with handlers derived from the client's contract: documents that become
 * ready over time and can be downloaded once, style rule lists with versions, quotas, keys, scopes, tiers and limits. The
 * fake uses the Effect clock and records requests and effects.
 *
 * @since 0.1.0
 */
import { Admin } from "@effect-lingua/core/account/Admin"
import type { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as OtherServices from "@effect-lingua/core/OtherServices"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Socket from "effect/socket/Socket"
import * as Control from "./internal/control.ts"
import * as Handle from "./internal/handle.ts"
import type { AwaitOptions } from "./internal/handle.ts"
import type {
  DocumentState,
  GlossaryState,
  IssuedDocument,
  Key,
  NewDocument,
  NewGlossary,
  NewStyleRuleList,
  NewTranslationMemory,
  OperationEffects,
  Quota,
  QuotaChange,
  RecordedRequest,
  ServiceState,
  StyleRuleList,
  Taught,
  TaughtOption,
  TranslationMemoryState
} from "./internal/model.ts"
import type { InvalidOptions } from "./internal/options.ts"
import * as WebSocket from "./internal/outside/webSocket.ts"
import * as Server from "./internal/server.ts"
import * as Site from "./internal/site/site.ts"
import * as View from "./internal/site/view.ts"
import * as State from "./internal/state.ts"
import type { Options } from "./internal/state.ts"
import * as Transport from "./internal/transport.ts"

export type { Options } from "./internal/state.ts"

/**
 * Inputs and results of the fake's methods.
 *
 * @category models
 * @since 0.1.0
 */
export type * from "./internal/model.ts"

/**
 * Invalid options of a fake, or arguments of its handle, such as a negative quota. A defect, because a test's setup has
 * to be corrected, not handled.
 *
 * @category errors
 * @since 0.1.0
 */
export { InvalidOptions } from "./internal/options.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface ServicesOptions extends Options {
  /** Client settings. Default: the first accepted key, and the fake's URL. */
  readonly client?: Partial<LanguageServiceConfig.Options> | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface ServerOptions extends Options {
  /** Serves the control endpoint (`ControlApi`). Default: true. */
  readonly control?: boolean | undefined
  /**
   * Serves the contract at `/docs` and `/openapi.json`, and, with `control`, a live view at `/`. Default: true. The
   * pages load nothing from other hosts.
   */
  readonly docs?: boolean | undefined
}

/**
 * The handle with which a test controls the fake.
 *
 * @category services
 * @since 0.1.0
 */
export class FakeLanguageService extends Context.Service<FakeLanguageService, ReturnType<typeof Handle.make>>()(
  "@effect-lingua/testing/fake/FakeLanguageService"
) {
  /** The API key that the fake accepts by default. */
  static readonly defaultKey: string = State.defaultKey

  /** The admin key that the fake accepts by default. */
  static readonly defaultAdminKey: string = State.defaultAdminKey

  /**
   * The fake in process, with an HTTP client and a WebSocket constructor that reach the fake without a network, in the full
   * wire format. {@link layerServices} adds the client's services. Invalid options are a defect, {@link InvalidOptions}.
   */
  static readonly layer = (
    options: Options = {}
  ): Layer.Layer<FakeLanguageService | HttpClient.HttpClient | Socket.WebSocketConstructor> =>
    Layer.effectContext(Effect.gen(function*() {
      const { answer, fake } = yield* Server.make(options, "https://fake.test")
      return Context.make(FakeLanguageService, Handle.local(fake)).pipe(
        Context.add(HttpClient.HttpClient, Transport.client(answer)),
        Context.add(Socket.WebSocketConstructor, WebSocket.make(fake))
      )
    }))

  /**
   * A `fetch` function over the in-process fake, for clients without Effect and for interceptors such as MSW. Requests to
   * any host reach the fake. Runs on the fake's clock; a broken connection rejects with a `TypeError`.
   */
  static readonly fetch: Effect.Effect<typeof globalThis.fetch, never, HttpClient.HttpClient> = Effect.map(
    Effect.context<HttpClient.HttpClient>(),
    Transport.fetch
  )

  /**
   * All services of the client over the in-process fake, for most tests. Each call makes a separate fake and client.
   * Includes the services of {@link layer}. Fails with `InvalidConfiguration` for an invalid client setting.
   *
   * **Details**
   *
   * To choose between the fake and the service, annotate the layer, because `Effect.provide` takes no union: `const layer:
   * Layer.Layer<LanguageService, ConfigError | InvalidConfiguration> = isTest ? layerServices() : layerConfig()`.
   *
   * **Example** (A test of a program that uses the client)
   *
   * ```ts import.meta.vitest
   * import { Writing } from "@effect-lingua/core"
   * import { FakeLanguageService, Fault } from "@effect-lingua/testing"
   * import { Effect } from "effect"
   *
   * const program = Effect.gen(function*() {
   *   const writing = yield* Writing
   *   const [improved] = yield* writing.correct({ text: ["teh letter"], targetLanguage: "en-GB" })
   *   return improved?.text
   * })
   *
   * const test = Effect.gen(function*() {
   *   const fake = yield* FakeLanguageService
   *   yield* fake.script({ fault: Fault.rateLimited() })
   *   const text = yield* program
   *   const requests = yield* fake.requestsOf("Writing.correct")
   *   return [text, ...requests.map(({ decoded, status }) => `${decoded?.payload.targetLanguage} ${status}`)]
   * }).pipe(Effect.provide(FakeLanguageService.layerServices({ client: { resilience: { attempts: 2 } } })))
   *
   * const result = await Effect.runPromise(test) // => ["The letter.", "en-GB 429", "en-GB 200"]
   * ```
   */
  static readonly layerServices = (
    { client, ...options }: ServicesOptions = {}
  ): Layer.Layer<
    | FakeLanguageService
    | HttpClient.HttpClient
    | LanguageService.LanguageService
    | OtherServices.OtherServices
    | Socket.WebSocketConstructor,
    LanguageServiceConfig.InvalidConfiguration
  > => {
    const [key = { key: FakeLanguageService.defaultKey, tier: undefined }] = options.keys ?? []
    const [authScheme] = options.authSchemes ?? []
    return Layer.unwrap(Effect.map(FakeLanguageService, ({ url }) =>
      Layer.provideMerge(
        OtherServices.layer,
        LanguageService.layer({
          key: Redacted.make(key.key),
          tier: client?.key === undefined ? key.tier : undefined,
          baseUrl: url,
          authScheme,
          ...client
        })
      ))).pipe(Layer.provideMerge(FakeLanguageService.layer(options)))
  }

  /**
   * `Admin` with the default admin key, over the context's fake. Fails with `InvalidConfiguration` for an invalid client
   * setting.
   */
  static readonly layerAdmin = (
    client?: Partial<Admin.Options>
  ): Layer.Layer<
    Admin,
    LanguageServiceConfig.InvalidConfiguration,
    FakeLanguageService | HttpClient.HttpClient
  > =>
    Layer.unwrap(
      Effect.map(FakeLanguageService, ({ url }) =>
        Admin.layer({
          adminKey: Redacted.make(FakeLanguageService.defaultAdminKey),
          baseUrl: url,
          allowHttp: true,
          ...client
        }))
    )

  /**
   * The fake on any `HttpServer`. Faults can break connections if the server exposes sockets.
   *
   * **Details**
   *
   * Web pages of any origin may call the contract, but not the control endpoint. Preflight requests are not recorded and
   * receive no faults; responses expose `X-Trace-ID`, `Retry-After` and `Content-Disposition`.
   */
  static readonly layerServer = (
    { control = true, docs = true, ...options }: ServerOptions = {}
  ): Layer.Layer<FakeLanguageService, never, HttpServer.HttpServer> =>
    Layer.effect(
      FakeLanguageService,
      Effect.gen(function*() {
        const server = yield* HttpServer.HttpServer
        const { answer, fake } = yield* Server.make(options, Transport.origin(server.address))
        const { basePath } = fake.settings
        const handle = Handle.local(fake)
        yield* server.serve(
          yield* Site.make(Transport.served(answer), {
            basePath,
            control: control ? yield* Control.serve(fake) : undefined,
            describe: docs,
            view: control && docs ? View.make(fake, Site.policy) : undefined,
            onLoopback: Transport.isLoopback(server.address)
          })
        )
        return handle
      })
    )
}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace FakeLanguageService {
  export type { AwaitOptions, InvalidOptions, Options, ServerOptions, ServicesOptions }
  export type { DocumentState, GlossaryState, IssuedDocument, Key, NewDocument, NewGlossary, NewStyleRuleList }
  export type { NewTranslationMemory, OperationEffects, Quota, QuotaChange, RecordedRequest, ServiceState }
  export type { StyleRuleList, Taught, TaughtOption, TranslationMemoryState }
}
