/** The retry budgets of a client. They bound the load that retries add to a failing service. */
import type { RetryTokens } from "../../client/ClientState.ts"
import type { RetryBudget } from "../../config/ResiliencePolicy.ts"
import type { Outcome } from "../../errors/internal/failure.ts"

/** A token bucket. The caller passes the `Monotonic` time. */
export interface Budget {
  /** The tokens at a time, which are shown. */
  readonly tokens: (now: number) => number
  /** Takes the cost of a retry after an outcome; false, without taking any, if there are not enough tokens. */
  readonly spend: (outcome: Outcome, now: number) => boolean
  /** Adds the tokens of a deliberate response. */
  readonly earn: (now: number) => void
}

/** Upper limit of kept budgets: more than the contract has operations, with room for custom ones. */
const capacity = 256

/**
 * The budgets of a client, one per operation, so that a failing operation does not use up the retries of others. Beyond the
 * capacity the oldest is dropped, and starts full again.
 */
export const makeAll = (policy: RetryBudget, show: (operation: string, tokens: number) => void) => {
  const budgets = new Map<string, Budget>()
  return {
    perSecond: policy.perSecond,
    of: (operation: string, now: number): Budget => {
      let budget = budgets.get(operation)
      if (budget === undefined) {
        const [oldest] = budgets.keys()
        if (oldest !== undefined && budgets.size >= capacity) budgets.delete(oldest)
        budget = make(policy, now, (tokens) => show(operation, tokens))
        budgets.set(operation, budget)
      }
      return budget
    },
    /** The tokens of all budgets at a time, which are shown. */
    all: (now: number): ReadonlyArray<RetryTokens> =>
      Array.from(budgets, ([operation, budget]) => ({ operation, tokens: budget.tokens(now), capacity: policy.tokens }))
  }
}

/** Makes a full bucket. `show` is called with its tokens when they change. */
const make = (policy: RetryBudget, start: number, show: (tokens: number) => void): Budget => {
  let tokens = policy.tokens
  let shown: number | undefined
  let filled = start
  const fill = (now: number): void => {
    // Under another clock than at its construction, as in tests, the time can be before its first.
    const seconds = Math.max(0, now - filled) / 1000
    tokens = Math.min(policy.tokens, tokens + seconds * policy.perSecond)
    filled = now
  }
  const changed = (): void => {
    if (tokens !== shown) show(tokens)
    shown = tokens
  }
  changed()
  return {
    tokens: (now) => {
      fill(now)
      changed()
      return tokens
    },
    spend: (outcome, now) => {
      fill(now)
      const cost = outcome === "unknown" ? policy.unknown : policy.refused
      const isEnough = tokens >= cost
      if (isEnough) tokens -= cost
      changed()
      return isEnough
    },
    earn: (now) => {
      fill(now)
      tokens = Math.min(policy.tokens, tokens + policy.success)
      changed()
    }
  }
}
