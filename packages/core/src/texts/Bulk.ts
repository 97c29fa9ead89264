/**
 * Bulk runs over any number of texts: `Detection.detectAll`, `Writing.rephraseAll`, `Writing.correctAll` and `Translation.translateAll`. A run
 * packs texts into requests within the service's limits.
 *
 * With the layer `TextBatching` of `@effect-lingua/cache`, calls for single texts share requests.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Stream from "effect/Stream"
import type { InvalidInput, LimitExceeded } from "../errors/CallError.ts"
import type { OfRun } from "../errors/internal/categories.ts"

/**
 * The texts of a bulk run.
 *
 * **Details**
 *
 * An array or a `Set` is checked completely before the first request. Any other iterable is checked while it is read, like a stream, and
 * closed when the run ends.
 *
 * **Gotchas**
 *
 * A request is sent when it is full or when the texts end: group a slow stream with `Stream.groupedWithin` and pass each group to the
 * method for a list.
 *
 * @category models
 * @since 0.1.0
 */
export type Texts<E = never, R = never> = Iterable<string> | Stream.Stream<string, E, R>

/**
 * Concurrency and error handling.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** Maximum number of requests in flight or with unread results. Default: 8, at most the `concurrency` of the client's policy. */
  readonly concurrency?: number | undefined
  /** `fail`, the default: the stream returns the results before the failed text, then fails. `result`: each text has a `Result`. */
  readonly onError?: "fail" | "result" | undefined
}

/**
 * Options for texts that are too large.
 *
 * @category options
 * @since 0.1.0
 */
export interface SplitOptions {
  /**
   * Splits a text that is too large between sentences or, if a sentence is too large, between words, and joins the results with the original white
   * space. Default: refuses the text.
   */
  readonly split?: "sentences" | undefined
}

/**
 * Errors that end a bulk run: the key, account, quota, budget, connection or options are at fault. A `BadRequest` ends a run whose first hundred
 * texts are refused one by one.
 *
 * @category models
 * @since 0.1.0
 */
export type RunFailure<E> = Extract<
  E,
  { readonly category: OfRun } | { readonly _tag: "BadRequest" | "InvalidInput" | "LimitExceeded" }
>

/**
 * Errors of one text, or of the text's request.
 *
 * @category models
 * @since 0.1.0
 */
export type TextFailure<E> = Exclude<E, { readonly category: OfRun }>

/**
 * The result of a method: a value for one text, a list for a list. A text of type `any` counts as one text.
 *
 * @category models
 * @since 0.3.0
 */
export type Each<Text, A> = 0 extends 1 & Text ? A : Text extends string ? A : ReadonlyArray<A>

/**
 * A method for one text or a list of texts, passed in the options or as the first argument.
 *
 * @category models
 * @since 0.3.0
 */
export interface Method<O extends object, A, E> {
  /** Takes the text or list from `options.text`. */
  <Text extends string | ReadonlyArray<string>>(options: O & { readonly text: Text }): Effect.Effect<Each<Text, A>, E>
  /** Sends one request. Fails with `LimitExceeded` or `InvalidInput` before the request. */
  <Text extends string | ReadonlyArray<string>>(
    text: Text,
    ...options: keyof O extends never ? [] : {} extends O ? [options?: O] : [options: O]
  ): Effect.Effect<Each<Text, A>, E>
}

/**
 * The result type for a value of `onError`.
 *
 * @category models
 * @since 0.1.0
 */
export type ByChoice<OnError extends "fail" | "result", AsResult, AsValue> = OnError extends "result" ? AsResult
  : AsValue

/**
 * A method for any number of texts.
 *
 * **Details**
 *
 * The reader's demand drives the requests (back-pressure). Ending the stream interrupts the requests in flight.
 *
 * With `onError: "result"`, a request that is refused with 400 is halved until the invalid text is found. Any other error of a request fails
 * all its texts, because a repeat could bill their characters twice. A {@link RunFailure} ends the run at once.
 *
 * After a 413, the texts are sent again in smaller requests, and later requests stay smaller.
 *
 * @category models
 * @since 0.1.0
 */
export interface All<O extends object, A, E> {
  /** Returns a stream of a `Result` for each text, in order. */
  <E2 = never, R = never, OnError extends "result" = "result">(
    texts: Texts<E2, R>,
    options: O & { readonly onError: OnError }
  ): Stream.Stream<
    ByChoice<OnError, Result.Result<A, TextFailure<E | InvalidInput | LimitExceeded>>, A>,
    RunFailure<E | InvalidInput | LimitExceeded> | E2,
    R
  >
  /**
   * Runs the operation on any number of texts: an array, an iterable or a stream. Returns a stream of one result for each text, in order.
   *
   * **Details**
   *
   * The first failure ends the stream, after all earlier results; the error's `texts` has the positions. See {@link Options}.
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
