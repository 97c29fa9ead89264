/** The publishing side of `Events`, for the parts of the client. */
import type * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { Event, Events } from "../Events.ts"

export interface Publisher {
  readonly publish: (event: () => Event) => void
  /** A queue of all events from now on. */
  readonly listen: Effect.Effect<Queue.Queue<Event, Cause.Done>, never, Scope.Scope>
}

const publishers = new WeakMap<Events["Service"], Publisher>()

/** Remembers the publisher of a service. */
export const withPublisher = (events: Events["Service"], publisher: Publisher): Events["Service"] => {
  publishers.set(events, publisher)
  return events
}

/** The publisher of a service, unless the service was made elsewhere. */
export const publisherOf = (events: Events["Service"]): Publisher | undefined => publishers.get(events)

/** Passes an event to the listeners of a client. The event is made only if there are any. */
export const publish = (events: Events["Service"], event: () => Event): void => publisherOf(events)?.publish(event)
