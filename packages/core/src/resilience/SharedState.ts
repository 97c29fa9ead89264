/**
 * Limiter and breaker state shared by several processes, which learn a limit of rate together. By default each client keeps it in memory.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as Scope from "effect/Scope"
import * as Telemetry from "../client/internal/telemetry.ts"
import { usable } from "../config/internal/invalidConfiguration.ts"
import * as Rules from "../config/internal/options.ts"
import type { InvalidConfiguration } from "../config/LanguageServiceConfig.ts"
import type { DurationInput } from "../config/ResiliencePolicy.ts"
import * as Monotonic from "../contract/internal/monotonic.ts"
import * as FleetRate from "./internal/fleetRate.ts"
import { type Rates, SharedLimits } from "./internal/sharedLimits.ts"

type RateStore = Pick<RateLimiter.RateLimiterStore["Service"], "tokenBucket">

/** A store in memory, by the clock that no change of the system time affects. */
const inMemoryRates = Effect.map(
  Layer.build(Layer.fresh(RateLimiter.layerStoreMemory)),
  (context): RateStore => {
    const store = Context.get(context, RateLimiter.RateLimiterStore)
    return { tokenBucket: (options) => Monotonic.measured(store.tokenBucket(options)) }
  }
)

/** Makes the turns of the clients with a key. */
const sharedRates = (store: RateStore) => (key: string): Rates => (interval, turns) =>
  Effect.map(
    store.tokenBucket({ key, tokens: turns, limit: 1, refillRate: Duration.millis(interval), allowOverflow: true }),
    ([left, elapsed]) => Math.max(0, Math.ceil(-left) * interval - elapsed)
  )

/** Milliseconds whose turns may be taken at once: nobody asks just when a turn is due. */
const atOnce = 200

/** The tokens that stand for a millisecond. */
const perMilli = 100

/**
 * Makes the turns of a rate that changes: nobody has one in advance. A turn costs the time until the next one, on which the clients need not
 * agree.
 */
const dueTurns = (store: RateStore) => (key: string) => (interval: number, turns: 1 | -1) =>
  Effect.map(
    store.tokenBucket({
      key,
      tokens: Math.ceil(interval * perMilli) * turns,
      limit: Math.ceil(Math.max(atOnce, interval) * perMilli),
      refillRate: Duration.millis(1 / perMilli),
      allowOverflow: false
    }),
    ([left]) => Math.max(0, Math.ceil(-left / perMilli))
  )

/** Opens a circuit, unless another client did. */
const open = (key: string, openFor: Duration.Duration) =>
  CircuitBreaker.CircuitBreakerStore.use((store) =>
    Effect.flatMap(
      store.admit(key),
      ({ generation }) =>
        store.record({ key, generation, outcome: "Failure", tripPolicy: CircuitBreaker.consecutive(1), openFor })
    )
  ).pipe(
    Effect.catchIf(({ reason }) => reason._tag !== "CircuitBreakerStoreError", () => Effect.void),
    Effect.scoped
  )

/** The time for which a circuit is open yet. */
const openFor = (key: string) =>
  CircuitBreaker.CircuitBreakerStore.use((store) =>
    Effect.map(store.state(key), (state) => state._tag === "Open" ? state.retryAfter : Duration.zero)
  )

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
  readonly timeout?: DurationInput | undefined
  /** Time for which a store that is down is not called. Default 1 s. */
  readonly retryAfter?: DurationInput | undefined
  /** Describes a failure of the store in the warning, without secrets. Default: no description. */
  readonly describe?: ((failure: unknown) => string) | undefined
}

/** The connection must not delay the start of a program. */
const connectTimeout = Duration.seconds(2)

/** Placeholder command of an outage that began without a connection; a success of any command ends it. */
const connecting = "connect"

const durationOf = (name: keyof Options, given: DurationInput) =>
  Effect.fromResult(usable(Rules.duration((millis) => millis >= 0, "must not be negative")(given, name)))

const limitsWithFallback = Effect.fnUntraced(function*<E>(
  connect: (scope: Scope.Scope) => Effect.Effect<Context.Context<Stores>, E>,
  fallback: RateStore,
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
  const ask = <A, E, A2, E2, R2>(
    command: string,
    remotely: Effect.Effect<A, E, Stores>,
    locally: Effect.Effect<A2, E2, R2>
  ) =>
    Effect.clockWith((clock) => {
      const connection = shared
      if (connection === undefined || (downUntil !== undefined && Monotonic.nowUnsafe(clock) < downUntil)) {
        return locally
      }
      return Effect.provideContext(remotely, connection.stores).pipe(
        Effect.timeout(timeout),
        Effect.tap(answered(command)),
        // Also a defect and an interruption of the store, as none of them may end a call.
        Effect.catchCause((cause) =>
          Effect.andThen(failedOn(connection, command, Monotonic.nowUnsafe(clock), Cause.squash(cause)), locally)
        )
      )
    })

  const store: RateStore = {
    tokenBucket: (options) =>
      ask(
        "rate",
        RateLimiter.RateLimiterStore.use((store) => store.tokenBucket(options)),
        fallback.tokenBucket(options)
      )
  }
  const sum: FleetRate.Store["sum"] = (key, most, growth = Duration.minutes(10)) => (by) => {
    const options = { key, tokens: -by, limit: most, refillRate: growth, allowOverflow: true }
    return ask(
      "sum",
      RateLimiter.RateLimiterStore.use((store) => Effect.map(store.tokenBucket(options), ([left]) => left)),
      Effect.undefined
    )
  }
  return Context.make(SharedLimits, {
    rates: sharedRates(store),
    fleet: (key, scope, onChange) => FleetRate.make(key, { turn: dueTurns(store), sum }, scope, onChange),
    circuit: (key) => ({
      open: (time) => Effect.asVoid(ask("circuit", open(key, time), Effect.void)),
      openFor: ask("circuit", openFor(key), Effect.succeed(Duration.zero))
    })
  })
})

/**
 * Limits in shared stores, and local ones in their place: a shared store that is slow or down, at the start or later, never fails a call. The
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
): Layer.Layer<never, InvalidConfiguration, R> =>
  Layer.effectContext(Effect.gen(function*() {
    const context = yield* Effect.context<R>()
    const connect = (scope: Scope.Scope) =>
      Effect.provideContext(Layer.buildWithScope(Layer.fresh(shared), scope), context)
    return yield* limitsWithFallback(connect, yield* inMemoryRates, options)
  }))
