/** Converts the methods of services to promises and async iterables. */
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Deadline from "../../config/Deadline.ts"
import * as Rules from "../../config/internal/options.ts"
import type { DurationInput } from "../../config/ResiliencePolicy.ts"
import type { InvalidInput } from "../../errors/CallError.ts"
import { invalid, typeOf, unknownName } from "../../errors/internal/checks.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import { released } from "./ending.ts"
import { complete } from "./operation.ts"

/**
 * Options of a call: a method's last argument.
 *
 * @category options
 * @since 0.3.0
 */
export interface CallOptions {
  /** Aborts the call, including retries and waits. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * Time limit of the requests of a call or bulk run, including retries and waits: milliseconds, or a string such as `"5 seconds"`. After this time
   * the call rejects with `DeadlineExceeded`. A stalled source of texts has no deadline: use `signal: AbortSignal.timeout(5000)`. Default: the
   * policy's deadlines.
   */
  readonly deadline?: DurationInput | undefined
}

/**
 * @category options
 * @since 0.3.0
 */
export interface CloseOptions {
  /** Time limit of calls in flight. Default: 30 seconds. */
  readonly limit?: DurationInput | undefined
}

type Parameters = ReadonlyArray<unknown>
type Method = (...parameters: Parameters) => unknown

const isEffect = (value: unknown): value is Effect.Effect<unknown, Error> => Effect.isEffect(value)
const isStream = (value: unknown): value is Stream.Stream<unknown, Error> => Stream.isStream(value)

const isMethod = (value: unknown): value is Method => typeof value === "function"

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  Predicate.hasProperty(value, Symbol.asyncIterator)

/** True for options, but not for content or a source of texts. */
const isOptions = (value: unknown): value is object =>
  Predicate.isObject(value) && !isAsyncIterable(value) && !isStream(value) && !(Symbol.iterator in value)

const isDuration = (value: unknown): value is DurationInput => Result.isSuccess(Rules.duration()(value, ""))

const durations = `a duration, such as 5000 or "5 seconds"`

const streamOf = (value: unknown): unknown =>
  isAsyncIterable(value) && !isStream(value) ? Stream.fromAsyncIterable(value, identity) : value

/** Converts async iterables to streams, except a file's `ReadableStream`, which can be read only once. */
const input = (value: unknown): unknown =>
  !Predicate.hasProperty(value, "content")
    ? streamOf(value)
    : value.content instanceof ReadableStream
    ? value
    : { ...value, content: streamOf(value.content) }

const problemOf = (call: unknown, isApart: boolean): InvalidInput | undefined => {
  if (!isOptions(call) || "aborted" in call) return invalid("options", typeOf(call), "an object such as { signal }")
  const { deadline, signal }: CallOptions = call
  return signal !== undefined && !Predicate.hasProperty(signal, "addEventListener")
    ? invalid("signal", typeOf(signal), "an AbortSignal")
    : deadline !== undefined && !isDuration(deadline)
    ? invalid("deadline", typeof deadline === "string" ? JSON.stringify(deadline) : typeOf(deadline), durations)
    : isApart
    ? unknownName(call, ["signal", "deadline"])
    : undefined
}

interface Call extends CallOptions {
  readonly problem?: InvalidInput | undefined
}

const callOf = (options: unknown, isApart: boolean): Call => {
  const { deadline, signal }: CallOptions = Object(options)
  return { deadline, signal, problem: problemOf(options, isApart) }
}

/** Separates call options, which an untyped caller may mix with the method's options. */
const separate = (parameters: Parameters): { readonly ofMethod: Parameters; readonly call: Call } => {
  const [before, last] = [parameters.at(-2), parameters.at(-1)]
  const isApart = isOptions(before)
  const isOfCall = isOptions(last) && ["signal", "deadline", "aborted"].some((name) => name in last)
  if (last === undefined || !(isApart || isOfCall)) return { ofMethod: parameters, call: {} }
  const { deadline: _, signal: __, ...rest }: CallOptions & Readonly<Record<string, unknown>> = { ...Object(last) }
  const first = parameters.slice(0, -1)
  return { ofMethod: Object.keys(rest).length === 0 ? first : [...first, rest], call: callOf(last, isApart) }
}

/** Resolves concurrent calls of `next` in order. */
const inOrder = <A>(iterable: AsyncIterable<A>): AsyncIterable<A> => ({
  [Symbol.asyncIterator]: () => {
    const iterator = iterable[Symbol.asyncIterator]()
    const next = () => iterator.next()
    let last: Promise<unknown> = Promise.resolve()
    return {
      ...iterator,
      next: () => {
        const result = last.then(next, next)
        last = result
        return result
      }
    }
  }
})

const aborted = (signal: AbortSignal): Effect.Effect<never> =>
  Effect.callback((resume) => {
    const abort = () => resume(Effect.die(signal.reason))
    if (signal.aborted) return abort()
    signal.addEventListener("abort", abort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })

const within = <A, E>(effect: Effect.Effect<A, E>, { deadline }: CallOptions): Effect.Effect<A, E> =>
  deadline === undefined ? effect : Deadline.within(effect, deadline)

/** Endless streams, which `close` does not wait for. */
const endless = new Set(["Events.stream", "Usage.thresholds"])

/** Makes the functions of a promise client. `close` runs `dispose` last. */
export const make = (context: Context.Context<never>, dispose: Effect.Effect<void>) => {
  const running = new Set<Promise<unknown>>()
  const closing = Deferred.makeUnsafe<void>()
  const closed = Deferred.makeUnsafe<never, Failure>()

  const track = (promise: Promise<unknown>): void => {
    running.add(promise)
    const done = () => running.delete(promise)
    promise.then(done, done)
  }

  const checked = (operation: string, { problem }: Call) =>
    Effect.suspend(() => {
      const failure = problem ?? (Deferred.isDoneUnsafe(closing) ? released(false) : undefined)
      return failure === undefined ? Effect.void : Effect.fail(complete(failure, operation))
    })

  /** Fails when the call's signal aborts or the client is closed. */
  const ending = (operation: string, { signal }: CallOptions) => {
    const ofClient = Effect.mapError(Deferred.await(closed), (failure) => complete(failure, operation))
    return signal === undefined ? ofClient : Effect.raceFirst(aborted(signal), ofClient)
  }

  const run = <A, E>(operation: string, effect: Effect.Effect<A, E>, call: Call = {}): Promise<A> => {
    // The race starts with `ending`, so that an aborted signal prevents the call.
    const limited = Effect.raceFirst(ending(operation, call), within(effect, call))
    const promise = Effect.runPromiseWith(context)(Effect.andThen(checked(operation, call), limited))
    track(promise)
    // A new promise, so that the platform reports an unhandled failure.
    return promise.then(identity)
  }

  /** Counts a stream as in flight until the stream ends. */
  const tracked = <A, E>(operation: string, stream: Stream.Stream<A, E>, call: CallOptions) => {
    if (endless.has(operation)) {
      const end = Deferred.await(closing)
      return Stream.interruptWhen(stream, call.signal === undefined ? end : Effect.raceFirst(aborted(call.signal), end))
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    track(promise)
    return Stream.interruptWhen(stream, ending(operation, call)).pipe(Stream.ensuring(Effect.sync(resolve)))
  }

  const iterable = <A, E>(operation: string, stream: Stream.Stream<A, E>, call: Call): AsyncIterable<A> => {
    // The deadline starts when the first result is requested.
    const limited = Stream.unwrap(
      within(Effect.map(Effect.context(), (region) => Stream.provideContext(stream, region)), call)
    )
    return inOrder(Stream.toAsyncIterableWith(
      Stream.unwrap(Effect.map(checked(operation, call), () => tracked(operation, limited, call))),
      context
    ))
  }

  /** A download counts as in flight until it is read, so that `close` waits: the service deletes a downloaded document. */
  const output = (operation: string, value: unknown): unknown =>
    Predicate.hasProperty(value, "stream") && isStream(value.stream)
      ? { ...value, stream: inOrder(Stream.toAsyncIterableWith(tracked(operation, value.stream, {}), context)) }
      : value

  const returned = (operation: string, result: unknown, call: Call): unknown =>
    isStream(result)
      ? iterable(operation, result, call)
      : isEffect(result)
      ? run(operation, Effect.map(result, (value) => output(operation, value)), call)
      : result

  const method = (operation: string, call: Method): Method => (...parameters) => {
    const { call: options, ofMethod } = separate(parameters)
    const [first] = ofMethod
    // An untyped caller may omit the method's options.
    const isMissing = !Predicate.isObjectOrArray(first) && typeof first !== "string"
    const refuse = (defect: unknown) =>
      isMissing
        ? Effect.fail(complete(invalid("options", typeOf(first), "an object"), operation))
        : Effect.die(defect)
    try {
      const result = call(...ofMethod.map(input))
      return returned(
        operation,
        isEffect(result) && ofMethod.length > 0 ? Effect.catchDefect(result, refuse) : result,
        options
      )
    } catch (defect) {
      return run(operation, refuse(defect))
    }
  }

  const close = (options: CloseOptions = {}): Promise<void> => {
    const { limit = "30 seconds" } = isOptions(options) ? options : { limit: options }
    const problem = (isOptions(options) ? unknownName(options, ["limit"]) : undefined) ??
      (isDuration(limit) ? undefined : invalid("limit", typeOf(limit), durations))
    if (problem !== undefined) return Promise.reject(complete(problem, "Lingua.close"))
    Deferred.doneUnsafe(closing, Effect.void)
    const ended = Effect.promise(() => Promise.allSettled(running))
    return Effect.timeoutOption(ended, limit).pipe(
      Effect.andThen(Deferred.fail(closed, released(true))),
      Effect.andThen(dispose),
      Effect.runPromise
    )
  }

  return {
    run: <A, E>(operation: string, effect: Effect.Effect<A, E>, call: CallOptions = {}): Promise<A> =>
      run(operation, effect, callOf(call, true)),
    close,
    methods: (name: string, service: object, omitted: ReadonlyArray<string>): Readonly<Record<string, Method>> =>
      Object.fromEntries(
        Object.entries(service).flatMap(([member, call]) => {
          const operation = `${name}.${member}`
          if (omitted.includes(member)) return []
          if (isMethod(call)) return [[member, method(operation, call)]]
          return isEffect(call) || isStream(call)
            ? [[member, (options = {}) => returned(operation, call, callOf(options, true))]]
            : []
        })
      )
  }
}
