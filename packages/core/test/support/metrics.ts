/** The metrics of one client, apart from those of all others. */
import { Effect, Metric, Struct } from "effect"

/** Gives an effect, and the layers that it provides, a registry of its own. */
export const isolated = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => Effect.provideService(effect, Metric.MetricRegistry, new Map()))

/** All metrics so far. */
export const snapshot = Effect.map(Metric.snapshot, (metrics) =>
  metrics.map(({ attributes, id, state, type }) => ({
    name: id.replace(/^language_service\.client\./, ""),
    type,
    attributes: { ...attributes },
    state
  })))

/** The sums of the histograms of a name, in the order in which they began. */
export const sums = (name: string) =>
  Effect.map(
    snapshot,
    (metrics) => metrics.flatMap((metric) => metric.name === name && "sum" in metric.state ? [metric.state.sum] : [])
  )

/** The value of a gauge, by its name and attributes. */
export const gauge = (name: string, attributes: Readonly<Record<string, string>> = {}) =>
  Effect.map(snapshot, (metrics) => {
    const found = metrics.find((metric) =>
      metric.name === name && metric.type === "Gauge" &&
      Object.entries(attributes).every(([key, value]) => metric.attributes[key] === value)
    )
    return found !== undefined && "value" in found.state ? Number(found.state.value) : undefined
  })

/** The counts of a name, by their attributes without the unit. */
export const counts = (name: string) =>
  Effect.map(
    snapshot,
    (metrics) =>
      metrics.flatMap(({ attributes, state, ...metric }) =>
        metric.name === name && "count" in state
          ? [[Struct.omit(attributes, ["unit"]), Number(state.count)] as const]
          : []
      )
  )
