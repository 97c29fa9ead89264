/** Measures whether the cost per text or document grows with the number of items. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Console, Effect, FileSystem } from "effect"
import { join } from "node:path"
import { ProcessFailed, run, start } from "./processes.ts"
import { type GrowthKind, growthKinds, type GrowthOrder, type Ran } from "./protocol.ts"
import { type Aim, mebibyte, median, type Options, preview, type Section, type Table } from "./report.ts"

const titles: Readonly<Record<GrowthKind, string>> = {
  detectAll: "texts by `detectAll`",
  translateAll: "texts by `translateAll`",
  documents: "documents at once by `NodeDocuments.translate`"
}

const sizesOf = (kind: GrowthKind, quick: boolean): ReadonlyArray<number> =>
  kind === "documents"
    ? quick ? [10, 50] : [10, 100, 1000]
    : quick
    ? [200, 2000]
    : [1000, 10_000, 100_000]

interface Sample extends Ran {
  readonly kind: GrowthKind
  readonly size: number
}

/** Number of runs of a size: more for small sizes, whose times vary more. */
const roundsOf = (size: number, largest: number): number => Math.min(20, Math.max(2, largest / size))

/** Each size runs in a separate process after a warm-up, so that all sizes run compiled code. */
const measure = Effect.fnUntraced(function*(kind: GrowthKind, url: string, folder: string, { quick }: Options) {
  const order: GrowthOrder = { kind, url, folder, source: join(folder, "source.txt") }
  const sizes = sizesOf(kind, quick)
  const largest = Math.max(...sizes)
  const samples: Array<Sample> = []
  for (const size of sizes) {
    const client = yield* start("growthClient.ts", [JSON.stringify(order)])
    const warmUps = Math.ceil(largest / 5 / size)
    for (let round = 1; round <= warmUps + roundsOf(size, largest); round++) {
      const result = yield* run(client, size)
      if (result.done !== size) {
        return yield* new ProcessFailed({ reason: `${kind}: ${result.done} of ${size} have a result` })
      }
      if (round > warmUps) samples.push({ kind, size, ...result })
    }
  }
  return samples
}, Effect.scoped)

const of = (samples: ReadonlyArray<Sample>, kind: GrowthKind, size: number): ReadonlyArray<Sample> =>
  samples.filter((sample) => sample.kind === kind && sample.size === size)

/** Processor time per text or document. */
const cost = (samples: ReadonlyArray<Sample>, kind: GrowthKind, size: number): number =>
  median(of(samples, kind, size).map(({ cpuMicros }) => cpuMicros / size))

const most = (samples: ReadonlyArray<Sample>, number: keyof Ran["peak"]): number =>
  Math.max(...samples.map(({ peak }) => peak[number]))

const tableOf = (samples: ReadonlyArray<Sample>, quick: boolean): Table => ({
  title: "Time, cost per item and peaks",
  columns: ["", "number", "s", "CPU, µs per item", "heap, MiB", "rss, MiB", "descriptors"],
  rows: growthKinds.flatMap((kind) =>
    sizesOf(kind, quick).map((size) => {
      const ofSize = of(samples, kind, size)
      return [
        titles[kind],
        String(size),
        median(ofSize.map(({ seconds }) => seconds)).toFixed(2),
        cost(samples, kind, size).toFixed(0),
        (most(ofSize, "heapUsed") / mebibyte).toFixed(0),
        (most(ofSize, "rss") / mebibyte).toFixed(0),
        String(most(ofSize, "descriptors"))
      ]
    })
  )
})

const aimOf = (samples: ReadonlyArray<Sample>, kind: GrowthKind, quick: boolean): Aim => {
  const sizes = sizesOf(kind, quick)
  const smallest = Math.min(...sizes)
  const largest = Math.max(...sizes)
  return {
    name: `processor time per item of ${largest} ${titles[kind]}, relative to ${smallest}`,
    value: cost(samples, kind, largest) / cost(samples, kind, smallest),
    atMost: 1.3
  }
}

export const growth = Effect.fnUntraced(function*(options: Options) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "bench-growth-" })
  yield* fs.writeFileString(join(folder, "source.txt"), "All is well that ends well.\n".repeat(150))
  const texts = yield* start("textServer.ts", ["0"])
  const documents = yield* start("documentServer.ts", [])
  const samples = (yield* Effect.forEach(
    growthKinds,
    (kind) => measure(kind, (kind === "documents" ? documents : texts).url, folder, options)
  )).flat()
  const table = tableOf(samples, options.quick)
  yield* Console.error(preview(table))
  const section: Section = {
    title: "Growth",
    method:
      "Runs over growing numbers of texts of about 35 bytes, and of concurrent documents of 4 KiB, each from its file through " +
      "upload, status and download to a file, with the journal on disk. Servers on the same machine respond immediately. Each " +
      "number runs in a process of its own; time and cost are medians after a warm-up, the other columns are peaks of all runs.",
    tables: [table],
    aims: growthKinds.map((kind) => aimOf(samples, kind, options.quick)),
    data: samples
  }
  return section
}, Effect.provide(NodeFileSystem.layer))
