/** Plausibility of the service's estimates of the remaining time. */

/** Multiple of an estimate after which it counts as wrong. */
const patience = 2

/** Tolerance in milliseconds, for short estimates. */
const grace = 10_000

/**
 * Converts an estimate from seconds to milliseconds if it is plausible. The service's estimates are not reliable: they can be
 * zero, or 2^27 seconds. One is plausible within the remaining deadline, until any of them has proved wrong.
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
