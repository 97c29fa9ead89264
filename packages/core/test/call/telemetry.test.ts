import { Attempt, Call, Languages, type ResiliencePolicy, StyleRules, Tenant, Writing } from "@effect-lingua/core"
import { Event, Events } from "@effect-lingua/core/telemetry/Events"
import type { TranslationMemories } from "@effect-lingua/core/translation-memories"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Metric, Option, Random, Stream, Tracer } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import { sampled } from "../../../../test/support/scale.ts"
import { version } from "../../src/config/internal/version.ts"
import { publisherOf } from "../../src/telemetry/internal/telemetry.ts"
import { download, eventsOf, Metrics, read, rephrase, Sample, success, tracing, Wire } from "../support/index.ts"
import { completed, exported, exportStarted, exportTmx, importTmx, over, started, tmx } from "../support/memories.ts"
import { errorOverTime, overTime, valueOverTime } from "../support/time.ts"

const docs = readFileSync(new URL("../../../../docs/observability.md", import.meta.url), "utf8")

const scope = { "otel.scope.name": "@effect-lingua/core", "otel.scope.version": version }

const get = StyleRules.use((rules) => rules.get({ styleId: Sample.styleId }))
const refused = Languages.use((languages) => languages.find({ code: "\ud800", resource: "translate_text" }))
const traced = (status: number, traceId: string, headers: Wire.Headers = {}) =>
  Wire.answer(status, "", { "x-trace-id": traceId, ...headers })

/** The spans of an effect, in the order of their start. */
const spansOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const { spans, tracer } = tracing()
    yield* Effect.provideService(Effect.exit(effect), Tracer.Tracer, tracer)
    return spans
  })

const about = (span: Tracer.NativeSpan | undefined) => Object.fromEntries(span?.attributes ?? [])

/** The waits of a call, with the seconds from its start. */
const waitsOf = (span: Tracer.NativeSpan | undefined) =>
  span?.events.map(([name, start, attributes]) => ({
    name,
    after: Number(start - span.status.startTime) / 1e9,
    cause: attributes["language_service.wait.cause"],
    seconds: attributes["language_service.wait.duration"]
  }))

const parentOf = (span: Tracer.NativeSpan | undefined) =>
  Option.getOrUndefined(Option.map(span?.parent ?? Option.none(), ({ spanId }) => spanId))

/** One line for an event. */
const line = (event: Event): string => {
  switch (event._tag) {
    case "AttemptEnded":
      return `${event.attempt.operation} ${Attempt.format([event.attempt])}`
    case "Waiting":
      return `${event.operation} waits ${Attempt.formatDuration(event.wait)} (${event.cause})`
    case "BreakerChanged":
      return `${event.from} -> ${event.to}`
  }
}

/** An event of an operation. */
const waitingOf = (operation: string) =>
  Event.Waiting({ operation, wait: Duration.zero, cause: "backoff", annotations: {} })

/** Half of every bound, so that all waits are predictable. */
const evenly = Effect.provideService(Random.Random, { nextDoubleUnsafe: () => 0.5, nextIntUnsafe: () => 0 })

const boundaries = ({ state }: Pick<Effect.Success<typeof Metrics.snapshot>[number], "state">) =>
  "buckets" in state ? state.buckets.map(([boundary]) => boundary) : []

/** The metrics of a name, by their attributes without the unit. */
const metric = (name: string) =>
  Effect.map(Metrics.snapshot, (metrics) =>
    Object.fromEntries(
      metrics.filter((found) => found.name === name).map(({ attributes, state }) => [
        Object.entries(attributes).flatMap(([key, value]) => key === "unit" ? [] : [value]).join(" "),
        "count" in state ? Number(state.count) : state
      ])
    ))

const throttledTwice = [
  traced(429, "a1", { "retry-after": "2" }),
  traced(503, "a2"),
  Wire.answer(200, Sample.improvements)
]

/** How many attempts at a path have a duration. */
const durationsOf = (template: string) =>
  Effect.map(
    Metrics.snapshot,
    (metrics) =>
      metrics.filter(({ attributes, name }) =>
        name === "http.client.request.duration" && attributes["url.template"] === template
      ).length
  )

describe("telemetry", () => {
  describe("spans", () => {
    it.effect("a call is one span with a client span per attempt as its children, with these attributes only", () =>
      Effect.gen(function*() {
        const spans = yield* spansOf(valueOverTime(rephrase))
        assert.deepStrictEqual(spans.map(({ kind, name }) => [name, kind]), [
          ["Writing.rephrase", "internal"],
          ["POST /v2/write/rephrase", "client"],
          ["POST /v2/write/rephrase", "client"],
          ["POST /v2/write/rephrase", "client"]
        ])
        const [call, ...attempts] = spans
        for (const attempt of attempts) {
          assert.strictEqual(parentOf(attempt), call?.spanId)
          assert.strictEqual(attempt.traceId, call?.traceId)
          assert.strictEqual(attempt.status._tag, "Ended")
        }
        assert.strictEqual(call?.status._tag, "Ended")
        assert.deepStrictEqual(about(call), {
          ...scope,
          "language_service.operation": "Writing.rephrase",
          "language_service.attempts": 3,
          "language_service.characters": 14,
          "language_service.trace_id": "a2"
        })
        const common = {
          ...scope,
          "http.request.method": "POST",
          "url.template": "/v2/write/rephrase",
          "server.address": "service.test",
          "server.port": 443
        }
        assert.deepStrictEqual(attempts.map(about), [
          {
            ...common,
            "http.response.status_code": 429,
            "error.type": "RateLimited",
            "language_service.outcome": "refused",
            "language_service.trace_id": "a1"
          },
          {
            ...common,
            "http.request.resend_count": 1,
            "http.response.status_code": 503,
            "error.type": "ServiceUnavailable",
            "language_service.outcome": "refused",
            "language_service.trace_id": "a2"
          },
          { ...common, "http.request.resend_count": 2, "http.response.status_code": 200 }
        ])
      }).pipe(Effect.provide(Wire.layer(throttledTwice))))

    it.effect("each wait of a call is an event of its span at its start, with its cause and its seconds", () =>
      Effect.gen(function*() {
        const wired = Wire.layer([
          Wire.late("2 seconds", Wire.answer(429, {}, { "retry-after": "7" })),
          Wire.late("1 second", Wire.answer(200, Sample.improvements))
        ], { resilience: { concurrency: 1, rate: { requests: 1, window: "5 seconds" } } })
        const spans = yield* spansOf(
          valueOverTime(Effect.all([rephrase, rephrase], { concurrency: "unbounded" })).pipe(Effect.provide(wired))
        )
        const [first, second] = spans.filter(({ kind }) => kind === "internal")
        const name = "language_service.wait"
        assert.deepStrictEqual(waitsOf(second), [
          { name, after: 0, cause: "concurrency", seconds: 2 },
          { name, after: 2, cause: "rate", seconds: 3 }
        ])
        assert.deepStrictEqual(waitsOf(first), [
          { name, after: 2, cause: "retry-after", seconds: 7 },
          { name, after: 9, cause: "rate", seconds: 1 }
        ])
      }))

    const refusedOften = [
      ...Array.from({ length: 20 }, () => Wire.late("2 seconds", Wire.answer(200, []))),
      ...Array.from({ length: 5 }, () => Wire.answer(429)),
      Wire.answer(200, [])
    ]
    it.effect.each(
      [
        ["rate", 2, Wire.answer(200, []), { rate: { requests: 1, window: Duration.seconds(2) } }, 2],
        ["learned-rate", 27, refusedOften, { attempts: 1 }, 2],
        ["circuit", 5, Wire.answer(503), { attempts: 1 }, 2]
      ] as const
    )(
      "a wait of the limiter says what held the request back: %s",
      ([cause, count, replies, resilience, most]) =>
        Effect.gen(function*() {
          const calls = Effect.forEach(Array.from({ length: count }), () => Effect.exit(read))
          const spans = yield* spansOf(valueOverTime(calls).pipe(Effect.provide(Wire.layer(replies, { resilience }))))
          const last = spans.findLast(({ kind }) => kind === "internal")
          const waits = waitsOf(last) ?? []
          assert.deepStrictEqual(waits.map((wait) => wait.cause), [cause])
          assert.isAbove(Number(waits[0]?.seconds), 0.4)
          assert.isAtMost(Number(waits[0]?.seconds), most)
        })
    )

    it.effect("a call that fails has the name of its error, and an interrupted one has none", () =>
      Effect.gen(function*() {
        const failed = yield* spansOf(get)
        const interrupted = yield* spansOf(Effect.gen(function*() {
          yield* Fiber.interrupt(yield* Effect.forkChild(read, { startImmediately: true }))
        }))
        assert.deepStrictEqual(interrupted.map(({ status }) => status._tag), ["Ended", "Ended"])
        assert.deepStrictEqual([failed[0], interrupted[0]].map((span) => about(span)["error.type"]), [
          "NotFound",
          undefined
        ])
      }).pipe(Effect.provide(Wire.layer([Wire.answer(404), Wire.silent]))))

    it.effect("the tables of the documentation have all attributes of spans and no others", () =>
      Effect.gen(function*() {
        const tenant = yield* Tenant.make({ name: "acme" })
        const spans = yield* spansOf(overTime(Effect.exit(Tenant.within(rephrase, tenant))))
        const found = (kind: Tracer.SpanKind) =>
          [...new Set(spans.filter((span) => span.kind === kind).flatMap((span) => Object.keys(about(span))))]
            .filter((name) => !name.startsWith("otel.scope."))
            .toSorted((a, b) => a.localeCompare(b))
        const tables = docs.slice(docs.indexOf("## Spans"), docs.indexOf("## Metrics")).split("| Attribute").slice(1)
        const documented = tables.map((table) =>
          Array.from(table.matchAll(/^\| `([^`]+)`/gm), ([, name = ""]) => name).toSorted((a, b) => a.localeCompare(b))
        )
        assert.deepStrictEqual(documented, [found("internal"), found("client")])
      }).pipe(Effect.provide(Wire.layer(
        [traced(503, "a1"), Wire.broken("ECONNRESET"), Wire.answer(400)],
        { name: "eu", resilience: { repeatMetered: "always" } }
      ))))

    it.effect("attributes that are always present are on each span of each operation, however it ends", () =>
      Effect.gen(function*() {
        const tables = docs.slice(docs.indexOf("## Spans"), docs.indexOf("## Metrics")).split("| Attribute").slice(1)
        const [ofCalls = [], ofAttempts = []] = tables.map((table) =>
          Array.from(table.matchAll(/^\| `([^`]+)`[^|]*\|[^|]*\| always/gm), ([, name = ""]) => name)
        )
        assert.deepStrictEqual([ofCalls.length, ofAttempts.length], [1, 4])
        for (const [name, { call }] of sampled(Object.entries(Sample.operations), 20)) {
          const spans = yield* spansOf(overTime(call))
          for (const span of spans) {
            assert.containsAllKeys(about(span), span.kind === "client" ? ofAttempts : ofCalls, `${name}: ${span.name}`)
          }
          assert.isTrue(spans.some(({ kind }) => kind === "client"), name)
        }
      }).pipe(
        Effect.provide(
          Wire.layer((request, sent) =>
            (sent.at % 2 === 0 ? Wire.broken("ECONNRESET") : Wire.answer(503))(request, sent)
          )
        )
      ))

    it.effect("a span has the template of its path in place of ids", () =>
      Effect.gen(function*() {
        const spans = yield* spansOf(Effect.all([get, Effect.exit(download)]))
        assert.deepStrictEqual(spans.map(({ name }) => name), [
          "StyleRules.get",
          "GET /v3/style_rules/{style_id}",
          "Documents.download",
          "POST /v2/document/{document_id}/result"
        ])
        const shown = JSON.stringify(spans.map((span) => [span.name, about(span)]))
        for (const id of [Sample.styleId, Sample.documentId, Sample.documentKey]) assert.notInclude(shown, id)
      }).pipe(Effect.provide(Wire.layer([Wire.answer(200, Sample.list), Wire.answer(404)]))))

    it.effect.each([["http://localhost:8080", 8080], ["http://localhost", 80]] as const)(
      "a span has the port of the base URL, or that of its scheme (%s)",
      ([baseUrl, port]) =>
        Effect.gen(function*() {
          const [, attempt] = yield* spansOf(read)
          assert.strictEqual(about(attempt)["server.address"], "localhost")
          assert.strictEqual(about(attempt)["server.port"], port)
        }).pipe(Effect.provide(Wire.layer(success, { baseUrl })))
    )

    it.effect("an attempt without an answer has the kind of its failure and no status", () =>
      Effect.gen(function*() {
        const [, attempt] = yield* spansOf(errorOverTime(read))
        assert.strictEqual(about(attempt)["error.type"], "ConnectionLost")
        assert.notProperty(about(attempt), "http.response.status_code")
      }).pipe(Effect.provide(Wire.layer(Wire.broken("ECONNRESET"), { resilience: { attempts: 1 } }))))

    it.effect("without a tracer no span is created: a request is sent in the span of the program", () => {
      const names: Array<string> = []
      const reply: Wire.Reply = (request, sent) =>
        Effect.flatMap(Effect.currentSpan, ({ name }) => {
          names.push(name)
          return success(request, sent)
        }).pipe(Effect.catchTag("NoSuchElementError", () => Effect.die("no span")))
      return Effect.gen(function*() {
        yield* Effect.withSpan(read, "program")
        yield* spansOf(Effect.withSpan(read, "program"))
        assert.deepStrictEqual(names, ["program", "GET /v3/languages/resources"])
      }).pipe(Effect.provide(Wire.layer(reply)))
    })

    it.effect("a request has no trace headers", () =>
      Effect.gen(function*() {
        yield* Effect.provideService(read, HttpClient.TracerPropagationEnabled, true)
        const [request] = yield* Wire.sent
        assert.notProperty(request?.headers ?? {}, "traceparent")
        assert.notProperty(request?.headers ?? {}, "b3")
      }).pipe(Effect.provide(Wire.layer(success))))
  })

  describe("metrics", () => {
    it.effect("an operation's duration is a histogram by operation and result", () =>
      Effect.gen(function*() {
        yield* valueOverTime(rephrase)
        yield* errorOverTime(get)
        const interrupted = yield* Effect.forkChild(read, { startImmediately: true })
        yield* Fiber.interrupt(interrupted)
        assert.deepStrictEqual(yield* metric("operation.duration"), {
          "Writing.rephrase success": 1,
          "StyleRules.get NotFound": 1,
          "Languages.resources interrupted": 1
        })
        const duration = (yield* Metrics.snapshot).find(({ attributes, name }) =>
          name === "operation.duration" && attributes["operation"] === "Writing.rephrase"
        )
        assert.strictEqual(duration?.type, "Histogram")
        assert.strictEqual(duration?.attributes["unit"], "s")
        // It includes the waits: two seconds by Retry-After, then at most one second of backoff.
        const sum = duration !== undefined && "sum" in duration.state ? duration.state.sum : 0
        assert.isAtLeast(sum, 2)
        assert.isAtMost(sum, 3)
        // Those of all versions: histograms with other boundaries cannot be added.
        const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 100, 300, 1800]
        assert.deepStrictEqual(duration && boundaries(duration), seconds)
      }).pipe(Effect.provide(Wire.layer([...throttledTwice, Wire.answer(404), Wire.silent])), Metrics.isolated))

    it.effect("an attempt's duration is the histogram of OpenTelemetry's conventions", () =>
      Effect.gen(function*() {
        yield* valueOverTime(rephrase)
        const attempts = (yield* Metrics.snapshot).filter(({ name }) => name === "http.client.request.duration")
        const common = {
          unit: "s",
          "http.request.method": "POST",
          "url.template": "/v2/write/rephrase",
          "server.address": "service.test",
          "server.port": "443"
        }
        assert.deepStrictEqual(attempts.map(({ attributes }) => attributes), [
          { ...common, "http.response.status_code": "429", "error.type": "RateLimited" },
          { ...common, "http.response.status_code": "503", "error.type": "ServiceUnavailable" },
          { ...common, "http.response.status_code": "200" }
        ])
        for (const { state, type } of attempts) {
          assert.strictEqual(type, "Histogram")
          assert.deepInclude(state, { count: 1 })
          const seconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
          assert.deepStrictEqual(boundaries({ state }), seconds)
        }
      }).pipe(Effect.provide(Wire.layer(throttledTwice)), Metrics.isolated))

    it.effect("an attempt's duration is in seconds, without the waits", () =>
      Effect.gen(function*() {
        yield* valueOverTime(rephrase)
        assert.deepStrictEqual(yield* Metrics.sums("http.client.request.duration"), [0, 9])
      }).pipe(
        Effect.provide(Wire.layer([Wire.answer(429), Wire.late("9 seconds", Wire.answer(200, Sample.improvements))])),
        Metrics.isolated
      ))

    it.effect("attempts, throttles and waits are counted by their attributes", () =>
      Effect.gen(function*() {
        yield* valueOverTime(evenly(rephrase))
        yield* Effect.flip(rephrase)
        assert.deepStrictEqual(yield* metric("attempts"), {
          "Writing.rephrase QuotaExceeded": 1,
          "Writing.rephrase RateLimited": 1,
          "Writing.rephrase ServiceUnavailable": 1,
          "Writing.rephrase success": 1
        })
        assert.deepStrictEqual(yield* metric("throttles"), {
          "Writing.rephrase 429": 1,
          "Writing.rephrase 456": 1
        })
        assert.deepStrictEqual(yield* metric("wait.duration"), {
          "Writing.rephrase retry-after": 1,
          "Writing.rephrase backoff": 1
        })
        assert.deepStrictEqual(yield* Metrics.sums("wait.duration"), [2, 0.5])
      }).pipe(Effect.provide(Wire.layer([...throttledTwice, Wire.answer(456)])), Metrics.isolated))

    it.effect("polls and bytes of documents are counted", () =>
      Effect.gen(function*() {
        const { stream } = yield* valueOverTime(download)
        yield* Stream.runDrain(stream)
        assert.deepStrictEqual(yield* metric("polls"), { "Documents.download": 3 })
        assert.strictEqual((yield* metric("attempts"))["Documents.status success"], 3)
        assert.deepStrictEqual(yield* metric("downloaded"), { "": 5 })
        assert.deepStrictEqual(yield* metric("characters"), {})
        assert.deepStrictEqual(yield* metric("wait.duration"), { "Documents.download poll": 3 })
        assert.deepStrictEqual(yield* metric("throttles"), {})
      }).pipe(Effect.provide(Wire.layer([...Wire.readyAfter(2), Wire.answer(200, "bytes")])), Metrics.isolated))

    it.effect.each(
      [
        ["once for a call that was refused twice", throttledTwice, 4],
        ["for each attempt of unknown outcome too", [
          Wire.answer(500),
          Wire.answer(502),
          Wire.answer(200, Sample.improvements)
        ], 12]
      ] as const
    )(
      "characters of texts are counted %s, as the service may have",
      ([, answers, characters]) =>
        Effect.gen(function*() {
          yield* valueOverTime(Writing.use((writing) => writing.rephrase({ text: ["abc😀"] })))
          assert.deepStrictEqual(yield* metric("characters"), { "Writing.rephrase": characters })
        }).pipe(Effect.provide(Wire.layer(answers)), Metrics.isolated)
    )

    const imports = [started(), Wire.answer(503), Wire.answer(429), Wire.answer(200), completed]
    const again = [exported(), Wire.answer(429), exported(), Wire.answer(200, tmx)]
    const exports = [exportStarted, exported(), Wire.answer(503), ...again]
    it.effect.each<
      readonly [way: string, Effect.Effect<string, Sample.AnyFailure, TranslationMemories>, ReadonlyArray<Wire.Reply>]
    >([["upload", Effect.as(importTmx, tmx), imports], ["download", exportTmx, exports]])(
      "files at signed addresses are counted like other attempts, with their throttles and waits: an %s",
      ([way, transfer, replies]) =>
        Effect.gen(function*() {
          assert.strictEqual(yield* valueOverTime(transfer), tmx)
          const attempts = yield* metric("attempts")
          assert.strictEqual(attempts[`TranslationMemories.${way} TransferFailed`], 2)
          assert.strictEqual(attempts[`TranslationMemories.${way} success`], 1)
          assert.deepStrictEqual(yield* metric("throttles"), { [`TranslationMemories.${way} 429`]: 1 })
          assert.property(yield* metric("wait.duration"), `TranslationMemories.${way} backoff`)
          assert.strictEqual(yield* durationsOf(`{${way}_url}`), 3)
        }).pipe(over(replies), Metrics.isolated)
    )

    it.effect("the gauges of the breaker and of the attempts in flight exist from the start", () =>
      Effect.gen(function*() {
        yield* read
        assert.strictEqual(yield* Metrics.gauge("concurrency"), 2)
        assert.strictEqual(yield* Metrics.gauge("circuit_breaker.state"), 0)
      }).pipe(Effect.provide(Wire.layer(success)), Metrics.isolated))

    it.effect("those of a client with a name have it as an attribute, and those of a call the attributes of its caller", () =>
      Effect.gen(function*() {
        const named = Wire.layer([...throttledTwice, ...Wire.readyAfter(1), Wire.answer(200, "bytes")], { name: "eu" })
        yield* Effect.gen(function*() {
          yield* valueOverTime(rephrase)
          yield* Stream.runDrain((yield* valueOverTime(download)).stream)
          yield* Effect.flip(refused)
        }).pipe(Effect.provideService(Metric.CurrentMetricAttributes, { tenant: "acme" }), Effect.provide(named))
        const labelled = yield* Metrics.snapshot
        assert.isAtLeast(new Set(labelled.map(({ name }) => name)).size, 9)
        for (const { attributes, name, type } of labelled) {
          assert.strictEqual(attributes["client"], "eu", name)
          if (type !== "Gauge") assert.strictEqual(attributes["tenant"], "acme", name)
        }
        yield* valueOverTime(rephrase).pipe(Effect.provide(Wire.layer(throttledTwice)))
        const others = (yield* Metrics.snapshot).filter(({ attributes }) => attributes["client"] === undefined)
        assert.strictEqual(
          others.find(({ attributes, name }) => name === "attempts" && attributes["result"] === "success")?.type,
          "Counter"
        )
      }).pipe(Metrics.isolated))

    it.effect("those of an operation of several calls have the name of the client too, as its spans", () =>
      Effect.gen(function*() {
        const run = yield* Call.runner.pipe(Effect.provide(Wire.layer(throttledTwice, { name: "eu" })))
        yield* Effect.provide(Call.run("Letters.one", Effect.void), Wire.layer(throttledTwice, { name: "us" }))
        const spans = yield* spansOf(run("Letters.two", Effect.void))
        assert.deepStrictEqual(spans.map((span) => about(span)["language_service.client"]), ["eu"])
        yield* Call.run("Letters.three", Effect.void)
        const durations = (yield* Metrics.snapshot).filter(({ name }) => name === "operation.duration")
        assert.sameDeepMembers(
          durations.map(({ attributes }) => [attributes["operation"], attributes["client"]]),
          [["Letters.one", "us"], ["Letters.three", undefined], ["Letters.two", "eu"]]
        )
      }).pipe(Metrics.isolated))

    it.effect("each metric has a unit, and none a text, a key or an id among its attributes", () =>
      Effect.gen(function*() {
        yield* overTime(Effect.all([Effect.exit(rephrase), Effect.exit(get), Effect.exit(download)]))
        const metrics = yield* Metrics.snapshot
        for (const { attributes, name } of metrics) {
          assert.match(String(attributes["unit"]), /^(s|By|\{\w+\}(\/s)?)$/, name)
        }
        const shown = JSON.stringify(metrics.map(({ attributes }) => attributes))
        for (const secret of ["This are", Sample.styleId, Sample.documentId, Sample.documentKey, Wire.key]) {
          assert.notInclude(shown, secret)
        }
      }).pipe(Effect.provide(Wire.layer(Wire.answer(400))), Metrics.isolated))
  })

  describe("events", () => {
    it.effect("a throttled call emits its attempts and waits", () =>
      Effect.gen(function*() {
        const events = yield* eventsOf(overTime(evenly(rephrase)))
        assert.deepStrictEqual(events.map(line), [
          "Writing.rephrase #1 429 RateLimited (trace a1)",
          "Writing.rephrase waits 2 s (retry-after)",
          "Writing.rephrase waited 2 s (retry-after), #2 503 ServiceUnavailable (trace a2)",
          "Writing.rephrase waits 500 ms (backoff)",
          "Writing.rephrase waited 500 ms (backoff), #3 200"
        ])
      }).pipe(Effect.provide(Wire.layer(throttledTwice))))

    it.effect("the polls of a document emit their waits", () =>
      Effect.gen(function*() {
        const events = yield* eventsOf(overTime(evenly(download)))
        assert.deepStrictEqual(events.map(line), [
          "Documents.download #1 503 DocumentNotReady",
          "Documents.download waits 1 s (poll)",
          "Documents.status waited 1 s (poll), #2 200",
          "Documents.download #3 200"
        ])
      }).pipe(Effect.provide(Wire.layer([...Wire.readyAfter(0), Wire.answer(200, "bytes")]))))

    it.effect("an outage emits its failures, the opening of the circuit, the probe and the recovery", () =>
      Effect.gen(function*() {
        const events = yield* eventsOf(overTime(evenly(Effect.gen(function*() {
          yield* Effect.forEach(Array.from({ length: 5 }), () => Effect.flip(read))
          yield* Effect.sleep("2 seconds")
          yield* read
        }))))
        assert.deepStrictEqual(events.map(line), [
          ...Array.from({ length: 3 }, () => "Languages.resources #1 529 Overloaded, gave up (attempts)"),
          "Closed -> Open",
          "Languages.resources queued 750 ms, #1 529 Overloaded, gave up (attempts)",
          "Open -> HalfOpen",
          "HalfOpen -> Closed",
          "Languages.resources #1 200"
        ])
      }).pipe(Effect.provide(Wire.layer([...Array.from({ length: 4 }, () => Wire.answer(529)), success], {
        resilience: { attempts: 1, whenUnavailable: "fail" }
      }))))

    it.effect("each listener receives all events from its start on", () =>
      Effect.gen(function*() {
        const { stream } = yield* Events
        const first = yield* Effect.forkChild(Stream.runCollect(Stream.take(stream, 2)), { startImmediately: true })
        yield* read
        const second = yield* Effect.forkChild(Stream.runCollect(Stream.take(stream, 1)), { startImmediately: true })
        yield* Effect.exit(get)
        assert.strictEqual((yield* Fiber.join(first)).length, 2)
        assert.deepStrictEqual((yield* Fiber.join(second)).map(line), ["StyleRules.get #1 404 NotFound"])
      }).pipe(Effect.provide(Wire.layer([success, Wire.answer(404)]))))

    it.effect("all events of an effect are handled before it ends, by a slow handler and if it fails, and none after it", () =>
      Effect.gen(function*() {
        const events = yield* Events
        const seen: Array<string> = []
        const send = (operation: string) => Effect.sync(() => publisherOf(events)?.publish(() => waitingOf(operation)))
        const error = yield* Effect.andThen(send("one"), Effect.andThen(send("two"), Effect.fail("over"))).pipe(
          Events.during((event) =>
            Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => seen.push(event._tag === "Waiting" ? event.operation : ""))
            )
          ),
          Effect.flip
        )
        yield* send("three")
        assert.deepStrictEqual([error, ...seen], ["over", "one", "two"])
      }).pipe(Effect.provide(Events.layer)))

    it.effect("a slow listener loses the oldest events and delays no call", () =>
      Effect.gen(function*() {
        const events = yield* Events
        const seen: Array<string> = []
        const slow = Stream.runForEach(events.stream, (event) =>
          Effect.andThen(
            Effect.sync(() => seen.push(event._tag === "Waiting" ? event.operation : "")),
            Effect.sleep(1)
          ))
        yield* Effect.forkChild(slow, { startImmediately: true })
        for (let at = 0; at < 1100; at++) publisherOf(events)?.publish(() => waitingOf(`${at}`))
        yield* TestClock.adjust("2 seconds")
        assert.deepStrictEqual([seen[0], seen.at(-1)], ["76", "1099"])
      }).pipe(Effect.provide(Events.layer)))

    it.effect("no event is created without a listener, which a stream that is not run is not", () =>
      Effect.gen(function*() {
        const events = yield* Events
        let made = 0
        const publish = () =>
          publisherOf(events)?.publish(() => {
            made++
            return waitingOf("Writing.rephrase")
          })
        const mapped = Stream.map(events.stream, line)
        publish()
        assert.strictEqual(made, 0)
        const listener = yield* Effect.forkChild(Stream.runDrain(mapped), { startImmediately: true })
        publish()
        assert.strictEqual(made, 1)
        yield* Fiber.interrupt(listener)
        publish()
        assert.strictEqual(made, 1)
      }).pipe(Effect.provide(Events.layer)))
  })

  it.effect.each<readonly [stopCause: string, reply: Wire.Reply, policy: Partial<ResiliencePolicy.ResiliencePolicy>]>([
    ["attempts", Wire.answer(503), { attempts: 2 }],
    ["deadline", Wire.answer(503, "", { "retry-after": "50" }), { deadline: Duration.seconds(40) }],
    ["retry-after-cap", Wire.answer(503, "", { "retry-after": "70" }), {}],
    ["breaker", Wire.answer(503), { attempts: 9, backoffBase: Duration.millis(1), whenUnavailable: "fail" }],
    ["outcome-unknown", Wire.answer(502), { repeatMetered: "never" }]
  ])(
    "the last attempt of an error has the cause of the end: %s",
    ([stopCause, reply, policy]) =>
      Effect.gen(function*() {
        const error = yield* errorOverTime(rephrase)
        assert.strictEqual(error.attempts.at(-1)?.stopCause, stopCause)
        assert.include(Attempt.format(error.attempts), `gave up (${stopCause})`)
      }).pipe(Effect.provide(Wire.layer(reply, { resilience: policy })))
  )

  it.effect("two clients have events of their own", () =>
    Effect.gen(function*() {
      const other = yield* Layer.build(Layer.fresh(Wire.layer(success)))
      const events = yield* eventsOf(overTime(Effect.andThen(Effect.provideContext(read, other), get)))
      assert.deepStrictEqual(events.map(line), ["StyleRules.get #1 404 NotFound"])
    }).pipe(Effect.scoped, Effect.provide(Wire.layer(Wire.answer(404)))))
})
