/**
 * Exports traces, metrics and logs to a collector over OTLP.
 *
 * @since 0.1.0
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { HttpBody } from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import { HttpClientError, TransportError } from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Otlp from "effect/observability/Otlp"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import type * as OtlpResource from "effect/observability/OtlpResource"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import type * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Option from "effect/Option"
import { hasProperty } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import "./internal/supported.ts"

/** Concurrent requests per URL: one is encoded while the collector receives the other. */
const inFlight = 2

/** Maximum exports per URL, in flight or queued: for traces, about 10,000 spans. */
const capacity = 10

/** Number of attempts of Effect's exporter. */
const attemptsPerExport = 4

interface Lane {
  readonly permits: Semaphore.Semaphore
  size: number
  /** Number of exports lost in the current outage. */
  lost: number
  warning?: Effect.Effect<void>
}

const warnOnce = (lane: Lane, problem: string) =>
  Effect.suspend(() => lane.lost++ === 0 ? Effect.logWarning(`${problem}; telemetry is lost`) : Effect.void)

/**
 * A client that fails a request after `timeout`, including queue time. A full queue drops the request and reports success,
 * because a failure would pause the exporter for a minute.
 */
const bounded = Effect.fnUntraced(function*(client: HttpClient.HttpClient, timeout: Duration.Duration) {
  const lanes = new Map<string, Lane>()
  // Logs pending warnings, because closing may interrupt the last export between attempts.
  yield* Effect.addFinalizer(() => Effect.forEach(lanes.values(), ({ warning = Effect.void }) => warning))
  const failures = new WeakMap<HttpBody, number>()
  const scoped = HttpClient.withScope(client)
  return HttpClient.make((request) =>
    Effect.suspend(() => {
      const lane = lanes.get(request.url) ?? { permits: Semaphore.makeUnsafe(inFlight), size: 0, lost: 0 }
      lanes.set(request.url, lane)
      const signal = /\b(?:traces|metrics|logs)$/.exec(request.url)?.[0] ?? "signals"
      if (lane.size === capacity) {
        return Effect.as(
          warnOnce(lane, `The collector is too slow for the ${signal} of this program`),
          HttpClientResponse.fromWeb(request, new Response(null, { status: 204 }))
        )
      }
      const refused = (reason: unknown, isTransient = true) => {
        const failed = 1 + (failures.get(request.body) ?? 0)
        failures.set(request.body, failed)
        lane.warning = warnOnce(lane, `The collector does not accept the ${signal} of this program (${String(reason)})`)
        return isTransient && failed < attemptsPerExport ? Effect.void : lane.warning
      }
      const keepsUp = Effect.suspend(() => {
        lane.warning = Effect.void
        // Reports recovery when the queue is empty, so that one outage causes one warning.
        if (lane.lost === 0 || lane.size > 1) return Effect.void
        const { lost } = lane
        lane.lost = 0
        return Effect.logInfo(`The collector accepts all ${signal} again; ${lost} exports failed or were dropped`)
      })
      const sent = scoped.execute(request).pipe(
        Effect.tap((response) => response.arrayBuffer),
        Effect.scoped,
        (send) => lane.permits.withPermit(send),
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () =>
            Effect.fail(
              new HttpClientError({ reason: new TransportError({ request, cause: new Cause.TimeoutError() }) })
            )
        }),
        Effect.tap((response) =>
          response.status < 300
            ? keepsUp
            : refused(`status ${response.status}`, HttpClient.isTransientResponse(response))
        ),
        Effect.tapError(({ cause }) => refused(hasProperty(cause, "code") ? cause.code : "no response"))
      )
      return Effect.acquireUseRelease(Effect.sync(() => lane.size++), () => sent, () => Effect.sync(() => lane.size--))
    })
  )
})

/**
 * The program's OpenTelemetry resource attributes. An option overrides its environment variable.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** Default: `OTEL_SERVICE_NAME`, or `unknown_service:node`. */
  readonly serviceName?: string | undefined
  /** Default: `OTEL_SERVICE_VERSION`, or none. */
  readonly serviceVersion?: string | undefined
  /** Additions to `OTEL_RESOURCE_ATTRIBUTES`. */
  readonly attributes?: Readonly<Record<string, unknown>> | undefined
}

/** OpenTelemetry's default exporters; Effect exports nothing by default. */
const defaults = ConfigProvider.fromEnv({
  env: {
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_LOGS_EXPORTER: "otlp"
  }
})

const setup = Config.all({
  protocol: Config.Literals(["http/protobuf", "http/json"], "OTEL_EXPORTER_OTLP_PROTOCOL").pipe(
    Config.withDefault("http/protobuf")
  ),
  timeout: Config.Int("OTEL_EXPORTER_OTLP_TIMEOUT").pipe(Config.withDefault(10_000)),
  name: Config.option(Config.NonEmptyString("OTEL_SERVICE_NAME")),
  resource: Config.Record(Schema.String, Schema.String, "OTEL_RESOURCE_ATTRIBUTES", { trim: true }).pipe(
    Config.withDefault<Record<string, string>>({})
  )
})

const scopePrefix = "otel.scope."

const scopeField = (attributes: ReadonlyArray<OtlpResource.KeyValue> | undefined, field: string) =>
  attributes?.find(({ key }) => key === `${scopePrefix}${field}`)?.value.stringValue ?? ""

const byScope = ({ spans, ...group }: OtlpTracer.ScopeSpan): ReadonlyArray<OtlpTracer.ScopeSpan> =>
  Array.from(
    Map.groupBy(spans, ({ attributes }) => scopeField(attributes, "name")),
    ([name, spans]) =>
      name === "" ? { ...group, spans } : {
        ...group,
        scope: { name, version: scopeField(spans[0]?.attributes, "version") },
        spans: spans.map((span) => ({
          ...span,
          attributes: span.attributes.filter(({ key }) => !key.startsWith(scopePrefix))
        }))
      }
  )

/** Keeps each span's instrumentation scope; Effect writes one scope for all spans. */
const withScopes = Effect.map(OtlpSerialization.OtlpSerialization, (serialization) => ({
  ...serialization,
  traces: ({ resourceSpans }: OtlpTracer.TraceData) =>
    serialization.traces({
      resourceSpans: resourceSpans.map((resource) => ({
        ...resource,
        scopeSpans: resource.scopeSpans.flatMap(byScope)
      }))
    })
}))

/** Logs an error as a span event with the error's `name`; Effect's logger would name the event after all fields. */
const spanLogger = Logger.make<unknown, void>((entry) =>
  Logger.tracerLogger.log({
    ...entry,
    message: Arr.ensure(entry.message).map((part) => part instanceof Error ? part.name : part)
  })
)

const withSpanLogger = Layer.effect(
  Logger.CurrentLoggers,
  Effect.map(
    Logger.CurrentLoggers,
    (loggers) => new Set(Array.from(loggers, (logger) => logger === Logger.tracerLogger ? spanLogger : logger))
  )
)

const isConfigError = (error: unknown): error is Config.ConfigError => error instanceof Config.ConfigError

/**
 * Sends traces, metrics and logs to a collector over separate connections. Provide the layer to the whole program,
 * including the client:
 *
 *     program.pipe(Effect.provide(NodeLanguageService.layerConfig().pipe(Layer.provideMerge(NodeTelemetry.layer()))))
 *
 * **Details**
 *
 * Sends nothing unless `OTEL_EXPORTER_OTLP_ENDPOINT` is set, or `OTEL_EXPORTER_OTLP_<SIGNAL>_ENDPOINT` for `TRACES`,
 * `METRICS` or `LOGS`. The page on observability lists the other variables.
 *
 * Fails with `ConfigError` if a variable is invalid. A slow or unavailable collector never fails a call: exports beyond ten
 * pending exports of a signal are dropped, and one warning per outage states the reason. Buffered telemetry is sent when
 * the layer closes or the provided `OtlpExporter.Flusher` runs.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<OtlpExporter.Flusher, Config.ConfigError> =>
  Layer.unwrap(Effect.map(setup, ({ name, protocol, resource, timeout }) => {
    const serviceName = options.serviceName ??
      (Option.isNone(name) && resource["service.name"] === undefined ? "unknown_service:node" : undefined)
    const exporters = Otlp.layerFromConfig({
      resource: { serviceName, serviceVersion: options.serviceVersion, attributes: { ...options.attributes } }
    })
    return Layer.provideMerge(withSpanLogger, exporters).pipe(
      Layer.provide([
        Layer.effect(OtlpSerialization.OtlpSerialization, withScopes).pipe(
          Layer.provide(protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf)
        ),
        Layer.effect(
          HttpClient.HttpClient,
          Effect.flatMap(HttpClient.HttpClient, (client) => bounded(client, Duration.millis(timeout)))
        ).pipe(Layer.provide(NodeHttpClient.layerUndiciOptions({ allowH2: false }))),
        ConfigProvider.layerAdd(defaults)
      ])
    )
  })).pipe(
    // Fails with the `ConfigError` with which Effect's exporter dies.
    Layer.catchCause((cause) => {
      const error = Cause.squash(cause)
      return Layer.effect(OtlpExporter.Flusher, isConfigError(error) ? Effect.fail(error) : Effect.failCause(cause))
    })
  )
