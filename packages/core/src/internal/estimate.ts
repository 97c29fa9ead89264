/** The service's estimates of the time that a translation still needs. */

/** How often the first estimate must have passed before none is believed any more. */
const patience = 2

/**
 * Gives the milliseconds of an estimate that can be believed. The service's estimates are not reliable (reference B12): they
 * can be zero, or 2^27 seconds. One is believed when it is within what is left of the deadline, as long as the first has
 * not proved wrong.
 */
export const make = () => {
  let first: { readonly at: number; readonly millis: number } | undefined
  return (seconds: number | undefined, now: number, left: number): number | undefined => {
    const millis = (seconds ?? 0) * 1000
    if (!(millis > 0) || millis > left) return undefined
    first ??= { at: now, millis }
    return now - first.at > patience * first.millis ? undefined : millis
  }
}
