/** After a 456 further metered calls may fail at once for a while, instead of hammering a service that has said no. */
import * as Duration from "effect/Duration"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"

/** The gate of one client. Time is given by the caller, as that of `Monotonic`. */
export const make = () => {
  let closedUntil = 0
  return {
    /** The 456 of a call that finds the gate closed, as a response: it is handled like one of the service. */
    check: (
      request: HttpClientRequest.HttpClientRequest,
      now: number
    ): HttpClientResponse.HttpClientResponse | undefined =>
      now < closedUntil
        ? HttpClientResponse.fromWeb(
          request,
          Response.json({ message: "Nothing was sent, as the service said so a short while ago" }, {
            status: 456,
            headers: { "retry-after": String(Math.ceil((closedUntil - now) / 1000)) }
          })
        )
        : undefined,
    close: (now: number, gate: Duration.Duration): void => {
      closedUntil = now + Duration.toMillis(gate)
    },
    open: (): void => {
      closedUntil = 0
    }
  }
}
