/**
 * Memory while documents are transferred: a process downloads one to a file, or uploads one from a file, and the most that
 * it grows by is what counts. Ends with 1 when it is over the bound.
 *
 *     node bench/documents.ts                  2 GiB each way
 *     node bench/documents.ts --size 256       so many MiB
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, FileSystem } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { cpus, release } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { start } from "./processes.ts"
import { type Transferred, ways } from "./protocol.ts"
import { table } from "./report.ts"

const { values: given } = parseArgs({ options: { size: { type: "string", default: "2048" } } })

const mebibyte = 1024 * 1024
const bytes = Number(given.size) * mebibyte

/** What a process may grow by, whatever the size. */
const bound = 64 * mebibyte

/** A form has a head and a tail beside the file. */
const formBytes = 4096

interface Result extends Transferred {
  readonly way: string
}

const growth = ({ before, peak }: Transferred, name: keyof Transferred["peak"]): number => peak[name] - before[name]

const inMebibytes = (number: number): string => (number / mebibyte).toFixed(1)

const isComplete = ({ transferred }: Transferred): boolean => transferred >= bytes && transferred < bytes + formBytes

const isKept = (result: Result): boolean => isComplete(result) && growth(result, "rss") <= bound

const tableOf = (results: ReadonlyArray<Result>): string => {
  const names = ["rss", "heapUsed", "external", "arrayBuffers"] as const
  const columns = ["", ...names.map((name) => `${name}, MiB`), "before, MiB", "fresh, MiB", "MiB/s", "at most 64 MiB"]
  return table(
    columns,
    results.map((result) => [
      result.way,
      ...names.map((name) => `+${inMebibytes(growth(result, name))}`),
      inMebibytes(result.before.rss),
      inMebibytes(result.fresh.rss),
      (bytes / mebibyte / result.seconds).toFixed(0),
      isKept(result) ? "yes" : isComplete(result) ? "**no**" : `**only ${result.transferred} bytes**`
    ])
  )
}

/** A file of so many bytes that are on the disk. */
const source = Effect.fnUntraced(function*(path: string) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.open(path, { flag: "w" })
  const chunk = new Uint8Array(mebibyte).fill(97)
  for (let written = 0; written < bytes + 64 * mebibyte; written += chunk.length) yield* file.writeAll(chunk)
})

const program = Effect.scoped(Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "bench-documents-" })
  const path = join(folder, "source")
  yield* Effect.scoped(source(path))
  const server = yield* start("documentServer.ts", [])
  const { url = "" } = yield* server.receive("ready")
  const results: Array<Result> = []
  for (const way of ways) {
    const { result } = yield* Effect.scoped(Effect.gen(function*() {
      const client = yield* start("documentClient.ts", [JSON.stringify({ way, url, folder, source: path, bytes })])
      return yield* client.receive("transferred", "10 minutes")
    }))
    results.push({ way, ...result })
    yield* Console.error(`${way}: +${inMebibytes(growth(result, "rss"))} MiB in ${result.seconds.toFixed(1)} s`)
  }
  const text = [
    "# Memory while documents are transferred",
    "",
    `${given.size} MiB each way between two processes on one machine, Node ${process.version}, ${cpus().length} CPUs, Linux ` +
    `${release()}. The most that the process of the client grew by after a first document of 64 MiB, looked at every 50 ms.`,
    "",
    tableOf(results),
    ""
  ].join("\n")
  yield* Console.log(text)
  yield* Effect.sync(() => {
    const reports = new URL("results/", import.meta.url)
    mkdirSync(reports, { recursive: true })
    writeFileSync(new URL(given.size === "2048" ? "documents.md" : "documents-quick.md", reports), text)
    if (!results.every(isKept)) process.exitCode = 1
  })
})).pipe(Effect.provide(NodeFileSystem.layer))

NodeRuntime.runMain(program)
