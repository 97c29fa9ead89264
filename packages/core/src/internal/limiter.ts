/** Keeps a client within limits of rate and concurrency, its own and those that the service's 429 answers teach. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import * as RateLimiter from "effect/persistence/RateLimiter"
import type { RateLimit, ResiliencePolicy } from "../ResiliencePolicy.ts"
import { RateLimited } from "../ServiceError.ts"
import type { Ending } from "./attempt.ts"

/** The window that is assumed while the limiter has not learned one. */
const learningWindow = Duration.seconds(60)

/**
 * How far ahead turns are taken, in milliseconds, beside the next one. A process that stalls does not catch up on more
 * than that at once, because the service would refuse it. It has to cover the way to a shared store and back.
 */
const ahead = 50

/**
 * The rate as one turn in each interval: the requests of a window at once would be too many for the window they fall into.
 * The operations take their turns in fair order.
 */
const evenly = ({ requests, window }: RateLimit) => {
  const interval = Duration.divideUnsafe(window, requests)
  const permits = 1 + Math.round(ahead / Duration.toMillis(interval))
  return { interval, turns: PartitionedSemaphore.makeUnsafe<string>({ permits }) }
}

const tooLate = (delay: Duration.Duration) =>
  new RateLimited({
    description: "Nothing was sent, as the client's own limiter has no turn in time",
    retryAfter: delay
  })

/** Waits, unless that would take longer than `latest` on the clock. */
const wait = (delay: Duration.Duration, latest: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now + Duration.toMillis(delay) > latest
      ? tooLate(delay)
      : Duration.isZero(delay)
      ? Effect.void
      : Effect.sleep(delay))

/** One limiter for all calls of a client. */
export const make = Effect.fnUntraced(function*(clientPolicy: ResiliencePolicy, key: string) {
  const store = Option.getOrUndefined(yield* Effect.serviceOption(RateLimiter.RateLimiterStore))
  const limiter = yield* RateLimiter.make.pipe(
    store === undefined
      ? Effect.provide(RateLimiter.layerStoreMemory)
      : Effect.provideService(RateLimiter.RateLimiterStore, store)
  )
  const semaphore = Number.isFinite(clientPolicy.concurrency)
    ? PartitionedSemaphore.makeUnsafe<string>({ permits: clientPolicy.concurrency })
    : undefined
  const rate = clientPolicy.rate === undefined ? undefined : evenly(clientPolicy.rate)
  const inLine = new Map<string, number>()

  // The stores fall back to local ones; should even that fail, a call is not the one to pay for it.
  const take = (tokens: 1 | -1, interval: Duration.Duration) =>
    limiter.consume({ key, tokens, algorithm: "token-bucket", onExceeded: "delay", limit: 1, window: interval }).pipe(
      Effect.map(({ delay }) => delay),
      Effect.orElseSucceed(() => Duration.zero)
    )

  const learned = limiter.adaptiveConsume({
    key,
    tokens: 1,
    fallbackLimit: clientPolicy.rate?.requests ?? 1,
    fallbackWindow: clientPolicy.rate?.window ?? learningWindow
  }).pipe(Effect.orElseSucceed(() => ({ delay: Duration.zero, epoch: 0 })))

  const feedback = (policy: ResiliencePolicy, { failure }: Ending, epoch: number) =>
    policy.adaptiveRate && failure?._tag === "RateLimited" && failure.retryAfter !== undefined
      ? Effect.ignore(
        limiter.adaptiveFeedback({ key, epoch, tokens: 1, status: 429, retryAfter: failure.retryAfter })
      )
      : Effect.void

  const learnedTurn = Effect.fnUntraced(function*(policy: ResiliencePolicy, latest: number) {
    if (!policy.adaptiveRate) return 0
    const { delay, epoch } = yield* learned
    yield* wait(delay, latest)
    return epoch
  })

  /** Waits for a turn; one that is not used is given back. */
  const ownTurn = (interval: Duration.Duration, latest: number) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        restore(take(1, interval)),
        (delay) => Effect.onError(restore(wait(delay, latest)), () => take(-1, interval))
      )
    )

  /**
   * Waits for a turn, and gives the epoch of what was learned by then. Where those of the same operation alone need too
   * long, nobody joins them.
   */
  const turn = Effect.fnUntraced(function*(policy: ResiliencePolicy, operation: string, latest: number) {
    if (rate === undefined || policy.rate === undefined) return yield* learnedTurn(policy, latest)
    const before = inLine.get(operation) ?? 0
    const least = Duration.times(rate.interval, before)
    if ((yield* Clock.currentTimeMillis) + Duration.toMillis(least) > latest) return yield* tooLate(least)
    inLine.set(operation, before + 1)
    return yield* learnedTurn(policy, latest).pipe(
      Effect.tap(() => ownTurn(rate.interval, latest)),
      rate.turns.withPermit(operation),
      Effect.ensuring(Effect.sync(() => inLine.set(operation, (inLine.get(operation) ?? 1) - 1)))
    )
  })

  /**
   * Runs an attempt when its turn has come. `remaining` is what is left of the deadline in milliseconds: a turn that
   * would come later is not waited for. `send` is given the time that was spent in the queue.
   */
  return Effect.fnUntraced(function*(
    options: { readonly policy: ResiliencePolicy; readonly operation: string; readonly remaining: number },
    send: (queued: number) => Effect.Effect<Ending>
  ): Effect.fn.Return<Ending> {
    const { operation, policy, remaining } = options
    const arrived = yield* Clock.currentTimeMillis
    const latest = arrived + Math.min(remaining, Duration.toMillis(policy.retryAfterCap))
    const attempt = turn(policy, operation, latest).pipe(
      Effect.matchEffect({
        onFailure: (failure) => Effect.succeed<Ending>({ failure }),
        onSuccess: (epoch) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => send(now - arrived)).pipe(
            Effect.tap((ending) => feedback(policy, ending, epoch))
          )
      })
    )
    return yield* (semaphore === undefined || policy.concurrency === Number.POSITIVE_INFINITY
      ? attempt
      : semaphore.withPermit(operation)(attempt))
  })
})
