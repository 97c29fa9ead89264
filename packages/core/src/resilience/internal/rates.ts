/**
 * The turns that a rate gives, and those that 429 responses have taught: of one client as plain state, by the rules of Effect's
 * stores, which several processes share. Times are milliseconds of `Monotonic`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { RateLimiterError } from "effect/persistence/RateLimiter"
import * as Monotonic from "../../client/internal/monotonic.ts"

/**
 * The pace that 429 responses teach to one client. It grows with each response until one is refused, and then goes back to what was
 * accepted. Times are milliseconds of `Monotonic`, the pace is requests in each.
 */

/** The time for which a pace is kept without a request. */
const grace = 60_000

/** The shortest time between two cuts: the refusals in it have the same cause. Windows of services are seconds or longer. */
const round = 1000

/** Growth with each response, and at most in a second. In balance one request in forty is refused, whatever the number of clients. */
const growth = 0.004
const growthPerSecond = 0.02

/**
 * Without a refusal, growth doubles in this time and these responses, up to 32 times: a limit that was raised is found within minutes, and a
 * client with a request every few seconds does not grow the more for being slow.
 */
const doubling = 15_000
const doublingResponses = 40
const mostDoublings = 5

/** The share that a cut leaves if too few responses were accepted to tell the pace. */
const remainder = 0.85

/** Responses that tell the pace. */
const enough = 10

/** Makes the pace of one client, which is unlimited until a first refusal. */
export const makePace = () => {
  let pace = Number.POSITIVE_INFINITY
  /** The end of a wait of all, and the time of the next turn. */
  let until = 0
  let next = 0
  let epoch = 0
  let cutAt = Number.NEGATIVE_INFINITY
  let countedSince: number | undefined
  let accepted = 0
  let isLearning = false
  let usedAt = 0

  const forget = (now: number): void => {
    if (now < Math.max(usedAt, until) + grace) return
    pace = Number.POSITIVE_INFINITY
    isLearning = false
    countedSince = undefined
    accepted = 0
  }

  const cut = (now: number, wait: number): void => {
    // A hint of a second is one that a service has rounded up, and nothing to wait for with all calls.
    const isLong = wait > round
    const time = now - (countedSince ?? now) + (isLong ? wait : 0)
    const measured = accepted / Math.max(1, time)
    if (accepted >= enough) pace = Math.min(pace * 0.98, measured)
    else if (Number.isFinite(pace)) pace *= remainder
    else if (isLearning) pace = (accepted + 1) / Math.max(round, time)
    // A first refusal says too little: it is waited out, and what is accepted from then on tells the pace.
    isLearning = true
    if (isLong || !Number.isFinite(pace)) until = now + wait
    // Turns that are already given stay given.
    next = Math.max(next, now, until)
    epoch++
    cutAt = Math.max(now, until)
    countedSince = cutAt
    accepted = 0
  }

  return {
    /** Takes a turn, or with -1 gives one back, and returns its delay. */
    take: (turns: number, now: number): number => {
      forget(now)
      usedAt = now
      countedSince ??= now
      if (!Number.isFinite(pace)) return Math.max(0, until - now)
      const turn = Math.max(next, now)
      next = turn + turns / pace
      return turn - now
    },
    /** The number of the present pace, for the refusals of attempts that it admitted. */
    epoch: (): number => epoch,
    /** Whether turns are counted, so that an unused one is worth giving back. */
    isPaced: (): boolean => Number.isFinite(pace),
    accepted: (now: number): void => {
      accepted++
      if (!Number.isFinite(pace)) return
      const doublings = Math.min(mostDoublings, Math.max(0, now - cutAt) / doubling, accepted / doublingResponses)
      const boost = 2 ** doublings
      pace *= 1 + Math.min(growth, growthPerSecond / (pace * 1000)) * boost
    },
    refused: (of: number, wait: number, now: number): void => {
      if (of === epoch && (now >= cutAt + round || !isLearning)) cut(now, wait)
      else if (wait > round) until = Math.max(until, now + wait)
    }
  }
}

/** A turn as far as 429 responses determine it: its delay, and the state of what is learned. */
export interface Learned {
  readonly delay: number
  readonly epoch: number
  /** Whether the turn was counted, and can be given back. */
  readonly isCounted: boolean
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
  /** Learns from a response to an attempt that was accepted. */
  readonly accepted: Effect.Effect<void>
  /** Learns from a 429 response to an attempt of an epoch. */
  readonly refused: (epoch: number, retryAfter: Duration.Duration) => Effect.Effect<void, RateLimiterError>
}

const longest = Duration.toMillis(Duration.hours(1))

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
    adapt: (_fallback, turns) =>
      at((now) => ({ delay: pace.take(turns, now), epoch: pace.epoch(), isCounted: pace.isPaced() })),
    accepted: at(pace.accepted),
    refused: (epoch, retryAfter) =>
      at((now) => pace.refused(epoch, Math.min(Duration.toMillis(retryAfter), longest), now))
  }
}
