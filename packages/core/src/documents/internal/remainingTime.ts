/** The service's estimates of the time that a translation still needs. */

/** How often the time of an estimate must have passed before none is believed any more. */
const patience = 2

/** Milliseconds that even a short estimate may be wrong by. */
const grace = 10_000

/**
 * Gives the milliseconds of an estimate that can be believed. The service's estimates are not reliable (reference B12): they
 * can be zero, or 2^27 seconds. One is believed when it is within what is left of the deadline, as long as none before has
 * proved wrong.
 */
export const make = () => {
  let overdue = Number.POSITIVE_INFINITY
  return (seconds: number | undefined, now: number, left: number): number | undefined => {
    const millis = (seconds ?? 0) * 1000
    if (!(millis > 0 && Number.isFinite(millis)) || millis > left) return undefined
    overdue = Math.min(overdue, now + Math.max(patience * millis, grace))
    return now > overdue ? undefined : millis
  }
}
