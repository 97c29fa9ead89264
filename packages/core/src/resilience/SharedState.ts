/**
 * Limiter and breaker state shared by several processes. By default each client keeps it in memory.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as Scope from "effect/Scope"
import type { BreakerState } from "../client/Events.ts"
import * as Monotonic from "../client/internal/monotonic.ts"
import { measured } from "../client/internal/monotonic.ts"
import * as Telemetry from "../client/internal/telemetry.ts"
import * as Rules from "../config/internal/options.ts"
import { InvalidConfiguration } from "../config/LanguageServiceConfig.ts"
import type { Breaker } from "../config/ResiliencePolicy.ts"
import { openFor, outcomeOf, rejected } from "./internal/breaker.ts"
import type { Ending } from "./internal/ending.ts"
import type { Rates } from "./internal/rates.ts"
import { type Execution, SharedLimits } from "./internal/sharedLimits.ts"

const inMemoryRates: Layer.Layer<RateLimiter.RateLimiterStore> = Layer.effect(
  RateLimiter.RateLimiterStore,
  Effect.map(RateLimiter.RateLimiterStore, (store) =>
    RateLimiter.RateLimiterStore.of({
      fixedWindow: (options) => measured(store.fixedWindow(options)),
      tokenBucket: (options) => measured(store.tokenBucket(options)),
      adaptiveConsume: (options) => measured(store.adaptiveConsume(options)),
      adaptiveFeedback: (options) => measured(store.adaptiveFeedback(options))
    }))
).pipe(Layer.provide(RateLimiter.layerStoreMemory), Layer.fresh)

const inMemoryCircuits: Layer.Layer<CircuitBreaker.CircuitBreakerStore> = Layer.effect(
  CircuitBreaker.CircuitBreakerStore,
  Effect.map(CircuitBreaker.CircuitBreakerStore, (store) =>
    CircuitBreaker.CircuitBreakerStore.of({
      admit: (key) => measured(store.admit(key)),
      record: (options) => measured(store.record(options)),
      state: (key) => measured(store.state(key))
    }))
).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()), Layer.fresh)

/** Makes the turns of the clients with a key. */
const sharedRates = (store: RateLimiter.RateLimiterStore["Service"]) => (key: string): Rates => ({
  consume: (interval, turns) =>
    Effect.map(
      store.tokenBucket({ key, tokens: turns, limit: 1, refillRate: Duration.millis(interval), allowOverflow: true }),
      ([left, elapsed]) => Math.max(0, Math.ceil(-left) * interval - elapsed)
    ),
  adapt: ({ limit, window }, turns) =>
    Effect.map(
      store.adaptiveConsume({ key, tokens: turns, fallbackLimit: limit, fallbackWindow: window }),
      ({ delay, epoch, phase }) => ({ delay: Duration.toMillis(delay), epoch, isCounted: phase === "learned" })
    ),
  // The store counts by itself.
  accepted: Effect.void,
  refused: (epoch, retryAfter) => store.adaptiveFeedback({ key, epoch, tokens: 1, status: 429, retryAfter })
})

/**
 * Makes a circuit that other clients share. Its store may fail; an attempt keeps its end. `CircuitBreaker.execute` is not used, as
 * it computes the length of the next opening from a schedule after every success.
 */
const sharedCircuit =
  (store: CircuitBreaker.CircuitBreakerStore["Service"]) =>
  (policy: Breaker, key: string, show: (to: BreakerState) => void): Execution => {
    const tripPolicy = CircuitBreaker.rate({
      threshold: policy.failureRate,
      size: policy.attempts,
      minimumCalls: policy.attempts
    })
    let isClosed = true
    let openUntil = 0
    /** Shows a state. An open circuit has the time until its probe from the start on, so that it is not taken for a half-open one. */
    const seen = (to: BreakerState, retryAfter: Duration.Duration) =>
      Effect.map(Monotonic.now, (now) => {
        openUntil = to === "Open" ? now + Duration.toMillis(retryAfter) : 0
        isClosed = to === "Closed"
        show(to)
      })

    const record = ({ consecutiveOpenings, generation }: CircuitBreaker.Admission, exit: Exit.Exit<Ending>) => {
      const retryAfter = openFor(policy, consecutiveOpenings, exit)
      const outcome = outcomeOf(exit)
      return Effect.matchEffect(store.record({ key, generation, outcome, tripPolicy, openFor: retryAfter }), {
        onFailure: () => Effect.void,
        onSuccess: (transition) => transition === undefined ? Effect.void : seen(transition.to, retryAfter)
      })
    }

    // A call of a circuit that is known to be open need not wait to be rejected. The known transitions are those of this client;
    // those of others show in the ends of the attempts.
    const learn = Effect.ignore(
      Effect.flatMap(
        store.state(key),
        (state) => seen(state._tag, state._tag === "Open" ? state.retryAfter : Duration.zero)
      )
    )

    const admitted = (
      admission: Effect.Effect<CircuitBreaker.Admission, CircuitBreaker.CircuitBreakerError>,
      attempt: Effect.Effect<Ending>
    ): Effect.Effect<Ending> =>
      Effect.matchEffect(admission, {
        onFailure: ({ reason }) => {
          if (reason._tag === "CircuitBreakerStoreError") return attempt
          return reason._tag === "CircuitOpen"
            ? Effect.as(seen("Open", reason.retryAfter), rejected(reason.retryAfter))
            : Effect.succeed(rejected(undefined))
        },
        onSuccess: (admission) => {
          const recorded = Effect.onExit(attempt, (exit) => record(admission, exit))
          return admission.transition === undefined
            ? recorded
            : Effect.andThen(seen(admission.transition.to, Duration.zero), recorded)
        }
      })

    return {
      openUntil: () => openUntil,
      execute: (attempt: Effect.Effect<Ending>): Effect.Effect<Ending> =>
        Effect.flatMap(
          Effect.uninterruptibleMask((restore) =>
            Effect.scopedWith((scope) => admitted(Scope.provide(store.admit(key), scope), restore(attempt)))
          ),
          (ending) =>
            ending.failure?.isTransient === true || !isClosed
              ? Effect.as(learn, ending)
              : Effect.succeed(ending)
        )
    }
  }

/**
 * The two stores of {@link layerWithFallback}: of rates, and of circuits.
 *
 * @category models
 * @since 0.1.0
 */
export type Stores = RateLimiter.RateLimiterStore | CircuitBreaker.CircuitBreakerStore

/**
 * Options of the shared stores.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** Time after which a store counts as down. Default 250 ms. */
  readonly timeout?: Duration.Input | undefined
  /** Time for which a store that is down is not called. Default 1 s. */
  readonly retryAfter?: Duration.Input | undefined
  /** Describes a failure of the store in the warning, without secrets. Default: no description. */
  readonly describe?: ((failure: unknown) => string) | undefined
}

/** The connection must not delay the start of a program. */
const connectTimeout = Duration.seconds(2)

/** Placeholder command of an outage that began without a connection; a success of any command ends it. */
const connecting = "connect"

const local = Layer.merge(inMemoryRates, inMemoryCircuits)

/** Marks permits of the local breaker, so that their outcomes are reported to it; its own inverse. */
const localGeneration = (generation: number): number => -1 - generation

const isRejection = <E>(error: E): error is Extract<E, CircuitBreaker.CircuitBreakerError> =>
  error instanceof CircuitBreaker.CircuitBreakerError && error.reason._tag !== "CircuitBreakerStoreError"

const durationOf = (name: keyof Options, given: Duration.Input) =>
  Effect.mapError(
    Effect.fromResult(Rules.duration((millis) => millis >= 0, "must not be negative")(given, name)),
    ({ field, problem }) => new InvalidConfiguration({ setting: field, problem })
  )

const storesWithFallback = Effect.fnUntraced(function*<E>(
  connect: (scope: Scope.Scope) => Effect.Effect<Context.Context<Stores>, E>,
  fallback: Context.Context<Stores>,
  options: Options
) {
  const { describe } = options
  const retryAfter = yield* durationOf("retryAfter", options.retryAfter ?? "1 second")
  const timeout = yield* durationOf("timeout", options.timeout ?? "250 millis")
  const pause = Duration.toMillis(retryAfter)
  const scope = yield* Effect.scope
  const context = yield* Effect.context()
  let downUntil: number | undefined
  /** The command that failed first. Its next success ends the outage; other commands may succeed meanwhile. */
  let outage: string | undefined
  let shared: { readonly stores: Context.Context<Stores>; readonly scope: Scope.Closeable } | undefined

  /** Counts a failure of the shared store, and logs the first of an outage. */
  const failed = (command: string, now: number, failure: unknown) => {
    downUntil = now + pause
    Telemetry.update("sharedStoreFailures", 1, {}, context)
    if (outage !== undefined) return Effect.void
    outage = command
    const why = describe === undefined ? "" : `: ${describe(failure)}`
    return Effect.logWarning(`The store of shared limits is unavailable; limits are local${why}`)
  }

  const answered = (command: string) =>
    Effect.suspend(() => {
      downUntil = undefined
      if (outage !== command && outage !== connecting) return Effect.void
      outage = undefined
      return Effect.logInfo("The store of shared limits is available again")
    })

  // Each attempt to connect has its own scope.
  const tryToConnect = Effect.gen(function*() {
    const attempt = yield* Scope.fork(scope)
    const exit = yield* Effect.exit(Effect.timeout(connect(attempt), connectTimeout))
    const now = yield* Monotonic.now
    if (Exit.isFailure(exit)) {
      yield* Scope.close(attempt, exit)
      yield* failed(connecting, now, Cause.squash(exit.cause))
      return false
    }
    shared = { stores: exit.value, scope: attempt }
    // The next command shows whether it responds.
    if (downUntil !== undefined) downUntil = now
    return true
  })
  const connectInBackground = tryToConnect.pipe(
    Effect.delay(retryAfter),
    Effect.repeat({ until: (connected) => connected }),
    Effect.forkIn(scope)
  )
  if (!(yield* tryToConnect)) yield* connectInBackground

  /** A connection that fails twice in a row may be silently dead, so it is replaced. */
  const failedOn = (connection: NonNullable<typeof shared>, command: string, now: number, failure: unknown) => {
    const again = downUntil !== undefined && now >= downUntil && shared === connection
    const noted = failed(command, now, failure)
    if (!again) return noted
    shared = undefined
    return Effect.andThen(
      noted,
      Effect.andThen(Effect.forkIn(Scope.close(connection.scope, Exit.void), scope), connectInBackground)
    )
  }

  /** Calls the shared store, and the local one if that fails. */
  const ask = <A, E, R, A2, E2, R2>(
    command: string,
    remotely: (stores: Context.Context<Stores>) => Effect.Effect<A, E, R>,
    locally: Effect.Effect<A2, E2, R2>
  ) =>
    Effect.clockWith((clock) => {
      const connection = shared
      if (connection === undefined || (downUntil !== undefined && Monotonic.nowUnsafe(clock) < downUntil)) {
        return locally
      }
      return Effect.suspend(() => remotely(connection.stores)).pipe(
        Effect.timeout(timeout),
        Effect.tap(answered(command)),
        // Also a defect and an interruption of the store, as none of them may end a call.
        Effect.catchCause((cause): Effect.Effect<A2, E2 | Extract<E, CircuitBreaker.CircuitBreakerError>, R2> => {
          const error = Option.getOrUndefined(Cause.findErrorOption(cause))
          return isRejection(error)
            ? Effect.andThen(answered(command), Effect.fail(error))
            : Effect.andThen(failedOn(connection, command, Monotonic.nowUnsafe(clock), Cause.squash(cause)), locally)
        })
      )
    })

  const localRates = Context.get(fallback, RateLimiter.RateLimiterStore)
  const localCircuits = Context.get(fallback, CircuitBreaker.CircuitBreakerStore)
  const rates = <A, E>(
    command: keyof RateLimiter.RateLimiterStore["Service"],
    operation: (store: RateLimiter.RateLimiterStore["Service"]) => Effect.Effect<A, E>
  ) => ask(command, (stores) => operation(Context.get(stores, RateLimiter.RateLimiterStore)), operation(localRates))

  return Context.make(RateLimiter.RateLimiterStore, {
    fixedWindow: (options) => rates("fixedWindow", (store) => store.fixedWindow(options)),
    tokenBucket: (options) => rates("tokenBucket", (store) => store.tokenBucket(options)),
    adaptiveConsume: (options) => rates("adaptiveConsume", (store) => store.adaptiveConsume(options)),
    adaptiveFeedback: (options) => rates("adaptiveFeedback", (store) => store.adaptiveFeedback(options))
  }).pipe(Context.add(CircuitBreaker.CircuitBreakerStore, {
    admit: (key) =>
      ask(
        "admit",
        (stores) => Context.get(stores, CircuitBreaker.CircuitBreakerStore).admit(key),
        Effect.map(localCircuits.admit(key), (admission) => ({
          ...admission,
          generation: localGeneration(admission.generation)
        }))
        // The circuit breaker admits without interruption, but a store that is slow must not outlast its caller.
      ).pipe(Effect.interruptible),
    record: (options) =>
      options.generation < 0
        ? localCircuits.record({ ...options, generation: localGeneration(options.generation) })
        : ask(
          "record",
          (stores) => Context.get(stores, CircuitBreaker.CircuitBreakerStore).record(options),
          Effect.succeed(undefined)
        ),
    state: (key) =>
      ask(
        "state",
        (stores) => Context.get(stores, CircuitBreaker.CircuitBreakerStore).state(key),
        localCircuits.state(key)
      )
  }))
})

/**
 * Shared stores with a local fallback: a shared store that is slow or down, at the start or later, never fails a call. The
 * change to local limits is logged as a warning and the return as information; each failure is counted in the metric
 * `language_service.client.shared_store.failures`.
 *
 * **Details**
 *
 * `shared` is built once, and rebuilt in the background if the build fails or a store fails twice in a row. Fails with
 * `InvalidConfiguration` for a time that is no duration.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWithFallback = <E, R>(
  shared: Layer.Layer<Stores, E, R>,
  options: Options = {}
): Layer.Layer<Stores, InvalidConfiguration, R> =>
  Layer.effectContext(Effect.gen(function*() {
    const context = yield* Effect.context<R>()
    const connect = (scope: Scope.Scope) =>
      Effect.provideContext(Layer.buildWithScope(Layer.fresh(shared), scope), context)
    const stores = yield* storesWithFallback(connect, yield* Layer.build(local), options)
    return Context.add(stores, SharedLimits, {
      rates: sharedRates(Context.get(stores, RateLimiter.RateLimiterStore)),
      circuit: sharedCircuit(Context.get(stores, CircuitBreaker.CircuitBreakerStore))
    })
  }))
