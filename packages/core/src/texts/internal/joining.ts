/** Joins concurrent calls for one text into requests for many. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { constVoid } from "effect/Function"
import * as MutableHashMap from "effect/MutableHashMap"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import * as Attempt from "../../client/Attempt.ts"
import { LimitExceeded } from "../../client/CallError.ts"
import { checked, type Runs } from "../../client/internal/call.ts"
import { checkText } from "../../client/internal/checks.ts"
import type { Failure } from "../../client/internal/failure.ts"
import { type Bounds, bytesFor, jsonBytes, pack, roomOf } from "../../client/internal/size.ts"
import { Override } from "../../client/ResiliencePolicy.ts"
import { CurrentTenant } from "../../resilience/internal/tenants.ts"
import type { Tenant } from "../../resilience/Tenant.ts"
import * as Delivery from "./delivery.ts"
import type { Method, Prepared } from "./textMethod.ts"

/** A call that waits for the result of its text. */
interface Caller<A, E> {
  readonly text: string
  readonly prepared: Prepared<A, E>
  readonly context: Context.Context<never>
  readonly resume: (result: Exit.Exit<A, E>) => void
  /** Called when the call is interrupted. */
  leave: () => void
}

/** The attempts of a request belong to all calls that share it. */
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

/** The result of a text, or the error that ended the request before. */
const resultAt = <A, E>({ end, results }: Delivery.Delivered<A, E>, index: number): Exit.Exit<A, E> => {
  const result = results[index]
  if (result !== undefined) return Result.match(result, { onFailure: Exit.fail, onSuccess: Exit.succeed })
  return end === undefined ? Exit.die(new Error("a text has no result")) : Exit.fail(end.error)
}

/**
 * Makes the call for one text. Calls with the same options, policy and tenant that are made before the program yields share requests,
 * equal texts once. A request ends when all its calls have been interrupted.
 */
export const make = <O, A, E extends Failure>(
  { bytes, operation, prepare, texts }: Method<O, A, E>,
  { composed }: Pick<Runs, "composed">
) => {
  const boundsOf = ({ envelope }: Prepared<A, E>): Bounds => ({ texts, bytes, envelope })

  /** Sends some texts in one request for all their callers. */
  const ask = (
    prepared: Prepared<A, E>,
    pieces: ReadonlyArray<Delivery.Piece<E> & { readonly callers: ReadonlyArray<Caller<A, E>> }>
  ) =>
    Effect.suspend(() => {
      const callers = pieces.flatMap((piece) => piece.callers)
      const contexts = callers.map(({ context }) => context)
      const abandoned = Deferred.makeUnsafe<never>()
      let waiting = callers.length
      for (const caller of callers) {
        caller.leave = () => {
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
            for (const { resume } of piece.callers) resume(result)
          }
        }),
        Effect.provideService(Attempt.Recorder, recorderOf(contexts)),
        // The context of a request is that of its first call: its span is the parent, and the others are links.
        Effect.provideContext(contexts[0] ?? Context.empty())
      )
    })

  let last: { readonly policy: object; readonly options: object; readonly tenant: Tenant | undefined } = {
    policy: {},
    options: {},
    tenant: undefined
  }

  /** Keys are compared by content. Most calls have the same options, so one object for them saves the comparison. */
  const keyOf = ({ context, prepared }: Caller<A, E>): object => {
    const policy = Context.get(context, Override)
    const options = prepared.common
    const tenant = Context.get(context, CurrentTenant)
    if (last.policy !== policy || last.options !== options || last.tenant !== tenant) last = { policy, options, tenant }
    return last
  }

  /** Sends the texts of callers, equal ones once. */
  const send = (callers: ReadonlyArray<Caller<A, E>>) => {
    const [first] = callers
    if (first === undefined) return Effect.void
    const pieces = Array.from(
      Map.groupBy(callers, ({ text }) => text),
      ([text, callers], index) => ({ index, text, bytes: jsonBytes(text) ?? 0, callers })
    )
    return Effect.forEach(pack(pieces, boundsOf(first.prepared)), (pieces) => ask(first.prepared, pieces), {
      concurrency: "unbounded",
      discard: true
    })
  }

  /** The callers whose texts are not yet sent. */
  const collected = MutableHashMap.empty<object, Set<Caller<A, E>>>()

  /** Adds a caller to those with its key. The first of them yields once, and then sends the texts of all. */
  const add = (caller: Caller<A, E>): void => {
    const key = keyOf(caller)
    const others = Option.getOrUndefined(MutableHashMap.get(collected, key))
    const callers = others ?? new Set()
    callers.add(caller)
    caller.leave = () => {
      callers.delete(caller)
    }
    if (others !== undefined) return
    MutableHashMap.set(collected, key, callers)
    const sent = Effect.suspend(() => {
      MutableHashMap.remove(collected, key)
      return send([...callers])
    })
    Effect.runForkWith(caller.context)(Effect.andThen(Effect.yieldNow, sent))
  }

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
      Effect.flatMap(checked(operation, check(text, options)), (prepared) =>
        Effect.contextWith((context: Context.Context<never>) =>
          Effect.callback<A, E>((resume) => {
            const caller: Caller<A, E> = { text, prepared, context, resume, leave: constVoid }
            add(caller)
            return Effect.sync(() =>
              caller.leave()
            )
          })
        ))
    )
}
