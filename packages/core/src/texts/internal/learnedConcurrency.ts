/**
 * As many requests in flight as the service takes: more and more while it accepts them, half as many when it refuses one. That
 * is additive increase, multiplicative decrease (AIMD), by which TCP finds out how much a network takes.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Attempt from "../../client/Attempt.ts"

/** The statuses of an attempt above the limit of the service: 429 and 529. */
const isRefused = ({ failure }: Attempt.Attempt): boolean => failure === "RateLimited" || failure === "Overloaded"

/**
 * How many more are tried after each round that was accepted: at first, and when a refusal has shown about how many there can
 * be. A service that counts requests in windows refuses the more the faster this is.
 */
const growth = { first: 1, later: 1 / 4 }

/** Like `Stream.mapEffect`, in order. The stream has one element in each of its arrays. */
export const mapEffect = <A, E, R, B, E2, R2>(
  self: Stream.Stream<A, E, R>,
  f: (element: A) => Effect.Effect<B, E2, R2>,
  { maximum, start }: { readonly start: number; readonly maximum: number }
): Stream.Stream<B, E | E2, R | R2> =>
  Stream.unwrap(Effect.gen(function*() {
    const recorder = yield* Attempt.Recorder
    let limit = Math.min(start, maximum)
    let step = growth.first
    let inFlight = 0
    /** A place is taken by what is in flight, and by a result until it is read. */
    const places = yield* Semaphore.make(limit)

    const learn = (attempt: Attempt.Attempt): void => {
      recorder?.(attempt)
      if (isRefused(attempt)) {
        // What is in flight over the limit was sent before it was lowered, and says nothing new.
        if (inFlight <= limit) {
          limit = Math.max(1, limit / 2)
          step = growth.later
        }
      } else if (attempt.failure === undefined && inFlight >= limit / 2) {
        // Few in flight, because few were wanted, do not say that more would be taken.
        limit = Math.min(maximum, limit + step / limit)
      }
    }
    const run = (element: A) =>
      Effect.suspend(() => {
        inFlight++
        return Effect.ensuring(
          Effect.provideService(f(element), Attempt.Recorder, learn),
          Effect.sync(() => inFlight--)
        )
      })
    const leave = Effect.suspend(() => Effect.andThen(places.resize(Math.floor(limit)), places.release(1)))
    const admitted = Stream.transformPull(self, (pull) => Effect.succeed(Effect.andThen(places.take(1), pull)))
    return Stream.transformPull(
      Stream.mapEffect(admitted, run, { concurrency: maximum }),
      (pull) => Effect.succeed(Effect.tap(pull, leave))
    )
  }))
