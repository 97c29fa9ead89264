/**
 * Batches concurrent calls for single texts into shared requests. The layer wraps `Translation`, `Writing` and `Detection`.
 *
 * **Details**
 *
 * Calls are batched until the program yields, and equal texts are sent once. Calls share a batch if their method, options, tenant, policy,
 * deadline and reporting tag are equal. A batch runs like `translateAll`. A refused text fails only its calls. A batch is interrupted when all
 * its calls are interrupted.
 *
 * **Gotchas**
 *
 * Spans, metrics and an error's `attempts` belong to the whole batch.
 *
 * **Example** (Three calls, one request)
 *
 * ```ts import.meta.vitest
 * import { TextBatching } from "@effect-lingua/cache"
 * import { Translation } from "@effect-lingua/core"
 * import { FakeLanguageService } from "@effect-lingua/testing"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const { translate } = yield* Translation
 *   const fake = yield* FakeLanguageService
 *   yield* Effect.forEach(["One", "Two", "Three"], (text) => translate(text, { targetLanguage: "de" }), {
 *     concurrency: "unbounded"
 *   })
 *   return (yield* fake.requestsOf("Translation.translate")).map(({ decoded }) => decoded?.payload.text)
 * })
 * const layer = TextBatching.layer.pipe(Layer.provideMerge(FakeLanguageService.layerServices()))
 * const requests = await program.pipe(Effect.provide(layer), Effect.runPromise)
 * requests // => [["One", "Two", "Three"]]
 * ```
 *
 * @since 0.3.0
 */
import { concerning } from "@effect-lingua/core/extension/Decorator"
import { defined } from "@effect-lingua/core/extension/Service"
import { Detection } from "@effect-lingua/core/texts/Detection"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Request from "effect/Request"
import * as RequestResolver from "effect/RequestResolver"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

type Services = Detection | Translation | Writing

interface Single<O, A, E> extends Request.Request<A, E> {
  readonly text: string
  readonly options: O
  readonly interrupted: Deferred.Deferred<void>
}

/** This library's services and references in a call's context. Only calls with equal entries share a batch. */
const regionOf = (context: Context.Context<never>) =>
  Array.from(context.mapUnsafe).filter(([key]) => key.startsWith("@effect-lingua/"))

const batched = <Method, O extends object, A, E extends { readonly _tag: string }>(
  method: Method & ((text: string, options: O) => Effect.Effect<A, E>),
  all: (texts: ReadonlyArray<string>, options: O) => Stream.Stream<Result.Result<A, E>, E>
): Method => {
  const single = Request.of<Single<O, A, E>>()
  const asSingleText = (error: E): E => concerning(error, { texts: { first: 0, last: 0 } })
  /** A call's result. `method` refuses invalid input again, because the batch's error has the text's position in the batch. */
  const resultOf = (text: string, options: O, result: Result.Result<A, E>): Effect.Effect<A, E> =>
    Result.isFailure(result) && ["InvalidInput", "LimitExceeded"].includes(result.failure._tag)
      ? method(text, options)
      : Effect.mapError(Effect.fromResult(result), asSingleText)
  const resolver = RequestResolver.makeGrouped<Single<O, A, E>, unknown>({
    key: ({ context, request }) => [request.options, regionOf(context)],
    resolver: (entries) => {
      const [{ request: { options } }] = entries
      const calls = Array.from(Map.groupBy(entries, ({ request }) => request.text))
      const settle = (index: number, result: (text: string) => Effect.Effect<A, E>) => {
        const [text, callers] = calls[index] ?? ["", []]
        return Effect.map(Effect.exit(result(text)), (exit) => {
          for (const caller of callers) caller.completeUnsafe(exit)
        })
      }
      /** Starts a new run after refused texts end a run, because other callers' texts may be valid. */
      const runFrom = (start: number): Effect.Effect<void, E> => {
        let next = start
        const results = all(calls.slice(start).map(([text]) => text), options)
        return Stream.runForEach(results, (result) => settle(next++, (text) => resultOf(text, options, result))).pipe(
          Effect.catch((error) =>
            error._tag === "BadRequest" && next > start ? runFrom(next) : Effect.fail(asSingleText(error))
          )
        )
      }
      const batch = calls.length === 1 ? settle(0, (text) => method(text, options)) : runFrom(0)
      const abandoned = Effect.forEach(entries, ({ request }) => Deferred.await(request.interrupted), { discard: true })
      return Effect.raceFirst(batch, abandoned)
    }
  })
  const each = (input: unknown, secondArgument: object = {}): unknown => {
    const { text, ...fields }: { readonly text?: unknown } = typeof input === "string"
      ? { ...secondArgument, text: input }
      : Object(input)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Method` types the arguments
    const options = defined(fields) as O
    if (typeof text !== "string") return Reflect.apply(method, undefined, [input, secondArgument])
    return Effect.suspend(() => {
      const interrupted = Deferred.makeUnsafe<void>()
      return Effect.onInterrupt(
        Effect.request(single({ text, options, interrupted }), resolver),
        () => Deferred.succeed(interrupted, undefined)
      )
    })
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an arrow function cannot declare overloads
  return each as Method
}

/**
 * Batches the single texts of `translate`, `rephrase`, `correct` and `detect`.
 *
 * @category layers
 * @since 0.3.0
 */
export const layer: Layer.Layer<Services, never, Services> = Layer.effectContext(Effect.gen(function*() {
  const detection = yield* Detection
  const translation = yield* Translation
  const writing = yield* Writing
  const onError = "result"
  const detect = batched<Detection.Detect, object, Detection.DetectionResult, Detection.DetectError>(
    detection.detect,
    (texts) => detection.detectAll(texts, { onError })
  )
  const translate = batched<
    Translation.Translate,
    Translation.TranslateTextOptions,
    Translation.Translated,
    Translation.TranslateError
  >(
    translation.translate,
    (texts, options) => translation.translateAll(texts, { ...options, onError })
  )
  const rephrase = batched<Writing.Rephrase, Writing.RephraseTextOptions, Writing.Improvement, Writing.RephraseError>(
    writing.rephrase,
    (texts, options) => writing.rephraseAll(texts, { ...options, onError })
  )
  const correct = batched<Writing.Correct, Writing.CorrectTextOptions, Writing.Improvement, Writing.CorrectError>(
    writing.correct,
    (texts, options) => writing.correctAll(texts, { ...options, onError })
  )
  return Context.make(Detection, { ...detection, detect }).pipe(
    Context.add(Translation, { ...translation, translate }),
    Context.add(Writing, { ...writing, rephrase, correct })
  )
}))
