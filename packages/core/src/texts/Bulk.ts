/**
 * Runs over any number of texts: `Detection.detectAll`, `Writing.rephraseAll`, `Writing.correctAll` and
 * `Translation.translateAll`. They accept any number of texts, pack them into requests within the limits of the service, and
 * return one result for each text, in order.
 *
 * A program that handles texts one by one calls `detect`, `rephrase`, `correct` or `translate` with one text; with the layer `TextBatching` such calls
 * share requests.
 *
 * **Example** (Detecting the languages of many texts)
 *
 * ```ts import.meta.vitest
 * import { Detection } from "@effect-lingua/core/texts/Detection"
 * import * as LanguageService from "@effect-lingua/core/LanguageService"
 * import { Effect, Layer, Redacted, Stream } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * // Any HttpClient works; this one returns French for fifty texts.
 * const results = Array.from({ length: 50 }, () => ({ detection_status: "success", detected_language: "fr" }))
 * const http = HttpClient.make((request) =>
 *   Effect.succeed(HttpClientResponse.fromWeb(request, Response.json({ results })))
 * )
 * const program = Effect.gen(function*() {
 *   const detection = yield* Detection
 *   const texts = Array.from({ length: 100 }, (_, index) => `Bonjour ${index}`)
 *   return yield* Stream.runCount(detection.detectAll(texts))
 * })
 * const service = LanguageService.layer({ key: Redacted.make("key"), baseUrl: "https://service.test" })
 * const count = await program.pipe(
 *   Effect.provide(Layer.provide(service, Layer.succeed(HttpClient.HttpClient, http))),
 *   Effect.runPromise
 * )
 * count // => 100
 * ```
 *
 * @since 0.1.0
 */
import type * as Result from "effect/Result"
import type * as Stream from "effect/Stream"
import type { InvalidInput, LimitExceeded } from "../errors/CallError.ts"
import type { OfRun } from "../errors/internal/categories.ts"

/**
 * The texts of a run: a list, any other iterable, or a stream.
 *
 * **Details**
 *
 * A list, which is an array or a `Set`, is checked completely before the first request. Any other iterable, such as a
 * generator, may be readable only once; it is checked while it is read, like a stream, and closed when the run ends.
 *
 * **Gotchas**
 *
 * An infinite input must be a generator or a stream. A request is sent when it is full or when the texts end: group a slow
 * stream with `Stream.groupedWithin` and pass each group to the method for a list.
 *
 * @category models
 * @since 0.1.0
 */
export type Texts<E = never, R = never> = Iterable<string> | Stream.Stream<string, E, R>

/**
 * Options of a run.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /**
   * Maximum number of requests in flight, and of requests ahead of the reader of the results. Default 8, at most the
   * `concurrency` of the client's policy. The client learns how many of them the service bears.
   */
  readonly concurrency?: number | undefined
  /**
   * Effect of a failed text. `fail`, the default: the stream fails after the results before it. `result`:
   * each text has a `Result`, so that the others continue.
   */
  readonly onError?: "fail" | "result" | undefined
}

/**
 * Options for texts that are too large for one request.
 *
 * @category options
 * @since 0.1.0
 */
export interface SplitOptions {
  /**
   * Splits a text that is too large at the ends of sentences, or of words if a sentence is too large, and joins the results.
   * White space between the parts is kept. By default such a text is refused.
   */
  readonly split?: "sentences" | undefined
}

/**
 * Errors that concern all texts and end a run: those of the key, the account, the quota, the budget, the connection, and
 * resources named by the options. A `BadRequest` is one if the first hundred texts were refused one by one, an `InvalidInput`
 * or `LimitExceeded` if it is about the options.
 *
 * @category models
 * @since 0.1.0
 */
export type RunFailure<E> = Extract<
  E,
  { readonly category: OfRun } | { readonly _tag: "BadRequest" | "InvalidInput" | "LimitExceeded" }
>

/**
 * Errors of one text, or of the request that contained it. `texts` has the positions.
 *
 * @category models
 * @since 0.1.0
 */
export type TextFailure<E> = Exclude<E, { readonly category: OfRun }>

/**
 * The result of a method for one text or a list: a value for one text, a list for a list. A text whose type is `any`, such as a field of a
 * parsed body, counts as one text.
 *
 * @category models
 * @since 0.3.0
 */
export type Each<Text, A> = 0 extends 1 & Text ? A : Text extends string ? A : ReadonlyArray<A>

/**
 * The result of a method by its option `onError`. A function with either result can take the place of the method, such as one of
 * `Layer.mock`.
 *
 * @category models
 * @since 0.1.0
 */
export type ByChoice<OnError extends "fail" | "result", AsResult, AsValue> = OnError extends "result" ? AsResult
  : AsValue

/**
 * A method for any number of texts. It returns a stream of one result for each text, in order.
 *
 * **Details**
 *
 * Each request takes as many texts as the limits allow. The options limit the requests in flight, and the
 * reader's demand drives them (back-pressure). Ending the stream interrupts the requests in flight.
 *
 * An error has the positions of its texts in `texts`. By default the stream emits the results before them and fails. With
 * `onError: "result"` it emits a `Result` for each text: a request that is refused with 400 is halved until the invalid text is
 * found; any other error of a request is the error of all its texts, because sending them again could count their characters
 * twice. In both cases an error that concerns all texts ends the run at once, with the requests in flight: see {@link
 * RunFailure}.
 *
 * After a 413, a request of several texts, or of one that may be split ({@link SplitOptions}), is sent again as smaller
 * requests, and the rest of the run uses the smaller size. Otherwise it is an error.
 *
 * @category models
 * @since 0.1.0
 */
export interface All<O extends object, A, E> {
  /** Runs the operation on any number of texts. Returns a stream of a `Result` for each text, in order: an invalid text does not end it. */
  <E2 = never, R = never, OnError extends "result" = "result">(
    texts: Texts<E2, R>,
    options: O & { readonly onError: OnError }
  ): Stream.Stream<
    ByChoice<OnError, Result.Result<A, TextFailure<E | InvalidInput | LimitExceeded>>, A>,
    RunFailure<E | InvalidInput | LimitExceeded> | E2,
    R
  >
  /**
   * Runs the operation on any number of texts: an array, an iterable or a stream. Returns a stream of one result for each text, in order. The
   * first failure ends it, after the results before it; `texts` of the error has the positions of its texts.
   *
   * **Details**
   *
   * Requests are filled up to the limits of the service, and a few are in flight at a time: `concurrency`, 8 by default. A text over the
   * limit is refused with its index, or split with `split: "sentences"`. {@link Options} and {@link SplitOptions} have the settings.
   */
  <E2 = never, R = never, OnError extends "fail" = "fail">(
    texts: Texts<E2, R>,
    ...options: {} extends O ? [options?: O & { readonly onError?: OnError | undefined }]
      : [options: O & { readonly onError?: OnError | undefined }]
  ): Stream.Stream<
    ByChoice<OnError, Result.Result<A, TextFailure<E | InvalidInput | LimitExceeded>>, A>,
    E | InvalidInput | LimitExceeded | E2,
    R
  >
}
