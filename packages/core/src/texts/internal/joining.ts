/** Calls for one text each that happen at the same time become requests for many. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { constVoid } from "effect/Function"
import * as Request from "effect/Request"
import * as RequestResolver from "effect/RequestResolver"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import * as Attempt from "../../client/Attempt.ts"
import { type InvalidInput, LimitExceeded } from "../../client/CallError.ts"
import { checked, composed } from "../../client/internal/call.ts"
import { checkText } from "../../client/internal/checks.ts"
import type { Failure } from "../../client/internal/failure.ts"
import { type Bounds, bytesFor, jsonBytes, pack, roomOf } from "../../client/internal/size.ts"
import { Override } from "../../client/ResiliencePolicy.ts"
import * as Delivery from "./delivery.ts"
import type { Method, Prepared } from "./textMethod.ts"

/** A call that waits for its result, and how it says that it waits no more. */
interface Caller {
  leave: () => void
}

/** Attempts of a request are those of all calls that share it. */
const recorderOf = (contexts: ReadonlyArray<Context.Context<never>>) => {
  const recorders = new Set(contexts.flatMap((context) => Context.get(context, Attempt.Recorder) ?? []))
  return recorders.size === 0 ? undefined : (attempt: Attempt.Attempt): void => {
    for (const record of recorders) record(attempt)
  }
}

const linksOf = (contexts: ReadonlyArray<Context.Context<never>>): ReadonlyArray<Tracer.SpanLink> =>
  contexts.flatMap((context) => {
    const span = Context.getOrUndefined(context, Tracer.ParentSpan)
    return span === undefined ? [] : [{ span, attributes: {} }]
  })

/** The result of a text, or what ended the request before there was one. */
const resultAt = <A, E>({ end, results }: Delivery.Delivered<A, E>, index: number): Exit.Exit<A, E> => {
  const result = results[index]
  if (result !== undefined) return Result.match(result, { onFailure: Exit.fail, onSuccess: Exit.succeed })
  return end === undefined ? Exit.die(new Error("a text has no result")) : Exit.fail(end.error)
}

/**
 * Makes the call for one text. Those with the same options and policy that come before the program waits for something go
 * together, equal texts once. A request ends when all its calls have been interrupted.
 */
export const make = <O, A, E extends Failure>({ bytes, operation, prepare, texts }: Method<O, A, E>) => {
  class One extends Request.Class<
    { readonly text: string; readonly prepared: Prepared<A, E>; readonly caller: Caller },
    A,
    E | InvalidInput | LimitExceeded
  > {}
  type Entry = Request.Entry<One>

  const boundsOf = ({ envelope }: Prepared<A, E>): Bounds => ({ texts, bytes, envelope })

  /** Asks for some texts in one request, for all who wait for one of them. */
  const ask = (
    prepared: Prepared<A, E>,
    pieces: ReadonlyArray<Delivery.Piece<E> & { readonly entries: ReadonlyArray<Entry> }>
  ) =>
    Effect.suspend(() => {
      const entries = pieces.flatMap((piece) => piece.entries)
      const contexts = entries.map(({ context }) => context)
      const abandoned = Deferred.makeUnsafe<never>()
      let waiting = entries.length
      for (const { request } of entries) {
        request.caller.leave = () => {
          if (--waiting === 0) Deferred.doneUnsafe(abandoned, Exit.interrupt())
        }
      }
      const deliver = Delivery.make<A, E, never>({
        bounds: boundsOf(prepared),
        goesOn: true,
        isRun: false,
        send: (texts) => prepared.send(texts, linksOf(contexts))
      })
      return deliver(pieces, Deferred.await(abandoned)).pipe(
        Effect.exit,
        Effect.map((exit) => {
          for (const [index, piece] of pieces.entries()) {
            const result = Exit.isSuccess(exit) ? resultAt(exit.value, index) : Exit.failCause(exit.cause)
            for (const entry of piece.entries) entry.completeUnsafe(result)
          }
        }),
        Effect.provideService(Attempt.Recorder, recorderOf(contexts)),
        // What else holds for a request is that of the first call: its span is the parent, and the others are links.
        Effect.provideContext(contexts[0] ?? Context.empty())
      )
    })

  let last: { readonly policy: object; readonly options: object } = { policy: {}, options: {} }

  /** Keys are compared by their content. Most calls have the same, for which one object spares that. */
  const keyOf = ({ context, request }: Entry): object => {
    const policy = Context.get(context, Override)
    const options = request.prepared.common
    if (last.policy !== policy || last.options !== options) last = { policy, options }
    return last
  }

  const resolver = RequestResolver.makeGrouped<One, object>({
    key: keyOf,
    resolver: (entries) => {
      const byText = new Map<string, Array<Entry>>()
      for (const entry of entries) {
        const { text } = entry.request
        const same = byText.get(text)
        if (same === undefined) byText.set(text, [entry])
        else same.push(entry)
      }
      const pieces = Array.from(byText, ([text, entries], index) => ({
        index,
        text,
        bytes: jsonBytes(text) ?? 0,
        entries
      }))
      const [{ request: { prepared } }] = entries
      return Effect.forEach(pack(pieces, boundsOf(prepared)), (pieces) => ask(prepared, pieces), {
        concurrency: "unbounded",
        discard: true
      })
    }
  })

  const check = Effect.fnUntraced(function*(text: string, options: O) {
    const prepared = yield* prepare(options)
    yield* checkText("text", text)
    const room = roomOf(boundsOf(prepared))
    const given = bytesFor(text, room) ?? 0
    if (given <= room) return prepared
    return yield* new LimitExceeded({ parameter: "text", unit: "bytes", given, allowed: Math.max(0, room) })
  })

  return (text: string, options: O) =>
    composed(
      operation,
      Effect.flatMap(checked(operation, check(text, options)), (prepared) => {
        const caller: Caller = { leave: constVoid }
        return Effect.onInterrupt(
          Effect.request(new One({ text, prepared, caller }), resolver),
          () => Effect.sync(() => caller.leave())
        )
      })
    )
}
