/**
 * A stateful fake of the Language Service API: documents that become ready with time and can be taken once, style rule
 * lists with versions, quotas, keys, scopes, tiers and limits. Its handlers are derived from the same contract as the
 * client, its time is the Effect clock, and everything that happened can be asked for.
 *
 * **Example** (A program against the fake, in process)
 *
 * ```ts import.meta.vitest
 * import * as FakeLanguageService from "@effect-lingua/testing/FakeLanguageService"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const fake = yield* FakeLanguageService.FakeLanguageService
 *   yield* fake.addDocument({ content: "Hallo Welt", readyAfter: "2 seconds" })
 *   const [document] = yield* fake.documents
 *   return document?.status
 * }).pipe(Effect.provide(FakeLanguageService.layer()))
 *
 * const status = await Effect.runPromise(program) // => "queued"
 * ```
 *
 * @since 0.1.0
 */
import type { GlossaryId, TranslationMemoryId } from "@effect-lingua/core/TranslationApi"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import type { InvalidFault, OperationName, Script } from "./Fault.ts"
import * as Handle from "./internal/handle.ts"
import type {
  DocumentState,
  IssuedDocument,
  NewDocument,
  NewGlossary,
  NewTranslationMemory,
  OperationEffects,
  Options,
  Quota,
  RecordedRequest
} from "./internal/model.ts"
import * as Server from "./internal/server.ts"
import * as State from "./internal/state.ts"
import * as Transport from "./internal/transport.ts"
import type { Weathers } from "./Weather.ts"

/**
 * What a test gives to the fake and gets back from it.
 *
 * @category models
 * @since 0.1.0
 */
export type {
  DocumentState,
  IssuedDocument,
  Key,
  NewDocument,
  NewGlossary,
  NewTranslationMemory,
  OperationEffects,
  Options,
  Quota,
  RecordedRequest
} from "./internal/model.ts"

/**
 * The handle with which a test plays the service.
 *
 * @category services
 * @since 0.1.0
 */
export class FakeLanguageService extends Context.Service<FakeLanguageService, {
  /** The base URL of the fake. In process any other host leads to it too. */
  readonly url: string
  /** Puts a document into translation, as if it had just been uploaded. */
  readonly addDocument: (document: NewDocument) => Effect.Effect<IssuedDocument>
  /** All documents with their state now. */
  readonly documents: Effect.Effect<ReadonlyArray<DocumentState>>
  /** Adds a glossary for a pair of languages and gives its id. */
  readonly addGlossary: (glossary: NewGlossary) => Effect.Effect<GlossaryId>
  /** Adds a translation memory and gives its id. */
  readonly addTranslationMemory: (memory: NewTranslationMemory) => Effect.Effect<TranslationMemoryId>
  /** The quota of characters now. */
  readonly quota: Effect.Effect<Quota>
  /** Changes the quota; what is not named stays. */
  readonly setQuota: (quota: {
    readonly characters?: number | undefined
    readonly used?: number | undefined
    readonly period?: Duration.Input | undefined
  }) => Effect.Effect<void>
  /**
   * Calls of an operation, or of any, meet a fault. Scripts are played in their order, after those that are left, and
   * before the weather.
   */
  readonly script: (scripts: Script | ReadonlyArray<Script>) => Effect.Effect<void, InvalidFault>
  /** The scripts that are left, with what is left of them. One without an end is left until it was played once. */
  readonly unplayed: Effect.Effect<ReadonlyArray<Script>>
  /** Changes the weather: one, or several at once. */
  readonly weather: (weather: Weathers) => Effect.Effect<void, InvalidFault>
  /** The last requests, in order of arrival. */
  readonly requests: Effect.Effect<ReadonlyArray<RecordedRequest>>
  /** How often each operation really took effect; reads, and operations that were not called, have a count of 0. */
  readonly effects: Effect.Effect<Readonly<Record<OperationName, OperationEffects>>>
  /** Back to the state in which the fake was made, ids included. */
  readonly reset: Effect.Effect<void>
}>()("@effect-lingua/testing/FakeLanguageService") {}

/**
 * The key that the fake accepts unless it is told others.
 *
 * @category configuration
 * @since 0.1.0
 */
export const defaultKey: string = State.defaultKey

/**
 * The fake in process: a client that leads to it without a network, in the full wire format. Options that make no sense
 * are a defect.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<FakeLanguageService | HttpClient.HttpClient> =>
  Layer.effectContext(Effect.gen(function*() {
    const { answer, fake } = yield* Server.make(options)
    return Context.make(FakeLanguageService, Handle.make(fake, `https://fake.test${fake.settings.basePath}`)).pipe(
      Context.add(HttpClient.HttpClient, Transport.client(answer))
    )
  }))

/**
 * The fake on whatever `HttpServer` is provided. Connections are broken by cutting the socket where the server lets it be
 * reached, as Node does.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServer = (
  options: Options = {}
): Layer.Layer<FakeLanguageService, never, HttpServer.HttpServer> =>
  Layer.effect(
    FakeLanguageService,
    Effect.gen(function*() {
      const server = yield* HttpServer.HttpServer
      const { answer, fake } = yield* Server.make(options)
      yield* server.serve(Transport.served(answer))
      return Handle.make(fake, `${Transport.origin(server.address)}${fake.settings.basePath}`)
    })
  )
