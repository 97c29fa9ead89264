import { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import { Monotonic } from "@effect-lingua/core/extension/Decorator"
import * as Cache from "effect/Cache"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Persistence from "effect/persistence/Persistence"
import * as Scope from "effect/Scope"
import * as Metrics from "./metrics.ts"

/** How long a store is not used after a failure. */
const pauseMillis = 1000

/** Time limit of each attempt to connect. The layer waits for the first attempt. */
const connectTimeout = Duration.seconds(2)

export type Store = Persistence.BackingPersistenceStore

/** Returns an effect that yields the connected store, and reconnects after a failure. An unavailable store does not prevent a program's start. */
export const connectTo = Effect.fnUntraced(function*<E, R>(
  store: Layer.Layer<Persistence.BackingPersistence, E, R>,
  storeId: string
) {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<R>()
  const connect = Effect.flatMap(Scope.fork(scope), (attempt) =>
    Layer.buildWithScope(Layer.fresh(store), attempt).pipe(
      Effect.flatMap((built) => Context.get(built, Persistence.BackingPersistence).make(storeId)),
      Effect.provideContext(Context.add(context, Scope.Scope, attempt)),
      Effect.timeout(connectTimeout),
      Effect.onError((cause) => Scope.close(attempt, Exit.failCause(cause)))
    ))
  const [connected, forget] = yield* Effect.cachedInvalidateWithTTL(connect, Duration.infinity)
  // Forked, so that one call's timeout does not interrupt the connection attempt that calls share.
  const use = connected.pipe(
    Effect.onError(() => forget),
    Effect.catchCause(() => Effect.fail(new Persistence.PersistenceError({ message: "there is no connection" }))),
    Effect.forkIn(scope),
    Effect.flatMap(Fiber.join)
  )
  yield* Effect.exit(use)
  return use
})

/** Limits store operations to the timeout and the call's remaining time, and skips the store for a second after a failure. */
export const guarding = (timeout: Duration.Duration, attributes: Readonly<Record<string, string>>) => {
  let downUntil = Number.NEGATIVE_INFINITY
  let isKnownDown = false
  return Effect.fnUntraced(function*<A, E>(
    use: Effect.Effect<A, E>,
    remaining: Duration.Duration = Duration.infinity
  ): Effect.fn.Return<A | undefined> {
    const now = yield* Monotonic.now
    if (now < downUntil) return undefined
    const exit = yield* Effect.exit(Effect.timeout(use, Duration.min(timeout, remaining)))
    if (Exit.isSuccess(exit)) {
      if (isKnownDown) yield* Effect.logInfo("The cache of results is available again")
      isKnownDown = false
      return exit.value
    }
    const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
    // The call's deadline passed before the store's timeout, so the store has not failed.
    if (Cause.isTimeoutError(failure) && Duration.isLessThan(remaining, timeout)) return undefined
    downUntil = now + pauseMillis
    yield* Metrics.failed(attributes)
    if (isKnownDown) return undefined
    isKnownDown = true
    const why = failure instanceof Persistence.PersistenceError ? `: ${failure.message}` : ""
    yield* Effect.logWarning(`The cache of results is unavailable; texts are sent${why}`)
    return undefined
  })
}

/** A store in memory that drops the least recently used entries. */
export const bounded = (maximumEntries: number): Layer.Layer<Persistence.BackingPersistence> =>
  Layer.succeed(Persistence.BackingPersistence, {
    make: () =>
      Effect.map(
        Cache.makeWith(
          (_name: string) =>
            Effect.succeed<readonly [object | undefined, Duration.Duration]>([undefined, Duration.zero]),
          { capacity: maximumEntries, timeToLive: Exit.match({ onFailure: () => 0, onSuccess: ([, life]) => life }) }
        ),
        (cache): Store => {
          const get = (name: string) =>
            Effect.map(Cache.getSuccess(cache, name), (entry) => Option.getOrUndefined(entry)?.[0])
          const set = (name: string, value: object, life = Duration.infinity) => Cache.set(cache, name, [value, life])
          return {
            get,
            set,
            getMany: (names) => Effect.forEach(names, get),
            setMany: (entries) => Effect.forEach(entries, (entry) => set(...entry), { discard: true }),
            remove: (name) => Cache.invalidate(cache, name),
            clear: Cache.invalidateAll(cache)
          }
        }
      )
  })

/** Fails the layer if `maximumEntries` is invalid. */
export const limited = <A, R>(
  maximumEntries: number,
  layer: Layer.Layer<A, InvalidConfiguration, R>
): Layer.Layer<A, InvalidConfiguration, R> =>
  Number.isInteger(maximumEntries) && maximumEntries >= 1
    ? layer
    : Layer.effectContext(
      Effect.fail(new InvalidConfiguration({ setting: "maximumEntries", problem: "must be a whole number from 1" }))
    )
