/** Stale-while-revalidate: an old answer is still given while a new one is fetched, once for all fibers. */
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Monotonic from "../../client/internal/monotonic.ts"
import { type Options, Override } from "../../client/ResiliencePolicy.ts"

/** The times for which answers are fresh and usable. */
export interface Terms {
  /** For how long an answer is as good as a new one. */
  readonly timeToLive: Duration.Duration
  /** For how much longer it is given when a new one cannot be had. */
  readonly keepStale: Duration.Duration
}

interface Kept<A> {
  readonly value: A
  /** When it was asked for. */
  readonly at: number
  /** From when on a new one is wanted. */
  renewAt: number
  /** Before this no new one is asked for, as that failed. */
  pausedUntil: number
}

/** The answers to questions of one kind. */
export interface StaleWhileRevalidate<K, A, E> {
  /** The answer: a kept one at once, else a new one. */
  readonly get: (key: K) => Effect.Effect<A, E>
  /** The answer that is kept, if there is one. Nothing is asked. */
  readonly peek: (key: K) => Effect.Effect<Option.Option<A>>
  /** From now on a new answer is wanted. */
  readonly invalidate: (key: K) => Effect.Effect<void>
  /** Like `invalidate`, and gives the new answer, if one came in time. One that is almost new already is given. */
  readonly renewed: (key: K) => Effect.Effect<Option.Option<A>>
}

const isDue = ({ pausedUntil, renewAt }: Kept<unknown>, now: number): boolean => now >= renewAt && now >= pausedUntil

/** After a failure the next try waits this long, so that many calls do not become many questions. */
export const pause = Duration.seconds(30)

/** An answer this young is not doubted. */
const young = Duration.minutes(1)

/** The longest wait of a caller that can do without the answer. */
export const patience = Duration.seconds(10)

/** Keeps the answers of `load`. */
export const make = Effect.fnUntraced(function*<K, A, E>(
  load: (key: K) => Effect.Effect<A, E>,
  { keepStale, timeToLive }: Terms
): Effect.fn.Return<StaleWhileRevalidate<K, A, E>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const context = yield* Effect.context()

  const ask = Effect.fnUntraced(function*(key: K) {
    const at = yield* Monotonic.now
    const value = yield* load(key)
    return { value, at, renewAt: at + Duration.toMillis(timeToLive), pausedUntil: 0 } satisfies Kept<A>
  })
  // The number of questions is bounded by what the service has, as a wrong one gets no answer.
  const answers = new Map<K, Kept<A>>()
  /** A question that waits for its answer is asked once by all who have the same policy, which it is asked with. */
  const questions = yield* Cache.makeWith(
    ({ key }: { readonly key: K; readonly policy: Options }) =>
      Effect.tap(ask(key), (kept) => Effect.sync(() => answers.set(key, kept))),
    { capacity: 100, timeToLive: () => Duration.zero }
  )
  const renewals = yield* Cache.makeWith<K, void>(
    Effect.fnUntraced(function*(key) {
      const kept = answers.get(key)
      // Somebody else may have done it meanwhile.
      if (kept === undefined || !isDue(kept, yield* Monotonic.now)) return
      const renewed = yield* Effect.option(ask(key))
      if (Option.isSome(renewed)) answers.set(key, renewed.value)
      else kept.pausedUntil = (yield* Monotonic.now) + Duration.toMillis(pause)
    }),
    { capacity: 100, timeToLive: () => Duration.zero }
  )
  /** Runs for all callers, so without the policy or the span of the first. */
  const renewInBackground = (key: K) =>
    Cache.get(renewals, key).pipe(
      Effect.forkIn(scope),
      Effect.updateContext<never, never>(() => context)
    )

  const get = Effect.fnUntraced(function*(key: K) {
    const kept = answers.get(key)
    const now = yield* Monotonic.now
    if (kept === undefined || now - kept.at >= Duration.toMillis(timeToLive) + Duration.toMillis(keepStale)) {
      return (yield* Cache.get(questions, { key, policy: yield* Override })).value
    }
    if (isDue(kept, now)) yield* renewInBackground(key)
    return kept.value
  })

  const invalidate = (key: K) =>
    Effect.map(Monotonic.now, (now) => {
      const kept = answers.get(key)
      if (kept !== undefined) kept.renewAt = Math.min(kept.renewAt, now)
    })

  const renewed = Effect.fnUntraced(function*(key: K) {
    const before = answers.get(key)
    if (before === undefined) return Option.none<A>()
    if ((yield* Monotonic.now) - before.at < Duration.toMillis(young)) return Option.some(before.value)
    yield* invalidate(key)
    const fiber = yield* renewInBackground(key)
    yield* Effect.timeoutOption(Fiber.await(fiber), patience)
    const after = answers.get(key)
    return after === undefined || after === before ? Option.none<A>() : Option.some(after.value)
  })

  return {
    get,
    peek: (key) => Effect.sync(() => Option.map(Option.fromUndefinedOr(answers.get(key)), ({ value }) => value)),
    invalidate,
    renewed
  }
})
