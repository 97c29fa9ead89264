/** Keeps a client within limits of rate and concurrency, its own and those that the service's 429 answers teach. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import * as RateLimiter from "effect/persistence/RateLimiter"
import * as Semaphore from "effect/Semaphore"
import type { RateLimit, ResiliencePolicy } from "../ResiliencePolicy.ts"
import { RateLimited } from "../ServiceError.ts"
import type { Ending } from "./attempt.ts"

/** The window that is assumed while the limiter has not learned one. */
const learningWindow = Duration.seconds(60)

/**
 * How far ahead turns are taken, in milliseconds, beside the next one. A process that stalls does not catch up on more
 * than that at once, because the service would refuse it. It has to cover the way to a shared store and back.
 */
const ahead = 25

/** The rate as one turn in each interval: a window's worth at once would be too much for the window it falls into. */
const evenly = ({ requests, window }: RateLimit) => {
  const interval = Duration.divideUnsafe(window, requests)
  return { interval, turns: Semaphore.makeUnsafe(1 + Math.ceil(ahead / Duration.toMillis(interval))) }
}

const tooLate = (delay: Duration.Duration) =>
  new RateLimited({
    description: "Nothing was sent, as the client's own limiter has no turn in time",
    retryAfter: delay
  })

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
  let inLine = 0

  // The stores fall back to local ones; should even that fail, a call is not the one to pay for it.
  const ownDelay = (interval: Duration.Duration) =>
    limiter.consume({ key, algorithm: "token-bucket", onExceeded: "delay", limit: 1, window: interval }).pipe(
      Effect.map(({ delay }) => delay),
      Effect.orElseSucceed(() => Duration.zero)
    )

  const learned = limiter.adaptiveConsume({
    key,
    tokens: 1,
    fallbackLimit: clientPolicy.rate?.requests ?? 1,
    fallbackWindow: clientPolicy.rate?.window ?? learningWindow
  }).pipe(Effect.orElseSucceed(() => ({ delay: Duration.zero, epoch: 0 })))

  const feedback = ({ failure }: Ending, epoch: number) =>
    failure?._tag === "RateLimited" && failure.retryAfter !== undefined
      ? Effect.ignore(
        limiter.adaptiveFeedback({ key, epoch, tokens: 1, status: 429, retryAfter: failure.retryAfter })
      )
      : Effect.void

  /** Waits, unless that would take longer than `latest` on the clock. */
  const wait = (delay: Duration.Duration, latest: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      now + Duration.toMillis(delay) > latest
        ? tooLate(delay)
        : Duration.isZero(delay)
        ? Effect.void
        : Effect.sleep(delay))

  const learnedTurn = Effect.fnUntraced(function*(policy: ResiliencePolicy, latest: number) {
    if (!policy.adaptiveRate) return 0
    const { delay, epoch } = yield* learned
    yield* wait(delay, latest)
    return epoch
  })

  /** Waits for a turn, and gives the epoch of what was learned by then. */
  const turn = Effect.fnUntraced(function*(policy: ResiliencePolicy, latest: number) {
    if (rate === undefined || policy.rate === undefined) return yield* learnedTurn(policy, latest)
    const { interval, turns } = rate
    // Nobody is to stand in a line that is too long.
    const least = Duration.times(interval, inLine)
    if ((yield* Clock.currentTimeMillis) + Duration.toMillis(least) > latest) return yield* tooLate(least)
    inLine++
    return yield* turns.withPermit(Effect.gen(function*() {
      const epoch = yield* learnedTurn(policy, latest)
      yield* wait(yield* ownDelay(interval), latest)
      return epoch
    })).pipe(Effect.ensuring(Effect.sync(() => {
      inLine--
    })))
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
    const epoch = yield* Effect.catch(turn(policy, latest), (failure) => Effect.succeed({ failure }))
    if (typeof epoch !== "number") return epoch
    const attempt = Effect.flatMap(Clock.currentTimeMillis, (now) => send(now - arrived))
    const ending = yield* (semaphore === undefined || policy.concurrency === Number.POSITIVE_INFINITY
      ? attempt
      : semaphore.withPermit(operation)(attempt))
    if (policy.adaptiveRate) yield* feedback(ending, epoch)
    return ending
  })
})
