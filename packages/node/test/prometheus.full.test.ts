// @effect-diagnostics globalFetch:off -- the requests of the test itself
/** The dashboard and the alerts of packages/node/observability/, with a Prometheus that reads the metrics of two clients. */
import * as CallError from "@effect-lingua/core/errors/CallError"
import * as ServiceError from "@effect-lingua/core/errors/ServiceError"
import * as SharedRate from "@effect-lingua/core/limits/SharedRate"
import * as Metrics from "@effect-lingua/core/telemetry/Metrics"
import { Writing } from "@effect-lingua/core/texts/Writing"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import * as Fault from "@effect-lingua/testing/faults/Fault"
import * as Script from "@effect-lingua/testing/faults/Script"
import { assert, it } from "@effect/vitest"
import { Duration, Effect, Layer, Metric, Redacted } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { eventually } from "../../../test/support/eventually.ts"
import { has } from "../../../test/support/has.ts"
import { start } from "../../../test/support/processes.ts"
import { folder as temporaryFolder } from "./support/documents.ts"
import { freePort, serve } from "./support/listen.ts"

interface Answer {
  readonly status: string
  readonly data: {
    readonly result?: ReadonlyArray<{ readonly value: readonly [time: number, value: string] }>
    readonly alerts?: ReadonlyArray<{ readonly state: string; readonly labels: { readonly alertname: string } }>
  }
}

const isOk = (url: string) => fetch(url).then(({ ok }) => ok, () => false)

const dataOf = async (url: string) => {
  const response = await fetch(url)
  const answer: Answer = JSON.parse(await response.text())
  return answer.data
}

/** A Prometheus that reads the metrics of an address five times a second and evaluates rules; it ends with the scope. */
const prometheus = Effect.fnUntraced(function*(target: string, rules: string) {
  const directory = yield* temporaryFolder
  const port = yield* freePort
  writeFileSync(join(directory, "rules.json"), rules)
  // JSON is YAML too.
  writeFileSync(
    join(directory, "prometheus.yml"),
    JSON.stringify({
      global: { scrape_interval: "200ms", scrape_timeout: "200ms", evaluation_interval: "200ms" },
      rule_files: ["rules.json"],
      scrape_configs: [{ job_name: "backend", static_configs: [{ targets: [target] }] }]
    })
  )
  yield* start("prometheus", [
    `--config.file=${join(directory, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(directory, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--log.level=error"
  ])
  const get = (path: string) => Effect.promise(() => dataOf(`http://127.0.0.1:${port}/api/v1/${path}`))
  return {
    /** True once it accepts requests. */
    isReady: Effect.promise(() => isOk(`http://127.0.0.1:${port}/-/ready`)),
    /** The values that a query returns now. */
    query: (query: string) =>
      Effect.map(
        get(`query?query=${encodeURIComponent(query)}`),
        ({ result }) => (result ?? []).map(({ value }) => Number(value[1]))
      ),
    /** The names of the alerts that fire. */
    firing: Effect.map(
      get("alerts"),
      ({ alerts = [] }) => alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels.alertname)
    )
  }
})

const path = (name: string) => fileURLToPath(new URL(`../observability/${name}`, import.meta.url))

const read = (name: string) => readFileSync(path(name), "utf8")

const dashboard: {
  readonly panels: ReadonlyArray<{ readonly title: string; readonly targets: ReadonlyArray<{ readonly expr: string }> }>
} = JSON.parse(read("dashboard.json"))

/** The rules with windows of seconds in place of minutes. */
const rules = read("alerts.json").replaceAll(/\[\dm\]/g, "[3s]").replaceAll("offset 5m", "offset 3s").replace(
  /"for": "\d+m"/g,
  "\"for\": \"1s\""
)

const alerts: {
  readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<{ readonly alert: string }> }>
} = JSON.parse(rules)

const names = alerts.groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))

const rephrase = Effect.exit(Writing.use((writing) => writing.rephrase({ text: ["A text."], targetLanguage: "en-GB" })))

/** Calls one after another, and a document that is not ready at once, for a file of a folder. */
const traffic = Effect.fnUntraced(function*(folder: string) {
  const fake = yield* FakeLanguageService
  const documents = yield* NodeDocuments
  const download = Effect.gen(function*() {
    const document = yield* fake.addDocument({ content: "Hallo Welt", readyAfter: "30 millis" })
    yield* documents.downloadToFile({ ...document, target: join(folder, document.documentId), rescueFolder: folder })
  })
  return yield* Effect.all([rephrase, Effect.exit(download)]).pipe(Effect.delay("50 millis"), Effect.forever)
})

const client = (url: string, name: string, whenUnavailable: "wait" | "fail") =>
  NodeLanguageService.layer({
    name,
    key: Redacted.make(FakeLanguageService.defaultKey),
    baseUrl: url,
    journal: "memory",
    resilience: {
      backoffBase: Duration.millis(1),
      throttleBase: Duration.millis(1),
      pollBase: Duration.millis(20),
      pollCap: Duration.millis(20),
      whenUnavailable
    }
  })

it.skipIf(!has("Prometheus"))("the alerts fire when they should, by the tests of the rules", () => {
  const { status, stderr, stdout } = spawnSync("promtool", ["test", "rules", path("alerts.test.json")], {
    encoding: "utf8"
  })
  assert.strictEqual(status, 0, `${stdout}${stderr}`)
  const tested = Array.from(read("alerts.test.json").matchAll(/"alertname": "(\w+)"/g), ([, name]) => name)
  assert.deepStrictEqual(new Set(tested), new Set(names))
  const results = Array.from(rules.matchAll(/result=~?\\"([^"\\]+)/g), ([, results = ""]) => results.split("|")).flat()
  const classes = new Set(Object.keys({ ...CallError, ...ServiceError }))
  assert.isAbove(results.length, 10)
  assert.deepStrictEqual(results.filter((name) => !["defect", "success"].includes(name) && !classes.has(name)), [])
})

it.live.skipIf(!has("Prometheus"))(
  "each query returns data, no alert fires without failures, and an outage, throttling, a used quota and a store that is down fire theirs",
  () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const context = yield* Effect.context()
      const server = yield* serve(createServer((_, response) => {
        response.setHeader("content-type", "text/plain; version=0.0.4")
        response.end(PrometheusMetrics.formatUnsafe(context, { metricNameMapper: Metrics.prometheusName }))
      }))
      const { firing, isReady, query } = yield* prometheus(new URL(server.url).host, rules)
      yield* eventually("ready", isReady)
      const folder = yield* temporaryFolder
      for (const layer of [client(fake.url, "eu", "wait"), client(fake.url, "us", "fail")]) {
        yield* traffic(folder).pipe(Effect.provide(layer, { local: true }), Effect.forkScoped)
      }

      // A few throttled attempts are no reason for an alert.
      yield* fake.weather({ rate429: 0.04 })
      for (const { targets, title } of dashboard.panels) {
        for (const { expr } of targets) {
          const values = query(expr.replaceAll("$__rate_interval", "5s").replaceAll(/\$(?:job|client)/g, ".*"))
          yield* eventually(
            title,
            Effect.map(values, (values) => values.length > 0 && values.every((value) => Number.isFinite(value)))
          )
        }
      }
      assert.deepStrictEqual(yield* firing, [])

      const seen = new Set<string>()
      const expectAlerts = (expected: ReadonlyArray<string>) =>
        eventually(
          expected.join(", "),
          Effect.map(firing, (names) => {
            for (const name of names) seen.add(name)
            return expected.every((name) => names.includes(name))
          })
        )
      yield* fake.weather({ rate503: 1 })
      yield* expectAlerts(["LanguageServiceCircuitOpen", "LanguageServiceCallsFail", "LanguageServiceNothingSucceeds"])
      yield* fake.weather({})
      yield* fake.script(Script.every(2, { status: 456 }))
      yield* expectAlerts(["LanguageServiceThrottles", "LanguageServiceQuotaExceeded"])
      yield* fake.script(Script.every(1, Fault.truncated(), "Documents.download"))
      yield* expectAlerts(["LanguageServiceDocumentsLost"])
      yield* Layer.build(
        SharedRate.layerWithFallback(Layer.effectContext(Effect.fail("down")), { retryAfter: "100 millis" })
      )
      yield* expectAlerts(["LanguageServiceSharedStoreFails"])
      // No rule is left that nothing has tried.
      assert.deepStrictEqual([...seen].toSorted(), names.toSorted())
    }).pipe(
      Effect.scoped,
      Effect.provide(NodeFakeLanguageService.layer()),
      Effect.provideService(Metric.MetricRegistry, new Map())
    ),
  120_000
)
