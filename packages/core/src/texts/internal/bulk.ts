/**
 * A bulk run over any number of texts, as a pipeline:
 *
 *     texts -> checked, measured, split -> packed -> sent, a few requests at a time, in order -> joined -> results
 */
import * as Arr from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { checked, concerning } from "../../call/internal/operation.ts"
import { CurrentQueue, IsResumable } from "../../config/internal/region.ts"
import { type Bounds, bytesFor, jsonBytes, pack, packer, requestBytes, roomOf } from "../../contract/internal/size.ts"
import { InvalidInput, LimitExceeded } from "../../errors/CallError.ts"
import * as Categories from "../../errors/internal/categories.ts"
import { invalid, numberOf, refusedText, typeOf } from "../../errors/internal/checks.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import type { All, Options, SplitOptions, Texts } from "../Bulk.ts"
import type { Splitting } from "./splitting.ts"

export type Refusal = InvalidInput | LimitExceeded

export interface Method<O, A, E> {
  readonly operation: string
  /** Maximum number of texts in a request. */
  readonly texts: number
  /** Maximum size of a request body in bytes. */
  readonly bytes: number
  readonly concurrency: number
  /** If absent, a text that is too large is refused. */
  readonly splitting?: ((language: string | undefined) => Splitting<A>) | undefined
  readonly prepare: (options: O) => Effect.Effect<{
    /** The bytes of a body without texts. */
    readonly envelope: number
    /** The language for finding sentences and words. */
    readonly language: string | undefined
    readonly send: Send<A, E>
  }, Refusal | Schema.SchemaError>
}

type Send<A, E> = (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>, E>

type Results<A, E> = Array<Result.Result<A, E>>

/** A text or part of a text. `index` is the text's position, `bytes` the size as JSON. A text with a `refusal` is not sent. */
interface Piece {
  readonly index: number
  readonly text: string
  readonly bytes: number
  readonly refusal?: Refusal
  /** All parts of a split text. */
  readonly parts?: Parts
  readonly isLast?: boolean
}

type Parts = NonNullable<ReturnType<Splitting<unknown>["split"]>>

export const defaultConcurrency = 8

/** Number of texts read at a time: low, so that a generator is not read far ahead. */
const chunkSize = 64

const optionProblem = (
  { concurrency, onError, split }: Options & SplitOptions,
  texts: unknown
): InvalidInput | undefined => {
  if (!Stream.isStream(texts) && !(typeof texts === "object" && texts !== null && Symbol.iterator in texts)) {
    return invalid("texts", typeOf(texts), "an iterable or a stream of strings")
  }
  if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency >= 1)) {
    return invalid("concurrency", numberOf(concurrency), "a whole number from 1")
  }
  if (onError !== undefined && onError !== "fail" && onError !== "result") {
    return invalid("onError", "another value", "\"fail\" or \"result\"")
  }
  return split === undefined || split === "sentences" ? undefined : invalid("split", "another value", "\"sentences\"")
}

const partsOf = (index: number, parts: Parts): ReadonlyArray<Piece> =>
  parts.map(({ text }, at) => ({ index, text, bytes: jsonBytes(text) ?? 0, parts, isLast: at === parts.length - 1 }))

/** Checks, measures and splits texts. */
const reader = (operation: string, splitting: Pick<Splitting<unknown>, "split"> | undefined, bounds: Bounds) => {
  const room = roomOf(bounds)
  return (text: unknown, index: number): ReadonlyArray<Piece> => {
    const about = () => ({ operation, texts: { first: index, last: index }, parameter: `text[${index}]` })
    // Sized like an empty text, so that refused texts fill a batch too.
    const refused = (refusal: Refusal) => [{ index, text: "", bytes: 2, refusal }]
    const bytes = typeof text === "string" ? bytesFor(text, room) : undefined
    if (typeof text !== "string" || bytes === undefined) {
      return refused(new InvalidInput({ ...about(), ...refusedText(text) }))
    }
    // A 413 reduces the size of parts, but not the size at which texts are refused.
    const parts = bytes > roomOf(bounds) ? splitting?.split(text, roomOf(bounds)) : undefined
    if (parts !== undefined) return partsOf(index, parts)
    if (bytes <= room) return [{ index, text, bytes }]
    const description = splitting === undefined
      ? "A request with this text alone is too large"
      : "It cannot be split at the end of a sentence or word"
    const allowed = Math.max(0, room)
    return refused(new LimitExceeded({ ...about(), unit: "bytes", given: bytes, allowed, description }))
  }
}

/** True for an error that would fail all texts. */
const isOfRun = ({ _tag, category }: Failure): boolean =>
  _tag === "InvalidInput" || _tag === "LimitExceeded" || Arr.contains(Categories.ofRun, category)

/** If the service refuses this many single texts and accepts none, the options are at fault, and the run ends. */
const maxRefusedAlone = 100

/** Makes a function that sends a batch and returns its results in order, up to the error that ends the run. */
const makeDelivery = <A, E extends Failure>({ bounds, isSingle, onError, send, splitting }: {
  readonly bounds: Bounds
  readonly isSingle: boolean
  readonly onError: Options["onError"]
  readonly send: Send<A, E>
  readonly splitting: Splitting<A> | undefined
}) => {
  const stop = Deferred.makeUnsafe<never, E>()
  let endError: E | Refusal | undefined
  let isAccepted = false
  let refusedAlone = 0

  /** Sends a batch in smaller requests, or a single text in parts. Returns false if the text cannot be split. */
  const sendSmaller = Effect.fnUntraced(function*(
    pieces: ReadonlyArray<Piece>,
    results: Results<A, E>
  ): Effect.fn.Return<boolean, E> {
    if (pieces.length > 1) {
      for (const batch of pack(pieces, bounds)) yield* request(batch, results)
      return true
    }
    const [piece] = pieces
    const parts = piece && splitting?.split(piece.text, roomOf(bounds))
    if (piece === undefined || splitting === undefined || parts === undefined) return false
    const found: Results<A, E> = []
    for (const batch of pack(partsOf(piece.index, parts), bounds)) {
      if (!found.some(Result.isFailure)) yield* request(batch, found)
    }
    results.push(splitting.join(parts, found))
    return true
  })

  const request = Effect.fnUntraced(function*(
    pieces: ReadonlyArray<Piece>,
    results: Results<A, E>
  ): Effect.fn.Return<void, E> {
    const bytes = requestBytes(pieces, bounds.envelope)
    // The batch was packed before a 413 reduced the limit.
    if (bytes > bounds.bytes && (yield* sendSmaller(pieces, results))) return
    const sent = yield* Effect.result(send(pieces.map(({ text }) => text)))
    if (Result.isSuccess(sent)) {
      isAccepted = true
      for (const value of sent.success) results.push(Result.succeed(value))
      return
    }
    const texts = { first: pieces[0]?.index ?? 0, last: pieces.at(-1)?.index ?? 0 }
    const error = concerning(sent.failure, isSingle ? {} : { texts })
    if (error._tag === "PayloadTooLarge") {
      const before = bounds.bytes
      bounds.bytes = Math.min(before, Math.floor(bytes / 2))
      if (yield* sendSmaller(pieces, results)) return
      // Not halved, because the text, which cannot be split, proves only that its size is too large.
      bounds.bytes = Math.min(before, bytes - 1)
    }
    const isRefused = error._tag === "BadRequest" && onError === "result"
    if (isRefused && pieces.length > 1) {
      const half = Math.ceil(pieces.length / 2)
      yield* request(pieces.slice(0, half), results)
      return yield* request(pieces.slice(half), results)
    }
    const isEnd = isOfRun(error) || (isRefused && ++refusedAlone >= maxRefusedAlone && !isAccepted)
    // Interrupts the other requests.
    if (isEnd) Deferred.doneUnsafe(stop, Effect.fail(error))
    if (isEnd || onError !== "result") {
      endError ??= error
      return yield* Effect.fail(error)
    }
    for (const _ of pieces) results.push(Result.fail(error))
  })

  return Effect.fnUntraced(function*(pieces: ReadonlyArray<Piece>) {
    const results: Results<A, E> = []
    if (onError !== "result") endError ??= pieces.find(({ refusal }) => refusal !== undefined)?.refusal
    if (endError !== undefined) return { pieces, results, error: endError }
    const sendable = pieces.filter(({ refusal }) => refusal === undefined)
    if (sendable.length === 0) return { pieces, results, error: undefined }
    const sent = yield* Effect.result(Effect.raceFirst(request(sendable, results), Deferred.await(stop)))
    return { pieces, results, error: Result.isFailure(sent) ? sent.failure : undefined }
  })
}

/** Streams an iterable, and closes the iterator at the end. */
const elements = (texts: Iterable<unknown>): Stream.Stream<unknown> =>
  Stream.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => texts[Symbol.iterator]()),
        (iterator) => Effect.sync(() => iterator.return?.())
      ),
      (iterator) => Stream.fromIterable({ [Symbol.iterator]: () => iterator }, { chunkSize })
    )
  )

export const all = <O extends Options & SplitOptions, A, E extends Failure>(
  { bytes, concurrency: maxConcurrency, operation, prepare, splitting: makeSplitting, texts: maxTexts }: Method<O, A, E>
): All<O, A, E> => {
  let runs = 0
  const run = <E2, R2>(texts: Texts<E2, R2>, options: O) =>
    Stream.unwrap(Effect.gen(function*() {
      const { concurrency = defaultConcurrency, onError } = options
      const { envelope, language, send } = yield* checked(operation, optionProblem(options, texts) ?? prepare(options))
      const isResumable = yield* IsResumable
      const splitting = options.split && makeSplitting?.(language)
      const bounds: Bounds = { texts: maxTexts, bytes, envelope }
      const isSingle = Array.isArray(texts) && texts.length === 1
      const read = reader(operation, splitting, bounds)
      // Refuses texts before the first request. Other iterables may be generators, which can be iterated only once.
      if (onError !== "result" && (Array.isArray(texts) || texts instanceof Set)) {
        let index = 0
        for (const text of texts) {
          const refusal = read(text, index++)[0]?.refusal
          if (refusal !== undefined) return yield* Effect.fail(refusal)
        }
      }
      const { add, end } = packer<Piece>(bounds)
      const deliver = makeDelivery({ bounds, isSingle, onError, send, splitting })
      const queue = `${operation}, run ${++runs}`
      /** The results of the parts of an unfinished text. */
      const partial: Results<A, E | Refusal> = []
      const source: Stream.Stream<unknown, E2, R2> = Stream.isStream(texts) ? texts : elements(texts)
      return source.pipe(
        Stream.mapAccumArray(() => 0, (start, chunk) => [
          start + chunk.length,
          chunk.flatMap((text, at) => read(text, start + at)).flatMap(add)
        ]),
        Stream.concat(Stream.suspend(() => Stream.fromArray(end()))),
        Stream.mapEffect((pieces) => Effect.provideService(deliver(pieces), CurrentQueue, queue), {
          concurrency: isResumable ? 1 : Math.min(concurrency, maxConcurrency)
        }),
        Stream.flatMap(({ error, pieces, results }) => {
          const completed: Results<A, E | Refusal> = []
          let next = 0
          for (const { isLast, parts, refusal } of pieces) {
            const result = refusal === undefined ? results[next++] : Result.fail(refusal)
            if (result === undefined) break
            if (parts === undefined || splitting === undefined) completed.push(result)
            else {
              partial.push(result)
              if (isLast === true) completed.push(splitting.join(parts, partial.splice(0)))
            }
          }
          const delivered = Stream.fromArray(completed)
          return error === undefined ? delivered : Stream.concat(delivered, Stream.fail(error))
        })
      )
    }))

  const every = <E2, R2>(texts: Texts<E2, R2>, options?: O) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the argument may be omitted only if all options may
    const runOptions = options ?? {} as O
    const results = run(texts, runOptions)
    // Without `onError: "result"`, a failure ends the stream, so every result is a success.
    return runOptions.onError === "result" ? results : Stream.filterMap(results, identity)
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `onError` selects the stream
  return every as All<O, A, E>
}
