/** The report of simulations as one HTML file, without scripts and without other hosts. */
import * as Report from "@effect-lingua/testing/simulation/Report"
import { charts, colours } from "./charts.ts"

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" }

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] ?? "")

const style = `:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 760px; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-size: 14px; display: block; overflow-x: auto }
th, td { text-align: left; padding: .3rem .7rem .3rem 0; white-space: nowrap }
th { font-weight: normal }
figure { margin: 1rem 0; overflow-x: auto }
svg { width: 100%; min-width: 560px; height: auto }
${colours}`

const section = (report: Report.Report): string =>
  `<section><h2>${escaped(report.client)}</h2>
<p>${Report.findings(report).map(escaped).join(" ")}</p>
${charts(report).map((chart) => `<figure>${chart}</figure>`).join("\n")}
</section>`

/** A row for each number and a column for each client, as a small screen is higher than wide. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [titles = [], ...reports] = rows.map((row) => row.map(escaped))
  const lines = titles.map((title, at) =>
    `<tr><th>${title}</th>${reports.map((row) => `<td>${row[at] ?? ""}</td>`).join("")}</tr>`
  )
  return `<table>${lines.join("\n")}</table>`
}

/** The page of reports of one scenario. */
export const page = (scenario: string, reports: ReadonlyArray<Report.Report>): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Simulation: ${escaped(scenario)}</title><style>${style}</style></head>
<body><h1>Simulation: ${escaped(scenario)}</h1>
${table(Report.rows(reports))}
${reports.map(section).join("\n")}
</body></html>
`
