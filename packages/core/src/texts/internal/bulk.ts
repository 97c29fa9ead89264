/**
 * A run over any number of texts:
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
import { CurrentQueue } from "../../config/internal/region.ts"
import { type Bounds, bytesFor, jsonBytes, pack, packer, requestBytes, roomOf } from "../../contract/internal/size.ts"
import { InvalidInput, LimitExceeded } from "../../errors/CallError.ts"
import * as Categories from "../../errors/internal/categories.ts"
import { invalid, numberOf, typeOf } from "../../errors/internal/checks.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import type { All, Options, SplitOptions, Texts } from "../Bulk.ts"
import type { Splitting } from "./splitting.ts"

/** The error of a text or an option that is refused before anything is sent. */
export type Refusal = InvalidInput | LimitExceeded

/** An operation on several texts. */
export interface Method<O, A, E> {
  readonly operation: string
  /** Maximum number of texts in a request. */
  readonly texts: number
  /** Maximum size of a request body in bytes. */
  readonly bytes: number
  /** Maximum number of requests in flight: the limit of the client's policy. */
  readonly concurrency: number
  /** Without it a text that is too large is refused. */
  readonly splitting?: Splitting<A> | undefined
  readonly prepare: (options: O) => Effect.Effect<{
    /** The bytes of a body without texts. */
    readonly envelope: number
    /** The language whose rules apply to splitting. */
    readonly language: string | undefined
    readonly send: Send<A, E>
  }, Refusal | Schema.SchemaError>
}

type Send<A, E> = (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>, E>

type Results<A, E> = Array<Result.Result<A, E>>

/** A text or a part of one: its position in the input, its bytes as JSON, and the reason if it is not sent. */
interface Piece {
  readonly index: number
  readonly text: string
  readonly bytes: number
  readonly refusal?: Refusal
  /** All parts of the text of which this piece is one. */
  readonly parts?: Parts
  readonly isLast?: boolean
}

type Parts = NonNullable<ReturnType<Splitting<unknown>["split"]>>

type Split = (text: string, bytes: number) => Parts | undefined

/** Requests in flight by default. */
export const defaultConcurrency = 8

/** Number of texts read from an iterable at a time, so that a generator is not read far ahead of the requests. */
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

/** Makes the function that returns the pieces of a text, or one with the reason why it is not sent. */
const reader = (operation: string, split: Split | undefined, bounds: Bounds) => {
  const room = roomOf(bounds)
  return (text: unknown, index: number): ReadonlyArray<Piece> => {
    const about = () => ({ operation, texts: { first: index, last: index }, parameter: `text[${index}]` })
    // Counted like an empty text, so that refused texts do not accumulate in memory.
    const refused = (refusal: Refusal) => [{ index, text: "", bytes: 2, refusal }]
    const bytes = typeof text === "string" ? bytesFor(text, room) : undefined
    if (typeof text !== "string" || bytes === undefined) {
      const given = typeof text === "string" ? "a text with an unpaired surrogate" : typeOf(text)
      return refused(new InvalidInput({ ...about(), given, allowed: "text that UTF-8 can carry" }))
    }
    // After a 413 the parts are smaller, but no text is refused.
    const parts = bytes > roomOf(bounds) ? split?.(text, roomOf(bounds)) : undefined
    if (parts !== undefined) return partsOf(index, parts)
    if (bytes <= room) return [{ index, text, bytes }]
    const description = split === undefined
      ? "A request with this text alone is too large"
      : "It cannot be split at the end of a sentence or word"
    const allowed = Math.max(0, room)
    return refused(new LimitExceeded({ ...about(), unit: "bytes", given: bytes, allowed, description }))
  }
}

/** True for an error that concerns all texts. Input is refused for a single text before it is sent, and otherwise for the options. */
const isOfRun = ({ _tag, category }: Failure): boolean =>
  _tag === "InvalidInput" || _tag === "LimitExceeded" || Arr.contains(Categories.ofRun, category)

/** Consecutive texts refused one by one before the options count as the cause. */
const maxRefusedAlone = 100

/**
 * Makes the function that sends the pieces of a batch. It returns their results in order, up to the error that ended the run, if any. The
 * batches of a run share what they learn, and end together.
 */
const makeDelivery = <A, E extends Failure>(
  send: Send<A, E>,
  bounds: Bounds,
  onError: Options["onError"],
  splitting: Splitting<A> | undefined,
  split: Split | undefined
) => {
  const stop = Deferred.makeUnsafe<never, E>()
  let ended: E | Refusal | undefined
  let isAccepted = false
  let refusedAlone = 0

  /** Sends pieces that are too large as smaller requests, a single text in parts. Returns false if it cannot be split. */
  const smaller = Effect.fnUntraced(function*(
    pieces: ReadonlyArray<Piece>,
    results: Results<A, E>
  ): Effect.fn.Return<boolean, E> {
    if (pieces.length > 1) {
      for (const batch of pack(pieces, bounds)) yield* request(batch, results)
      return true
    }
    const parts = pieces[0] && split?.(pieces[0].text, roomOf(bounds))
    if (pieces[0] === undefined || parts === undefined || splitting === undefined) return false
    const found: Results<A, E> = []
    for (const batch of pack(partsOf(pieces[0].index, parts), bounds)) {
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
    // It was packed before the limit was reduced.
    if (bytes > bounds.bytes && (yield* smaller(pieces, results))) return
    const sent = yield* Effect.result(send(pieces.map(({ text }) => text)))
    if (Result.isSuccess(sent)) {
      isAccepted = true
      for (const value of sent.success) results.push(Result.succeed(value))
      return
    }
    const [first, last] = [pieces[0]?.index ?? 0, pieces.at(-1)?.index ?? 0]
    const error = concerning(sent.failure, { texts: { first, last } })
    if (error._tag === "PayloadTooLarge") {
      const before = bounds.bytes
      bounds.bytes = Math.min(before, Math.floor(bytes / 2))
      if (yield* smaller(pieces, results)) return
      // A text that cannot be split does not show the limit for smaller ones.
      bounds.bytes = Math.min(before, bytes - 1)
    }
    const isRefused = error._tag === "BadRequest" && onError === "result"
    if (isRefused && pieces.length > 1) {
      const half = Math.ceil(pieces.length / 2)
      yield* request(pieces.slice(0, half), results)
      return yield* request(pieces.slice(half), results)
    }
    const isOfAll = isOfRun(error) || (isRefused && ++refusedAlone >= maxRefusedAlone && !isAccepted)
    // The requests in flight end too.
    if (isOfAll) Deferred.doneUnsafe(stop, Effect.fail(error))
    if (isOfAll || onError !== "result") {
      ended ??= error
      return yield* Effect.fail(error)
    }
    for (const _ of pieces) results.push(Result.fail(error))
  })

  return Effect.fnUntraced(function*(pieces: ReadonlyArray<Piece>) {
    const results: Results<A, E> = []
    if (onError !== "result") ended ??= pieces.find(({ refusal }) => refusal !== undefined)?.refusal
    if (ended !== undefined) return { pieces, results, error: ended }
    const sendable = pieces.filter(({ refusal }) => refusal === undefined)
    if (sendable.length === 0) return { pieces, results, error: undefined }
    const sent = yield* Effect.result(Effect.raceFirst(request(sendable, results), Deferred.await(stop)))
    return { pieces, results, error: Result.isFailure(sent) ? sent.failure : undefined }
  })
}

/** True for texts that can be iterated more than once. Any other iterable may be a generator. */
const isCollection = (texts: unknown): texts is Iterable<unknown> => Array.isArray(texts) || texts instanceof Set

/** The elements of an iterable. Its iterator is closed when the stream ends, as at the end of a loop. */
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

/** Makes a method for any number of texts. */
export const all = <O extends Options & SplitOptions, A, E extends Failure>(
  { bytes, concurrency: maxConcurrency, operation, prepare, splitting, texts: maxTexts }: Method<O, A, E>
): All<O, A, E> => {
  let runs = 0
  const run = <E2, R2>(texts: Texts<E2, R2>, options: O) =>
    Stream.unwrap(Effect.gen(function*() {
      const { concurrency = defaultConcurrency, onError } = options
      const { envelope, language, send } = yield* checked(operation, optionProblem(options, texts) ?? prepare(options))
      const split: Split | undefined = options.split && splitting &&
        ((text, bytes) => splitting.split(text, language, bytes))
      const bounds: Bounds = { texts: maxTexts, bytes, envelope }
      const read = reader(operation, split, bounds)
      if (onError !== "result" && isCollection(texts)) {
        let index = 0
        for (const text of texts) {
          const refusal = read(text, index++)[0]?.refusal
          if (refusal !== undefined) return yield* Effect.fail(refusal)
        }
      }
      const { add, end } = packer<Piece>(bounds)
      const deliver = makeDelivery(send, bounds, onError, splitting, split)
      const queue = `${operation}, run ${++runs}`
      /** The results of the parts of the text whose last part is not delivered yet. */
      let partial: Results<A, E | Refusal> = []
      const source: Stream.Stream<unknown, E2, R2> = Stream.isStream(texts) ? texts : elements(texts)
      return source.pipe(
        Stream.mapAccumArray(() => 0, (start, chunk) => [
          start + chunk.length,
          chunk.flatMap((text, at) => read(text, start + at)).flatMap(add)
        ]),
        Stream.concat(Stream.suspend(() => Stream.fromArray(end()))),
        Stream.mapEffect((pieces) => Effect.provideService(deliver(pieces), CurrentQueue, queue), {
          concurrency: Math.min(concurrency, maxConcurrency)
        }),
        Stream.flatMap(({ error, pieces, results }) => {
          const whole: Results<A, E | Refusal> = []
          let next = 0
          for (const { isLast, parts, refusal } of pieces) {
            const result = refusal === undefined ? results[next++] : Result.fail(refusal)
            if (result === undefined) break
            if (parts === undefined || splitting === undefined) whole.push(result)
            else {
              partial.push(result)
              if (isLast === true) whole.push(splitting.join(parts, partial))
              if (isLast === true) partial = []
            }
          }
          return error === undefined
            ? Stream.fromArray(whole)
            : Stream.concat(Stream.fromArray(whole), Stream.fail(error))
        })
      )
    }))

  const every = <E2, R2>(texts: Texts<E2, R2>, options?: O) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the argument may be omitted only if all options may
    const given = options ?? {} as O
    const results = run(texts, given)
    // If a failure ends the run, the results contain none.
    return given.onError === "result" ? results : Stream.filterMap(results, identity)
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `onError` selects the stream
  return every as All<O, A, E>
}
