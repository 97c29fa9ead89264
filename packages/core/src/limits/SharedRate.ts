/**
 * Shares a configured request rate between processes through a store such as Redis.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as Scope from "effect/Scope"
import { usable } from "../config/internal/invalidConfiguration.ts"
import * as Rules from "../config/internal/options.ts"
import { notNegative } from "../config/internal/settings.ts"
import type { InvalidConfiguration } from "../config/LanguageServiceConfig.ts"
import type { DurationInput } from "../config/ResiliencePolicy.ts"
import * as Monotonic from "../contract/internal/monotonic.ts"
import * as Telemetry from "../telemetry/internal/telemetry.ts"
import { SharedRates, type Slots } from "./internal/limiter.ts"

type RateStore = Pick<RateLimiter.RateLimiterStore["Service"], "tokenBucket">

const inMemoryRates = Effect.map(
  Layer.build(Layer.fresh(RateLimiter.layerStoreMemory)),
  (context): RateStore => {
    const store = Context.get(context, RateLimiter.RateLimiterStore)
    return { tokenBucket: (options) => Monotonic.measured(store.tokenBucket(options)) }
  }
)

const slotsIn = (store: RateStore, key: string): Slots => (interval, slots) =>
  Effect.map(
    store.tokenBucket({ key, tokens: slots, limit: 1, refillRate: Duration.millis(interval), allowOverflow: true }),
    ([left, elapsed]) => Math.ceil(-left) * interval - elapsed
  )

/**
 * Handling of a slow or unavailable store.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** Time limit of each store operation. Default: 250 ms. */
  readonly timeout?: DurationInput | undefined
  /** Time between two operations on an unavailable store. Default: 1 s. */
  readonly retryAfter?: DurationInput | undefined
  /** Number of processes that share the rate. Each has an equal part while the store is unavailable. Default: 1. */
  readonly processes?: number | undefined
  /** Returns the log text of a store failure; must omit secrets. A slow store fails with `Cause.TimeoutError`. */
  readonly describe?: ((failure: unknown) => string) | undefined
}

/** Minimum time limit of a connection attempt. The layer waits for the first attempt. */
const connectTimeout = Duration.seconds(2)

const atLeastOne = Rules.number((number) => number >= 1, "must be 1 or more")

const settingOf = <A>(name: keyof Options, rule: Rules.Rule<A>, input: unknown) =>
  Effect.fromResult(usable(rule(input, name)))

const makeWithFallback = Effect.fnUntraced(function*<E>(
  connect: (scope: Scope.Scope) => Effect.Effect<Context.Context<RateLimiter.RateLimiterStore>, E>,
  local: RateStore,
  { describe, ...options }: Options
) {
  const retryAfter = yield* settingOf("retryAfter", notNegative, options.retryAfter ?? "1 second")
  const timeout = yield* settingOf("timeout", notNegative, options.timeout ?? "250 millis")
  const processes = yield* settingOf("processes", atLeastOne, options.processes ?? 1)
  const scope = yield* Effect.scope
  const context = yield* Effect.context()
  let isDown = false
  let downUntil = 0
  let shared: { readonly store: RateStore; readonly scope: Scope.Closeable } | undefined

  /** Counts a failure, and logs the first failure of an outage. */
  const failed = (now: number, failure: unknown) => {
    downUntil = now + Duration.toMillis(retryAfter)
    Telemetry.update("sharedStoreFailures", 1, {}, context)
    if (isDown) return Effect.void
    isDown = true
    return Effect.sync(() => describe === undefined ? "" : `: ${describe(failure)}`).pipe(
      Effect.catchDefect(() => Effect.succeed("")),
      Effect.flatMap((why) => Effect.logWarning(`The store of the shared rate is unavailable; the rate is local${why}`))
    )
  }

  const succeeded = Effect.suspend(() => {
    if (!isDown) return Effect.void
    isDown = false
    return Effect.logInfo("The store of the shared rate is available again")
  })

  const tryToConnect = Effect.gen(function*() {
    const attempt = yield* Scope.fork(scope)
    const exit = yield* Effect.exit(Effect.timeout(connect(attempt), Duration.max(timeout, connectTimeout)))
    const now = yield* Monotonic.now
    if (Exit.isFailure(exit)) {
      yield* Scope.close(attempt, exit)
      yield* failed(now, Cause.squash(exit.cause))
      return false
    }
    shared = { store: Context.get(exit.value, RateLimiter.RateLimiterStore), scope: attempt }
    // The next store operation tests the new connection.
    downUntil = now
    return true
  })
  const connectInBackground = tryToConnect.pipe(
    Effect.delay(retryAfter),
    Effect.repeat({ until: (connected) => connected }),
    Effect.forkIn(scope)
  )
  if (!(yield* tryToConnect)) yield* connectInBackground

  /** Replaces a connection after two failures in a row, because the connection may be dead. */
  const failedOn = (connection: NonNullable<typeof shared>, now: number, failure: unknown) => {
    const isSecond = isDown && now >= downUntil && shared === connection
    const reported = failed(now, failure)
    if (!isSecond) return reported
    shared = undefined
    const closing = Effect.forkIn(Scope.close(connection.scope, Exit.void), scope)
    return Effect.andThen(reported, Effect.andThen(closing, connectInBackground))
  }

  return (key: string): Slots => (interval, slots) =>
    Effect.clockWith((clock) => {
      const connection = shared
      const inMemory = slotsIn(local, key)(interval * processes, slots)
      if (connection === undefined || (isDown && Monotonic.nowUnsafe(clock) < downUntil)) return inMemory
      return slotsIn(connection.store, key)(interval, slots).pipe(
        Effect.filterOrFail(Number.isFinite),
        Effect.timeout(timeout),
        Effect.tap(succeeded),
        // Also catches the store's defects and interruptions.
        Effect.catchCause((cause) =>
          Effect.andThen(failedOn(connection, Monotonic.nowUnsafe(clock), Cause.squash(cause)), inMemory)
        )
      )
    })
})

/**
 * All clients with the same base URL, in all processes, share the configured `rate` through a store. A slow or unavailable store never fails a call:
 * meanwhile each process applies the rate, divided by `processes`. An outage is logged as a warning, and its end as information. The metric
 * `language_service.client.shared_store.failures` counts failures.
 *
 * **Details**
 *
 * The store's layer is rebuilt in the background if its build or two operations in a row fail. A policy without `rate` does not use the
 * store. Fails with `InvalidConfiguration` for an invalid option.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWithFallback = <E, R>(
  store: Layer.Layer<RateLimiter.RateLimiterStore, E, R>,
  options: Options = {}
): Layer.Layer<never, InvalidConfiguration, R> =>
  Layer.effectContext(Effect.gen(function*() {
    const context = yield* Effect.context<R>()
    const connect = (scope: Scope.Scope) =>
      Effect.provideContext(Layer.buildWithScope(Layer.fresh(store), scope), context)
    return Context.make(SharedRates, yield* makeWithFallback(connect, yield* inMemoryRates, options))
  }))
