/**
 * Simulates scenarios with this library and with other policies, and writes the results to the table in `docs/resilience.md`.
 *
 *     node tools/lab/main.ts               all scenarios, half an hour
 *     node tools/lab/main.ts '^q3' 7,8     scenarios whose names match, other seeds; prints only
 */
import { readFileSync, writeFileSync } from "node:fs"
import { library, others } from "./clients.ts"
import { all, type Scenario } from "./scenarios.ts"
import { ideal, run } from "./simulation.ts"

const [, , pattern = "", given] = process.argv
const seeds = (given ?? "21,22,23,24,25").split(",").map(Number)
/** Seeds for the other policies. */
const otherSeeds = seeds.slice(0, 3)
const page = new URL("../../docs/resilience.md", import.meta.url)
const [begin, end] = ["<!-- begin laboratory -->", "<!-- end laboratory -->"]
const head = "| Scenario | Share | Best other policy | Requests a call | Later |\n| --- | --- | --- | --- | --- |"

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

const spread = (numbers: ReadonlyArray<number>): string => {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)].map((number) => number.toFixed(2))
  return `${median(numbers).toFixed(2)}${low === high ? "" : ` (${low}–${high})`}`
}

const rowOf = (scenario: Scenario): string => {
  const best = new Map(seeds.map((seed) => [seed, ideal(scenario, seed)]))
  const reports = seeds.map((seed) => run(scenario, library, seed, best.get(seed) ?? 0))
  const compared = others.map((kind) => ({
    name: kind.name,
    share: median(otherSeeds.map((seed) => run(scenario, kind, seed, best.get(seed) ?? 0).share))
  }))
  const [other] = compared.toSorted((a, b) => b.share - a.share)
  const row = [
    `${scenario.name}: ${scenario.about}`,
    spread(reports.map(({ share }) => share)),
    other === undefined ? "" : `${other.share.toFixed(2)} ${other.name}`,
    median(reports.map(({ requestsPerCall }) => requestsPerCall)).toFixed(2),
    median(reports.map(({ later }) => later)).toFixed(2)
  ]
  const recovery = median(reports.map(({ recovery }) => recovery))
  const refused = Math.round(100 * median(reports.map(({ refused }) => refused)))
  const each = compared.map(({ name, share }) => `${name} ${share.toFixed(2)}`).join(", ")
  process.stderr.write(`${row.join(" | ")} | recovery ${recovery} s, refused ${refused} %; ${each}\n`)
  return `| ${row.join(" | ")} |`
}

const rows = new Map(
  all.filter(({ name }) => new RegExp(pattern).test(name)).map((scenario) => [scenario.name, rowOf(scenario)])
)
if (given === undefined) {
  const text = readFileSync(page, "utf8")
  const [before = "", table = "", after = ""] = text.split(new RegExp(`${begin}|${end}`))
  const known = (name: string): string | undefined => table.split("\n").find((line) => line.startsWith(`| ${name}:`))
  const lines = all.flatMap(({ name }) => rows.get(name) ?? known(name) ?? [])
  const ignored = ["<!-- dprint-ignore-start -->", "<!-- dprint-ignore-end -->"]
  const content = [begin, ignored[0], `${head}\n${lines.join("\n")}`, ignored[1], end].join("\n\n")
  writeFileSync(page, `${before}${content}${after}`)
}
