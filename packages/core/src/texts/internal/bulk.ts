/**
 * A run over any number of texts:
 *
 *     texts -> checked, measured, split -> packed -> sent, a few requests at a time, in order -> joined -> results
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Pull from "effect/Pull"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { checked } from "../../call/internal/operation.ts"
import { CurrentQueue } from "../../config/internal/region.ts"
import { type Bounds, bytesFor, jsonBytes, packer, roomOf } from "../../contract/internal/size.ts"
import { InvalidInput, LimitExceeded } from "../../errors/CallError.ts"
import { invalid, typeOf } from "../../errors/internal/checks.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import type { All, Options, SplitOptions, Texts } from "../Bulk.ts"
import * as Delivery from "./delivery.ts"
import * as Splitting from "./splitting.ts"

/** The error of texts or options that are not sent. */
export type Refusal = InvalidInput | LimitExceeded

/** An operation on several texts, for runs. */
export interface Method<O, A, E> {
  readonly operation: string
  /** Maximum number of texts in a request. */
  readonly texts: number
  /** Maximum size of a request body in bytes. */
  readonly bytes: number
  readonly prepare: (options: O) => Effect.Effect<Prepared<A, E>, Refusal | Schema.SchemaError>
}

/** The requests for given options. */
interface Prepared<A, E> {
  /** The bytes of a body without texts. */
  readonly envelope: number
  /** Sends a request, as a call of its own. */
  readonly send: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>, E>
  /** The way to split a text that is too large. Without it such a text is refused. */
  readonly splitting?: Splitting.Splitting<A> | undefined
}

/** A piece with the data to reassemble its text. */
interface Piece<E> extends Delivery.Piece<E> {
  readonly part?: { readonly part: Splitting.Part; readonly isLast: boolean }
}

/** Requests in flight by default. */
export const defaultConcurrency = 8

/** Number of texts read from an iterable at a time, so that a generator is not read far ahead of the requests. */
const chunkSize = 64

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value

const optionProblem = (
  { concurrency, onError, split }: Options & SplitOptions,
  texts: unknown
): InvalidInput | undefined => {
  if (!Stream.isStream(texts) && !isIterable(texts)) {
    return invalid("texts", typeOf(texts), "an iterable or a stream of strings")
  }
  if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency >= 1)) {
    return invalid(
      "concurrency",
      typeof concurrency === "number" ? String(concurrency) : typeOf(concurrency),
      "a whole number from 1"
    )
  }
  if (onError !== undefined && onError !== "fail" && onError !== "result") {
    return invalid("onError", "another value", "\"fail\" or \"result\"")
  }
  if (split !== undefined && split !== "sentences") {
    return invalid("split", "another value", "\"sentences\"")
  }
  return undefined
}

/** Counted like an empty text, so that refused texts do not accumulate in memory. */
const refused = (index: number, refusal: Refusal): ReadonlyArray<Piece<Refusal>> => [
  { index, text: "", bytes: 2, refusal }
]

/** The pieces of a text, or the reason why it is not sent. */
const makeReader = (
  operation: string,
  split: Splitting.Splitting<unknown>["split"] | undefined,
  bounds: Bounds
) => {
  const room = roomOf(bounds)
  return (text: unknown, index: number): ReadonlyArray<Piece<Refusal>> => {
    const bytes = typeof text === "string" ? bytesFor(text, room) : undefined
    const texts = { first: index, last: index }
    if (typeof text !== "string" || bytes === undefined) {
      const given = typeof text === "string" ? "a text with an unpaired surrogate" : typeOf(text)
      const allowed = "text that UTF-8 can carry"
      return refused(index, new InvalidInput({ operation, texts, parameter: `text[${index}]`, given, allowed }))
    }
    // A size that the service refused makes parts smaller, but does not refuse a text.
    const parts = bytes > roomOf(bounds) ? split?.(text, roomOf(bounds)) : undefined
    if (parts === undefined && bytes <= room) return [{ index, text, bytes }]
    if (parts === undefined) {
      return refused(
        index,
        new LimitExceeded({
          operation,
          texts,
          parameter: `text[${index}]`,
          unit: "bytes",
          given: bytes,
          allowed: Math.max(0, room),
          description: split === undefined
            ? "A request with this text alone is too large"
            : "It cannot be split at the end of a sentence or word"
        })
      )
    }
    return parts.map((part, at) => ({
      index,
      text: part.text,
      bytes: jsonBytes(part.text) ?? 0,
      part: { part, isLast: at === parts.length - 1 }
    }))
  }
}

/** The next elements, or `undefined` at the end. */
const orEnd = <A, E, R>(pull: Pull.Pull<A, E, void, R>): Effect.Effect<A | undefined, E, R> =>
  Pull.catchDone(pull, () => Effect.succeed<A | undefined>(undefined))

/** Packs the pieces of texts incrementally, a batch at a time. */
const packed = <E2, R2>(
  texts: Stream.Stream<unknown, E2, R2>,
  read: (text: unknown, index: number) => ReadonlyArray<Piece<Refusal>>,
  bounds: Bounds
): Stream.Stream<ReadonlyArray<Piece<Refusal>>, E2, R2> =>
  Stream.transformPull(texts, (pull) =>
    Effect.sync(() => {
      const { add, end } = packer<Piece<Refusal>>(bounds)
      let chunk: ReadonlyArray<unknown> = []
      let position = 0
      let pieces: ReadonlyArray<Piece<Refusal>> = []
      let piece = 0
      let index = 0
      let isDone = false
      const next: Pull.Pull<readonly [ReadonlyArray<Piece<Refusal>>], E2, void, R2> = Effect.suspend(() => {
        for (;;) {
          for (; piece < pieces.length;) {
            const item = pieces[piece++]
            const full = item === undefined ? undefined : add(item)
            if (full !== undefined) return Effect.succeed([full] as const)
          }
          if (position === chunk.length) break
          pieces = read(chunk[position++], index++)
          piece = 0
        }
        if (isDone) return Cause.done()
        return Effect.flatMap(orEnd(pull), (more) => {
          isDone = more === undefined
          chunk = more ?? []
          position = 0
          const last = isDone ? end() : undefined
          return last === undefined ? next : Effect.succeed([last] as const)
        })
      })
      return next
    }))

/** Emits the results of texts one by one, and fails at the position where the run does. */
const unpacked = <A, E, E2, R2>(
  batches: Stream.Stream<readonly [ReadonlyArray<Piece<E>>, Delivery.Delivered<A, E>], E2, R2>,
  splitting: Splitting.Splitting<A> | undefined
): Stream.Stream<Result.Result<A, E>, E | E2, R2> =>
  Stream.transformPull(batches, (pull) =>
    Effect.sync(() => {
      let parts: Array<readonly [Splitting.Part, Result.Result<A, E>]> = []
      let ended: { readonly error: E } | undefined
      /** The result completed by a piece: its own, or, with the last part, that of the text. */
      const whole = ({ part }: Piece<E>, result: Result.Result<A, E>): Result.Result<A, E> | undefined => {
        if (part === undefined || splitting === undefined) return result
        parts.push([part.part, result])
        if (!part.isLast) return undefined
        const text = Splitting.whole(splitting.join, parts)
        parts = []
        return text
      }
      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<Result.Result<A, E>>, E | E2, void, R2> = Effect.suspend(() => {
        if (ended !== undefined) return Effect.fail(ended.error)
        return Effect.flatMap(pull, (batches) => {
          const found: Array<Result.Result<A, E>> = []
          for (const [pieces, { end, results }] of batches) {
            for (const [at, result] of results.entries()) {
              const piece = pieces[at]
              const text = piece === undefined ? undefined : whole(piece, result)
              if (text !== undefined) found.push(text)
            }
            ended = end
            if (ended !== undefined) break
          }
          return Arr.isArrayNonEmpty(found) ? Effect.succeed(found) : next
        })
      })
      return next
    }))

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

/** Makes a method for any number of texts; `policyConcurrency` are the requests in flight that the client allows. */
export const all = <O extends Options & SplitOptions, A, E extends Failure>(
  { bytes, operation, prepare, texts: mostTexts }: Method<O, A, E>,
  policyConcurrency: number
): All<O, A, E> => {
  let runs = 0
  const run = <E2, R2>(
    texts: Texts<E2, R2>,
    options: O
  ): Stream.Stream<Result.Result<A, E | Refusal>, E | E2 | Refusal, R2> =>
    Stream.unwrap(Effect.gen(function*() {
      const problem = optionProblem(options, texts)
      if (problem !== undefined) return yield* checked(operation, Effect.fail(problem))
      const prepared = yield* checked(operation, prepare(options))
      const bounds: Bounds = { texts: mostTexts, bytes, envelope: prepared.envelope }
      const read = makeReader(operation, prepared.splitting?.split, bounds)
      const goesOn = options.onError === "result"
      if (!goesOn && isCollection(texts)) {
        let index = 0
        for (const text of texts) {
          const refusal = read(text, index++)[0]?.refusal
          if (refusal !== undefined) return yield* Effect.fail(refusal)
        }
      }
      const deliver = Delivery.make<A, E | Refusal>({
        bounds,
        send: prepared.send,
        splitting: prepared.splitting,
        goesOn
      })
      const source: Stream.Stream<unknown, E2, R2> = Stream.isStream(texts) ? texts : elements(texts)
      const batches = packed(source, read, bounds)
      const queue = `${operation}, run ${++runs}`
      const send = (pieces: ReadonlyArray<Piece<Refusal>>) =>
        deliver(pieces).pipe(
          Effect.map((delivered) => [pieces, delivered] as const),
          Effect.provideService(CurrentQueue, queue)
        )
      const { concurrency = defaultConcurrency } = options
      const sent = Stream.mapEffect(batches, send, { concurrency: Math.min(concurrency, policyConcurrency) })
      return unpacked<A, E | Refusal, E2, R2>(sent, prepared.splitting)
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
