/** What the calls of a region of a program share: a deadline, and a queue for their turns. Times are milliseconds of `Monotonic`. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/** A region with a deadline. */
export interface RegionDeadline {
  /** The time of the region, and its end. */
  readonly time: Duration.Duration
  readonly until: number
  /** The milliseconds that calls have used, by operation; those of the regions inside included. */
  readonly used: Map<string, number>
  readonly outer: RegionDeadline | undefined
  /** The deadlines of calls that it has shortened, by which their errors are recognized. */
  readonly cuts: WeakSet<Duration.Duration>
}

export const Current = Context.Reference<RegionDeadline | undefined>(
  "@effect-lingua/core/config/internal/regionDeadline/Current",
  { defaultValue: () => undefined }
)

/** The queue in the limits of the client, by default that of the operation. A run of many calls has its own, so that it does not delay others. */
export const CurrentQueue = Context.Reference<string | undefined>(
  "@effect-lingua/core/config/internal/regionDeadline/CurrentQueue",
  { defaultValue: () => undefined }
)

/** The region of a time from now on, or the one around it if that ends before. */
export const make = (time: Duration.Duration, now: number, outer: RegionDeadline | undefined): RegionDeadline => {
  const until = now + Duration.toMillis(time)
  return outer !== undefined && outer.until <= until
    ? outer
    : { time, until, used: new Map(), outer, cuts: new WeakSet() }
}

/** A deadline of a call that begins now: the given one, or what the region has left. */
export const cut = (region: RegionDeadline, deadline: Duration.Duration, now: number): Duration.Duration => {
  const left = region.until - now
  if (Duration.toMillis(deadline) <= left) return deadline
  const own = Duration.millis(Math.max(0, left))
  region.cuts.add(own)
  return own
}

/** Notes the time of a call. */
export const note = (region: RegionDeadline | undefined, operation: string, millis: number): void => {
  if (region === undefined) return
  region.used.set(operation, (region.used.get(operation) ?? 0) + millis)
  note(region.outer, operation, millis)
}
