/** Throughput, processor time and memory of documents: this library beside undici to and from a file. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Console, Effect, FileSystem } from "effect"
import { join } from "node:path"
import { ProcessFailed, run, start } from "./processes.ts"
import { type DocumentOrder, type Ran, type Way, ways } from "./protocol.ts"
import { type Aim, median, type Options, type Section, type Table } from "./report.ts"

export const mebibyte = 1024 * 1024

/** A form has a head and a tail beside the file. */
const formBytes = 4096

/** Whether all of a document has come: an upload is counted with its form. */
export const isComplete = ({ done }: Ran, bytes: number): boolean => done >= bytes && done < bytes + formBytes

/** Writes the file of an upload. */
const makeSource = Effect.fnUntraced(function*(path: string, bytes: number) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.open(path, { flag: "w" })
  const chunk = new Uint8Array(mebibyte).fill(97)
  for (let written = 0; written < bytes; written += chunk.length) yield* file.writeAll(chunk)
}, Effect.scoped)

/** A server, a folder with files of some sizes, and how to start a client there. */
export const prepare = Effect.fnUntraced(function*(sizes: ReadonlyArray<number>) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "bench-documents-" })
  yield* Effect.forEach(sizes, (bytes) => makeSource(join(folder, `${bytes}.txt`), bytes))
  const server = yield* start("documentServer.ts", [])
  const { url = "" } = yield* server.receive("ready")
  return Effect.fnUntraced(function*(way: Way) {
    const order: DocumentOrder = { way, url, folder }
    const client = yield* start("documentClient.ts", [JSON.stringify(order)])
    yield* client.receive("ready")
    return client
  })
}, Effect.provide(NodeFileSystem.layer))

const titles: Readonly<Record<Way, string>> = {
  "download": "this library: `downloadToFile`",
  "download, undici": "`undici.request` to `createWriteStream`",
  "download, undici, synced": "the same, synced to the disk",
  "upload a file": "this library: a file by its path",
  "upload a stream": "this library: a stream of a file",
  "upload a blob": "this library: a `Blob` of a file",
  "upload a stream, undici": "`undici.request`, a form written by hand around `createReadStream`",
  "upload a blob, undici": "`undici.request`, a `FormData` with a `Blob`"
}

const directions: ReadonlyArray<{ readonly title: string; readonly ways: ReadonlyArray<Way>; readonly base: Way }> = [
  { title: "Download to a file", ways: ways.filter((way) => way.startsWith("download")), base: "download, undici" },
  { title: "Upload", ways: ways.filter((way) => way.startsWith("upload")), base: "upload a stream, undici" }
]

interface Sample extends Ran {
  readonly way: Way
}

const of = (samples: ReadonlyArray<Sample>, way: Way): ReadonlyArray<Sample> =>
  samples.filter((sample) => sample.way === way)

const middle = (samples: ReadonlyArray<Sample>, way: Way, number: "seconds" | "cpuMicros"): number =>
  median(of(samples, way).map((sample) => sample[number]))

/** The throughput of one way as a share of that of another; both took turns. */
const share = (samples: ReadonlyArray<Sample>, way: Way, base: Way): number =>
  middle(samples, base, "seconds") / middle(samples, way, "seconds")

const tableOf = (
  samples: ReadonlyArray<Sample>,
  bytes: number,
  { base, title, ways }: typeof directions[number]
): Table => {
  const mebibytes = bytes / mebibyte
  return {
    title,
    columns: ["", "MiB/s", "share", "CPU, ms per MiB", "most memory, MiB"],
    rows: ways.map((way) => [
      titles[way],
      (mebibytes / middle(samples, way, "seconds")).toFixed(0),
      share(samples, way, base).toFixed(2),
      (middle(samples, way, "cpuMicros") / 1000 / mebibytes).toFixed(2),
      (Math.max(...of(samples, way).map(({ peak }) => peak.rss)) / mebibyte).toFixed(0)
    ])
  }
}

const aimsOf = (samples: ReadonlyArray<Sample>): ReadonlyArray<Aim> => [
  {
    name: "throughput of a download to a file, of that of undici",
    value: share(samples, "download", "download, undici"),
    atLeast: 0.95
  }
]

/** The ways of one direction take turns, there and back: what one leaves the disk to do does not always meet the same. */
const measure = Effect.fnUntraced(function*(
  bytes: number,
  ways: ReadonlyArray<Way>,
  startClient: Effect.Success<ReturnType<typeof prepare>>,
  rounds: number
) {
  const clients = yield* Effect.forEach(ways, (way) => Effect.map(startClient(way), (client) => ({ way, client })))
  const samples: Array<Sample> = []
  for (let round = 0; round <= rounds; round++) {
    for (const { client, way } of round % 2 === 0 ? clients : clients.toReversed()) {
      // A process that has rested gave memory back, and collects garbage more often for a while.
      yield* run(client, bytes)
      const result = yield* run(client, bytes)
      if (!isComplete(result, bytes)) {
        return yield* new ProcessFailed({ reason: `${way}: ${result.done} of ${bytes} bytes` })
      }
      // The first is the warm-up.
      if (round > 0) samples.push({ way, ...result })
    }
  }
  return samples
}, Effect.scoped)

/** Runs the section. */
export const documents = Effect.fnUntraced(function*({ quick }: Options) {
  const bytes = (quick ? 32 : 256) * mebibyte
  const startClient = yield* prepare([bytes])
  const samples = (yield* Effect.forEach(
    directions,
    ({ ways }) => measure(bytes, ways, startClient, quick ? 2 : 7)
  )).flat()
  const tables = directions.map((direction) => tableOf(samples, bytes, direction))
  yield* Console.error(tables.flatMap(({ rows }) => rows.map((cells) => cells.join(" | "))).join("\n"))
  const section: Section = {
    title: "Documents",
    method:
      `Documents of ${bytes / mebibyte} MiB from and to a server on the same machine, which makes them up and throws ` +
      "them away. Each way has a process of its own with the same modules, and those of a direction take turns: two " +
      "documents, of which the second counts. Throughput and processor time are medians after a warm-up, memory is the most that the process held (`rss`). The share is that of the throughput of undici (for an " +
      "upload, of the form written by hand). `downloadToFile` also asks whether the document is ready, keeps a journal on " +
      "the disk, and syncs the file before it gets its name; the row of undici that syncs shows what that alone costs.",
    tables,
    aims: aimsOf(samples),
    data: { bytes, samples }
  }
  return section
})
