/** Joins concurrent calls for one text into requests for many. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { constVoid } from "effect/Function"
import * as MutableHashMap from "effect/MutableHashMap"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"
import { checked, concerning, describeAttempts, type Runs, tooLate } from "../../client/internal/call.ts"
import type { CurrentCall } from "../../client/internal/currentCall.ts"
import { spanOf } from "../../client/internal/telemetry.ts"
import * as AttemptMiddleware from "../../config/AttemptMiddleware.ts"
import * as RegionDeadline from "../../config/internal/regionDeadline.ts"
import { merge } from "../../config/internal/settings.ts"
import { CurrentSchedules, type Options, Override } from "../../config/ResiliencePolicy.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { type Bounds, bytesFor, jsonBytes, pack, roomOf } from "../../contract/internal/size.ts"
import * as Attempt from "../../errors/Attempt.ts"
import { type DeadlineExceeded, LimitExceeded } from "../../errors/CallError.ts"
import { checkText } from "../../errors/internal/checks.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import { CurrentTenant } from "../../resilience/internal/tenants.ts"
import * as Timeout from "../../resilience/internal/timeout.ts"
import type { Tenant } from "../../resilience/Tenant.ts"
import * as Delivery from "./delivery.ts"
import type { Method, Prepared } from "./textMethod.ts"

/** A call that waits for the result of its text. */
interface Caller<A, E> {
  readonly text: string
  readonly prepared: Prepared<A, E>
  readonly context: Context.Context<never>
  readonly deadline: Duration.Duration
  readonly resume: (result: Exit.Exit<A, E | DeadlineExceeded>) => void
  /** The calls among which it waits. It leaves them when it is interrupted, or its deadline passes. */
  group: Group<A, E> | undefined
}

/** Calls that wait together, and the end of the wait of one of them. */
interface Group<A, E> {
  readonly callers: Set<Caller<A, E>>
  readonly leave: (caller: Caller<A, E>) => void
}

const makeGroup = <A, E>(
  given: ReadonlyArray<Caller<A, E>>,
  onEmpty: () => void
): Group<A, E> => {
  const callers = new Set(given)
  const group = {
    callers,
    leave: (caller: Caller<A, E>) => {
      callers.delete(caller)
      if (callers.size === 0) onEmpty()
    }
  }
  for (const caller of given) caller.group = group
  return group
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

/** The log annotations of a request are those of its calls: an annotation with several values is an array of them. */
const annotationsOf = (contexts: ReadonlyArray<Context.Context<never>>): Readonly<Record<string, unknown>> => {
  const all = new Set(contexts.map((context) => Context.get(context, References.CurrentLogAnnotations)))
  const values = new Map<string, Set<unknown>>()
  for (const [name, value] of [...all].flatMap(Object.entries<unknown>)) {
    values.set(name, (values.get(name) ?? new Set()).add(value))
  }
  return Object.fromEntries(Array.from(values, ([name, own]) => [name, own.size === 1 ? [...own][0] : [...own]]))
}

/** The result of a text, or the error that ended the request before. */
const resultAt = <A, E>({ end, results }: Delivery.Delivered<A, E>, index: number): Exit.Exit<A, E> => {
  const result = results[index]
  if (result !== undefined) return Result.match(result, { onFailure: Exit.fail, onSuccess: Exit.succeed })
  return end === undefined ? Exit.die(new Error("a text has no result")) : Exit.fail(end.error)
}

const noFields: Options = {}

/** The fields of an override that the request of several calls shares: all but the deadlines, of which it has the longest. */
const sharedFields = (override: Options): Options => {
  const { deadline: _, jobDeadline: __, ...fields } = override
  return Object.keys(fields).length === 0 ? noFields : fields
}

const longestOf = (callers: ReadonlyArray<{ readonly deadline: Duration.Duration }>): number =>
  Math.max(...callers.map(({ deadline }) => Duration.toMillis(deadline)))

/**
 * Makes the call for one text. Calls with the same options, policy, schedules, tenant and middleware that are made before the program yields share
 * requests, equal texts once. The deadline of a call bounds its own wait only: the request has the longest one. It ends when all its
 * calls have been interrupted.
 */
export const make = <O, A, E extends Failure>(
  { bytes, operation, policy, prepare, texts }: Method<O, A, E>,
  { composed }: Pick<Runs, "composed">
) => {
  const boundsOf = ({ envelope }: Prepared<A, E>): Bounds => ({ texts, bytes, envelope })

  /** Sends some texts in one request for all their callers. */
  const ask = Effect.fnUntraced(function*(
    prepared: Prepared<A, E>,
    pieces: ReadonlyArray<Delivery.Piece<E> & { readonly callers: ReadonlyArray<Caller<A, E>> }>
  ) {
    const start = yield* Monotonic.now
    const callers = pieces.flatMap((piece) => piece.callers)
    const contexts = callers.map(({ context }) => context)
    const abandoned = Deferred.makeUnsafe<never>()
    const group = makeGroup(callers, () => Deferred.doneUnsafe(abandoned, Exit.interrupt()))
    const waiting = group.callers
    /** The requests so far: a refused one is followed by smaller ones. */
    const requests: Array<{ readonly texts: ReadonlyArray<string>; readonly call: CurrentCall }> = []
    const override = Context.get(contexts[0] ?? Context.empty(), Override)
    const hasOwn = contexts.some((context) =>
      Context.get(context, Override).deadline !== undefined ||
      Context.get(context, RegionDeadline.Current) !== undefined
    )
    /** Ends the wait of a caller. */
    const end = ({ context, resume, text }: Caller<A, E>, exit: Exit.Exit<A, E | DeadlineExceeded>): void => {
      const span = spanOf(context)
      if (span !== undefined) {
        const own = requests.filter(({ texts }) => texts.includes(text)).map(({ call }) => call)
        describeAttempts(span, own, [text])
        const tenant = Context.get(context, CurrentTenant)
        if (tenant !== undefined) span.attribute("language_service.tenant", tenant.name)
      }
      resume(exit)
    }
    /** The override of a request: the time until the longest deadline of its callers. */
    const overrideOf = (texts: ReadonlyArray<string>, elapsed: number): Options => {
      if (!hasOwn && requests.length === 0) return override
      const own = requests.length === 0 ? callers : callers.filter(({ text }) => texts.includes(text))
      return merge(sharedFields(override), { deadline: Duration.millis(longestOf(own) - elapsed) })
    }
    const deliver = Delivery.make<A, E | DeadlineExceeded, never>({
      bounds: boundsOf(prepared),
      goesOn: true,
      isRun: false,
      send: (texts) =>
        Effect.flatMap(Monotonic.now, (now) => {
          const override = overrideOf(texts, now - start)
          const onStart = (call: CurrentCall) => {
            requests.push({ texts, call })
          }
          const links = callers.length === 1 ? undefined : linksOf(contexts)
          return Effect.provideService(prepared.send(texts, { links, onStart }), Override, override)
        })
    })
    const longest = longestOf(callers)
    const early = callers.filter(({ deadline }) => Duration.toMillis(deadline) < longest)
      .toSorted((one, other) => Duration.Order(one.deadline, other.deadline))
    /** Ends the wait of each caller whose deadline is before that of the request. */
    const expire = Effect.gen(function*() {
      for (const caller of early) {
        const remaining = start + Duration.toMillis(caller.deadline) - (yield* Monotonic.now)
        if (remaining > 0) yield* Effect.exit(Timeout.effect(Duration.millis(remaining), constVoid)(Effect.never))
        if (!waiting.has(caller)) continue
        const request = requests.findLast(({ texts }) => texts.includes(caller.text))
        group.leave(caller)
        const now = yield* Monotonic.now
        end(caller, Exit.fail(tooLate(operation, caller.deadline, request?.call, now, waiting.size > 0)))
      }
      return yield* Effect.never
    })
    const given = Deferred.await(abandoned)
    const exit = yield* deliver(pieces, early.length === 0 ? given : Effect.raceFirst(given, expire)).pipe(
      Effect.provideService(Attempt.Recorder, recorderOf(contexts)),
      Effect.provideService(References.CurrentLogAnnotations, annotationsOf(contexts)),
      Effect.provideService(RegionDeadline.Current, undefined),
      // The rest of the context is that of the first call: its span is the parent, and the others are links.
      Effect.provideContext(contexts[0] ?? Context.empty()),
      Effect.exit
    )
    for (const [index, piece] of pieces.entries()) {
      const result = Exit.isSuccess(exit) ? resultAt(exit.value, index) : Exit.failCause(exit.cause)
      for (const caller of piece.callers) {
        const { deadline } = caller
        end(
          caller,
          Exit.mapError(result, (error) => error._tag === "DeadlineExceeded" ? concerning(error, { deadline }) : error)
        )
      }
    }
  })

  let last: {
    readonly policy: Options
    readonly options: object
    readonly tenant: Tenant | undefined
    readonly middleware: unknown
    readonly schedules: unknown
  } = {
    policy: noFields,
    options: {},
    tenant: undefined,
    middleware: undefined,
    schedules: undefined
  }

  /** Keys are compared by content. Most calls have the same options, so one object for them saves the comparison. */
  const keyOf = ({ context, prepared }: Caller<A, E>): object => {
    const policy = sharedFields(Context.get(context, Override))
    const options = prepared.common
    const tenant = Context.get(context, CurrentTenant)
    const middleware = Context.get(context, AttemptMiddleware.Current)
    const schedules = Context.get(context, CurrentSchedules)
    if (
      last.policy !== policy || last.options !== options || last.tenant !== tenant ||
      last.middleware !== middleware || last.schedules !== schedules
    ) last = { policy, options, tenant, middleware, schedules }
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
    return Effect.forEach(
      pack(pieces, boundsOf(first.prepared)),
      (pieces) =>
        // A defect would leave the callers waiting for ever.
        Effect.onError(ask(first.prepared, pieces), (cause) =>
          Effect.sync(() => {
            for (const { resume } of pieces.flatMap(({ callers }) => callers)) resume(Exit.failCause(cause))
          })),
      { concurrency: "unbounded", discard: true }
    )
  }

  /** The callers whose texts are not yet sent. */
  const collected = MutableHashMap.empty<object, Group<A, E>>()

  /** Adds a caller to those with its key. The first of them yields once, and then sends the texts of all. */
  const add = (caller: Caller<A, E>): void => {
    const key = keyOf(caller)
    const others = Option.getOrUndefined(MutableHashMap.get(collected, key))
    if (others !== undefined) {
      others.callers.add(caller)
      caller.group = others
      return
    }
    const group = makeGroup([caller], constVoid)
    MutableHashMap.set(collected, key, group)
    const sent = Effect.suspend(() => {
      MutableHashMap.remove(collected, key)
      return send([...group.callers])
    })
    Effect.runForkWith(caller.context)(Effect.andThen(Effect.yieldNow, sent))
  }

  const check = (text: string, options: O) =>
    Effect.flatMap(
      prepare(options),
      (prepared) =>
        Effect.flatMapEager(checkText("text", text), () =>
          Effect.flatMap(policy, ({ deadline }) => {
            const room = roomOf(boundsOf(prepared))
            const given = bytesFor(text, room) ?? 0
            return given <= room
              ? Effect.succeed({ deadline, prepared })
              : new LimitExceeded({ parameter: "text", unit: "bytes", given, allowed: Math.max(0, room) })
          }))
    )

  return (text: string, options: O) =>
    composed(
      operation,
      Effect.flatMap(checked(operation, check(text, options)), ({ deadline, prepared }) =>
        Effect.contextWith((context: Context.Context<never>) =>
          Effect.callback<A, E | DeadlineExceeded>((resume) => {
            const caller: Caller<A, E> = { text, prepared, context, deadline, resume, group: undefined }
            add(caller)
            return Effect.sync(() =>
              caller.group?.leave(caller)
            )
          })
        ))
    )
}
