/** Sends packed texts, and converts the outcome of a request to a result for each of its texts. */
import * as Arr from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { concerning } from "../../call/internal/operation.ts"
import { type Bounds, jsonBytes, pack, requestBytes, roomOf } from "../../contract/internal/size.ts"
import * as Categories from "../../errors/internal/categories.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import { type Splitting, whole } from "./splitting.ts"

/** A text or part of one: its position in the input, its bytes as JSON, and the reason if it is not sent. */
export interface Piece<E> {
  readonly index: number
  readonly text: string
  readonly bytes: number
  readonly refusal?: E
}

/** The outcome of a batch: the results of its pieces in order, up to the error that ended the run, if any. */
export interface Delivered<A, E> {
  readonly results: ReadonlyArray<Result.Result<A, E>>
  readonly end: { readonly error: E } | undefined
}

/** True for an error that concerns all texts. Input is refused for a single text before it is sent, and otherwise for the options. */
const isOfRun = ({ _tag, category }: Failure): boolean =>
  _tag === "InvalidInput" || _tag === "LimitExceeded" || Arr.contains(Categories.ofRun, category)

/** Consecutive texts refused one by one before the options count as the cause. */
const maxRefusedAlone = 100

const textsOf = (pieces: ReadonlyArray<{ readonly index: number }>): NonNullable<Failure["texts"]> => ({
  first: pieces[0]?.index ?? 0,
  last: pieces[pieces.length - 1]?.index ?? 0
})

/** The deliveries of one run, which share what they learn and end together. */
export const make = <A, E extends Failure>(
  options: {
    readonly bounds: Bounds
    readonly send: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>, E>
    /** Limits an error to its own texts. */
    readonly goesOn: boolean
    /** Splits a text that is too large for a request, if texts may be split. */
    readonly splitting?: Splitting<A> | undefined
  }
) => {
  const { bounds, goesOn, send, splitting } = options
  /** The error that ended the run: no request starts after it. */
  let ended: { readonly error: E } | undefined
  const stop = Deferred.makeUnsafe<never, E>()
  let isAccepted = false
  let refusedAlone = 0

  const end = (error: E): Effect.Effect<never, E> => {
    ended ??= { error }
    return Effect.fail(error)
  }

  /** Ends the deliveries in flight too. */
  const endForAll = (error: E): Effect.Effect<never, E> => {
    Deferred.doneUnsafe(stop, Effect.fail(error))
    return end(error)
  }

  const each = (
    batches: ReadonlyArray<ReadonlyArray<Piece<E>>>,
    results: Array<Result.Result<A, E>>
  ): Effect.Effect<void, E> => Effect.forEach(batches, (batch) => request(batch, results), { discard: true })

  /** Sends a text in parts, which have one result. After the failure of one the others are not sent. */
  const inParts = (
    { index, text }: Piece<E>,
    { join, split }: Splitting<A>,
    results: Array<Result.Result<A, E>>
  ): Effect.Effect<void, E> | undefined => {
    const parts = split(text, roomOf(bounds))
    if (parts === undefined) return undefined
    const found: Array<Result.Result<A, E>> = []
    const batches = pack(parts.map(({ text }) => ({ index, text, bytes: jsonBytes(text) ?? 0 })), bounds)
    const sent = Effect.forEach(
      batches,
      (batch) => found.some(Result.isFailure) ? Effect.void : request(batch, found),
      { discard: true }
    )
    return Effect.map(sent, () => {
      const result = whole(join, Arr.zip(parts, found))
      if (result !== undefined) results.push(result)
    })
  }

  /** Splits a request that is too large into smaller ones, if possible. */
  const smaller = (
    pieces: ReadonlyArray<Piece<E>>,
    results: Array<Result.Result<A, E>>
  ): Effect.Effect<void, E> | undefined => {
    const [piece] = pieces
    if (pieces.length > 1) return each(pack(pieces, bounds), results)
    return piece === undefined || splitting === undefined ? undefined : inParts(piece, splitting, results)
  }

  const request = (
    pieces: ReadonlyArray<Piece<E>>,
    results: Array<Result.Result<A, E>>
  ): Effect.Effect<void, E> =>
    Effect.suspend(() => {
      const bytes = requestBytes(pieces, bounds.envelope)
      // It was packed before the limit was reduced.
      const repacked = bytes > bounds.bytes ? smaller(pieces, results) : undefined
      if (repacked !== undefined) return repacked
      return Effect.matchEffect(send(pieces.map(({ text }) => text)), {
        onSuccess: (values) =>
          Effect.sync(() => {
            isAccepted = true
            for (const value of values) results.push(Result.succeed(value))
          }),
        onFailure: (failure) => {
          if (failure._tag === "PayloadTooLarge") {
            const before = bounds.bytes
            bounds.bytes = Math.min(before, Math.floor(bytes / 2))
            const again = smaller(pieces, results)
            if (again !== undefined) return again
            // A text that cannot be split does not show the limit for smaller ones.
            bounds.bytes = Math.min(before, bytes - 1)
          }
          const error = concerning(failure, { texts: textsOf(pieces) })
          if (isOfRun(error)) return endForAll(error)
          if (!goesOn) return end(error)
          if (error._tag === "BadRequest" && pieces.length > 1) {
            const half = Math.ceil(pieces.length / 2)
            return each([pieces.slice(0, half), pieces.slice(half)], results)
          }
          if (error._tag === "BadRequest") {
            refusedAlone++
            if (!isAccepted && refusedAlone >= maxRefusedAlone) return endForAll(error)
          }
          for (const _ of pieces) results.push(Result.fail(error))
          return Effect.void
        }
      })
    })

  /** A text that is refused here keeps its position. */
  const ordered = (
    pieces: ReadonlyArray<Piece<E>>,
    sent: ReadonlyArray<Result.Result<A, E>>
  ): ReadonlyArray<Result.Result<A, E>> => {
    if (pieces.every(({ refusal }) => refusal === undefined)) return sent
    const results: Array<Result.Result<A, E>> = []
    let next = 0
    for (const { refusal } of pieces) {
      const result = refusal === undefined ? sent[next++] : Result.fail(refusal)
      if (result === undefined) break
      results.push(result)
    }
    return results
  }

  return (pieces: ReadonlyArray<Piece<E>>): Effect.Effect<Delivered<A, E>> =>
    Effect.suspend(() => {
      const results: Array<Result.Result<A, E>> = []
      const refused = goesOn ? undefined : pieces.find(({ refusal }) => refusal !== undefined)?.refusal
      const sendable = pieces.filter(({ refusal }) => refusal === undefined)
      const delivery = ended !== undefined
        ? Effect.fail(ended.error)
        : refused !== undefined
        ? end(refused)
        : sendable.length === 0
        ? Effect.void
        : Effect.raceFirst(request(sendable, results), Deferred.await(stop))
      return Effect.match(delivery, {
        onSuccess: () => ({ results: ordered(pieces, results), end: undefined }),
        onFailure: (error) => ({ results: ordered(pieces, results), end: { error } })
      })
    })
}
