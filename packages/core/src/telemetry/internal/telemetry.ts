import type * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import { isString } from "effect/Predicate"
import * as Queue from "effect/Queue"
import * as Record from "effect/Record"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { version } from "../../config/internal/version.ts"
import type { Attempt, WaitCause } from "../../errors/Attempt.ts"
import { ClientState } from "../ClientState.ts"
import type { BreakerState } from "./stateParts.ts"

/** OpenTelemetry's instrumentation scope as span attributes, because Effect has one scope per tracer. */
const scope = { "otel.scope.name": "@effect-lingua/core", "otel.scope.version": version }

/** False for Effect's default tracer, which keeps no spans. */
export const isTraced = (context: Context.Context<never>): boolean =>
  Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer

/**
 * Runs an effect in a span. The tracer receives only the name of an error, because results and error messages may contain the caller's texts.
 */
export const inSpan = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  name: string,
  options: Tracer.SpanOptionsNoTrace & { readonly attributes: Readonly<Record<string, unknown>> },
  /** Adds final attributes and returns the error's name; `undefined` without an error. */
  finish: (exit: Exit.Exit<A, E>, span: Tracer.Span) => string | undefined
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let ended: Exit.Exit<A, E> | undefined
    const endOr = (defect: unknown): Effect.Effect<A, E> => ended ?? Effect.die(defect)
    const spanned = Effect.useSpan(name, { ...options, attributes: { ...scope, ...options.attributes } }, (span) =>
      Effect.flatMap(Effect.exit(Effect.provideService(effect, Tracer.ParentSpan, span)), (exit) => {
        ended = exit
        const error = finish(exit, span)
        if (error === undefined) {
          return Exit.hasInterrupts(exit) ? Effect.interrupt : Effect.void
        }
        span.attribute("error.type", error)
        // The effect fails, because exporters read a span's status from the exit.
        return Effect.fail(error)
      }))
    return Effect.matchEffect(spanned, { onFailure: endOr, onSuccess: endOr })
  })

export const spanOf = (context: Context.Context<never>): Tracer.Span | undefined => {
  const span = Context.getOrUndefined(context, Tracer.ParentSpan)
  return span?._tag === "Span" && isTraced(context) ? span : undefined
}

const named = (name: string): string => `language_service.client.${name}`

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 100, 300, 1800]

/** The boundaries of `http.client.request.duration` in OpenTelemetry's conventions. */
const httpSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

const histogram = <const Attribute extends string>(
  name: string,
  attributes: ReadonlyArray<Attribute>,
  description: string,
  boundaries = seconds
) => {
  const unit = "s"
  const make = (): Metric.Metric<number, unknown> =>
    Metric.histogram(name, { description, attributes: { unit }, boundaries })
  return { instrument: "histogram", name, unit, attributes, description, make }
}

const counter = <const Attribute extends string = never>(
  name: string,
  unit: string,
  attributes: ReadonlyArray<Attribute>,
  description: string
) => {
  const make = (): Metric.Metric<number, unknown> =>
    Metric.counter(named(name), { description, attributes: { unit }, incremental: true })
  return { instrument: "counter", name: named(name), unit, attributes, description, make }
}

const gauge = (name: string, unit: string, description: string) => {
  const attributes: ReadonlyArray<never> = []
  const make = (): Metric.Metric<number, unknown> => Metric.gauge(named(name), { description, attributes: { unit } })
  return { instrument: "gauge", name: named(name), unit, attributes, description, make }
}

/** All metrics of the client, the rows of a table in docs/observability.md. */
export const metrics = {
  operationDuration: histogram(
    named("operation.duration"),
    ["operation", "result"],
    "duration of a call, attempts and waits included"
  ),
  httpDuration: histogram(
    "http.client.request.duration",
    [
      "http.request.method",
      "url.template",
      "server.address",
      "server.port",
      "http.response.status_code",
      "error.type"
    ],
    "duration of an attempt, for a download up to its headers",
    httpSeconds
  ),
  waitDuration: histogram(named("wait.duration"), ["operation", "cause"], "waits before an attempt, by cause"),
  attempts: counter("attempts", "{attempt}", ["operation", "result"], "attempts, by result"),
  throttles: counter("throttles", "{attempt}", ["operation", "status"], "attempts refused with 429, 456 or 529"),
  polls: counter("polls", "{poll}", ["operation"], "responses that a document or job is not ready yet"),
  downloaded: counter("downloaded", "By", [], "bytes of documents received"),
  characters: counter(
    "characters",
    "{character}",
    ["operation"],
    "characters of texts that may have been counted: of attempts that succeeded or have an unknown outcome"
  ),
  concurrency: gauge(
    "concurrency",
    "{attempt}",
    "concurrency limit learned from responses; low at the start and after signs of overload"
  ),
  rate: gauge("rate", "{request}/s", "requests a second, learned from 429 and 529 responses; 0 without a limit"),
  cuts: counter("cuts", "{cut}", ["sign"], "cuts of the learned concurrency or rate, by the last sign of overload"),
  unsent: counter("unsent", "{call}", ["operation"], "calls not sent, because the time left was too short"),
  breakerState: gauge("circuit_breaker.state", "{state}", "0 closed, 1 half-open, 2 open"),
  sharedStoreFailures: counter(
    "shared_store.failures",
    "{failure}",
    [],
    "failures of the store of a shared rate, during which a local rate applies"
  )
}

/** A tree of metrics, keyed by attribute values. */
interface Series {
  readonly next: Map<string | undefined, Series>
  metric?: Metric.Metric<number, unknown>
}

const all = Record.map(metrics, (): Series => ({ next: new Map() }))

/** Updates a metric. Keeps a `Metric` for each combination of attributes, because Effect recomputes a series whose attributes change. */
export const update = <N extends keyof typeof metrics>(
  name: N,
  value: number,
  attributes: Readonly<Record<(typeof metrics)[N]["attributes"][number], string | undefined>>,
  context: Context.Context<never>
): void => {
  const values: Readonly<Record<string, string | undefined>> = attributes
  let series: Series = all[name]
  for (const attribute in values) {
    const { next } = series
    const value = values[attribute]
    const known = next.get(value)
    if (known === undefined) next.set(value, series = { next: new Map() })
    else series = known
  }
  series.metric ??= Metric.withAttributes(metrics[name].make(), Record.filter(values, isString))
  series.metric.updateUnsafe(value, context)
}

/** Records a wait of `millis` that began `ago` milliseconds ago, in the metric and in a span event at the start of the wait. */
export const waited = (
  { ago, cause, millis, operation }: {
    readonly operation: string
    readonly cause: WaitCause | "concurrency" | "rate" | "learned-rate" | "circuit" | "connection"
    readonly millis: number
    readonly ago: number
  },
  span: Tracer.Span | undefined,
  clock: Clock.Clock,
  context: Context.Context<never>
): void => {
  const seconds = millis / 1000
  update("waitDuration", seconds, { operation, cause }, context)
  span?.event("language_service.wait", clock.currentTimeNanosUnsafe() - BigInt(Math.round(ago * 1e6)), {
    "language_service.wait.cause": cause,
    "language_service.wait.duration": seconds
  })
}

export const labelled = (client: string | undefined): <R>(context: Context.Context<R>) => Context.Context<R> => {
  if (client === undefined) return identity
  const label = { client }
  return (context) => {
    const outer = Context.get(context, Metric.CurrentMetricAttributes)
    // The same object in most updates, because Effect recomputes a series for a new object.
    const attributes = Object.keys(outer).length === 0 ? label : { ...outer, ...label }
    return Context.add(context, Metric.CurrentMetricAttributes, attributes)
  }
}

export const clientName: Effect.Effect<string | undefined> = Effect.map(
  Effect.serviceOption(ClientState),
  (client) => Option.getOrUndefined(client)?.name
)

/**
 * An event of a client.
 *
 * **Details**
 *
 * - `AttemptEnded`: an attempt succeeded, failed or was interrupted. A `stopCause` that is known only after the event, such as a deadline during a
 *   wait, is only in the call's error.
 * - `Waiting`: a call waits before its next attempt.
 * - `BreakerChanged`: the circuit breaker changed its state.
 *
 * `annotations` are the caller's log annotations. A request shared by several calls has the annotations of all calls, different values as an array.
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
 * The caller's log annotations, from `Effect.annotateLogs`.
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

const backlog = 1024

const makePublisher = () => {
  const listeners = new Set<Queue.Queue<Event, Cause.Done>>()
  return {
    listen: Effect.acquireRelease(
      Effect.map(Queue.sliding<Event, Cause.Done>(backlog), (queue) => {
        listeners.add(queue)
        return queue
      }),
      (queue) => Effect.sync(() => listeners.delete(queue))
    ),
    /** Creates the event only if there are listeners. */
    publish: (event: () => Event): void => {
      if (listeners.size === 0) return
      const happened = event()
      for (const queue of listeners) Queue.offerUnsafe(queue, happened)
    }
  }
}

const publishers = new WeakMap<object, ReturnType<typeof makePublisher>>()

export const makeEvents = Effect.sync(() => {
  const publisher = makePublisher()
  const events = { stream: Stream.unwrap(Effect.map(publisher.listen, Stream.fromQueue)) }
  publishers.set(events, publisher)
  return events
})

export const publisherOf = (events: object) => publishers.get(events)
