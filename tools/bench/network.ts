/** Measures clients over a network with delays, TLS, limited bandwidth and lost connections. */
import { Console, Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { authority } from "../../packages/node/test/support/certificates.ts"
import { start } from "./processes.ts"
import { type Network, type NetworkKind, networkKinds, type NetworkOrder, type NetworkWork } from "./protocol.ts"
import { mebibyte, type Options, preview, type Section, type Table } from "./report.ts"

const kinds = networkKinds

/** A folder with the document and the certificate authority that all clients trust. */
const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "bench-network-"))
    const trusted = join(folder, "authority.pem")
    writeFileSync(trusted, authority)
    // The client processes inherit this variable.
    // @effect-diagnostics-next-line processEnvInEffect:off
    process.env["NODE_EXTRA_CA_CERTS"] = trusted
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

interface Sample {
  readonly kind: NetworkKind
  readonly title: string
  readonly millis: number
  readonly cpuMicros: number
  readonly failed: number
  readonly opened: number
  readonly resumed: number
}

/** Measures several works in one new process, over a separate network. */
const measure = Effect.fnUntraced(function*(
  folder: string,
  network: Network,
  kind: NetworkKind,
  works: ReadonlyArray<readonly [title: string, work: NetworkWork]>
) {
  const server = yield* start("networkServer.ts", [JSON.stringify(network)])
  const order: NetworkOrder = { kind, url: server.url, folder }
  const client = yield* start("networkClient.ts", [JSON.stringify(order)])
  return yield* Effect.forEach(works, ([title, work]) =>
    Effect.gen(function*() {
      yield* client.send({ tag: "work", work })
      const { cpuMicros, failed, millis } = yield* client.receive("worked", "10 minutes")
      yield* server.send({ tag: "count" })
      const { opened, resumed } = yield* server.receive("connections")
      return { kind, title, millis, cpuMicros, failed, opened, resumed } satisfies Sample
    }))
}, Effect.scoped)

const tableOf = (title: string, samples: ReadonlyArray<Sample>): Table => {
  const titles = [...new Set(samples.map(({ title }) => title))]
  return {
    title,
    columns: ["", ...titles],
    rows: kinds.flatMap((kind) => {
      const own = samples.filter((sample) => sample.kind === kind)
      return own.length === 0 ? [] : [[
        `\`${kind}\``,
        ...titles.map((title) => {
          const sample = own.find((sample) => sample.title === title)
          if (sample === undefined) return ""
          const { cpuMicros, failed, millis, opened, resumed } = sample
          const lost = failed === 0 ? "" : `, ${failed} failed`
          return `${(millis / 1000).toFixed(2)} s, ${(cpuMicros / 1000).toFixed(0)} ms, ${opened} (${resumed})${lost}`
        })
      ]]
    })
  }
}

export const network = Effect.fnUntraced(function*({ quick }: Options) {
  const at = yield* folder
  const bytes = (quick ? 5 : 50) * mebibyte
  yield* Effect.sync(() => writeFileSync(join(at, "source.txt"), Buffer.alloc(bytes, "All is well. ")))
  const calls = quick ? 200 : 1000
  const first = ["first call", { what: "calls", calls: 1, inFlight: 1 }] as const
  const inFlight = (inFlight: number, title = `${calls} calls, ${inFlight} in flight`) =>
    [title, { what: "calls", calls, inFlight }] as const
  const networks = [30, 80].map((millis): Network => ({ millis, megabits: 100 }))
  const tables: Array<Table> = []
  const all: Array<Sample> = []
  const add = Effect.fnUntraced(function*(title: string, samples: ReadonlyArray<ReadonlyArray<Sample>>) {
    const table = tableOf(title, samples.flat())
    tables.push(table)
    all.push(...samples.flat())
    yield* Console.error(`${title}\n${preview(table)}`)
  })
  for (const network of networks) {
    const name = `${network.millis} ms each way, ${network.megabits} Mbit/s`
    // All clients at once, because consecutive calls mostly wait.
    const slow = yield* Effect.forEach(kinds, (kind) => measure(at, network, kind, [first, inFlight(1)]), {
      concurrency: kinds.length
    })
    yield* add(`${name}: one call after the other`, slow)
    yield* add(
      `${name}: many calls`,
      yield* Effect.forEach(
        kinds,
        (kind) => measure(at, network, kind, [first, inFlight(16), inFlight(100), inFlight(100, "the same again")])
      )
    )
    yield* add(
      `${name}: a document of ${bytes / mebibyte} MiB`,
      yield* Effect.forEach(
        kinds,
        (kind) =>
          measure(at, network, kind, [["upload", { what: "upload", bytes }], ["download", { what: "download", bytes }]])
      )
    )
  }
  const lossy: Network = { millis: 30, megabits: 100, lostEvery: 100 }
  yield* add(
    "30 ms each way, each 100th packet closes its connection",
    yield* Effect.forEach(kinds, (kind) => measure(at, lossy, kind, [inFlight(16)]))
  )
  const section: Section = {
    title: "A network",
    method:
      "Each client in a process of its own, over TLS and a relay that delays every byte, limits the bandwidth of a connection and, in " +
      "the last table, closes connections. A cell has the time, the processor time of the client, and the number of connections " +
      "opened, with those that resumed a TLS session in parentheses. The relay has no slow start.",
    tables,
    aims: [],
    data: all
  }
  return section
})
