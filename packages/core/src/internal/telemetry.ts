/** The metrics of the client. Names, units and attributes are the table of docs/observability.md. */
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"

const prefix = "language_service.client."

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 100, 300, 1800]

const histogram = (name: string, description: string) =>
  Metric.histogram(`${prefix}${name}`, { description, boundaries: seconds, attributes: { unit: "s" } })

const counter = (name: string, description: string, unit: string) =>
  Metric.counter(`${prefix}${name}`, { description, incremental: true, attributes: { unit } })

const gauge = (name: string, description: string, unit: string) =>
  Metric.gauge(`${prefix}${name}`, { description, attributes: { unit } })

type Name =
  | "operationDuration"
  | "waitDuration"
  | "attempts"
  | "throttles"
  | "polls"
  | "downloaded"
  | "characters"
  | "retryBudget"
  | "breakerState"
  | "sharedStoreFailures"

const metrics: Readonly<Record<Name, Metric.Metric<number, unknown>>> = {
  operationDuration: histogram("operation.duration", "Duration of an operation, attempts and waits included"),
  waitDuration: histogram("wait.duration", "Waits before an attempt, by cause"),
  attempts: counter("attempts", "Attempts, by what they ended with", "{attempt}"),
  throttles: counter("throttles", "Attempts that were throttled, by status", "{attempt}"),
  polls: counter("polls", "Polls for something that was not ready", "{poll}"),
  downloaded: counter("downloaded", "Bytes of documents that were downloaded", "By"),
  characters: counter("characters", "Characters of texts that count toward the quota", "{character}"),
  retryBudget: gauge("retry_budget", "Tokens in the retry budget", "{token}"),
  breakerState: gauge(
    "circuit_breaker.state",
    "State of the circuit breaker: 0 closed, 1 half-open, 2 open",
    "{state}"
  ),
  sharedStoreFailures: counter(
    "shared_store.failures",
    "Failures of the shared store, met by local limits",
    "{failure}"
  )
}

type Attributes = Readonly<Record<string, string>>

const attributed = new Map<string, Metric.Metric<number, unknown>>()

/** Updates a metric. The metric with its attributes is made once: there are few combinations of them. */
export const update = (
  name: Name,
  value: number,
  attributes: Attributes,
  context: Context.Context<never>
): void => {
  // A metric always has the same attributes.
  let key: string = name
  for (const attribute in attributes) key += `\n${attributes[attribute] ?? ""}`
  let metric = attributed.get(key)
  if (metric === undefined) {
    metric = Metric.withAttributes(metrics[name], attributes)
    attributed.set(key, metric)
  }
  metric.updateUnsafe(value, context)
}
