/** Bounds the exports of telemetry in number and time, so that a collector that hangs affects nothing but telemetry. */
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import { HttpClientError, TransportError } from "effect/http/HttpClientError"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Semaphore from "effect/Semaphore"

/** Requests in flight to one address: two, so that one is encoded while the collector receives the other. */
const inFlight = 2

/** Exports for one address in memory, in flight or queued: about 10,000 spans, at 1,000 per export. */
const capacity = 10

/** The exports of one signal. */
interface Lane {
  readonly permits: Semaphore.Semaphore
  held: number
  dropped: number
}

const signalOf = ({ url }: HttpClientRequest): string => /\b(?:traces|metrics|logs)$/.exec(url)?.[0] ?? "signals"

/**
 * Fails a request after `timeout`, which includes its time in the queue. Drops a request if the queue is full and reports success:
 * after a failure the exporter would also drop the telemetry of the next minute.
 */
export const bounded = (client: HttpClient.HttpClient, timeout: Duration.Duration): HttpClient.HttpClient => {
  const lanes = new Map<string, Lane>()
  const laneOf = ({ url }: HttpClientRequest): Lane => {
    const lane = lanes.get(url) ?? { permits: Semaphore.makeUnsafe(inFlight), held: 0, dropped: 0 }
    lanes.set(url, lane)
    return lane
  }
  const scoped = HttpClient.withScope(client)
  return HttpClient.make((request) =>
    Effect.suspend(() => {
      const lane = laneOf(request)
      const signal = signalOf(request)
      if (lane.held === capacity) {
        const dropped = Effect.sync(() => HttpClientResponse.fromWeb(request, new Response(null, { status: 204 })))
        return lane.dropped++ > 0
          ? dropped
          : Effect.andThen(
            Effect.logWarning(`The collector is too slow for the ${signal} of this program; exports are dropped`),
            dropped
          )
      }
      const keepsUp = Effect.suspend(() => {
        // While others wait, the queue may be full again for the next one.
        if (lane.dropped === 0 || lane.held > 1) return Effect.void
        const { dropped } = lane
        lane.dropped = 0
        return Effect.logInfo(`The collector accepts all ${signal} again; ${dropped} exports were dropped`)
      })
      const sent = scoped.execute(request).pipe(
        Effect.tap((response) => response.arrayBuffer),
        Effect.scoped,
        (send) => lane.permits.withPermit(send),
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () =>
            Effect.fail(
              new HttpClientError({ reason: new TransportError({ request, cause: new Cause.TimeoutError() }) })
            )
        }),
        Effect.tap(keepsUp)
      )
      return Effect.acquireUseRelease(Effect.sync(() => lane.held++), () => sent, () => Effect.sync(() => lane.held--))
    })
  )
}
