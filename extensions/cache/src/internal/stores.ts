/** Stores of results: connected in the background, never waited for too long, or in memory. */
import { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import { Monotonic } from "@effect-lingua/core/extension/Decorator"
import type * as Arr from "effect/Array"
import * as Cache from "effect/Cache"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Persistence from "effect/persistence/Persistence"
import * as Scope from "effect/Scope"
import * as Metrics from "./metrics.ts"

/** A store that failed is not used for this time. */
const pause = 1000

/** The start of a program waits no longer for a store. */
const connectTimeout = Duration.seconds(2)

/** A store of results. */
export type Store = Persistence.BackingPersistenceStore

/** Builds the store: at once, or in the background from then on, as a store that is down must not keep a program from starting. */
export const connectTo = Effect.fnUntraced(function*<E, R>(
  store: Layer.Layer<Persistence.BackingPersistence, E, R>,
  storeId: string
) {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<R>()
  let connected: Store | undefined
  const connect = Effect.gen(function*() {
    const attempt = yield* Scope.fork(scope)
    const exit = yield* Layer.buildWithScope(Layer.fresh(store), attempt).pipe(
      Effect.provideContext(context),
      Effect.flatMap((built) =>
        Scope.provide(Context.get(built, Persistence.BackingPersistence).make(storeId), attempt)
      ),
      Effect.timeout(connectTimeout),
      Effect.exit
    )
    if (Exit.isSuccess(exit)) connected = exit.value
    else yield* Scope.close(attempt, exit)
    return Exit.isSuccess(exit)
  })
  if (!(yield* connect)) {
    yield* connect.pipe(Effect.delay(pause), Effect.repeat({ until: (isDone) => isDone }), Effect.forkIn(scope))
  }
  return Effect.suspend(() =>
    connected === undefined
      ? Effect.fail(new Persistence.PersistenceError({ message: "there is no connection" }))
      : Effect.succeed(connected)
  )
})

/** The name of no entry. */
const absent = "absent"

/** Reads entries. One that the store cannot read, while it can read others, counts as missing, so that it is replaced. */
export const readAll = (store: Store, names: Arr.NonEmptyArray<string>) =>
  Effect.catchCause(
    store.getMany(names),
    () =>
      Effect.andThen(
        store.get(absent),
        Effect.forEach(names, (name) => Effect.catchCause(store.get(name), () => Effect.undefined), {
          concurrency: "unbounded"
        })
      )
  )

/** Makes the use of a store: within its timeout and the time that is left of a call, and not for a second after a failure. */
export const guarding = (timeout: Duration.Duration, attributes: Readonly<Record<string, string>>) => {
  let downUntil: number | undefined
  let isKnownDown = false
  return Effect.fnUntraced(function*<A, E>(
    use: Effect.Effect<A, E>,
    left: Duration.Duration = Duration.infinity
  ): Effect.fn.Return<A | undefined> {
    const now = yield* Monotonic.now
    if (downUntil !== undefined && now < downUntil) return undefined
    const exit = yield* Effect.exit(Effect.timeout(use, Duration.min(timeout, left)))
    if (Exit.isSuccess(exit)) {
      downUntil = undefined
      if (isKnownDown) yield* Effect.logInfo("The cache of results is available again")
      isKnownDown = false
      return exit.value
    }
    const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
    // The call had less time than the store may take.
    if (Cause.isTimeoutError(failure) && Duration.isLessThan(left, timeout)) return undefined
    downUntil = now + pause
    yield* Metrics.failed(attributes)
    if (isKnownDown) return undefined
    isKnownDown = true
    const why = failure instanceof Persistence.PersistenceError ? `: ${failure.message}` : ""
    yield* Effect.logWarning(`The cache of results is unavailable; texts are sent${why}`)
    return undefined
  })
}

/** A store in memory that drops what was not used for longest. */
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

/** A layer for a number of entries, which has to be one. */
export const limited = <A, R>(
  maximumEntries: number,
  layer: Layer.Layer<A, InvalidConfiguration, R>
): Layer.Layer<A, InvalidConfiguration, R> =>
  Number.isInteger(maximumEntries) && maximumEntries >= 1
    ? layer
    : Layer.effectContext(
      Effect.fail(new InvalidConfiguration({ setting: "maximumEntries", problem: "must be a whole number from 1" }))
    )
