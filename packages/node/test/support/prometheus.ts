// @effect-diagnostics globalFetch:off -- the requests of the test itself
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { start } from "../../../../test/support/processes.ts"
import { folder } from "./documents.ts"
import { freePort } from "./listen.ts"

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
export const prometheus = Effect.fnUntraced(function*(target: string, rules: string) {
  const directory = yield* folder
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
