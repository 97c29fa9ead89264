/**
 * Plays the scenarios with several kinds of clients, and writes results.md. Half an hour.
 *
 *     node tools/lab/tables.ts && npx -y pnpm@12 fix
 */
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { awsAdaptive, awsStandard, deeplNode, naive, sre } from "./otherClients.ts"
import type { Report } from "./recorder.ts"
import * as Scenario from "./scenarios.ts"
import * as Simulation from "./simulation.ts"

const defaults = Simulation.client("defaults", ResiliencePolicy.defaults)
const others = [
  Simulation.client("no policy", ResiliencePolicy.none),
  deeplNode,
  awsStandard,
  awsAdaptive,
  sre,
  naive
]

/** Seeds for the defaults; the others have the first one. */
const seeds = Array.from({ length: 10 }, (_, seed) => `${seed + 1}`)

const share = ({ best, useful }: Report): number => Math.min(1, useful / best)

const requests = ({ amplification }: Report): number => amplification

/** A number of several seeds, with its spread. */
const spread = (numbers: ReadonlyArray<number>): string => {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)].map((number) => number.toFixed(2))
  const mean = (numbers.reduce((sum, number) => sum + number, 0) / numbers.length).toFixed(2)
  return low === high ? mean : `${mean} (${low} to ${high})`
}

const seconds = (millis: number | undefined): string =>
  millis === undefined ? "" : `${(millis / 1000).toFixed(millis < 1000 ? 2 : millis < 10_000 ? 1 : 0)} s`

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const table = (titles: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [row(titles), row(titles.map(() => "---")), ...rows.map(row)].join("\n")

const results: Array<
  { readonly name: string; readonly own: ReadonlyArray<Report>; readonly others: ReadonlyArray<Report> }
> = []
for (const scenario of Scenario.all) {
  const play = (client: Simulation.Client, seed: string | undefined) => Simulation.run({ scenario, client, seed })
  // oxlint-disable-next-line no-await-in-loop -- each takes the processor
  const result = await Effect.runPromise(Effect.all({
    name: Effect.succeed(scenario.name),
    own: Effect.forEach(seeds, (seed) => play(defaults, seed)),
    others: Effect.forEach(others, (client) => play(client, seeds[0]))
  }))
  results.push(result)
  process.stderr.write(`${scenario.name}\n`)
}

const names = ["scenario", defaults.name, ...others.map(({ name }) => name)]

const compared = (value: (report: Report) => number): string =>
  table(
    names,
    results.map(({ name, others, own }) => [
      name,
      spread(own.map(value)),
      ...others.map((report) => value(report).toFixed(2))
    ])
  )

const percent = (part: number): string => `${(100 * part).toFixed(0)} %`

const own = table(
  ["scenario", "refused", "p50", "p99", "failures", "after", "recovery"],
  results.map(({ name, own: [report] }) => {
    if (report === undefined) return [name]
    const { attempts, calls, failureLatency, hasEnded, latency, recovery, refused, useful } = report
    return [
      name,
      percent(refused / attempts),
      seconds(latency?.p50),
      seconds(latency?.p99),
      percent(1 - useful / calls),
      seconds(failureLatency?.p50),
      recovery === undefined ? hasEnded ? "none" : "" : `${recovery} s`
    ]
  })
)

const parts = [
  "Useful calls, as a share of those that an ideal client would serve in time:",
  compared(share),
  "Requests for a call:",
  compared(requests),
  "The defaults: requests refused with 429, time of a result, calls that fail, half of them after so long, and seconds until calls succeed again:",
  own
]
writeFileSync(
  new URL("results.md", import.meta.url),
  `# Clients in simulated overload and outages\n\n${parts.join("\n\n")}\n`
)
