/** The retry budgets of a client. They bound the load that repeats add to a service in trouble. */
import type { Outcome } from "../../client/internal/outcome.ts"
import type { RetryBudget } from "../../client/ResiliencePolicy.ts"

/** A bucket of tokens. Time is given by the caller, as that of `Monotonic`. */
export interface Budget {
  /** Takes the cost of a repeat after an outcome; false when there is not enough, and then nothing is taken. */
  readonly spend: (outcome: Outcome, now: number) => boolean
  /** Gives back the tokens of a deliberate answer. */
  readonly earn: (now: number) => void
}

/** Most budgets that are kept: more than the contract has operations, with room for operations of custom contracts. */
const capacity = 256

/**
 * The budgets of a client, one for each operation: one that fails does not use up the repeats of others. Beyond the capacity the
 * oldest is dropped, and starts anew.
 */
export const makeAll = (policy: RetryBudget, show: (operation: string, tokens: number) => void) => {
  const budgets = new Map<string, Budget>()
  return (operation: string, now: number): Budget => {
    let budget = budgets.get(operation)
    if (budget === undefined) {
      const [oldest] = budgets.keys()
      if (oldest !== undefined && budgets.size >= capacity) budgets.delete(oldest)
      budget = make(policy, now, (tokens) => show(operation, tokens))
      budgets.set(operation, budget)
    }
    return budget
  }
}

/** Makes a full bucket. `show` is called with its tokens when they change. */
const make = (policy: RetryBudget, start: number, show: (tokens: number) => void): Budget => {
  let tokens = policy.tokens
  let shown: number | undefined
  let filled = start
  const fill = (now: number): void => {
    // A client that is used under another clock than it was made under, as in tests, finds a time before its first.
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
