/**
 * Signals by which an `HttpClient` reports the progress of a request to its connection.
 *
 * **When to use**
 *
 * In a custom `HttpClient` that queues requests for a pool of connections. `layerHttpClient` of the package for Node does so
 * already.
 *
 * **Details**
 *
 * The timeout of an attempt starts when the request has a connection. A request that never had one was certainly not sent, so
 * any call can be retried after it. With a client that does not use the signal, each request counts as written at once.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * The two moments that an `HttpClient` reports: `waiting` first, then `writing`. Repeated calls are ignored.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestSignal {
  /** The request waits for a connection and nothing of it has been written; `writing` will be called when it has one. */
  readonly waiting: () => void
  /** The request has a connection and is being written. */
  readonly writing: () => void
}

/**
 * The signal of the request that is being sent; `undefined` if no one listens.
 *
 * @category services
 * @since 0.1.0
 */
export const Current = Context.Reference<RequestSignal | undefined>(
  "@effect-lingua/core/call/RequestSignal/Current",
  {
    defaultValue: () => undefined
  }
)
