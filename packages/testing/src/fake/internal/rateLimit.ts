/** The limit of requests that a key may make in a period. */
import { RateLimited } from "@effect-lingua/core/client/ServiceError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { unhandled } from "effect/Types"
import { refuse } from "./answers.ts"
import type { Fake } from "./state.ts"

/** Counts a request, or refuses it until the window of its key is over. */
export const check = (fake: Fake, key: string): Effect.Effect<void, unhandled> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const { settings: { rateLimit }, store: { windows } } = fake
    if (rateLimit === undefined) return Effect.void
    const per = Duration.toMillis(rateLimit.per)
    const current = windows.get(key)
    const window = current === undefined || now - current.start >= per ? { start: now, count: 0 } : current
    if (window.count >= rateLimit.requests) {
      return refuse(
        new RateLimited({ description: "Too many requests", retryAfter: Duration.millis(window.start + per - now) })
      )
    }
    window.count += 1
    windows.set(key, window)
    return Effect.void
  })
