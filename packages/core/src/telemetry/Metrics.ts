/**
 * The names of the client's metrics in Prometheus.
 *
 * @since 0.1.0
 */
import { metrics } from "./internal/telemetry.ts"

const units = new Map([["s", "_seconds"], ["By", "_bytes"]])

const suffixes = new Map(
  Object.values(metrics).map(({ instrument, name, unit }) => [
    name,
    `${units.get(unit) ?? ""}${instrument === "counter" ? "_total" : ""}`
  ])
)

/**
 * Adds the unit and `_total` to the name of a client metric, like OpenTelemetry's translation for Prometheus. Other names are unchanged. With this
 * `metricNameMapper`, `PrometheusMetrics.layerHttp` exports the names that the dashboard and alerts of this library use.
 *
 * **Example** (A counter of bytes)
 *
 * ```ts import.meta.vitest
 * import { Metrics } from "@effect-lingua/core"
 *
 * Metrics.prometheusName("language_service.client.downloaded") // => "language_service.client.downloaded_bytes_total"
 * ```
 *
 * @category conversions
 * @since 0.1.0
 */
export const prometheusName = (name: string): string => `${name}${suffixes.get(name) ?? ""}`
