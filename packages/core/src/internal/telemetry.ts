/** The metrics of the client, from which the tables of docs/observability.md are written. */
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { WaitCause } from "../Attempt.ts"

const prefix = "language_service.client."

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 100, 300, 1800]

/** Why a call waits before an attempt, as the attribute `cause` of `wait.duration` says it. */
export const waitCauses: Readonly<Record<WaitCause | "limiter" | "connection", string>> = {
  backoff: "the client's own wait after a failure",
  "retry-after": "the service asked for a longer one with `Retry-After`",
  poll: "something is not ready yet",
  limiter: "no place among the requests in flight, or no turn of the rate",
  connection: "all connections of the pool are in use, or a new one is being made"
}

/** The attributes of each metric besides its unit. */
interface Attributes {
  readonly operationDuration: { readonly operation: string; readonly result: string }
  readonly waitDuration: { readonly operation: string; readonly cause: keyof typeof waitCauses }
  readonly attempts: { readonly operation: string; readonly result: string }
  readonly throttles: { readonly operation: string; readonly status: string }
  readonly polls: { readonly operation: string }
  readonly downloaded: Readonly<Record<string, never>>
  readonly characters: Readonly<Record<string, never>>
  readonly retryBudget: { readonly operation: string }
  readonly breakerState: Readonly<Record<string, never>>
  readonly sharedStoreFailures: Readonly<Record<string, never>>
}

type Name = keyof Attributes

/** A metric, and what the table of docs/observability.md says of it. */
interface Described<Attribute> {
  readonly metric: Metric.Metric<number, unknown>
  readonly instrument: "histogram" | "counter" | "gauge"
  readonly name: string
  readonly unit: string
  readonly attributes: ReadonlyArray<Attribute>
  readonly description: string
}

const histogram = <Attribute>(
  name: string,
  description: string,
  attributes: ReadonlyArray<Attribute>
): Described<Attribute> => ({
  metric: Metric.histogram(`${prefix}${name}`, { description, boundaries: seconds, attributes: { unit: "s" } }),
  instrument: "histogram",
  name,
  unit: "s",
  attributes,
  description
})

const counter = <Attribute>(
  name: string,
  description: string,
  unit: string,
  attributes: ReadonlyArray<Attribute>
): Described<Attribute> => ({
  metric: Metric.counter(`${prefix}${name}`, { description, incremental: true, attributes: { unit } }),
  instrument: "counter",
  name,
  unit,
  attributes,
  description
})

const gauge = <Attribute>(
  name: string,
  description: string,
  unit: string,
  attributes: ReadonlyArray<Attribute>
): Described<Attribute> => ({
  metric: Metric.gauge(`${prefix}${name}`, { description, attributes: { unit } }),
  instrument: "gauge",
  name,
  unit,
  attributes,
  description
})

/** All metrics of the client. */
export const metrics: { readonly [N in Name]: Described<keyof Attributes[N]> } = {
  operationDuration: histogram("operation.duration", "duration of a call, attempts and waits included", [
    "operation",
    "result"
  ]),
  waitDuration: histogram("wait.duration", "waits before an attempt, by their cause", ["operation", "cause"]),
  attempts: counter("attempts", "attempts, by what they ended with", "{attempt}", ["operation", "result"]),
  throttles: counter("throttles", "attempts answered with 429, 456 or 529", "{attempt}", ["operation", "status"]),
  polls: counter("polls", "answers that a document or job is not ready yet", "{poll}", ["operation"]),
  downloaded: counter("downloaded", "bytes of documents that came", "By", []),
  characters: counter(
    "characters",
    "characters of texts handed in for improvement and translation",
    "{character}",
    []
  ),
  retryBudget: gauge(
    "retry_budget",
    "tokens in the retry budget of an operation; near 0, its calls are no longer repeated",
    "{token}",
    ["operation"]
  ),
  breakerState: gauge("circuit_breaker.state", "0 closed, 1 half-open, 2 open", "{state}", []),
  sharedStoreFailures: counter(
    "shared_store.failures",
    "failures of the store of shared limits, met by local limits",
    "{failure}",
    []
  )
}

const attributed = new Map<string, Metric.Metric<number, unknown>>()

/** Updates a metric. The metric with its attributes is made once: there are few combinations of them. */
export const update = <N extends Name>(
  name: N,
  value: number,
  given: Attributes[N],
  context: Context.Context<never>
): void => {
  const attributes: Readonly<Record<string, string>> = given
  // A metric always has the same attributes.
  let key: string = name
  for (const attribute in attributes) key += `\n${attributes[attribute] ?? ""}`
  let metric = attributed.get(key)
  if (metric === undefined) {
    metric = Metric.withAttributes(metrics[name].metric, attributes)
    attributed.set(key, metric)
  }
  metric.updateUnsafe(value, context)
}
