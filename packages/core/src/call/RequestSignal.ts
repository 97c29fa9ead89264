/**
 * Signals from an `HttpClient` with a connection pool: whether a request waits for a connection. `layerHttpClient` of the Node package sends these
 * signals.
 *
 * **Details**
 *
 * The timeout of an attempt starts when the request has a connection. A request without a connection was not sent, so any call may be retried.
 * Without signals, a request counts as written at once.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * An `HttpClient` calls `waiting` and then `writing`. Repeated calls are ignored.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestSignal {
  /** The request waits for a connection; no bytes were written. */
  readonly waiting: () => void
  /** The request has a connection, and the client writes its bytes. */
  readonly writing: () => void
}

/**
 * The signal of the current request; `undefined` outside of this library's calls.
 *
 * @category services
 * @since 0.1.0
 */
export const Current = Context.Reference<RequestSignal | undefined>(
  "@effect-lingua/core/call/RequestSignal/Current",
  { defaultValue: () => undefined }
)
