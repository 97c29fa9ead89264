/** What a client tells while it works. */
import { Events } from "@effect-lingua/core/telemetry/Events"
import { Effect, Ref, Stream } from "effect"

/** All events from now on, until the scope ends. */
export const watch = Effect.gen(function*() {
  const seen = yield* Ref.make<ReadonlyArray<Events.Event>>([])
  const { stream } = yield* Events
  yield* Effect.forkScoped(
    Stream.runForEach(stream, (event) => Ref.update(seen, (events) => [...events, event])),
    { startImmediately: true }
  )
  return Ref.get(seen)
})

/** All events while an effect runs. */
export const eventsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.flatMap(watch, (events) => Effect.andThen(effect, events)))
