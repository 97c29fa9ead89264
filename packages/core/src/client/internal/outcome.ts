/** The known effect of attempts and calls. */

/**
 * The known effect of an attempt or a call that failed. `refused`: nothing happened. `unknown`: it may have
 * happened. `pending`: the requested thing is not ready yet. A call that only reads changes nothing, so either is harmless to it.
 */
export type Outcome = "refused" | "unknown" | "pending"

/** The effect that an answer outside of the contract suggests by its status. */
export const outcomeOf = (status: number): "refused" | "unknown" =>
  status < 300 || status >= 500 ? "unknown" : "refused"

/**
 * The outcome of a call by its ledger: that of its last attempt, unless an earlier one may have taken effect. A document that is
 * pending was not taken by the attempts before.
 */
export const outcomeOfCall = <Last extends Outcome>(
  attempts: ReadonlyArray<{ readonly outcome?: Outcome }>,
  last: Last
): Last | "unknown" =>
  attempts.slice(attempts.findLastIndex(({ outcome }) => outcome === "pending") + 1)
      .some(({ outcome }) => outcome === "unknown")
    ? "unknown"
    : last
