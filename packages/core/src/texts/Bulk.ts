/**
 * Runs over any number of texts: `Detection.detectAll`, `Writing.rephraseAll`, `Writing.correctAll` and `Translation.translateAll`. Runs
 * pack texts into requests within the limits of the service.
 *
 * With the layer `TextBatching` calls for single texts share requests.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Stream from "effect/Stream"
import type { InvalidInput, LimitExceeded } from "../errors/CallError.ts"
import type { OfRun } from "../errors/internal/categories.ts"

/**
 * The texts of a run.
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
 * Options of a run.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** Maximum number of requests in flight and ahead of the reader. Default: 8, at most the `concurrency` of the client's policy. */
  readonly concurrency?: number | undefined
  /** `fail`, the default: the stream fails after the results before the failed text. `result`: each text has a `Result`. */
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
   * Splits a text that is too large at the ends of sentences or, if a sentence is too large, of words, and joins the results with their white space.
   * Default: refuses the text.
   */
  readonly split?: "sentences" | undefined
}

/**
 * Errors that end a run: of the key, the account, the quota, the budget, the connection, and the options. A `BadRequest` ends a run whose
 * first hundred texts are refused one by one.
 *
 * @category models
 * @since 0.1.0
 */
export type RunFailure<E> = Extract<
  E,
  { readonly category: OfRun } | { readonly _tag: "BadRequest" | "InvalidInput" | "LimitExceeded" }
>

/**
 * Errors of one text, or of the request that contained it.
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
 * A method for one text or a list, with the text among the options or before them.
 *
 * @category models
 * @since 0.3.0
 */
export interface Method<O extends object, A, E> {
  /** The text, or each text of the list, is in `text` of the options. */
  <Text extends string | ReadonlyArray<string>>(options: O & { readonly text: Text }): Effect.Effect<Each<Text, A>, E>
  /** One request. Fails with `LimitExceeded` or `InvalidInput` before anything is sent. */
  <Text extends string | ReadonlyArray<string>>(
    text: Text,
    ...options: keyof O extends never ? [] : {} extends O ? [options?: O] : [options: O]
  ): Effect.Effect<Each<Text, A>, E>
}

/**
 * The result of a method per `onError`. A mock may return either.
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
 * With `onError: "result"` a request that is refused with 400 is halved until the invalid text is found; any other error of a request fails
 * all its texts, because a repeat could count their characters twice. A {@link RunFailure} ends the run at once.
 *
 * After a 413 the texts are sent again in smaller requests, and later texts too.
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
   * The first failure ends the stream, after the results before it; `texts` of the error has the positions. See {@link Options}.
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
