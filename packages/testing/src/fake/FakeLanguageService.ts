/**
 * A stateful fake of the Language Service API: documents that become ready with time and can be downloaded once, style rule
 * lists with versions, quotas, keys, scopes, tiers and limits. Its handlers are derived from the same contract as the client,
 * its time is the Effect clock, and it records all requests and effects.
 *
 * **Example** (A program against the fake, in process)
 *
 * ```ts import.meta.vitest
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const fake = yield* FakeLanguageService.FakeLanguageService
 *   yield* fake.addDocument({ content: "Hallo Welt", readyAfter: "2 seconds" })
 *   const [document] = yield* fake.documents()
 *   return document?.status
 * }).pipe(Effect.provide(FakeLanguageService.layer()))
 *
 * const status = await Effect.runPromise(program) // => "queued"
 * ```
 *
 * @since 0.1.0
 */
import * as Admin from "@effect-lingua/core/account/Admin"
import type * as LanguageServiceConfig from "@effect-lingua/core/config/LanguageServiceConfig"
import type { GlossaryId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as OtherServices from "@effect-lingua/core/OtherServices"
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import type { Predicate } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Socket from "effect/socket/Socket"
import type { InvalidFault, OperationName } from "../faults/Fault.ts"
import type { Script } from "../faults/Script.ts"
import type { Weathers } from "../faults/Weather.ts"
import * as Control from "./internal/control.ts"
import * as Handle from "./internal/handle.ts"
import type * as Model from "./internal/model.ts"
import * as WebSocket from "./internal/outside/webSocket.ts"
import * as Server from "./internal/server.ts"
import * as Site from "./internal/site/site.ts"
import * as View from "./internal/site/view.ts"
import * as State from "./internal/state.ts"
import * as Transport from "./internal/transport.ts"
import type * as RecordedRequests from "./RecordedRequest.ts"

/**
 * The inputs and results of the handle.
 *
 * @category models
 * @since 0.1.0
 */
export type * from "./internal/model.ts"

/**
 * The defect of a fake with invalid options, or of a method of its handle with invalid arguments: a negative quota, an
 * unknown tier, a base path without a slash.
 *
 * **Details**
 *
 * A wrong setup of a test has to be corrected, not handled, so it is a defect, whose message names the option, and not an error
 * in the type of a layer.
 *
 * @category errors
 * @since 0.1.0
 */
export { InvalidOptions } from "./internal/options.ts"

/**
 * Selects the awaited request of an operation: the `count`-th (the first by default) of those that match `where`.
 *
 * @category options
 * @since 0.1.0
 */
export interface AwaitOptions<Name extends OperationName> {
  readonly count?: number | undefined
  readonly where?: Predicate<RecordedRequests.Of<Name>> | undefined
}

/**
 * The handle with which a test controls the fake.
 *
 * @category services
 * @since 0.1.0
 */
export class FakeLanguageService extends Context.Service<FakeLanguageService, {
  /** The base URL of the fake. In process, requests to any other host reach it too. */
  readonly url: string
  /** Puts a document into translation, as if it had just been uploaded. */
  readonly addDocument: (document: Model.NewDocument) => Effect.Effect<Model.IssuedDocument>
  /** All documents with their current state. */
  readonly documents: () => Effect.Effect<ReadonlyArray<Model.DocumentState>>
  /** The translated documents that were never downloaded. */
  readonly undownloadedDocuments: () => Effect.Effect<ReadonlyArray<Model.DocumentState>>
  /** Adds a style rule list, as if it had existed before. It is not checked, and does not count as an effect. */
  readonly addStyleRuleList: (list: Model.NewStyleRuleList) => Effect.Effect<Model.StyleRuleList>
  /** Adds a glossary for a pair of languages and returns its id. */
  readonly addGlossary: (glossary: Model.NewGlossary) => Effect.Effect<GlossaryId>
  /** Adds a translation memory and returns its id. */
  readonly addTranslationMemory: (memory: Model.NewTranslationMemory) => Effect.Effect<TranslationMemoryId>
  /** The current quota of characters of an account, by default that of the first key. */
  readonly quota: (account?: string) => Effect.Effect<Model.Quota>
  /** Changes the quota of an account; fields that are left out stay. */
  readonly setQuota: (quota: Model.QuotaChange) => Effect.Effect<void>
  /**
   * Replaces the taught answers: what the fake answers to texts in translation, improvement, detection and documents. A function
   * that was taught by an option stays.
   */
  readonly teach: (taught: Model.Taught) => Effect.Effect<void>
  /**
   * Adds scripts: the next calls of an operation, or of any, meet their faults. Scripts are played in order, after those that
   * are left, and before the weather.
   */
  readonly script: (scripts: Script | ReadonlyArray<Script>) => Effect.Effect<void, InvalidFault>
  /** The remaining scripts, with their remaining counts. An endless script remains until it was played once. */
  readonly unplayed: () => Effect.Effect<ReadonlyArray<Script>>
  /** Changes the weather: to one, or several at once. */
  readonly weather: (weather: Weathers) => Effect.Effect<void, InvalidFault>
  /** The last requests, in order of arrival. */
  readonly requests: () => Effect.Effect<ReadonlyArray<Model.RecordedRequest>>
  /** The requests of one operation, decoded by the contract. */
  readonly requestsOf: <Name extends OperationName>(
    operation: Name
  ) => Effect.Effect<ReadonlyArray<RecordedRequests.Of<Name>>>
  /**
   * Waits for a request of an operation, which may be in the record already, and returns it. The record is checked after
   * each request and after each response, so that `where` can match the response too. There is no timeout besides that of the
   * test.
   */
  readonly awaitRequest: <Name extends OperationName>(
    operation: Name,
    options?: AwaitOptions<Name>
  ) => Effect.Effect<RecordedRequests.Of<Name>>
  /** The number of times that each operation really took effect; reads, and operations that were not called, have a count of 0. */
  readonly effects: () => Effect.Effect<Readonly<Record<OperationName, Model.OperationEffects>>>
  /** The current state of the service. */
  readonly state: () => Effect.Effect<Model.ServiceState>
  /** Secrets that must not leak: the accepted keys, and those of documents. */
  readonly secrets: () => Effect.Effect<ReadonlyArray<Redacted.Redacted>>
  /**
   * Advances the time of the fake ahead of the Effect clock, and returns its new time: documents become ready, a quota renews.
   * Delays in progress are not shortened. It is for a fake on a real clock; adjust a virtual one such as `TestClock` instead.
   */
  readonly advance: (duration: Duration.Input) => Effect.Effect<DateTime.Utc>
  /**
   * Restores the initial state of the fake, including ids and time. Requests in progress lose their connection and take no
   * effect; a retry of the client is a new request.
   */
  readonly reset: () => Effect.Effect<void>
}>()("@effect-lingua/testing/fake/FakeLanguageService") {}

/**
 * The key that the fake accepts by default.
 *
 * @category configuration
 * @since 0.1.0
 */
export const defaultKey: string = State.defaultKey

/**
 * The admin key that the fake accepts by default.
 *
 * @category configuration
 * @since 0.1.0
 */
export const defaultAdminKey: string = State.defaultAdminKey

/**
 * The fake in process, and the clients that reach it without a network, in the full wire format: for requests, and for the WebSockets
 * of resources from outside. It has none of the services of the client: {@link layerServices} has them. Invalid options are a
 * defect, {@link InvalidOptions}.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  options: Model.Options = {}
): Layer.Layer<FakeLanguageService | HttpClient.HttpClient | Socket.WebSocketConstructor> =>
  Layer.effectContext(Effect.gen(function*() {
    const { answer, fake } = yield* Server.make(options, "https://fake.test")
    return Context.make(FakeLanguageService, Handle.local(fake)).pipe(
      Context.add(HttpClient.HttpClient, Transport.client(answer)),
      Context.add(Socket.WebSocketConstructor, WebSocket.make(fake))
    )
  }))

/**
 * A `fetch` function that the in-process fake answers, for clients that are not written with Effect, and for tools that intercept
 * requests, such as MSW. Requests to any host reach the fake. It runs by the clock of the fake, and a broken connection rejects with a
 * `TypeError`, as it does in browsers and Node.js.
 *
 * **Example** (A client that takes a `fetch` function)
 *
 * ```ts import.meta.vitest
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { ManagedRuntime } from "effect"
 *
 * const runtime = ManagedRuntime.make(FakeLanguageService.layer())
 * const fetch = await runtime.runPromise(FakeLanguageService.fetch())
 *
 * const response = await fetch("https://service.test/v2/usage", {
 *   headers: { authorization: "Service-Auth-Key fake-key" }
 * })
 * response.status // => 200
 * await runtime.dispose()
 * ```
 *
 * @category constructors
 * @since 0.2.0
 */
export const fetch = (): Effect.Effect<typeof globalThis.fetch, never, HttpClient.HttpClient> =>
  Effect.map(Effect.context<HttpClient.HttpClient>(), Transport.fetch)

/**
 * The settings of the fake, and of the client that uses it.
 *
 * @category options
 * @since 0.1.0
 */
export interface ServicesOptions extends Model.Options {
  /** Settings of the client that differ: its key is the first that the fake accepts, its address that of the fake. */
  readonly client?: Partial<LanguageServiceConfig.Options> | undefined
}

/**
 * All services of the client with the fake behind them, in process, which is sufficient for most tests. It also provides the
 * services of {@link layer}.
 *
 * **Details**
 *
 * Each call makes a separate fake and client. Fails with `InvalidConfiguration` for an invalid setting of the client.
 *
 * `Effect.provide` takes no union of layers. Give a choice between the fake and the service one type:
 * `const layer: Layer.Layer<LanguageService, ConfigError | InvalidConfiguration> = isTest ? layerServices() : layerConfig()`.
 *
 * **Example** (A test of a program that uses the client)
 *
 * ```ts import.meta.vitest
 * import { Writing } from "@effect-lingua/core/texts/Writing"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import * as Fault from "@effect-lingua/testing/faults/Fault"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const writing = yield* Writing
 *   const [improved] = yield* writing.correct({ text: ["teh letter"], targetLanguage: "en-GB" })
 *   return improved?.text
 * })
 *
 * const test = Effect.gen(function*() {
 *   const fake = yield* FakeLanguageService.FakeLanguageService
 *   yield* fake.script({ fault: Fault.rateLimited() })
 *   const text = yield* program
 *   const requests = yield* fake.requestsOf("Writing.correct")
 *   return [text, ...requests.map(({ decoded, status }) => `${decoded?.payload.targetLanguage} ${status}`)]
 * }).pipe(Effect.provide(FakeLanguageService.layerServices({ client: { resilience: { attempts: 2 } } })))
 *
 * const result = await Effect.runPromise(test) // => ["The letter.", "en-GB 429", "en-GB 200"]
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServices = (
  { client, ...options }: ServicesOptions = {}
): Layer.Layer<
  | FakeLanguageService
  | HttpClient.HttpClient
  | LanguageService.LanguageService
  | OtherServices.OtherServices
  | Socket.WebSocketConstructor,
  LanguageServiceConfig.InvalidConfiguration
> => {
  const [key = { key: defaultKey, tier: undefined }] = options.keys ?? []
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
    ))).pipe(Layer.provideMerge(layer(options)))
}

/**
 * `Admin` with the default admin key, over the fake of the context. It is separate from {@link layerServices}, as in the client.
 *
 * **Details**
 *
 * Fails with `InvalidConfiguration` for an invalid setting of the client.
 *
 * **Example** (A key is created, used, and deactivated)
 *
 * ```ts import.meta.vitest
 * import { Admin } from "@effect-lingua/core/account/Admin"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const test = Effect.gen(function*() {
 *   const admin = yield* Admin
 *   const { keyId } = yield* admin.createKey({ label: "Nightly run" })
 *   yield* admin.deactivateKey({ keyId })
 *   const keys = yield* Stream.runCollect(admin.listKeys())
 *   return keys.map(({ isDeactivated, label }) => `${label}: ${isDeactivated}`)
 * })
 * const layer = FakeLanguageService.layerAdmin().pipe(Layer.provideMerge(FakeLanguageService.layerServices()))
 * const keys = await test.pipe(Effect.provide(layer), Effect.runPromise)
 * keys // => ["Key 1: false", "Nightly run: true"]
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const layerAdmin = (
  client?: Partial<Admin.Options>
): Layer.Layer<
  Admin.Admin,
  LanguageServiceConfig.InvalidConfiguration,
  FakeLanguageService | HttpClient.HttpClient
> =>
  Layer.unwrap(
    Effect.map(FakeLanguageService, ({ url }) =>
      Admin.layer({ adminKey: Redacted.make(defaultAdminKey), baseUrl: url, allowHttp: true, ...client }))
  )

/**
 * The settings of a fake on a socket.
 *
 * @category options
 * @since 0.1.0
 */
export interface ServerOptions extends Model.Options {
  /** Serves the control endpoint (`ControlApi`) at `/_fake`. True by default. */
  readonly control?: boolean | undefined
  /**
   * Serves the description of the contract: interactively at `/docs`, as OpenAPI 3.1 at `/openapi.json`; and, with `control`, a
   * live view of the fake at `/`. True by default. The pages load nothing from other hosts.
   */
  readonly docs?: boolean | undefined
}

/**
 * The fake on any `HttpServer`. To break a connection, it closes the socket if the server gives access to it, as that of
 * Node.js does.
 *
 * **Details**
 *
 * Browsers may call the contract from pages of any origin: preflight requests get a response, without faults and outside of the
 * record, and responses expose `X-Trace-ID`, `Retry-After` and `Content-Disposition`. The control endpoint is not for such
 * pages.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServer = (
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
