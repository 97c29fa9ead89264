/** A stale-while-revalidate cache: returns a stale value while one load, shared by all fibers, renews it. */
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { CurrentEnd, CurrentPolicy } from "../../config/internal/region.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { CurrentTenant } from "../../limits/internal/tenants.ts"

export interface Terms {
  /** Time for which a value is fresh. */
  readonly timeToLive: Duration.Duration
  /** Further time for which a stale value is usable. */
  readonly keepStale: Duration.Duration
}

interface Cached<A> {
  readonly value: A
  readonly at: number
  renewAt: number
  /** Earliest time of the next renewal after a failed renewal. */
  pausedUntil: number
}

const isDue = ({ pausedUntil, renewAt }: Cached<unknown>, now: number): boolean => now >= renewAt && now >= pausedUntil

/** Minimum time between a failed renewal and the next renewal. */
export const pause = Duration.seconds(30)

/** Minimum age of a value for `renewed` to load it again. */
const minRenewedAge = Duration.minutes(1)

/** Maximum time that a caller waits for a renewal. */
export const maxWait = Duration.seconds(10)

export const make = Effect.fnUntraced(function*<K, A, E>(
  load: (key: K) => Effect.Effect<A, E>,
  { keepStale, timeToLive }: Terms
) {
  const scope = yield* Effect.scope
  const context = yield* Effect.context()

  const request = Effect.fnUntraced(function*(key: K) {
    const at = yield* Monotonic.now
    const value = yield* load(key)
    return { value, at, renewAt: at + Duration.toMillis(timeToLive), pausedUntil: 0 } satisfies Cached<A>
  })
  const values = new Map<K, Cached<A>>()
  /** Concurrent callers under the same policy and deadline share one load. */
  const loads = yield* Cache.makeWith(
    ({ key }: { readonly key: K; readonly policy: object; readonly until: number }) =>
      Effect.tap(request(key), (cached) => Effect.sync(() => values.set(key, cached))),
    { capacity: 100, timeToLive: () => Duration.zero }
  )
  const renewals = yield* Cache.makeWith<K, void>(
    Effect.fnUntraced(function*(key) {
      const cached = values.get(key)
      // Another fiber may have renewed the value.
      if (cached === undefined || !isDue(cached, yield* Monotonic.now)) return
      const renewed = yield* Effect.option(request(key))
      if (Option.isSome(renewed)) values.set(key, renewed.value)
      else cached.pausedUntil = (yield* Monotonic.now) + Duration.toMillis(pause)
    }),
    { capacity: 100, timeToLive: () => Duration.zero }
  )
  /** Runs without the first caller's policy and span, because all callers share the renewal. */
  const renewInBackground = (key: K) =>
    Cache.get(renewals, key).pipe(Effect.forkIn(scope), Effect.updateContext<never, never>(() => context))

  const get = Effect.fnUntraced(function*(key: K) {
    const cached = values.get(key)
    const now = yield* Monotonic.now
    if (cached === undefined || now - cached.at >= Duration.toMillis(timeToLive) + Duration.toMillis(keepStale)) {
      const loading = Cache.get(loads, { key, policy: yield* CurrentPolicy, until: yield* CurrentEnd })
      // Without a tenant, because a tenant's limits would delay all callers.
      return (yield* Effect.provideService(loading, CurrentTenant, undefined)).value
    }
    if (isDue(cached, now)) yield* renewInBackground(key)
    return cached.value
  })

  const invalidate = (key: K) =>
    Effect.map(Monotonic.now, (now) => {
      const cached = values.get(key)
      if (cached !== undefined) cached.renewAt = Math.min(cached.renewAt, now)
    })

  /** Returns a value younger than `minRenewedAge`, or else a new value if it loads within `maxWait`. */
  const renewed = Effect.fnUntraced(function*(key: K) {
    const before = values.get(key)
    if (before === undefined) return Option.none<A>()
    if ((yield* Monotonic.now) - before.at < Duration.toMillis(minRenewedAge)) return Option.some(before.value)
    yield* invalidate(key)
    const fiber = yield* renewInBackground(key)
    yield* Effect.timeoutOption(Fiber.await(fiber), maxWait)
    const after = values.get(key)
    return after === undefined || after === before ? Option.none<A>() : Option.some(after.value)
  })

  return {
    get,
    peek: (key: K) => Effect.sync(() => Option.map(Option.fromUndefinedOr(values.get(key)), ({ value }) => value)),
    invalidate,
    renewed
  }
})
