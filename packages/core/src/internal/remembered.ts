/** Answers that are kept for a while: what is old is still given while it is asked for anew, once for all fibers. */
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Monotonic from "./monotonic.ts"

/** How long answers are kept. */
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
export interface Remembered<K, A, E> {
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

/** How long somebody waits who wants to know, but need not. */
export const patience = Duration.seconds(10)

/** Keeps the answers of `load`. */
export const make = Effect.fnUntraced(function*<K, A, E>(
  load: (key: K) => Effect.Effect<A, E>,
  { keepStale, timeToLive }: Terms
): Effect.fn.Return<Remembered<K, A, E>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const context = yield* Effect.context()

  const ask = Effect.fnUntraced(function*(key: K) {
    const at = yield* Monotonic.now
    const value = yield* load(key)
    return { value, at, renewAt: at + Duration.toMillis(timeToLive), pausedUntil: 0 } satisfies Kept<A>
  })
  // The number of questions is bounded by what the service has, and a wrong one gets no answer that is kept.
  const answers = yield* Cache.makeWith<K, Kept<A>, E>(ask, {
    capacity: 100,
    timeToLive: (exit) => Exit.isSuccess(exit) ? Duration.infinity : Duration.zero
  })
  const renewals = yield* Cache.makeWith<K, void>(
    Effect.fnUntraced(function*(key) {
      const kept = Option.getOrUndefined(yield* Cache.getSuccess(answers, key))
      // Somebody else may have done it meanwhile.
      if (kept === undefined || !isDue(kept, yield* Monotonic.now)) return
      const renewed = yield* Effect.option(ask(key))
      if (Option.isSome(renewed)) yield* Cache.set(answers, key, renewed.value)
      else kept.pausedUntil = (yield* Monotonic.now) + Duration.toMillis(pause)
    }),
    { capacity: 100, timeToLive: () => Duration.zero }
  )
  /** Runs for all, and so in the name of nobody: without the policy or the span of the one who came first. */
  const renewInBackground = (key: K) =>
    Cache.get(renewals, key).pipe(
      Effect.forkIn(scope),
      Effect.updateContext<never, never>(() => context)
    )

  const get = Effect.fnUntraced(function*(key: K) {
    const kept = yield* Cache.get(answers, key)
    const now = yield* Monotonic.now
    if (now < kept.renewAt) return kept.value
    if (now - kept.at >= Duration.toMillis(timeToLive) + Duration.toMillis(keepStale)) {
      yield* Cache.invalidateWhen(answers, key, (other) => other === kept)
      return (yield* Cache.get(answers, key)).value
    }
    if (isDue(kept, now)) yield* renewInBackground(key)
    return kept.value
  })

  const invalidate = Effect.fnUntraced(function*(key: K) {
    const kept = yield* Cache.getSuccess(answers, key)
    if (Option.isSome(kept)) kept.value.renewAt = Math.min(kept.value.renewAt, yield* Monotonic.now)
  })

  const renewed = Effect.fnUntraced(function*(key: K) {
    const before = yield* Cache.getSuccess(answers, key)
    const now = yield* Monotonic.now
    if (Option.isNone(before)) return Option.none<A>()
    if (now - before.value.at < Duration.toMillis(young)) return Option.some(before.value.value)
    yield* invalidate(key)
    const fiber = yield* renewInBackground(key)
    yield* Effect.timeoutOption(Fiber.await(fiber), patience)
    const after = yield* Cache.getSuccess(answers, key)
    return Option.isSome(after) && after.value !== before.value ? Option.some(after.value.value) : Option.none<A>()
  })

  return {
    get,
    peek: (key) => Effect.map(Cache.getSuccess(answers, key), Option.map(({ value }) => value)),
    invalidate,
    renewed
  }
})
