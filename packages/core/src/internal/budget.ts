/** The retry budget of a client: what bounds the load that repeats add to a service in trouble. */
import type { RetryBudget } from "../ResiliencePolicy.ts"
import type { Outcome } from "./answer.ts"

/** A bucket of tokens. Time is given by the caller, as that of `Monotonic`. */
export interface Budget {
  /** Takes the cost of a repeat after an outcome; false when there is not enough, and then nothing is taken. */
  readonly spend: (outcome: Outcome, now: number) => boolean
  /** Gives back what a successful call is worth. */
  readonly earn: (now: number) => void
  /** Tokens now. */
  readonly level: (now: number) => number
}

/** A full bucket. */
export const make = (policy: RetryBudget, start: number): Budget => {
  let tokens = policy.tokens
  let filled = start
  const level = (now: number): number => {
    // A client that is used under another clock than it was made under, as in tests, finds a time before its first.
    const seconds = Math.max(0, now - filled) / 1000
    tokens = Math.min(policy.tokens, tokens + seconds * policy.perSecond)
    filled = now
    return tokens
  }
  return {
    level,
    spend: (outcome, now) => {
      const cost = outcome === "unknown" ? policy.unknown : policy.refused
      if (level(now) < cost) return false
      tokens -= cost
      return true
    },
    earn: (now) => {
      tokens = Math.min(policy.tokens, level(now) + policy.success)
    }
  }
}
