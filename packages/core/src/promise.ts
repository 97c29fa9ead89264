/// <reference lib="esnext.disposable" />
/**
 * The client for programs without Effect. Each service method returns a promise or, for many results, an async iterable. Options, results
 * and errors are the same as in the services.
 *
 * **Example** (A client, a call, and a deadline)
 *
 * ```ts import.meta.vitest
 * import { Lingua } from "@effect-lingua/core/promise"
 * import { FakeLanguageService } from "@effect-lingua/testing"
 *
 * // With a service: await Lingua.make({ key, baseUrl: "https://host" })
 * const lingua = await Lingua.fromLayer(FakeLanguageService.layerServices())
 * const { text } = await lingua.translation.translate("Hello", { targetLanguage: "de" }, { deadline: "5 seconds" })
 * text // => "[de] Hello"
 * await lingua.close()
 * ```
 *
 * @since 0.3.0
 */
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import type * as Stream from "effect/Stream"
import { Usage } from "./account/Usage.ts"
import { CustomRequests, type RequestOptions } from "./call/CustomRequests.ts"
import * as Promises from "./call/internal/promises.ts"
import type { CallOptions, CloseOptions } from "./call/internal/promises.ts"
import { InvalidConfiguration, type LanguageServiceConfig } from "./config/LanguageServiceConfig.ts"
import type { RepeatKind } from "./contract/internal/endpoint.ts"
import type { LanguageCode } from "./contract/Language.ts"
import { Documents } from "./documents/Documents.ts"
import type { ErrorOf, LimitExceeded } from "./errors/CallError.ts"
import { typeOf } from "./errors/internal/checks.ts"
import { Glossaries } from "./glossaries/Glossaries.ts"
import { Languages } from "./languages/Languages.ts"
import * as LanguageService from "./LanguageService.ts"
import { StyleRules } from "./style-rules/StyleRules.ts"
import { ClientState } from "./telemetry/ClientState.ts"
import { Events } from "./telemetry/Events.ts"
import type * as Bulk from "./texts/Bulk.ts"
import { Detection } from "./texts/Detection.ts"
import { Translation } from "./texts/Translation.ts"
import { Writing } from "./texts/Writing.ts"
import { TranslationMemories } from "./translation-memories/TranslationMemories.ts"

export type { CallOptions, CloseOptions } from "./call/internal/promises.ts"
export type { RepeatKind } from "./contract/internal/endpoint.ts"

/** Methods whose options are effects. The promise client has `documents.translate` instead. */
const omitted = ["recover", "saveTo"] as const

/** Converts the streams of a result to async iterables. */
type Output<A> = A extends { readonly stream: Stream.Stream<infer T, infer _E> }
  ? Omit<A, "stream"> & { readonly stream: AsyncIterable<T> }
  : A

/** Allows platform types instead of Effect streams in options. */
type Input<O> = O extends { readonly content: infer Content }
  ? Stream.Stream<Uint8Array> extends Content ? Omit<O, "content"> & {
      readonly content: Uint8Array | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>
    }
  : O
  : O

type Returned<R> = R extends Effect.Effect<infer A, infer _E, infer _R> ? Promise<Output<A>>
  : R extends Stream.Stream<infer A, infer _E, infer _R> ? AsyncIterable<A>
  : R

// The name is compared too, because a method without parameters extends any method.
type Method<Name, F> = [Name, F] extends [`${string}All`, Bulk.All<infer O, infer A, infer E>] ? All<O, A, E>
  : F extends (...parameters: infer P) => infer R
    ? (...parameters: [...{ [K in keyof P]: Input<P[K]> }, call?: CallOptions]) => Returned<R>
  : (call?: CallOptions) => Returned<F>

/**
 * A method for any number of texts.
 *
 * @category models
 * @since 0.3.0
 */
export interface All<O extends object, A, E> {
  /** Returns a `Result` for each text, in order. */
  (
    texts: Iterable<string> | AsyncIterable<string>,
    options: O & { readonly onError: "result" },
    call?: CallOptions
  ): AsyncIterable<Result.Result<A, Bulk.TextFailure<E>>>
  /**
   * Runs on any number of texts: an array, an iterable or an async iterable. Returns one result for each text, in order. The first failure
   * ends the run after the results of earlier texts. A loop that ends early interrupts the requests.
   */
  (
    texts: Iterable<string> | AsyncIterable<string>,
    ...options: {} extends O ? [options?: O, call?: CallOptions] : [options: O, call?: CallOptions]
  ): AsyncIterable<A>
}

/**
 * A method for one text or a list. Compiler messages show the last signature, and editors complete an unfinished call from the first.
 *
 * @category models
 * @since 0.3.0
 */
export interface Each<Options extends ReadonlyArray<unknown>, O, A> {
  /** One text, or a list of at most 50, in `text` of the options. */
  <Text extends string | ReadonlyArray<string>>(
    options: O & { readonly text: Text },
    call?: CallOptions
  ): Promise<Bulk.Each<Text, A>>
  /**
   * One text, or a list of at most 50. Returns one result, or one for each text in order. Rejects with an error class per cause, such as
   * `QuotaExceeded`, and before sending with `InvalidInput` or `LimitExceeded`.
   */
  <Text extends string | ReadonlyArray<string>>(
    text: Text,
    ...options: [...Options, call?: CallOptions]
  ): Promise<Bulk.Each<Text, A>>
}

/** Methods with type parameters, which a mapped type would lose. */
interface Generic {
  readonly detection: { readonly detect: Each<[], {}, Detection.DetectionResult> }
  readonly translation: {
    readonly translate: Each<
      [options: Translation.TranslateTextOptions],
      Translation.TranslateTextOptions,
      Translation.Translated
    >
    readonly translateInto: {
      /** Translates texts to several languages. Returns a record with a `Result` for each target. */
      <const Language extends LanguageCode>(
        options: Translation.TranslateIntoOptions<Language> & { readonly onError: "result" },
        call?: CallOptions
      ): Promise<
        {
          readonly [Target in Language]: Result.Result<
            ReadonlyArray<Translation.Translated>,
            Exclude<ErrorOf<typeof Translation, "translate">, LimitExceeded>
          >
        }
      >
      /** Translates texts to several languages, one request per target. Returns a record of the translations by target. */
      <const Language extends LanguageCode>(
        options: Translation.TranslateIntoOptions<Language>,
        call?: CallOptions
      ): Promise<{ readonly [Target in Language]: ReadonlyArray<Translation.Translated> }>
    }
  }
  readonly writing: {
    readonly correct: Each<[options?: Writing.CorrectTextOptions], Writing.CorrectTextOptions, Writing.Improvement>
    readonly rephrase: Each<[options?: Writing.RephraseTextOptions], Writing.RephraseTextOptions, Writing.Improvement>
  }
  readonly customRequests: {
    readonly send: <A = void>(
      options: RequestOptions<A> & { readonly repeat?: RepeatKind | undefined },
      call?: CallOptions
    ) => Promise<A>
  }
}

type Methods<Service, Exact> = {
  readonly [
    Name in keyof Service as Name extends typeof omitted[number] ? never
      : Service[Name] extends
        ((...parameters: never) => unknown) | Effect.Effect<unknown, unknown> | Stream.Stream<unknown, unknown> ? Name
      : never
  ]: Name extends keyof Exact ? Exact[Name] : Method<Name, Service[Name]>
}

type Services = Readonly<Record<string, Context.Key<unknown, object>>>

type Identifier<S extends Services> = Context.Service.Identifier<S[keyof S]>

/**
 * A client with the methods of its services.
 *
 * @category models
 * @since 0.3.0
 */
export type Client<S extends Services> =
  & {
    readonly [Name in keyof S]: Methods<
      Context.Service.Shape<S[Name]>,
      Name extends keyof Generic ? Generic[Name] : {}
    >
  }
  & {
    /** Runs an effect over the services, such as `Placeholders.translate`. */
    readonly run: <A, E>(effect: Effect.Effect<A, E, Identifier<S>>, call?: CallOptions) => Promise<A>
    /**
     * Closes the client. New calls reject with `ConnectionFailed`. Calls in flight, started async iterables and received documents may
     * continue for `limit`, by default 30 seconds; then they are interrupted and reject.
     */
    readonly close: (options?: CloseOptions) => Promise<void>
    readonly [Symbol.asyncDispose]: () => Promise<void>
  }

const clientOf = (services: Services, context: Context.Context<never>, dispose: Effect.Effect<void>) => {
  const { close, methods, run } = Promises.make(context, dispose)
  return {
    ...Record.map(
      services,
      (key) => methods(key.key.replace(/^.*\//, ""), Context.getUnsafe(context, key), omitted)
    ),
    run: <A, E>(effect: Effect.Effect<A, E>, call?: CallOptions) => run("Lingua.run", effect, call),
    close,
    [Symbol.asyncDispose]: () => close()
  }
}

const defaults = {
  clientState: ClientState,
  customRequests: CustomRequests,
  detection: Detection,
  documents: Documents,
  events: Events,
  glossaries: Glossaries,
  languages: Languages,
  styleRules: StyleRules,
  translation: Translation,
  translationMemories: TranslationMemories,
  usage: Usage,
  writing: Writing
}

/** The error's problems, each with its variable's name. */
const problemsOf = ({ cause }: Config.ConfigError): string =>
  cause.message.replaceAll(
    /(.*)\n {2}at \["([^"]+)"\]/g,
    (_, problem: string, variable: string) => problem.startsWith(variable) ? problem : `${variable}: ${problem}`
  )

function fromLayer<E>(layer: Layer.Layer<LanguageService.LanguageService, E>): Promise<Lingua>
function fromLayer<E, S extends Services>(layer: Layer.Layer<Identifier<S>, E>, services: S): Promise<Client<S>>
function fromLayer<E>(layer: Layer.Layer<never, E>, services: Services = defaults): Promise<object> {
  // `Map.groupBy` is the newest platform function that calls need.
  if (!("groupBy" in Map)) return Promise.reject(refused("runtime", "is too old: use Node.js 22.12 or newer"))
  // Each client reads the environment anew, because Effect's default provider caches it.
  const runtime = ManagedRuntime.make(Layer.provide(layer, ConfigProvider.layer(ConfigProvider.fromEnv())))
  return runtime.contextEffect.pipe(
    // Platforms print an uncaught `ConfigError`, which is not an `Error`, without its message.
    Effect.mapError((error) =>
      error instanceof Config.ConfigError
        ? refused("environment", `cannot be used: ${problemsOf(error)}`)
        : error
    ),
    Effect.map((context) => clientOf(services, context, runtime.disposeEffect)),
    Effect.runPromise
  )
}

/**
 * Options of `LanguageService.layer`, with a key that may be a string.
 *
 * @category options
 * @since 0.3.0
 */
export interface Options extends Omit<LanguageServiceConfig.Options, "key"> {
  readonly key: string | Redacted.Redacted
}

const refused = (setting: string, problem: string) => new InvalidConfiguration({ setting, problem })

const isSecret = (value: unknown): value is Redacted.Redacted => Redacted.isRedacted(value)

/**
 * Makes a layer from options whose key may be a string. Fails with `InvalidConfiguration` for an invalid key.
 *
 * @category layers
 * @since 0.3.0
 */
export const layerOf = <O extends Options, A, E, R>(
  options: O,
  layer: (options: O & { readonly key: Redacted.Redacted }) => Layer.Layer<A, E, R>
): Layer.Layer<A, E | InvalidConfiguration, R> =>
  Layer.unwrap(Effect.suspend(() => {
    const key: unknown = Predicate.hasProperty(options, "key") ? options.key : undefined
    if (isSecret(key)) return Effect.succeed(layer({ ...options, key }))
    return typeof key === "string"
      ? Effect.succeed(layer({ ...options, key: Redacted.make(key) }))
      : Effect.fail(refused("key", `must be a string, and ${typeOf(key)} was given`))
  }))

/**
 * The client with all services of `LanguageService`.
 *
 * @category models
 * @since 0.3.0
 */
export interface Lingua extends Client<typeof defaults> {}

/**
 * Makes clients, over `fetch` or any layer.
 *
 * @category constructors
 * @since 0.3.0
 */
export const Lingua = {
  /** The services of {@link Lingua} by name, for {@link fromLayer} with more services. */
  services: defaults,
  /**
   * Makes a client over `fetch`. Without options, the environment is read: see `LanguageServiceConfig.config`. Rejects with
   * `InvalidConfiguration` for an invalid setting or a missing variable.
   */
  make: (options?: Options): Promise<Lingua> => {
    const layer: Layer.Layer<
      LanguageService.LanguageService,
      Config.ConfigError | InvalidConfiguration,
      HttpClient.HttpClient
    > = options === undefined ? LanguageService.layerConfig() : layerOf(options, LanguageService.layer)
    return fromLayer(Layer.provide(layer, FetchHttpClient.layer))
  },
  /** Makes a client of a layer's `services`, by default the services of {@link Lingua}. Rejects with the layer's error. */
  fromLayer
}
