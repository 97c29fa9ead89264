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
import * as Attempt from "../Attempt.ts"
import { Override, type ResiliencePolicy } from "../ResiliencePolicy.ts"
import type { Failure } from "./answer.ts"
import { jsonBytes, pack } from "./batching.ts"
import * as Delivery from "./delivery.ts"

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
 * Makes the call for one text. Those with the same policy that come before the program waits for something go together,
 * equal texts once. A request ends when all its calls have been interrupted.
 */
export const make = <A, E extends Failure>(
  texts: number,
  send: (texts: ReadonlyArray<string>, links: ReadonlyArray<Tracer.SpanLink>) => Effect.Effect<ReadonlyArray<A>, E>
) => {
  class One extends Request.Class<{ readonly text: string; readonly caller: Caller }, A, E> {}
  type Entry = Request.Entry<One>

  /** Asks for some texts in one request, for all who wait for one of them. */
  const ask = (pieces: ReadonlyArray<Delivery.Piece<E> & { readonly entries: ReadonlyArray<Entry> }>) =>
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
        bounds: { texts, bytes: Number.POSITIVE_INFINITY, envelope: 0 },
        goesOn: true,
        isRun: false,
        send: (texts) => send(texts, linksOf(contexts))
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

  const resolver = RequestResolver.makeGrouped<One, Partial<ResiliencePolicy>>({
    key: ({ context }) => Context.get(context, Override),
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
      return Effect.forEach(pack(pieces, { texts, bytes: Number.POSITIVE_INFINITY, envelope: 0 }), ask, {
        concurrency: "unbounded",
        discard: true
      })
    }
  })

  return (text: string): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const caller: Caller = { leave: constVoid }
      return Effect.onInterrupt(
        Effect.request(new One({ text, caller }), resolver),
        () => Effect.sync(() => caller.leave())
      )
    })
}
