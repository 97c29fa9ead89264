/**
 * How an `HttpClient` tells when it has a connection for a request.
 *
 * **When to use**
 *
 * For an `HttpClient` of one's own that queues requests for a pool of connections. `layerHttpClient` of the package for Node
 * tells it already.
 *
 * **Details**
 *
 * The timeout of an attempt starts when the request has a connection, and a request that never had one was certainly not
 * sent, so any call can be repeated after it. A client that does not tell is taken to write every request at once.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * The two moments of a request that an `HttpClient` tells. Other calls of the two are ignored.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestSignal {
  /** The request waits for a connection: nothing of it has been written, and `writing` will tell when it has one. */
  readonly waiting: () => void
  /** The request has a connection, and its bytes are written from now on. */
  readonly writing: () => void
}

/**
 * The signal of the request that is being sent, absent where nobody listens.
 *
 * @category services
 * @since 0.1.0
 */
export const Current = Context.Reference<RequestSignal | undefined>("@effect-lingua/core/RequestSignal/Current", {
  defaultValue: () => undefined
})
