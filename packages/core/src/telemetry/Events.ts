/**
 * Events of a client as they happen: attempts, waits, polls, and changes of the circuit breaker. For a progress display
 * or a test. Without listeners they cost nothing.
 *
 * @since 0.1.0
 */
import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { defined } from "../contract/internal/values.ts"
import { format, formatDuration } from "../errors/Attempt.ts"
import { type Event, publisherOf, withPublisher } from "./internal/publishing.ts"
import { clientName } from "./internal/telemetry.ts"

export { type Annotations, Event } from "./internal/publishing.ts"
export type { BreakerState } from "./internal/stateParts.ts"

/**
 * The events of a client.
 *
 * @category services
 * @since 0.1.0
 */
export class Events extends Context.Service<Events, {
  /** All events from now on. Each listener keeps up to 1024; a slow one loses the oldest. It does not end. */
  readonly stream: () => Stream.Stream<Event>
}>()("@effect-lingua/core/telemetry/Events") {}

const backlog = 1024

const make = Effect.sync(() => {
  const listeners = new Set<Queue.Queue<Event, Cause.Done>>()
  const listen = Effect.acquireRelease(
    Effect.map(Queue.sliding<Event, Cause.Done>(backlog), (queue) => {
      listeners.add(queue)
      return queue
    }),
    (queue) => Effect.sync(() => listeners.delete(queue))
  )
  return withPublisher({ stream: () => Stream.unwrap(Effect.map(listen, Stream.fromQueue)) }, {
    listen,
    publish: (event) => {
      if (listeners.size === 0) return
      const happened = event()
      for (const queue of listeners) Queue.offerUnsafe(queue, happened)
    }
  })
})

/**
 * The events of one client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Events> = Layer.effect(Events, make)

/**
 * Runs an effect and handles the events published meanwhile, in order and before it ends: for a display of progress.
 *
 * **Example** (Attempts of a call)
 *
 * ```ts import.meta.vitest
 * import * as Events from "@effect-lingua/core/telemetry/Events"
 * import { Languages } from "@effect-lingua/core/languages/Languages"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 *
 * const seen: Array<string> = []
 * const program = Languages.use((languages) => languages.resources()).pipe(
 *   Events.during(({ _tag }) => Effect.sync(() => seen.push(_tag)))
 * )
 * await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * seen // => ["AttemptEnded"]
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const during =
  <E2, R2>(handle: (event: Event) => Effect.Effect<unknown, E2, R2>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | R2 | Events> =>
    Effect.scoped(Effect.andThen(handling(handle), effect))

/** Handles all events from now on. The end of the scope waits until the last is handled. */
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
  ).pipe(
    Effect.annotateLogs({ ...annotations, ...defined({ client, operation, number, status, failure, traceId }) })
  )
}

/**
 * Logs each attempt of the client as it ends: a failed or interrupted one as a warning, any other as information.
 *
 * **Details**
 *
 * An entry has the log annotations of the caller, and `client` (the name of the client), `operation`, `number`, `status`, `failure` and
 * `traceId`. It contains no text, key or document id.
 *
 * **Example** (A log with the tenant of each attempt)
 *
 * ```ts import.meta.vitest
 * import * as Events from "@effect-lingua/core/telemetry/Events"
 * import { Languages } from "@effect-lingua/core/languages/Languages"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect, Layer, Logger, References } from "effect"
 *
 * const lines: Array<unknown> = []
 * const logger = Logger.make(({ fiber }) => {
 *   const { operation, status, tenant } = fiber.getRef(References.CurrentLogAnnotations)
 *   lines.push([tenant, operation, status])
 * })
 * const client = Events.logAttempts.pipe(
 *   Layer.provideMerge(FakeLanguageService.layerServices()),
 *   Layer.provide(Logger.layer([logger]))
 * )
 * await Languages.use((languages) => languages.resources()).pipe(
 *   Effect.annotateLogs({ tenant: "shop" }),
 *   Effect.provide(client),
 *   Effect.runPromise
 * )
 * lines // => [["shop", "Languages.resources", 200]]
 * ```
 *
 * @category layers
 * @since 0.1.0
 */
export const logAttempts: Layer.Layer<never, never, Events> = Layer.effectDiscard(
  Effect.flatMap(clientName, (client) => handling(log(client)))
)
