/** Runs methods of services for callers with promises: their options of a call, and the end of their client. */
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as Deadline from "../../config/Deadline.ts"
import type { DurationInput } from "../../config/ResiliencePolicy.ts"
import type { InvalidInput } from "../../errors/CallError.ts"
import { invalid, typeOf, unknownName } from "../../errors/internal/checks.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import { released } from "./ending.ts"
import { complete } from "./operation.ts"

/**
 * Options of one call, after those of the method.
 *
 * @category options
 * @since 0.3.0
 */
export interface CallOptions {
  /**
   * Ends the call, its retries and its waits. It then rejects with the reason of the signal: an `AbortError`, unless another one is given.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Time for the requests of the call, with their retries and waits, or for those of a whole run: milliseconds, or a text such as
   * `"5 seconds"`. After it the call rejects with `DeadlineExceeded`. It does not end a source of texts that stalls, as
   * `signal: AbortSignal.timeout(5000)` does. Default: the deadlines of the policy.
   */
  readonly deadline?: DurationInput | undefined
}

/**
 * Options of the end of a client.
 *
 * @category options
 * @since 0.3.0
 */
export interface CloseOptions {
  /** The time for calls in flight. Default 30 seconds. */
  readonly limit?: DurationInput | undefined
}

type Parameters = ReadonlyArray<unknown>
type Method = (...parameters: Parameters) => unknown

/** The methods of services whose layers need nothing more. */
const isEffect = (value: unknown): value is Effect.Effect<unknown, Error> => Effect.isEffect(value)
const isStream = (value: unknown): value is Stream.Stream<unknown, Error> => Stream.isStream(value)

const isMethod = (value: unknown): value is Method => typeof value === "function"

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  Predicate.hasProperty(value, Symbol.asyncIterator)

/** An object of options, also an instance of a class or one of another realm: neither content, nor a source of texts. */
const isOptions = (value: unknown): value is object =>
  Predicate.isObject(value) && !isAsyncIterable(value) && !isStream(value) && !(Symbol.iterator in value)

const isDuration = (value: unknown): value is Duration.Input =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- any value is parsed
  !Number.isNaN(value) && Option.isSome(Duration.fromInput(value as Duration.Input))

const durations = `a duration, such as 5000 or "5 seconds"`

const streamOf = (given: unknown): unknown =>
  isAsyncIterable(given) && !isStream(given) ? Stream.fromAsyncIterable(given, identity) : given

/** Streams in place of the async iterables of a parameter. A file in a `ReadableStream` is read once. */
const input = (value: unknown): unknown =>
  !Predicate.hasProperty(value, "content")
    ? streamOf(value)
    : value.content instanceof ReadableStream
    ? value
    : { ...value, content: streamOf(value.content) }

/** The problem of the options of a call, which an untyped caller may give in another form. */
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

/** Divides parameters into those of a method and the options of the call, which an untyped caller may put among the others. */
const divided = (
  parameters: Parameters
): { readonly own: Parameters; readonly call: CallOptions; readonly problem?: InvalidInput | undefined } => {
  const [before, last] = [parameters.at(-2), parameters.at(-1)]
  const isApart = isOptions(before)
  const isOfCall = isOptions(last) && ["signal", "deadline", "aborted"].some((name) => name in last)
  if (last === undefined || !(isApart || isOfCall)) return { own: parameters, call: {} }
  const { deadline, signal }: CallOptions = Object(last)
  const { deadline: _, signal: __, ...rest }: CallOptions & Readonly<Record<string, unknown>> = { ...Object(last) }
  const first = parameters.slice(0, -1)
  return {
    own: Object.keys(rest).length === 0 ? first : [...first, rest],
    call: { deadline, signal },
    problem: problemOf(last, isApart)
  }
}

/** An iterable whose iterators give their results in order also to calls of `next` that do not wait for each other. */
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

/** Ends with the reason of a signal. */
const aborted = (signal: AbortSignal): Effect.Effect<never> =>
  Effect.callback((resume) => {
    const abort = () => resume(Effect.die(signal.reason))
    if (signal.aborted) return abort()
    signal.addEventListener("abort", abort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })

const within = <A, E>(effect: Effect.Effect<A, E>, { deadline }: CallOptions): Effect.Effect<A, E> =>
  deadline === undefined ? effect : Deadline.within(effect, deadline)

/** Streams that end with the client only, so that its end does not wait for them. */
const endless = new Set(["Events.stream", "Usage.thresholds"])

/** Runs methods over a context until the end of the client, which `dispose` completes. */
export const make = (context: Context.Context<never>, dispose: Effect.Effect<void>) => {
  const running = new Set<Promise<unknown>>()
  const closing = Deferred.makeUnsafe<void>()
  const closed = Deferred.makeUnsafe<never, Failure>()

  const track = (promise: Promise<unknown>): void => {
    running.add(promise)
    const done = () => running.delete(promise)
    promise.then(done, done)
  }

  const refused = (operation: string, problem: InvalidInput | undefined) =>
    Effect.suspend(() => {
      const failure = problem ?? (Deferred.isDoneUnsafe(closing) ? released(false) : undefined)
      return failure === undefined ? Effect.void : Effect.fail(complete(failure, operation))
    })

  /** The end of a call by its signal, or of its client. */
  const ending = (operation: string, { signal }: CallOptions) => {
    const ofClient = Effect.mapError(Deferred.await(closed), (failure) => complete(failure, operation))
    return signal === undefined ? ofClient : Effect.raceFirst(aborted(signal), ofClient)
  }

  const run = <A, E>(
    operation: string,
    effect: Effect.Effect<A, E>,
    call: CallOptions = {},
    problem?: InvalidInput
  ): Promise<A> => {
    const limited = Effect.suspend(() =>
      call.signal?.aborted === true
        ? Effect.die(call.signal.reason)
        : Effect.raceFirst(within(effect, call), ending(operation, call))
    )
    const promise = Effect.runPromiseWith(context)(Effect.andThen(refused(operation, problem), limited))
    track(promise)
    // A promise of its own: a failure that nobody awaits is reported.
    return promise.then(identity)
  }

  /** A stream that counts as in flight from now on, until its end or that of the client. */
  const tracked = <A, E>(operation: string, stream: Stream.Stream<A, E>, call: CallOptions) => {
    if (endless.has(operation)) return Stream.interruptWhen(stream, Deferred.await(closing))
    const { promise, resolve } = Promise.withResolvers<void>()
    track(promise)
    return Stream.interruptWhen(stream, ending(operation, call)).pipe(Stream.ensuring(Effect.sync(resolve)))
  }

  const iterable = <A, E>(
    operation: string,
    stream: Stream.Stream<A, E>,
    call: CallOptions = {},
    problem?: InvalidInput
  ): AsyncIterable<A> => {
    // The time of a deadline starts with the request of the first result.
    const limited = Stream.unwrap(
      within(Effect.map(Effect.context(), (region) => Stream.provideContext(stream, region)), call)
    )
    return inOrder(Stream.toAsyncIterableWith(
      Stream.unwrap(Effect.map(refused(operation, problem), () => tracked(operation, limited, call))),
      context
    ))
  }

  /** The bytes of a document have arrived, or are on their way, and there is no second copy. */
  const output = (operation: string, value: unknown): unknown =>
    Predicate.hasProperty(value, "stream") && isStream(value.stream)
      ? { ...value, stream: inOrder(Stream.toAsyncIterableWith(tracked(operation, value.stream, {}), context)) }
      : value

  const method = (operation: string, call: Method): Method => (...parameters) => {
    const { call: options, own, problem } = divided(parameters)
    const [first] = own
    // Without types the options of a method may be missing.
    const isMissing = !Predicate.isObjectOrArray(first) && typeof first !== "string"
    const refuse = (defect: unknown) =>
      isMissing
        ? Effect.fail(complete(invalid("options", typeOf(first), "an object"), operation))
        : Effect.die(defect)
    try {
      const result = call(...own.map(input))
      return isEffect(result)
        ? run(
          operation,
          Effect.map(
            own.length === 0 ? result : Effect.catchDefect(result, refuse),
            (value) => output(operation, value)
          ),
          options,
          problem
        )
        : isStream(result)
        ? iterable(operation, result, options, problem)
        : result
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
    /** Runs an effect. */
    run: <A, E>(operation: string, effect: Effect.Effect<A, E>, call: CallOptions = {}): Promise<A> =>
      run(operation, effect, call, problemOf(call, true)),
    close,
    /** The methods of a service. */
    methods: (name: string, service: object, omitted: ReadonlyArray<string>): Readonly<Record<string, Method>> =>
      Object.fromEntries(
        Object.entries(service).flatMap(([member, call]) =>
          isMethod(call) && !omitted.includes(member) ? [[member, method(`${name}.${member}`, call)]] : []
        )
      )
  }
}
