/**
 * Runs the client for a long time against a faulty service: calls of all kinds meet refusals, broken connections, stalls and truncated bodies, and
 * some calls are interrupted. Exits with 1 if the heap after garbage collection, the descriptors or the timers grow, or if a call ends with neither
 * the expected result nor an error of the library.
 *
 *     node tools/bench/soak.ts                  ten minutes
 *     node tools/bench/soak.ts --minutes 2      two minutes
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, FileSystem } from "effect"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { start } from "./processes.ts"
import type { SoakCounts, SoakOrder, SoakSample } from "./protocol.ts"
import { machine, mebibyte, median, table, writeResult } from "./report.ts"

const { values: given } = parseArgs({ options: { minutes: { type: "string", default: "10" } } })

const minutes = Number(given.minutes)
const workers = 24

interface Sample extends SoakSample {
  readonly seconds: number
}

const inMebibytes = (bytes: number): string => (bytes / mebibyte).toFixed(1)

/** The median of a number in a part of the run; `from` and `to` are fractions of the run. */
const middle = (samples: ReadonlyArray<Sample>, number: keyof SoakSample, from: number, to: number): number =>
  median(samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to)).map((one) => one[number]))

/** The growth from the second to the last quarter; the first quarter does not count, because caches fill up. */
const grown = (samples: ReadonlyArray<Sample>, number: keyof SoakSample): number =>
  middle(samples, number, 0.75, 1) - middle(samples, number, 0.25, 0.5)

/** Maximum growth, which the calls in flight can explain. */
const allowed = { heapUsed: 3 * mebibyte, descriptors: 20, timers: 50 }

/** The heap's growth in KiB per minute, by least squares, without the first minute. */
const slope = (samples: ReadonlyArray<Sample>): number => {
  const late = samples.filter(({ seconds }) => seconds >= 60)
  const mean = (of: (sample: Sample) => number) => late.reduce((sum, sample) => sum + of(sample), 0) / late.length
  const seconds = mean((sample) => sample.seconds)
  const heap = mean((sample) => sample.heapUsed)
  const both = mean((sample) => (sample.seconds - seconds) * (sample.heapUsed - heap))
  return both / mean((sample) => (sample.seconds - seconds) ** 2) * 60 / 1024
}

const rowsOf = (samples: ReadonlyArray<Sample>): ReadonlyArray<ReadonlyArray<string>> => {
  const step = Math.max(1, Math.ceil(samples.length / 12))
  return samples.filter((_, index) => (samples.length - 1 - index) % step === 0).map((sample) => [
    (sample.seconds / 60).toFixed(1),
    inMebibytes(sample.heapUsed),
    inMebibytes(sample.external),
    inMebibytes(sample.rss),
    String(sample.descriptors),
    String(sample.timers),
    String(sample.resources)
  ])
}

const reportOf = (samples: ReadonlyArray<Sample>, { abandoned, errors, results, wrong }: SoakCounts): string =>
  [
    "# Soak",
    `${minutes} minutes of calls of all kinds, ${workers} at once, to a fake service in bad weather in another process, on ` +
    `${machine()}. The resources of the client process after garbage collection:`,
    table(["minute", "heap, MiB", "external, MiB", "rss, MiB", "descriptors", "timers", "resources"], rowsOf(samples)),
    `From the second quarter to the last, by the medians: heap ${
      inMebibytes(grown(samples, "heapUsed"))
    } MiB, descriptors ` +
    `${grown(samples, "descriptors")}, timers ${
      grown(samples, "timers")
    }. Slope of the heap from the first minute on: ` +
    `${slope(samples).toFixed(1)} KiB per minute.`,
    `${results} calls had the expected result, ${abandoned} were interrupted, ${wrong.length} ended wrongly. Errors:`,
    table(
      ["", "calls"],
      Object.entries(errors).toSorted(([, a], [, b]) => b - a).map(([tag, calls]) => [tag, String(calls)])
    ),
    ...wrong.map((text) => `- ${text}`),
    ""
  ].join("\n\n")

const program = Effect.scoped(Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "bench-soak-" })
  const source = join(folder, "source.txt")
  yield* fs.writeFileString(source, "All is well that ends well.\n".repeat(4000))
  const { calmUrl, url } = yield* start("soakServer.ts", [])
  const order: SoakOrder = { url, calmUrl, folder, source, workers }
  const client = yield* start("soakClient.ts", [JSON.stringify(order)], ["--expose-gc"])
  const samples: Array<Sample> = []
  let counts: SoakCounts = { results: 0, abandoned: 0, errors: {}, wrong: [] }
  for (let seconds = 10; seconds <= minutes * 60 && counts.wrong.length === 0; seconds += 10) {
    yield* Effect.sleep("10 seconds")
    yield* client.send({ tag: "sample" })
    const sampled = yield* client.receive("sampled")
    counts = sampled.counts
    samples.push({ seconds, ...sampled.sample })
    yield* Console.error(`${seconds} s: ${inMebibytes(sampled.sample.heapUsed)} MiB, ${counts.results} results`)
  }
  const text = reportOf(samples, counts)
  yield* Console.log(text)
  const isGrown = grown(samples, "heapUsed") > allowed.heapUsed ||
    grown(samples, "descriptors") > allowed.descriptors || grown(samples, "timers") > allowed.timers
  yield* Effect.sync(() => {
    if (given.minutes === "10") writeResult("soak.md", text)
    if (isGrown || counts.wrong.length > 0) process.exitCode = 1
  })
})).pipe(Effect.provide(NodeFileSystem.layer))

NodeRuntime.runMain(program)
