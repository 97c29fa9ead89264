/** Measures language detection of many texts: one request per text, hand-made batches, and calls that `TextBatching` batches. */
import { Console, Effect } from "effect"
import { ProcessFailed, run, start } from "./processes.ts"
import { type DetectionKind, detectionKinds, type DetectionOrder, type Ran } from "./protocol.ts"
import { type Aim, median, type Options, preview, type Section, type Table } from "./report.ts"

const titles: Readonly<Record<DetectionKind, string>> = {
  "one by one": "one request per text",
  "one by one, undici": "the same with `undici.request`",
  "by hand": "batches of 50 by hand",
  detect: "`detect(text)` for each text, with `TextBatching`",
  detectAll: "`detectAll(texts)`"
}

const inFlight = 16
const latencies = [20, 0]

interface Sample extends Ran {
  readonly kind: DetectionKind
  readonly latency: number
}

/** All kinds alternate, each in a separate process. */
const measure = Effect.fnUntraced(function*(latency: number, texts: number, rounds: number, warmUp: number) {
  const { url } = yield* start("textServer.ts", [String(latency)])
  const clients = yield* Effect.forEach(detectionKinds, (kind) => {
    const order: DetectionOrder = { kind, url, inFlight }
    return Effect.map(start("detectionClient.ts", [JSON.stringify(order)]), (client) => ({ kind, client }))
  })
  // Warms up each kind, so that its code is compiled.
  for (const { client } of clients) {
    for (let seconds = 0; seconds < warmUp;) seconds += (yield* run(client, texts / 5)).seconds
  }
  const samples: Array<Sample> = []
  for (let round = 0; round < rounds; round++) {
    for (const { client, kind } of clients) {
      const result = yield* run(client, texts)
      if (result.done !== texts) {
        return yield* new ProcessFailed({ reason: `${kind}: ${result.done} of ${texts} texts have a result` })
      }
      samples.push({ kind, latency, ...result })
    }
  }
  return samples
}, Effect.scoped)

const middle = (samples: ReadonlyArray<Sample>, kind: DetectionKind, number: "seconds" | "cpuMicros"): number =>
  median(samples.filter((sample) => sample.kind === kind).map((sample) => sample[number]))

const faster = (samples: ReadonlyArray<Sample>, kind: DetectionKind): number =>
  middle(samples, "one by one", "seconds") / middle(samples, kind, "seconds")

const titleOf = (latency: number): string =>
  latency === 0 ? "A server that responds immediately" : `A server that responds after ${latency} ms`

const tableOf = (latency: number, samples: ReadonlyArray<Sample>, texts: number): Table => ({
  title: titleOf(latency),
  columns: ["", "ms", "times as fast", "CPU, µs per text"],
  rows: detectionKinds.map((kind) => [
    titles[kind],
    (middle(samples, kind, "seconds") * 1000).toFixed(0),
    faster(samples, kind).toFixed(1),
    (middle(samples, kind, "cpuMicros") / texts).toFixed(0)
  ])
})

const aimsOf = (latency: number, samples: ReadonlyArray<Sample>, texts: number): ReadonlyArray<Aim> =>
  latency === 0
    ? [{
      name: "µs of processor time for a text by `detect(text)`, from a server that responds immediately",
      value: middle(samples, "detect", "cpuMicros") / texts,
      atMost: 15
    }]
    : [{
      name: "speed of `detect(text)`, relative to one request per text",
      value: faster(samples, "detect"),
      atLeast: 20
    }]

export const detection = Effect.fnUntraced(function*({ quick }: Options) {
  const texts = quick ? 500 : 10_000
  const measured = yield* Effect.forEach(
    latencies,
    (latency) =>
      Effect.map(
        quick ? measure(latency, texts, 2, 0.5) : measure(latency, texts, 3, 4),
        (samples) => ({ latency, samples })
      )
  )
  const tables = measured.map(({ latency, samples }) => tableOf(latency, samples, texts))
  yield* Console.error(preview(...tables))
  const section: Section = {
    title: "Detection",
    method:
      `The languages of ${texts} texts of about 35 bytes, with at most ${inFlight} requests in flight, from a server on the ` +
      "same machine. The latency in the first table stands for the network and the work of a real service. Each way runs in a " +
      "process of its own, and the ways take turns; medians after a warm-up.",
    tables,
    aims: measured.flatMap(({ latency, samples }) => aimsOf(latency, samples, texts)),
    data: measured.flatMap(({ samples }) => samples)
  }
  return section
})
