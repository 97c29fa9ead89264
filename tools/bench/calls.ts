/** Measures calls per second and processor time per call of this library and its alternatives. */
import { Console, Effect } from "effect"
import { start, type Worker } from "./processes.ts"
import { type CallKind, callKinds, type CallOrder } from "./protocol.ts"
import { type Aim, median, type Options, preview, type Section, type Table } from "./report.ts"

const titles: Readonly<Record<CallKind, string>> = {
  "everything on": "this library, everything on",
  "schemas compiled": "this library, everything on, schemas compiled",
  "resilience off": "this library, resilience off",
  effect: "`effect` HttpClient with a schema",
  undici: "`undici.request` and `JSON.parse`",
  fetch: "`fetch`",
  "deepl-node": "`deepl-node` 1.28.0"
}

/** Enables Effect's JIT compiler for schemas. */
const compiled = ["--import", "effect/schema/SchemaJITCompiler/enable"]

const inFlights = [1, 16, 128]

const loads: ReadonlyArray<{ readonly title: string; readonly texts: ReadonlyArray<string> }> = [
  { title: "One text of 5 bytes", texts: ["Good."] },
  {
    title: "20 texts of 400 bytes",
    texts: Array.from({ length: 20 }, () => "All is well that ends well. ".repeat(15).slice(0, 400))
  }
]

interface Sample {
  readonly kind: CallKind
  readonly inFlight: number
  readonly perSecond: number
  readonly cpuMicros: number
  readonly delayMillis: number
}

const measure = Effect.fnUntraced(function*(client: Worker, inFlight: number, millis: number) {
  yield* client.send({ tag: "measure", inFlight, millis })
  return yield* client.receive("measured")
})

const answerTo = (texts: ReadonlyArray<string>): string =>
  JSON.stringify({
    translations: texts.map((text) => ({ detected_source_language: "EN", text, billed_characters: text.length }))
  })

/** The clients alternate, each in a separate process, so that other load on the machine affects all clients. */
const measureLoad = Effect.fnUntraced(function*(texts: ReadonlyArray<string>, { quick }: Options) {
  const { url } = yield* start("callServer.ts", [answerTo(texts)])
  const clients = yield* Effect.forEach(callKinds, (kind) => {
    const order: CallOrder = { kind, url, texts }
    return Effect.map(
      start("callClient.ts", [JSON.stringify(order)], kind === "schemas compiled" ? compiled : []),
      (client) => ({ kind, client })
    )
  })
  const samples: Array<Sample> = []
  const millis = quick ? 200 : 500
  for (const inFlight of inFlights) {
    for (const { client } of clients) yield* measure(client, inFlight, quick ? 500 : 1500)
    for (let round = 0; round < (quick ? 3 : 9); round++) {
      for (const { client, kind } of clients) {
        const { calls, cpuMicros, delayMillis, millis: took } = yield* measure(client, inFlight, millis)
        samples.push({ kind, inFlight, perSecond: calls / took * 1000, cpuMicros: cpuMicros / calls, delayMillis })
      }
    }
  }
  return samples
}, Effect.scoped)

const middle = (
  samples: ReadonlyArray<Sample>,
  kind: CallKind,
  inFlight: number,
  number: "perSecond" | "cpuMicros" | "delayMillis"
): number =>
  median(
    samples.filter((sample) => sample.kind === kind && sample.inFlight === inFlight).map((sample) => sample[number])
  )

/** The ratio of two clients' measurements. */
const ratio = (
  samples: ReadonlyArray<Sample>,
  kind: CallKind,
  other: CallKind,
  inFlight: number,
  number: "perSecond" | "delayMillis" = "perSecond"
): number => middle(samples, kind, inFlight, number) / middle(samples, other, inFlight, number)

const tableOf = (title: string, samples: ReadonlyArray<Sample>): Table => ({
  title,
  columns: ["", ...inFlights.map((inFlight) => `${inFlight} in flight`)],
  rows: callKinds.map((kind) => {
    const cells = inFlights.map((inFlight) => {
      const perSecond = middle(samples, kind, inFlight, "perSecond").toFixed(0)
      const cpu = middle(samples, kind, inFlight, "cpuMicros").toFixed(0)
      return `${perSecond}/s, ${cpu} µs (${ratio(samples, kind, "undici", inFlight).toFixed(2)})`
    })
    return [titles[kind]].concat(cells)
  })
})

/** Minimum calls per second relative to other clients, for each number of `inFlights`: first for one text, then for 20 texts. */
const atLeast: ReadonlyArray<ReadonlyArray<readonly [other: CallKind, bounds: ReadonlyArray<number>]>> = [
  [["deepl-node", [2, 3, 2]], ["fetch", [1.6, 1.8, 1.6]], ["undici", [0.85, 0.65, 0.7]]],
  [["undici", [0.8, 0.7, 0.65]]]
]

/** Delays of the event loop with the maximum number of calls in flight. */
const delaysOf = (title: string, samples: ReadonlyArray<Sample>): Table => ({
  title: `${title}: delay of the event loop, 128 in flight`,
  columns: ["", "99th percentile, ms", "relative to undici"],
  rows: callKinds.map((kind) => [
    titles[kind],
    middle(samples, kind, 128, "delayMillis").toFixed(1),
    ratio(samples, kind, "undici", 128, "delayMillis").toFixed(2)
  ])
})

const aimsOf = (measured: ReadonlyArray<{ readonly title: string; readonly samples: ReadonlyArray<Sample> }>) =>
  measured.flatMap(({ samples, title }, load): ReadonlyArray<Aim> => [
    {
      name: `${title}: delay of the event loop (99th percentile) relative to undici, 128 in flight`,
      value: ratio(samples, "everything on", "undici", 128, "delayMillis"),
      atMost: 2
    },
    ...(atLeast[load] ?? []).flatMap(([other, bounds]) =>
      inFlights.map((inFlight, index) => ({
        name: `${title}: calls per second, relative to ${other}, ${inFlight} in flight`,
        value: ratio(samples, "everything on", other, inFlight),
        atLeast: bounds[index] ?? 0
      }))
    )
  ])

export const calls = Effect.fnUntraced(function*(options: Options) {
  const measured = yield* Effect.forEach(loads, ({ texts, title }) =>
    Effect.tap(
      Effect.map(measureLoad(texts, options), (samples) => ({ title, samples })),
      ({ samples }) => Console.error(preview(tableOf(title, samples)))
    ))
  const section: Section = {
    title: "Calls",
    method:
      "Translations from a server on the same machine that responds immediately. Each client runs in a process of its own, and " +
      "the clients take turns. A cell has the calls per second, the processor time per call and, in parentheses, the calls per " +
      "second relative to undici: medians of the turns after a warm-up.",
    tables: measured.flatMap(({ samples, title }) => [tableOf(title, samples), delaysOf(title, samples)]),
    aims: aimsOf(measured),
    data: measured
  }
  return section
})
