/** The publishing side of `Events`, for the parts of the client. */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Attempt, WaitCause } from "../../errors/Attempt.ts"
import type { BreakerState } from "./stateParts.ts"

/**
 * An event of a client.
 *
 * **Details**
 *
 * - `AttemptEnded`: an attempt succeeded, failed or was interrupted. Its `stopCause` is absent if a later wait for the next
 *   attempt was cut short, as by the deadline: then only the error of the call has it.
 * - `Waiting`: a call waits before its next attempt, with the cause.
 * - `BreakerChanged`: the circuit breaker of the client changed its state.
 *
 * `annotations` are the log annotations of the caller, such as a tenant; of a request that several calls share, those of all: an
 * annotation with several values is an array of them.
 *
 * @category models
 * @since 0.1.0
 */
export type Event = Data.TaggedEnum<{
  AttemptEnded: { readonly attempt: Attempt; readonly annotations: Annotations }
  Waiting: {
    readonly operation: string
    readonly wait: Duration.Duration
    readonly cause: WaitCause
    readonly annotations: Annotations
  }
  BreakerChanged: { readonly from: BreakerState; readonly to: BreakerState }
}>

/**
 * The log annotations of a caller.
 *
 * @category models
 * @since 0.1.0
 */
export type Annotations = Readonly<Record<string, unknown>>

/**
 * Constructors and guards of events.
 *
 * @category constructors
 * @since 0.1.0
 */
export const Event = Data.taggedEnum<Event>()

export interface Publisher {
  readonly publish: (event: () => Event) => void
  /** A queue of all events from now on. */
  readonly listen: Effect.Effect<Queue.Queue<Event, Cause.Done>, never, Scope.Scope>
}

interface Source {
  readonly stream: () => Stream.Stream<Event>
}

const publishers = new WeakMap<Source, Publisher>()

/** Remembers the publisher of a service. */
export const withPublisher = (events: Source, publisher: Publisher): Source => {
  publishers.set(events, publisher)
  return events
}

/** The publisher of a service, unless the service was made elsewhere. */
export const publisherOf = (events: Source): Publisher | undefined => publishers.get(events)

/** Passes an event to the listeners of a client. The event is made only if there are any. */
export const publish = (events: Source, event: () => Event): void => publisherOf(events)?.publish(event)
