import type { Failure } from "@effect-lingua/core/extension/Decorator"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { isIterable, isObject } from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Lookup } from "./lookup.ts"

/** `requestTexts`: maximum texts in a request. `concurrency`: a run's default number of concurrent requests. */
const [requestTexts, concurrency] = [50, 8]

/** A run reads ahead at most the texts of this number of requests. */
const maxRequests = 100

const isText = (text: unknown): text is string => typeof text === "string" && text.isWellFormed()

/** Decorates a service's methods: `each`, for one text or a list, and `all`, for a run of texts. */
export const make = (lookup: Lookup) =>
<A, Each, All>(
  operation: string,
  result: Schema.Codec<A, unknown>,
  each: Each,
  all: All
): { readonly each: Each; readonly all: All } => {
  // oxlint-disable typescript/no-unsafe-type-assertion -- the methods have these overloads
  const callOne = each as (text: string, options: object) => Effect.Effect<A, Failure>
  const callList = each as (texts: ReadonlyArray<string>, options: object) => Effect.Effect<ReadonlyArray<A>, Failure>
  const run = all as (texts: unknown, options?: unknown) => Stream.Stream<A | Result.Result<A, Failure>, Failure>
  // oxlint-enable typescript/no-unsafe-type-assertion

  const decoratedEach = (input: unknown, argument: unknown = {}): Effect.Effect<unknown, Failure> => {
    const isOptions = isObject(input)
    const { text, ...options }: { readonly text?: unknown } = isOptions ? input : { ...Object(argument), text: input }
    const texts: unknown = typeof text === "string" ? [text] : text
    if (!isObject(argument) || !Array.isArray(texts) || texts.length === 0 || !texts.every(isText)) {
      return Reflect.apply(callList, undefined, [input, argument])
    }
    const isOne = typeof text === "string"
    return Effect.flatMap(
      lookup(operation, result, options, texts, 0, ([text = "", ...others]) => {
        const results = isOne ? Effect.map(callOne(text, options), Arr.of) : callList([text, ...others], options)
        return Stream.map(Stream.fromIterableEffect(results), Result.succeed)
      }),
      ({ exit, results }) =>
        Effect.map(
          Effect.andThen(exit, Effect.fromResult(Result.all(results))),
          (results) => isOne ? results[0] : results
        )
    )
  }

  const decoratedAll = (texts: unknown, options: unknown = {}): Stream.Stream<unknown, Failure> => {
    const isStream = Stream.isStream(texts)
    const isReadable = isStream || (typeof texts === "object" && isIterable(texts))
    if (!isObject(options) || !isReadable) return run(texts, options)
    const { concurrency: requests = concurrency, onError }: {
      readonly concurrency?: unknown
      readonly onError?: unknown
    } = options
    // The service's method refuses a list with an invalid text before anything is sent.
    const isList = Array.isArray(texts) || texts instanceof Set
    if (isList && onError !== "result" && !Array.from(texts).every(isText)) return run(texts, options)
    const window = requestTexts * Math.min(maxRequests, Math.max(concurrency, Number(requests)))
    return Stream.suspend(() => {
      let next = 0
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `run` refuses other elements
      const source = (isStream ? texts : Stream.fromIterable(texts)) as Stream.Stream<string, Failure>
      return Stream.grouped(source, window).pipe(
        Stream.mapEffect((window) => {
          const offset = next
          next += window.length
          return lookup(
            operation,
            result,
            options,
            window,
            offset,
            (texts) =>
              Stream.map(run(texts, options), (found) => Result.isResult(found) ? found : Result.succeed(found))
          )
        }),
        Stream.flatMap(({ exit, results }) =>
          Stream.concat(
            // If a failure ends the run, `exit` contains the failure and `results` only successes.
            Stream.fromIterable<unknown>(onError === "result" ? results : Arr.getSuccesses(results)),
            Exit.isFailure(exit) ? Stream.failCause(exit.cause) : Stream.empty
          )
        )
      )
    })
  }

  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an implementation cannot be checked against a type parameter's overloads
  return { each: decoratedEach as Each, all: decoratedAll as All }
}
