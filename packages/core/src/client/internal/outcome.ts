/** The known effect of attempts and calls. */

/**
 * The known effect of an attempt or a call that failed. `refused`: nothing happened. `unknown`: it may have
 * happened. `pending`: the requested thing is not ready yet. For a call that only reads, all are harmless.
 */
export type Outcome = "refused" | "unknown" | "pending"

/** The effect that a response outside of the contract suggests by its status. */
export const outcomeOf = (status: number): "refused" | "unknown" =>
  status < 300 || status >= 500 ? "unknown" : "refused"

/**
 * The outcome of a call by its ledger: that of its last attempt, unless an earlier one may have taken effect. A pending
 * document was not consumed by earlier attempts.
 */
export const outcomeOfCall = <Last extends Outcome>(
  attempts: ReadonlyArray<{ readonly outcome?: Outcome }>,
  last: Last
): Last | "unknown" =>
  attempts.slice(attempts.findLastIndex(({ outcome }) => outcome === "pending") + 1)
      .some(({ outcome }) => outcome === "unknown")
    ? "unknown"
    : last
