/** The publishing side of `Events`, for the parts of the client. */
import type { Event, Events } from "../Events.ts"

type Publish = (event: () => Event) => void

const publishers = new WeakMap<Events["Service"], Publish>()

/** Makes a service whose listeners {@link publish} reaches. */
export const publisher = (events: Events["Service"], publish: Publish): Events["Service"] => {
  publishers.set(events, publish)
  return events
}

/** Tells the listeners of a client, if there are any. The event is made only then. */
export const publish = (events: Events["Service"], event: () => Event): void => publishers.get(events)?.(event)
