/** Measures throughput, processor time and memory of documents to and from a file, with this library and with undici. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Console, Effect, FileSystem, type Scope } from "effect"
import { join } from "node:path"
import { ProcessFailed, run, start, type Worker } from "./processes.ts"
import { type DocumentOrder, type Ran, type Way, ways } from "./protocol.ts"
import { type Aim, mebibyte, median, type Options, preview, type Section, type Table } from "./report.ts"

/** Maximum bytes that a form adds to its file. */
const formBytes = 4096

/** True if the whole document was transferred. The bytes of an upload include the form. */
export const isComplete = ({ done }: Ran, bytes: number): boolean => done >= bytes && done < bytes + formBytes

/** Writes a file to upload. */
const makeSource = Effect.fnUntraced(function*(path: string, bytes: number) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.open(path, { flag: "w" })
  const chunk = new Uint8Array(mebibyte).fill(97)
  for (let written = 0; written < bytes; written += chunk.length) yield* file.writeAll(chunk)
}, Effect.scoped)

/** Starts a server, writes files of the sizes to a folder, and returns a function that starts a client for this folder. */
export const prepare = Effect.fnUntraced(function*(sizes: ReadonlyArray<number>) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "bench-documents-" })
  yield* Effect.forEach(sizes, (bytes) => makeSource(join(folder, `${bytes}.txt`), bytes))
  const { url } = yield* start("documentServer.ts", [])
  return (way: Way): Effect.Effect<Worker, ProcessFailed, Scope.Scope> => {
    const order: DocumentOrder = { way, url, folder }
    return start("documentClient.ts", [JSON.stringify(order)])
  }
}, Effect.provide(NodeFileSystem.layer))

export const titles: Readonly<Record<Way, string>> = {
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

/** Throughput of one way relative to another way. */
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
    columns: ["", "MiB/s", "share", "CPU, ms per MiB", "peak memory, MiB"],
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
    name: "throughput of a download to a file, relative to undici",
    value: share(samples, "download", "download, undici"),
    atLeast: 0.95
  },
  {
    name: "throughput of an upload by path, relative to a hand-written form",
    value: share(samples, "upload a file", "upload a stream, undici"),
    atLeast: 0.9
  }
]

/**
 * The ways of one direction alternate, in an order that is reversed each round, so that pending writes of one way do not always slow down the same
 * way.
 */
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
      // The first run is not measured, because an idle process has returned memory and then collects garbage more often for a while.
      yield* run(client, bytes)
      const result = yield* run(client, bytes)
      if (!isComplete(result, bytes)) {
        return yield* new ProcessFailed({ reason: `${way}: ${result.done} of ${bytes} bytes` })
      }
      // The first round is the warm-up.
      if (round > 0) samples.push({ way, ...result })
    }
  }
  return samples
}, Effect.scoped)

export const documents = Effect.fnUntraced(function*({ quick }: Options) {
  const bytes = (quick ? 32 : 256) * mebibyte
  const startClient = yield* prepare([bytes])
  const samples = (yield* Effect.forEach(
    directions,
    ({ ways }) => measure(bytes, ways, startClient, quick ? 2 : 7)
  )).flat()
  const tables = directions.map((direction) => tableOf(samples, bytes, direction))
  yield* Console.error(preview(...tables))
  const section: Section = {
    title: "Documents",
    method:
      `Documents of ${
        bytes / mebibyte
      } MiB from and to a server on the same machine, which generates and discards them. ` +
      "Each way runs in a process of its own with the same modules, and the ways of a direction take turns: each transfers two " +
      "documents, of which the second is measured. Throughput and processor time are medians after a warm-up, memory is the " +
      "peak of the process (`rss`). The share is the throughput relative to undici (for an upload, to the form written by " +
      "hand). `downloadToFile` also reads the state of the document, keeps a journal on disk, and syncs the file before it " +
      "renames it; the undici row with a sync shows the cost of the sync alone.",
    tables,
    aims: aimsOf(samples),
    data: { bytes, samples }
  }
  return section
})
