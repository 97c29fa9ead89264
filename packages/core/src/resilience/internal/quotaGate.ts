/** After a 456 further metered calls may fail at once for a while, to spare a service that refuses them. */
import * as Duration from "effect/Duration"
import { QuotaExceeded } from "../../client/ServiceError.ts"

/** The gate of one client. The caller passes the `Monotonic` time. */
export const make = () => {
  let closedUntil = 0
  return {
    /** The failure of a call that finds the gate closed. */
    check: (now: number): QuotaExceeded | undefined =>
      now < closedUntil
        ? new QuotaExceeded({
          description: "Nothing was sent, as the service said so a short while ago",
          status: 456,
          retryAfter: Duration.seconds(Math.ceil((closedUntil - now) / 1000))
        })
        : undefined,
    close: (now: number, gate: Duration.Duration): void => {
      closedUntil = now + Duration.toMillis(gate)
    },
    open: (): void => {
      closedUntil = 0
    }
  }
}
