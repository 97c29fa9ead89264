/** Keeps a client within limits of rate and concurrency, its own and those that the service's 429 answers teach. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PartitionedSemaphore from "effect/PartitionedSemaphore"
import * as RateLimiter from "effect/persistence/RateLimiter"
import type { ResiliencePolicy } from "../ResiliencePolicy.ts"
import { RateLimited } from "../ServiceError.ts"
import type { Ending } from "./attempt.ts"

/** The window that is assumed while the limiter has not learned one. */
const learningWindow = Duration.seconds(60)

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

  const ownDelay = (policy: ResiliencePolicy) =>
    policy.rate === undefined
      ? Effect.succeed(Duration.zero)
      : Effect.map(
        limiter.consume({
          key,
          algorithm: "token-bucket",
          onExceeded: "delay",
          limit: 1,
          window: Duration.divideUnsafe(policy.rate.window, policy.rate.requests)
        }),
        ({ delay }) => delay
      )

  const learned = (policy: ResiliencePolicy) =>
    policy.adaptiveRate
      ? limiter.adaptiveConsume({
        key,
        tokens: 1,
        fallbackLimit: policy.rate?.requests ?? 1,
        fallbackWindow: policy.rate?.window ?? learningWindow
      })
      : Effect.succeed({ delay: Duration.zero, epoch: 0 })

  const feedback = ({ failure }: Ending, epoch: number) =>
    failure?._tag === "RateLimited" && failure.retryAfter !== undefined
      ? Effect.ignore(
        limiter.adaptiveFeedback({ key, epoch, tokens: 1, status: 429, retryAfter: failure.retryAfter })
      )
      : Effect.void

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
    const turn = yield* Effect.zipWith(ownDelay(policy), learned(policy), (own, { delay, epoch }) => ({
      delay: Duration.max(own, delay),
      epoch
    })).pipe(
      // The stores fall back to local ones; should even that fail, a call is not the one to pay for it.
      Effect.orElseSucceed(() => ({ delay: Duration.zero, epoch: 0 }))
    )
    const millis = Duration.toMillis(turn.delay)
    if (millis > Math.min(remaining, Duration.toMillis(policy.retryAfterCap))) {
      return {
        failure: new RateLimited({
          description: "Nothing was sent, as the client's own limiter has no turn in time",
          retryAfter: turn.delay
        })
      }
    }
    if (millis > 0) yield* Effect.sleep(turn.delay)
    const attempt = Effect.flatMap(Clock.currentTimeMillis, (now) => send(now - arrived))
    const ending = yield* (semaphore === undefined || policy.concurrency === Number.POSITIVE_INFINITY
      ? attempt
      : semaphore.withPermit(operation)(attempt))
    if (policy.adaptiveRate) yield* feedback(ending, turn.epoch)
    return ending
  })
})
