/**
 * The turns that a rate gives, and those that 429 responses have taught: of one client as plain state, by the rules of Effect's
 * stores, which several processes share. Times are milliseconds of `Monotonic`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { RateLimiterError } from "effect/persistence/RateLimiter"
import * as Monotonic from "../../client/internal/monotonic.ts"

/** A turn as far as 429 responses determine it: its delay, and the state of what is learned. */
export interface Learned {
  readonly delay: number
  readonly epoch: number
  readonly phase: "inactive" | "cooldown" | "learning" | "learned"
}

/** Where turns come from. */
export interface Rates {
  /** Takes a turn, of which there is one per interval, and returns its delay; `-1` gives one back. */
  readonly consume: (interval: number, turns: 1 | -1) => Effect.Effect<number, RateLimiterError>
  /** The same, at the pace that was learned. The limiter learns for `window` at most. */
  readonly adapt: (
    fallback: { readonly limit: number; readonly window: Duration.Duration },
    turns: 1 | -1
  ) => Effect.Effect<Learned, RateLimiterError>
  /** Learns from a 429 response to an attempt of an epoch. */
  readonly refused: (epoch: number, retryAfter: Duration.Duration) => Effect.Effect<void, RateLimiterError>
}

/** The time for which something learned is kept after it has ended. */
const grace = 60_000

const longest = Duration.toMillis(Duration.hours(1))

const bounded = (millis: number): number => millis > 0 ? Math.min(millis, longest) : 1

/** The pace that 429 responses teach. A first one is waited out; the turns that then succeed until the next one are the pace. */
const makePace = () => {
  let phase: Learned["phase"] = "inactive"
  let epoch = 0
  /** The end of the wait, or of the turns that are taken. */
  let until = 0
  let startedAt = 0
  let taken = 0
  let limit = 0
  let window = 0
  let expiresAt = Number.POSITIVE_INFINITY

  const forget = (now: number): void => {
    if (now < expiresAt) return
    phase = "inactive"
    epoch = 0
    expiresAt = Number.POSITIVE_INFINITY
  }

  const coolDown = (end: number): void => {
    phase = "cooldown"
    until = end
    expiresAt = end + grace
  }

  const delayOf = (turns: number, now: number): number => {
    if (phase === "learning") taken += turns
    if (phase !== "learned") return 0
    const interval = window / limit
    if (until <= now) {
      taken = 0
      until = now
    }
    taken += turns
    until += interval * turns
    const elapsed = taken * interval - (until - now)
    return Math.max(0, Math.floor((taken - 1) / limit) * window - elapsed)
  }

  return {
    take: (turns: number, learnFor: number, now: number): Learned => {
      forget(now)
      if (phase === "cooldown" && until > now) return { delay: until - now, epoch, phase }
      if (phase !== "cooldown") return { delay: delayOf(turns, now), epoch, phase }
      phase = "learning"
      epoch++
      startedAt = now
      taken = turns
      expiresAt = now + learnFor + grace
      return { delay: 0, epoch, phase }
    },
    refused: (of: number, retryAfter: number, now: number): void => {
      forget(now)
      if (of !== epoch) return
      const wait = bounded(retryAfter)
      if (phase === "cooldown") coolDown(Math.max(until, now + wait))
      else if (phase === "learning" && taken > 1) {
        phase = "learned"
        epoch++
        taken -= 1
        limit = taken
        window = bounded(now - startedAt + wait)
        until = startedAt + window
        expiresAt = now + window + grace
      } else coolDown(now + wait)
    }
  }
}

const at = <A>(work: (now: number) => A): Effect.Effect<A> =>
  Effect.clockWith((clock) => Effect.sync(() => work(Monotonic.nowUnsafe(clock))))

/** The turns of one client. */
export const make = (): Rates => {
  const pace = makePace()
  /** The time of the next turn. */
  let next = 0
  return {
    consume: (interval, turns) =>
      at((now) => {
        const turn = Math.max(next, now)
        next = turn + interval * turns
        return turn - now
      }),
    adapt: ({ window }, turns) => at((now) => pace.take(turns, Duration.toMillis(window), now)),
    refused: (epoch, retryAfter) => at((now) => pace.refused(epoch, Duration.toMillis(retryAfter), now))
  }
}
