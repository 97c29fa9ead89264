/**
 * Measures how much memory a process needs to download a document to a file or upload a document from a file, with this library and with undici.
 * Exits with 1 if this library exceeds the bound.
 *
 *     node tools/bench/memory.ts                  2 GiB each way
 *     node tools/bench/memory.ts --size 256       256 MiB each way
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { parseArgs } from "node:util"
import { isComplete, prepare, titles } from "./documents.ts"
import { run, type Worker } from "./processes.ts"
import { type Ran, type Way, ways } from "./protocol.ts"
import { machine, mebibyte, table, writeResult } from "./report.ts"

const { values: given } = parseArgs({ options: { size: { type: "string", default: "2048" } } })

const bytes = Number(given.size) * mebibyte

/** Bytes of the first document, which fills the pool of buffers that Node.js keeps before it collects garbage. */
const warmUp = 64 * mebibyte

/** The allowed growth of a process, for documents of any size. */
const bound = 64 * mebibyte

interface Result extends Ran {
  readonly way: Way
  /** Memory before the first document. */
  readonly fresh: Ran["before"]
}

const growth = ({ before, peak }: Ran, name: keyof Ran["before"]): number => peak[name] - before[name]

const inMebibytes = (number: number): string => (number / mebibyte).toFixed(1)

const isKept = (result: Result): boolean =>
  isComplete(result, bytes) && (result.way.includes("undici") || growth(result, "rss") <= bound)

const tableOf = (results: ReadonlyArray<Result>): string => {
  const names = ["rss", "heapUsed", "external", "arrayBuffers"] as const
  const columns = [
    "",
    "added to a fresh process, MiB",
    ...names.map((name) => `${name}, MiB`),
    "fresh, MiB",
    "MiB/s",
    "at most 64 MiB"
  ]
  return table(
    columns,
    results.map((result) => [
      titles[result.way],
      `+${inMebibytes(result.peak.rss - result.fresh.rss)}`,
      ...names.map((name) => `+${inMebibytes(growth(result, name))}`),
      inMebibytes(result.fresh.rss),
      (bytes / mebibyte / result.seconds).toFixed(0),
      isKept(result) ? "yes" : isComplete(result, bytes) ? "**no**" : `**only ${result.done} bytes**`
    ])
  )
}

const measure = Effect.fnUntraced(function*(way: Way, client: Worker) {
  const { before: fresh } = yield* run(client, warmUp)
  const result: Result = { way, fresh, ...yield* run(client, bytes) }
  yield* Console.error(`${way}: +${inMebibytes(growth(result, "rss"))} MiB in ${result.seconds.toFixed(1)} s`)
  return result
})

const program = Effect.scoped(Effect.gen(function*() {
  const startClient = yield* prepare([warmUp, bytes])
  const results = yield* Effect.forEach(
    ways,
    (way) => Effect.scoped(Effect.flatMap(startClient(way), (client) => measure(way, client)))
  )
  const text = [
    "# Memory during the transfer of documents",
    "",
    `${given.size} MiB each way between two processes on one machine: ${machine()}. The first column is the growth of the client process (\`rss\`) since its start, the others since a first document of 64 MiB, sampled every 50 ms. The bound is for this library and for the growth of \`rss\` since the first document.`,
    "",
    tableOf(results),
    ""
  ].join("\n")
  yield* Console.log(text)
  yield* Effect.sync(() => {
    writeResult(given.size === "2048" ? "memory.md" : "memory-quick.md", text)
    if (!results.every(isKept)) process.exitCode = 1
  })
}))

NodeRuntime.runMain(program)
