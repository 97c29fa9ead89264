/**
 * Runs over any number of texts: `Detection.detectAll`, `Writing.rephraseAll`, `Writing.correctAll` and
 * `Translation.translateAll`. They take any number of texts, pack them into requests within the limits of the service, and give one
 * result for each text, in order.
 *
 * A program that handles texts one by one calls `detect`, `rephrase`, `correct` or `translate` with one text. Such calls of
 * the same time go together, in requests within the same limits, equal texts once. Those with other options or another
 * `ResiliencePolicy.Override` do not share a request. A text that the service refuses fails its own call only. A request
 * ends when all its calls have been interrupted.
 *
 * **Example** (Detecting the languages of many texts)
 *
 * ```ts import.meta.vitest
 * import { Detection } from "@effect-lingua/core/texts/Detection"
 * import * as LanguageService from "@effect-lingua/core/LanguageService"
 * import { Effect, Layer, Redacted, Stream } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * // Any HttpClient will do; this one finds French in fifty texts.
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
import type { InvalidInput, LimitExceeded } from "../client/CallError.ts"

/**
 * The texts of a run: a list, any other iterable, or a stream.
 *
 * **Details**
 *
 * A list, which is an array or a `Set`, is checked to its end before the first request. Another iterable, such as a
 * generator, may give its texts once only; it is checked as it goes, as a stream is, and closed when the run ends.
 *
 * **Gotchas**
 *
 * An infinite input must be a generator or a stream. A request is sent when it is full or when the texts end: group a slow stream with
 * `Stream.groupedWithin` and pass each group to the method for a list.
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
   * The most requests in flight, and the most requests ahead of the reader of the results. Default 8. Never more than the
   * `concurrency` of the client's policy.
   *
   * `"learned"` begins with 8 and adapts to the service: it grows while requests succeed, and is halved by a 429 or 529. A long run
   * has fewer refused requests with it, and is faster if the service accepts more.
   */
  readonly concurrency?: number | "learned" | undefined
  /**
   * The effect of a text that fails. `fail`, the default: the stream fails after the results before it. `result`:
   * each text has a `Result`, so that the others continue.
   */
  readonly onError?: "fail" | "result" | undefined
}

/**
 * The treatment of a text that does not fit into a request by itself.
 *
 * @category options
 * @since 0.1.0
 */
export interface SplitOptions {
  /**
   * Splits it at the ends of sentences, or of words where a sentence is too large, and joins the results. The white space
   * between the parts stays as it was. By default such a text is refused.
   */
  readonly split?: "sentences" | undefined
}

/**
 * Errors that are about all texts, so that they end a run: the key, the account, the quota, the budget, the way to the service, what
 * the options name. So does a `BadRequest` when the first hundred texts are refused one by one, and an `InvalidInput` or
 * `LimitExceeded` that is about the options.
 *
 * @category models
 * @since 0.1.0
 */
export type RunFailure<E> = Extract<E, { readonly _tag: OfRun | "BadRequest" | "InvalidInput" | "LimitExceeded" }>

/**
 * Errors that are about one text, or about the request that it was in. `texts` says which.
 *
 * @category models
 * @since 0.1.0
 */
export type TextFailure<E> = Exclude<E, { readonly _tag: OfRun }>

type OfRun =
  | "AccessDenied"
  | "BudgetExceeded"
  | "CircuitOpen"
  | "ConnectionFailed"
  | "InvalidKey"
  | "MissingScope"
  | "NotFound"
  | "QuotaExceeded"
  | "UnsupportedMediaType"
  | "WrongTier"

/**
 * A method for any number of texts. It returns a stream of one result for each text, in order.
 *
 * **Details**
 *
 * A request is as full as the next text allows, and never over a limit. The options limit the requests in flight, and the
 * reader's demand drives them (back-pressure). Ending the stream interrupts the requests in flight.
 *
 * An error has the positions of its texts in `texts`. By default the stream emits the results before them and fails. With
 * `onError: "result"` it emits a `Result` for each text: a request that is refused with 400 is halved until the invalid text is found;
 * any other error of a request is the error of all its texts, because sending them again could count their characters twice. In both
 * cases an error that concerns all texts ends the run at once, with the requests in flight: see {@link RunFailure}.
 *
 * A 413 is not an error while the request can be made smaller, which is when it has several texts, or one that may be split
 * ({@link SplitOptions}): they are sent again in smaller requests, and so is the rest of the run.
 *
 * @category models
 * @since 0.1.0
 */
export interface All<O extends object, A, E> {
  <E2 = never, R = never>(
    texts: Texts<E2, R>,
    options: O & { readonly onError: "result" }
  ): Stream.Stream<
    Result.Result<A, TextFailure<E | InvalidInput | LimitExceeded>>,
    RunFailure<E | InvalidInput | LimitExceeded> | E2,
    R
  >
  <E2 = never, R = never>(
    texts: Texts<E2, R>,
    ...options: {} extends O ? [options?: O & { readonly onError?: "fail" | undefined }]
      : [options: O & { readonly onError?: "fail" | undefined }]
  ): Stream.Stream<A, E | InvalidInput | LimitExceeded | E2, R>
}
