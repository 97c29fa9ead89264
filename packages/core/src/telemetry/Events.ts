/**
 * The events of a client, for progress displays and tests: attempts, waits, polls, changes of the circuit breaker. Without listeners no events are
 * created.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { defined } from "../contract/internal/values.ts"
import { format, formatDuration } from "../errors/Attempt.ts"
import type { BreakerState } from "./internal/stateParts.ts"
import { type Annotations, clientName, type Event, makeEvents, publisherOf } from "./internal/telemetry.ts"

export type { BreakerState } from "./internal/stateParts.ts"
export type { Annotations } from "./internal/telemetry.ts"

export { Event } from "./internal/telemetry.ts"

/** Handles all events until the scope closes. Closing waits for the last event. */
const handling = Effect.fnUntraced(function*<E, R>(handle: (event: Event) => Effect.Effect<unknown, E, R>) {
  const publisher = publisherOf(yield* Events)
  if (publisher === undefined) return
  const queue = yield* publisher.listen
  const handler = yield* Stream.fromQueue(queue).pipe(
    Stream.runForEach(handle),
    Effect.forkScoped({ startImmediately: true })
  )
  yield* Effect.addFinalizer(() => Effect.andThen(Queue.end(queue), Fiber.await(handler)))
})

const log = (client: string | undefined) => (event: Event): Effect.Effect<void> => {
  if (event._tag !== "AttemptEnded") return Effect.void
  const { annotations, attempt } = event
  const { failure, number, operation, outcome, status, traceId } = attempt
  const isFailed = failure !== undefined && outcome !== "pending"
  return Effect.logWithLevel(isFailed ? "Warn" : "Info")(
    `${operation}: ${format([attempt])}, took ${formatDuration(attempt.took)}`
  ).pipe(Effect.annotateLogs({ ...annotations, ...defined({ client, operation, number, status, failure, traceId }) }))
}

/**
 * Streams or handles the events of a client.
 *
 * @category services
 * @since 0.1.0
 */
export class Events extends Context.Service<Events, {
  /** An endless stream of new events. Each listener buffers up to 1024 events; a slow listener loses the oldest events. */
  readonly stream: Stream.Stream<Event>
}>()("@effect-lingua/core/telemetry/Events") {
  static readonly make: Effect.Effect<Events["Service"]> = makeEvents

  static readonly layer: Layer.Layer<Events> = Layer.effect(this, makeEvents)

  /**
   * Runs an effect and handles the events published meanwhile, in order. Waits until all events are handled.
   *
   * **Example** (Attempts of a call)
   *
   * ```ts import.meta.vitest
   * import { Events, Languages } from "@effect-lingua/core"
   * import { FakeLanguageService } from "@effect-lingua/testing"
   * import { Effect } from "effect"
   *
   * const seen: Array<string> = []
   * const program = Languages.use((languages) => languages.resources).pipe(
   *   Events.during(({ _tag }) => Effect.sync(() => seen.push(_tag)))
   * )
   * await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
   * seen // => ["AttemptEnded"]
   * ```
   */
  static readonly during =
    <E2, R2>(handle: (event: Event) => Effect.Effect<unknown, E2, R2>) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | R2 | Events> =>
      Effect.scoped(Effect.andThen(handling(handle), effect))

  /**
   * Logs the end of each attempt: failed and interrupted attempts as warnings, other attempts as information.
   *
   * **Details**
   *
   * An entry has the caller's log annotations, and `client`, `operation`, `number`, `status`, `failure` and `traceId`, but no text, key or document
   * id.
   */
  static readonly logAttempts: Layer.Layer<never, never, Events> = Layer.effectDiscard(
    Effect.flatMap(clientName, (client) => handling(log(client)))
  )
}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace Events {
  export type { Annotations, BreakerState, Event }
}
