/** What the calls of a region of a program share: the end of their time, and a queue for their turns. */
import * as Context from "effect/Context"

/** The end of the region, in milliseconds of `Monotonic`; NaN for an invalid time. */
export const CurrentEnd = Context.Reference<number>("@effect-lingua/core/config/internal/regionDeadline/CurrentEnd", {
  defaultValue: () => Number.POSITIVE_INFINITY
})

/** The queue in the limits of the client, by default that of the operation. A run of many calls has its own, so that it does not delay others. */
export const CurrentQueue = Context.Reference<string | undefined>(
  "@effect-lingua/core/config/internal/regionDeadline/CurrentQueue",
  { defaultValue: () => undefined }
)
