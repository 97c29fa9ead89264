/** The metrics of the client, the source of the tables in docs/observability.md, and the spans of calls and attempts. */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { version } from "../../config/internal/version.ts"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type { WaitCause } from "../../errors/Attempt.ts"
import { ClientState } from "../ClientState.ts"

/** The instrumentation scope, as OpenTelemetry represents it where a format has no field for it: Effect has one scope per tracer. */
const scope = { "otel.scope.name": "@effect-lingua/core", "otel.scope.version": version }

/** True if spans are kept: the tracer of Effect keeps none. */
export const isTraced = (context: Context.Context<never>): boolean =>
  Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer

/**
 * Runs an effect in a span that ends with nothing, or with the name of its error: a tracer keeps the exit of a span, and results
 * and error messages can contain texts of the caller.
 */
export const inSpan = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  name: string,
  options: Tracer.SpanOptionsNoTrace & { readonly attributes: Readonly<Record<string, unknown>> },
  /** Adds what is known at the end of the effect, and returns the name of its error. */
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
        // An exporter takes the status of the span from the way its effect ends.
        return Effect.fail(error)
      }))
    return Effect.matchEffect(spanned, { onFailure: endOr, onSuccess: endOr })
  })

const prefix = "language_service.client."

/** The histogram of OpenTelemetry's conventions for HTTP clients, with its name and boundaries. */
const httpDuration = "http.client.request.duration"
const httpSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 100, 300, 1800]

/** The causes of a wait before an attempt, as in the attribute `cause` of `wait.duration`, with their meaning. */
export const waitCauses: Readonly<
  Record<WaitCause | "concurrency" | "rate" | "learned-rate" | "circuit" | "connection", string>
> = {
  backoff: "the client's own wait after a failure",
  "retry-after": "the service's `Retry-After`, which was longer",
  poll: "a document or job is not ready yet",
  concurrency: "as many calls are under way as the policy, the tenant or the service allows",
  rate: "the turn in the `rate` of the policy or of the tenant",
  "learned-rate": "the turn in the rate that 429 and 529 responses have taught",
  circuit: "the service is overloaded or down: the pause before the next request",
  connection: "all connections of the pool are in use, or a new one is being opened"
}

interface Options {
  readonly description: string
  readonly attributes: Readonly<Record<string, string>>
}

const instruments = {
  histogram: (name: string, options: Options) =>
    Metric.histogram(name, { ...options, boundaries: name === httpDuration ? httpSeconds : seconds }),
  counter: (name: string, options: Options) => Metric.counter(name, { ...options, incremental: true }),
  gauge: (name: string, options: Options) => Metric.gauge(name, options)
}

/** A metric and its row in the table of docs/observability.md. */
interface Described<Attribute> {
  readonly make: () => Metric.Metric<number, unknown>
  readonly instrument: keyof typeof instruments
  readonly name: string
  readonly unit: string
  readonly attributes: ReadonlyArray<Attribute>
  readonly description: string
}

const described = <const Attribute extends string = never>(
  instrument: keyof typeof instruments,
  name: string,
  unit: string,
  attributes: ReadonlyArray<Attribute>,
  description: string
): Described<Attribute> => ({
  make: () => instruments[instrument](name, { description, attributes: { unit } }),
  instrument,
  name,
  unit,
  attributes,
  description
})

/** All metrics of the client. */
export const metrics = {
  operationDuration: described(
    "histogram",
    `${prefix}operation.duration`,
    "s",
    ["operation", "result"],
    "duration of a call, attempts and waits included"
  ),
  httpDuration: described(
    "histogram",
    httpDuration,
    "s",
    [
      "http.request.method",
      "url.template",
      "server.address",
      "server.port",
      "http.response.status_code",
      "error.type"
    ],
    "duration of an attempt, for a download up to its headers"
  ),
  waitDuration: described(
    "histogram",
    `${prefix}wait.duration`,
    "s",
    ["operation", "cause"],
    "waits before an attempt, by their cause"
  ),
  attempts: described(
    "counter",
    `${prefix}attempts`,
    "{attempt}",
    ["operation", "result"],
    "attempts, by their result"
  ),
  throttles: described(
    "counter",
    `${prefix}throttles`,
    "{attempt}",
    ["operation", "status"],
    "attempts with a response of 429, 456 or 529"
  ),
  polls: described(
    "counter",
    `${prefix}polls`,
    "{poll}",
    ["operation"],
    "responses that a document or job is not ready yet"
  ),
  downloaded: described("counter", `${prefix}downloaded`, "By", [], "bytes of documents received"),
  characters: described(
    "counter",
    `${prefix}characters`,
    "{character}",
    ["operation"],
    "characters of texts that the service may have counted: those of each attempt that succeeded or has an unknown outcome"
  ),
  concurrency: described(
    "gauge",
    `${prefix}concurrency`,
    "{attempt}",
    [],
    "attempts that may be in flight, learned from the responses; low at the start and after signs of overload"
  ),
  rate: described(
    "gauge",
    `${prefix}rate`,
    "{request}/s",
    [],
    "requests a second that 429 and 529 responses have taught; 0 while there is no such limit"
  ),
  cuts: described(
    "counter",
    `${prefix}cuts`,
    "{cut}",
    ["sign"],
    "cuts of the attempts that may be in flight, by the last of the signs of overload, and measurements of a limit of rate"
  ),
  unsent: described(
    "counter",
    `${prefix}unsent`,
    "{call}",
    ["operation"],
    "calls that were not sent, as too little time was left for the pause of the client or for a response"
  ),
  breakerState: described("gauge", `${prefix}circuit_breaker.state`, "{state}", [], "0 closed, 1 half-open, 2 open"),
  sharedStoreFailures: described(
    "counter",
    `${prefix}shared_store.failures`,
    "{failure}",
    [],
    "failures of the store of a shared rate, during which a local one applies"
  )
}

/** The metric of a combination of attributes, found by their values one after the other. */
interface Series {
  readonly next: Map<string | undefined, Series>
  metric?: Metric.Metric<number, unknown>
}

const makeSeries = (): Series => ({ next: new Map() })

const all = makeSeries()

const seriesAt = (at: Series, value: string | undefined): Series => {
  let series = at.next.get(value)
  if (series === undefined) at.next.set(value, series = makeSeries())
  return series
}

const present = (attributes: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])
  )

/**
 * Updates a metric. Each combination of attributes, of which there are few, has a metric of its own: Effect computes the name of
 * a series again whenever a metric is updated with other attributes than before.
 */
export const update = <N extends keyof typeof metrics>(
  name: N,
  value: number,
  given: Readonly<Record<(typeof metrics)[N]["attributes"][number], string | undefined>>,
  context: Context.Context<never>
): void => {
  const attributes: Readonly<Record<string, string | undefined>> = given
  let series = seriesAt(all, name)
  // A metric always has the same attributes.
  for (const attribute in attributes) series = seriesAt(series, attributes[attribute])
  series.metric ??= Metric.withAttributes(metrics[name].make(), present(attributes))
  series.metric.updateUnsafe(value, context)
}

/** The span of the calls in a context, for their events: none where the tracer is Effect's own, which keeps none. */
export const spanOf = (context: Context.Context<never>): Tracer.Span | undefined => {
  const span = Context.getOrUndefined(context, Tracer.ParentSpan)
  return span?._tag === "Span" && isTraced(context) ? span : undefined
}

/** Records a wait of a call before an attempt, by its cause: in its metric, and as an event of the span at the time of its start. */
export const waited = (
  { ago, cause, millis, operation }: {
    readonly operation: string
    readonly cause: keyof typeof waitCauses
    readonly millis: number
    /** Milliseconds since the start of the wait. */
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

/** Adds the name of a client, if it has one, to the attributes of metrics. */
export const labelled = (client: string | undefined): <R>(context: Context.Context<R>) => Context.Context<R> => {
  if (client === undefined) return identity
  const own = { client }
  return (context) => {
    const around = Context.get(context, Metric.CurrentMetricAttributes)
    // One object for most updates, as Effect computes the series of a metric again for another object.
    const attributes = Object.keys(around).length === 0 ? own : { ...around, ...own }
    return Context.add(context, Metric.CurrentMetricAttributes, attributes)
  }
}

/** The context of the metrics of a client, for updates outside of a call. */
export const clientContext = Effect.flatMap(
  LanguageServiceConfig,
  ({ name }) => Effect.map(Effect.context(), labelled(name))
)

/** The name of the client of the context; `undefined` without a client, or if it has no name. */
export const clientName: Effect.Effect<string | undefined> = Effect.map(
  Effect.serviceOption(ClientState),
  (client) => Option.getOrUndefined(client)?.name
)
