// Plays the scenarios of the simulator with several kinds of clients, and writes the pictures and tables of docs/resilience.md. Minutes.
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import * as Report from "@effect-lingua/testing/simulation/Report"
import * as Scenario from "@effect-lingua/testing/simulation/Scenario"
import * as Simulation from "@effect-lingua/testing/simulation/Simulation"
import { Effect, Schedule } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { comparison } from "../packages/cli/src/commands/simulate/charts.ts"
import { awsStandard } from "./awsStandard.ts"
import { deeplNode } from "./deeplNode.ts"

const clients = [
  Simulation.client("defaults", ResiliencePolicy.defaults),
  Simulation.client("no policy", ResiliencePolicy.none),
  deeplNode,
  awsStandard,
  Simulation.retrying("naive loop", {
    attemptTimeout: "30 seconds",
    schedule: Schedule.upTo(Schedule.spaced("1 second"), { times: 10 })
  })
]

const table = (reports: ReadonlyArray<Report.Report>): string => {
  const [titles = [], ...rows] = Report.rows(reports).map((row) => `| ${row.join(" | ")} |`)
  const [first = []] = Report.rows(reports)
  return [titles, `| ${first.map(() => "---").join(" | ")} |`, ...rows].join("\n")
}

const page = "docs/resilience.md"
const parts: Array<string> = []
for (const scenario of Scenario.all) {
  // oxlint-disable-next-line no-await-in-loop -- each takes the processor
  const reports = await Effect.runPromise(
    Effect.forEach(clients, (client) => Simulation.run({ scenario, client }))
  )
  writeFileSync(`docs/pictures/simulation-${scenario.name}.svg`, comparison(reports))
  parts.push(
    `**${scenario.name}**\n\n![Requests per second of five clients: ${scenario.name}](pictures/simulation-${scenario.name}.svg)\n\n${
      table(reports)
    }`
  )
  process.stderr.write(`${scenario.name}\n`)
}
const text = readFileSync(page, "utf8")
const [begin, end] = ["<!-- begin simulations -->", "<!-- end simulations -->"]
writeFileSync(
  page,
  `${text.slice(0, text.indexOf(begin) + begin.length)}\n\n${parts.join("\n\n")}\n\n${text.slice(text.indexOf(end))}`
)
