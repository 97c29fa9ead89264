import { Documents, Writing } from "@effect-lingua/core"
import { NodeLanguageService, NodeTelemetry } from "@effect-lingua/node"
import { FakeLanguageService, Fault, NodeFakeLanguageService } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Layer, Logger, Metric, Redacted, Scope, Stream } from "effect"
import {
  OtlpExporter,
  type OtlpLogger,
  type OtlpMetrics,
  type OtlpResource,
  type OtlpTracer
} from "effect/observability"
import { TestClock } from "effect/testing"
import { createServer } from "node:http"
import { text as textOf } from "node:stream/consumers"
import { recordedLog } from "../../../test/support/logs.ts"
import { effect, liveWith } from "../../../test/support/tests.ts"
import { turns } from "../../../test/support/virtual.ts"
import { until } from "./support/documents.ts"
import { httpServer } from "./support/httpServer.ts"
import { serve } from "./support/listen.ts"

/** A request that a collector received. */
interface Received {
  readonly path: string
  readonly contentType: string | undefined
  readonly body: string
}

/** An OTLP collector on loopback that accepts every request. `received` are its requests in order of arrival. */
const collector = Effect.gen(function*() {
  const received: Array<Received> = []
  const server = yield* serve(createServer(async (request, response) => {
    const body = await textOf(request)
    received.push({ path: request.url ?? "", contentType: request.headers["content-type"], body })
    response.end()
  }))
  return { ...server, received }
})

/** A collector that sends no response, or no more than the headers, until `answer` is called. */
const hangingCollector = Effect.fnUntraced(function*(withHeaders = false) {
  let isAnswering = false
  const waiting: Array<() => void> = []
  const server = yield* httpServer((request, response) => {
    if (withHeaders) response.writeHead(200, { "content-length": 2 }).flushHeaders()
    const answer = () => void response.end(withHeaders ? "{}" : "")
    request.on("end", () => isAnswering ? answer() : waiting.push(answer))
  })
  return {
    ...server,
    answer: () => {
      isAnswering = true
      for (const answer of waiting) answer()
    }
  }
})

/** Attributes as a record. */
const record = (attributes: ReadonlyArray<OtlpResource.KeyValue>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]))

const parsed = (received: ReadonlyArray<Received>) =>
  received.map(({ body }) => {
    const sent: Partial<OtlpTracer.TraceData & OtlpMetrics.MetricsData & OtlpLogger.LogsData> = JSON.parse(body)
    return sent
  })

/** The spans of traces, each with its scope. */
const spansOf = (received: ReadonlyArray<Received>) =>
  parsed(received).flatMap(({ resourceSpans = [] }) => resourceSpans).flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ scope, spans }) => spans.map((span) => ({ ...span, scope })))

const metricsOf = (received: ReadonlyArray<Received>) =>
  parsed(received).flatMap(({ resourceMetrics = [] }) => resourceMetrics).flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)

const logsOf = (received: ReadonlyArray<Received>) =>
  parsed(received).flatMap(({ resourceLogs = [] }) => resourceLogs).flatMap(({ scopeLogs }) => scopeLogs)
    .flatMap(({ logRecords }) => logRecords ?? [])

/** The telemetry of a program. Its layers are closed, so all of it has been sent. */
const observed = Effect.fnUntraced(function*<A, E>(
  program: Effect.Effect<A, E, Writing | Documents | FakeLanguageService>,
  env: Readonly<Record<string, string | undefined>> = {},
  options?: NodeTelemetry.Options
) {
  const server = yield* collector
  const fake = yield* FakeLanguageService
  const layer = NodeLanguageService.layer({
    key: Redacted.make(FakeLanguageService.defaultKey),
    baseUrl: fake.url,
    journal: "memory",
    resilience: {
      backoffBase: Duration.millis(1),
      throttleBase: Duration.millis(1),
      pollBase: Duration.millis(20),
      pollCap: Duration.millis(20)
    }
  }).pipe(
    Layer.provideMerge(NodeTelemetry.layer(options)),
    Layer.provide(Logger.layer([Logger.tracerLogger])),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({
      env: JSON.parse(JSON.stringify({
        OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        ...env
      }))
    })))
  )
  const value = yield* Effect.provide(program, layer, { local: true }).pipe(
    // The registry of the process has the metrics of other tests, too.
    Effect.provideService(Metric.MetricRegistry, new Map())
  )
  return { value, received: server.received }
})

const text = "A confidential sentence."

const rephrase = Writing.use((writing) => writing.rephrase({ text: [text], targetLanguage: "en-GB" }))

const test = liveWith(NodeFakeLanguageService.layer())

const sent = (env: Readonly<Record<string, string | undefined>>) =>
  Effect.map(
    observed(rephrase, env),
    ({ received }) =>
      [...new Set(received.map(({ contentType, path }) => `${path} ${contentType}`))]
        .toSorted((a, b) => a.localeCompare(b))
  )

const smallBatches = { OTEL_BSP_SCHEDULE_DELAY: "50", OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "100" }

/** A client that exports traces and metrics to an address, and whose only loggers are the given ones. */
const exporting = (
  url: string,
  loggers: ReadonlyArray<Logger.Logger<unknown, unknown>>,
  env: Readonly<Record<string, string>> = {}
) =>
  Effect.map(FakeLanguageService, (fake) =>
    NodeLanguageService.layer({
      key: Redacted.make(FakeLanguageService.defaultKey),
      baseUrl: fake.url,
      journal: "memory"
    }).pipe(
      Layer.provideMerge(NodeTelemetry.layer()),
      Layer.provideMerge(Logger.layer(loggers)),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({
        env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_LOGS_EXPORTER: "none", ...smallBatches, ...env }
      })))
    ))

const spans = (count: number) => Effect.void.pipe(Effect.withSpan("span"), Effect.repeat({ times: count - 1 }))

describe.concurrent("NodeTelemetry.layer", () => {
  test("sends a span of the operation with a client span for each attempt below it, and no trace headers", function*() {
    const fake = yield* FakeLanguageService
    yield* fake.script({ fault: Fault.rateLimited() })
    yield* fake.script({ fault: Fault.reset() })
    const { received } = yield* observed(rephrase)
    const { hostname, port } = new URL(fake.url)
    const spans = spansOf(received)
    const operation = spans.find(({ name }) => name === "Writing.rephrase")
    assert(operation !== undefined)
    assert.strictEqual(operation.status.code, 1)
    const attempts = spans.filter(({ kind }) => kind === 3)
    assert.deepStrictEqual(spans.length, 4)
    const common = {
      "http.request.method": "POST",
      "url.template": "/v2/write/rephrase",
      "server.address": hostname,
      "server.port": Number(port)
    }
    const requests = yield* fake.requests
    const traceIds = requests.map(({ traceId }) => traceId)
    const headers = requests.flatMap(({ headers }) => Object.keys(headers))
    assert.deepStrictEqual(headers.filter((name) => /trace|b3/.test(name)), [])
    const byNumber = attempts.map((span) => record(span.attributes)).toSorted((a, b) =>
      Number(a["http.request.resend_count"] ?? 0) - Number(b["http.request.resend_count"] ?? 0)
    )
    assert.deepStrictEqual(byNumber, [
      {
        ...common,
        "http.response.status_code": 429,
        "error.type": "RateLimited",
        "language_service.outcome": "refused",
        "language_service.trace_id": traceIds[0]
      },
      {
        ...common,
        "http.request.resend_count": 1,
        "error.type": "ConnectionLost",
        "language_service.outcome": "unknown"
      },
      {
        ...common,
        "http.request.resend_count": 2,
        "http.response.status_code": 200,
        "language_service.trace_id": traceIds[2]
      }
    ])
    for (const attempt of attempts) {
      assert.strictEqual(attempt.name, "POST /v2/write/rephrase")
      assert.strictEqual(attempt.parentSpanId, operation.spanId)
      assert.strictEqual(attempt.traceId, operation.traceId)
      // By the conventions of OpenTelemetry an attempt with an error has the status error.
      const error = record(attempt.attributes)["error.type"]?.toString()
      assert.deepStrictEqual(attempt.status, error === undefined ? { code: 1 } : { code: 2, message: error })
    }
  })

  test("sends the spans of the client with its scope, and those of the program with Effect's", function*() {
    const { received } = yield* observed(Effect.withSpan(rephrase, "program"))
    const spans = spansOf(received)
    assert.deepStrictEqual(
      spans.map(({ name, scope }) => `${name}: ${scope.name}`).toSorted((a, b) => a.localeCompare(b)),
      ["POST /v2/write/rephrase: @effect-lingua/core", "program: effect", "Writing.rephrase: @effect-lingua/core"]
    )
    const short = yield* observed(Effect.exit(Writing.use((writing) => writing.rephrase({ text: [] }))))
    const single = spansOf(short.received)
    assert.lengthOf(single, 1)
    for (const { attributes, scope } of [...spans, ...single]) {
      assert.match(String(scope.version), /^\d+\.\d+\.\d+/)
      assert.notInclude(JSON.stringify(attributes), "otel.scope")
    }
  })

  test("sends the metrics with their units and attributes", function*() {
    const fake = yield* FakeLanguageService
    yield* fake.script({ operation: "Writing.rephrase", fault: Fault.rateLimited() })
    yield* fake.script({ operation: "Documents.download", fault: Fault.unavailable({ description: "Not ready" }) })
    const { received } = yield* observed(Effect.gen(function*() {
      yield* rephrase
      const document = yield* fake.addDocument({ content: "Hallo Welt", readyAfter: 0 })
      const { stream } = yield* Documents.use((documents) => documents.download(document))
      yield* Stream.runDrain(stream)
    }))
    const metrics = metricsOf(received).filter(({ name }) => name.startsWith("language_service.client."))
    const about = metrics.map((metric) => {
      const points = (metric.sum ?? metric.gauge ?? metric.histogram)?.dataPoints ?? []
      const names = new Set(points.flatMap(({ attributes = [] }) => attributes.map(({ key }) => key)))
      names.delete("unit")
      return [
        metric.name.slice("language_service.client.".length),
        metric.sum === undefined ? metric.gauge === undefined ? "histogram" : "gauge" : "counter",
        metric.unit,
        [...names].toSorted((a, b) => a.localeCompare(b)).join(", ")
      ].join(" | ")
    })
    for (
      const expected of [
        "operation.duration | histogram | s | operation, result",
        "wait.duration | histogram | s | cause, operation",
        "attempts | counter | {attempt} | operation, result",
        "throttles | counter | {attempt} | operation, status",
        "polls | counter | {poll} | operation",
        "downloaded | counter | By | ",
        "characters | counter | {character} | operation",
        "concurrency | gauge | {attempt} | ",
        "circuit_breaker.state | gauge | {state} | "
      ]
    ) assert.include(about, expected)
  })

  test("sends logs, and no text, key or document key in any signal", function*() {
    const fake = yield* FakeLanguageService
    const document = yield* fake.addDocument({ content: text, readyAfter: "20 millis" })
    yield* fake.script({ operation: "Writing.rephrase", fault: Fault.serverError() })
    yield* fake.script({ operation: "Writing.rephrase", fault: { status: 400 } })
    const { received, value: error } = yield* observed(
      Effect.gen(function*() {
        const error = yield* Effect.flip(Effect.tapError(rephrase, Effect.logError))
        const { stream } = yield* Documents.use((documents) => documents.download(document))
        yield* Stream.runDrain(stream)
        return error
      }).pipe(Effect.withSpan("job"))
    )
    const log = logsOf(received).find(({ severityText }) => severityText?.toUpperCase() === "ERROR")
    assert.include(log?.body?.stringValue, error.message)
    assert.isDefined(log?.traceId)
    const job = spansOf(received).find(({ name }) => name === "job")
    assert.deepStrictEqual(job?.events?.map(({ name }) => name), [error._tag])
    assert.deepStrictEqual(
      [...new Set(received.map(({ path }) => path))].toSorted((a, b) => a.localeCompare(b)),
      ["/v1/logs", "/v1/metrics", "/v1/traces"]
    )
    for (const { body } of received) {
      const { documentId, documentKey } = document
      for (const secret of [text, FakeLanguageService.defaultKey, documentId, Redacted.value(documentKey)]) {
        assert.notInclude(body, secret)
      }
    }
  })

  test("names the program by its options, by the variables, or by OpenTelemetry's default", function*() {
    for (
      const [env, name] of [
        [{}, "unknown_service:node"],
        [{ OTEL_SERVICE_NAME: "shop" }, "shop"],
        [{ OTEL_RESOURCE_ATTRIBUTES: "service.name=shop,deployment.environment.name=test" }, "shop"]
      ] as const
    ) {
      const { received } = yield* observed(rephrase, env)
      for (const { body } of received) assert.include(body, `"service.name","value":{"stringValue":"${name}"}`)
    }
    const options = { serviceName: "own", serviceVersion: "1.2.3", attributes: { team: "letters" } }
    const { received } = yield* observed(rephrase, { OTEL_SERVICE_NAME: "shop" }, options)
    for (const text of ["own", "1.2.3", "letters"]) assert.include(received[0]?.body, `{"stringValue":"${text}"}`)
  })

  test("sends protobuf by default, only the signals that are on, and nothing if the SDK is disabled", function*() {
    assert.deepStrictEqual(yield* sent({ OTEL_EXPORTER_OTLP_PROTOCOL: undefined, OTEL_LOGS_EXPORTER: "none" }), [
      "/v1/metrics application/x-protobuf",
      "/v1/traces application/x-protobuf"
    ])
    assert.deepStrictEqual(yield* sent({ OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }), [])
    assert.deepStrictEqual(yield* sent({ OTEL_SDK_DISABLED: "true" }), [])
  })

  it.live("fails with the name of an invalid variable", () =>
    Effect.gen(function*() {
      for (
        const [name, value] of [
          ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
          ["OTEL_BSP_SCHEDULE_DELAY", "soon"],
          ["OTEL_SDK_DISABLED", "perhaps"]
        ] as const
      ) {
        const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:1", [name]: value }
        const error = yield* Effect.flip(Effect.scoped(Layer.build(NodeTelemetry.layer()))).pipe(
          Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
        )
        assert.strictEqual(error._tag, "ConfigError")
        assert.include(error.message, name)
      }
    }))

  for (
    const [what, collect, reason] of [
      ["is down", Effect.succeed("http://127.0.0.1:1"), "ECONNREFUSED"],
      ["is down when the program ends", Effect.succeed("http://127.0.0.1:1"), "ECONNREFUSED"],
      [
        "refuses",
        Effect.map(serve(createServer((_, response) => response.writeHead(401).end())), ({ url }) => url),
        "status 401"
      ]
    ] as const
  ) {
    test(`a collector that ${what} affects no call, and is in one warning per signal`, function*() {
      const { lines, logger } = recordedLog()
      const layer = yield* exporting(yield* collect, [logger], { OTEL_METRICS_EXPORTER: "none" })
      const calls = Effect.gen(function*() {
        assert.strictEqual((yield* rephrase).length, 1)
        if (what.endsWith("ends")) return
        yield* until(() => lines.length > 0)
        const { flush } = yield* OtlpExporter.Flusher
        yield* Effect.andThen(rephrase, flush)
      })
      yield* Effect.provide(calls, layer, { local: true })
      assert.deepStrictEqual(lines, [
        `Warn The collector does not accept the traces of this program (${reason}); telemetry is lost`
      ])
    })
  }

  test("a collector that accepts the third attempt of an export is in no warning", function*() {
    let requests = 0
    const { url } = yield* serve(createServer((_, response) => response.writeHead(++requests < 3 ? 503 : 200).end()))
    const { lines, logger } = recordedLog()
    const layer = yield* exporting(url, [logger], { OTEL_METRICS_EXPORTER: "none" })
    yield* Effect.provide(Effect.andThen(rephrase, until(() => requests === 3)), layer, { local: true })
    assert.deepStrictEqual(lines, [])
  })

  test("opens few connections to a collector that hangs, drops further exports, and logs that once", function*() {
    const server = yield* hangingCollector()
    const { lines, logger } = recordedLog()
    const layer = yield* exporting(server.url, [logger], { OTEL_EXPORTER_OTLP_TIMEOUT: "3600000" })
    yield* Effect.gen(function*() {
      yield* spans(3000)
      yield* until(() => server.open() > 0)
      assert.strictEqual((yield* rephrase).length, 1)
      // Two for traces, and one for metrics, which are exported one at a time.
      assert.isAtMost(server.most(), 3)
      assert.deepStrictEqual(lines, [
        "Warn The collector is too slow for the traces of this program; telemetry is lost"
      ])
      server.answer()
      yield* until(() => lines.length > 1)
      const again = /^Info The collector accepts all traces again; (\d+) exports failed or were dropped$/
      // Of 30 full exports 10 are queued. A timer may send some that are not full.
      assert.isAbove(Number(again.exec(lines[1] ?? "")?.[1]), 15, lines[1])
      // The exporter did not pause, which it does for a minute after a failure.
      const before = server.requests.length
      yield* spans(1)
      yield* until(() => server.requests.length > before)
    }).pipe(Effect.provide(layer, { local: true }))
  })

  test("sends the other signals while the collector of one hangs", function*() {
    const [traces, metrics] = [yield* hangingCollector(), yield* collector]
    const layer = yield* exporting(metrics.url, [], {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${traces.url}/v1/traces`,
      OTEL_METRIC_EXPORT_INTERVAL: "50"
    })
    yield* Effect.gen(function*() {
      yield* Effect.andThen(rephrase, spans(300))
      yield* until(() => traces.open() === 2)
      const before = metrics.received.length
      yield* until(() => metrics.received.length > before + 2)
      traces.answer()
    }).pipe(Effect.provide(layer, { local: true }))
  })

  effect("aborts an export that is not answered within ten seconds by default", function*() {
    const { open, url } = yield* hangingCollector()
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url, OTEL_LOGS_EXPORTER: "none" }
    const layer = Layer.provide(NodeTelemetry.layer(), ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
    // Not closed, because its close sends the export again.
    const telemetry = yield* Layer.buildWithScope(layer, yield* Scope.make())
    yield* Effect.provide(spans(1), telemetry)
    yield* TestClock.adjust("5 seconds")
    yield* TestClock.withLive(until(() => open() === 1))
    yield* TestClock.adjust("9999 millis")
    yield* turns
    assert.strictEqual(open(), 1)
    yield* TestClock.adjust("1 millis")
    yield* TestClock.withLive(until(() => open() === 0))
  })

  for (const [of, withHeaders] of [["", false], [" to its end", true]] as const) {
    test(`aborts an export that is not answered${of} within OTEL_EXPORTER_OTLP_TIMEOUT`, function*() {
      const { open, url } = yield* hangingCollector(withHeaders)
      const layer = yield* exporting(url, [], { OTEL_EXPORTER_OTLP_TIMEOUT: "300" })
      yield* Effect.gen(function*() {
        yield* spans(1)
        yield* until(() => open() > 0)
        yield* until(() => open() === 0)
      }).pipe(Effect.provide(layer, { local: true }))
    })
  }
})
