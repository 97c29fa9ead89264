/**
 * Reports from an `HttpClient` with a connection pool: whether a request waits for a connection. `layerHttpClient` of the package for Node reports.
 *
 * **Details**
 *
 * The timeout of an attempt starts with its connection. A request without a connection was not sent, so any call may be retried. Without reports,
 * a request counts as written at once.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * Called in this order by an `HttpClient`; repeated calls are ignored.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestSignal {
  /** The request waits for a connection, and nothing is written. */
  readonly waiting: () => void
  /** The request has a connection, and is being written. */
  readonly writing: () => void
}

/**
 * The signal of the present request; `undefined` outside of this library's calls.
 *
 * @category services
 * @since 0.1.0
 */
export const Current = Context.Reference<RequestSignal | undefined>(
  "@effect-lingua/core/call/RequestSignal/Current",
  { defaultValue: () => undefined }
)
