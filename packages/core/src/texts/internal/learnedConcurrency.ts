/**
 * Adapts the number of requests in flight to the service: it grows while requests are accepted, and is halved when one is
 * refused. This is additive increase, multiplicative decrease (AIMD), as in TCP.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Attempt from "../../client/Attempt.ts"

/** The statuses of an attempt above the limit of the service: 429 and 529. */
const isRefused = ({ failure }: Attempt.Attempt): boolean => failure === "RateLimited" || failure === "Overloaded"

/**
 * Growth after each accepted round: at first, and after a refusal has shown the approximate limit. The faster it is, the more a
 * service that counts requests in windows refuses.
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
    /** A permit is held by a request in flight, and by a result until it is read. */
    const places = yield* Semaphore.make(limit)

    const learn = (attempt: Attempt.Attempt): void => {
      recorder?.(attempt)
      if (isRefused(attempt)) {
        // Requests in flight over the limit were sent before it was lowered, and carry no new information.
        if (inFlight <= limit) {
          limit = Math.max(1, limit / 2)
          step = growth.later
        }
      } else if (attempt.failure === undefined && inFlight >= limit / 2) {
        // An unused limit is no evidence that more would be accepted.
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
