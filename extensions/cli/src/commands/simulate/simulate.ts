/** `simulate`. */
import { findings, type Report, rows } from "@effect-lingua/testing/simulation/Report"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Output from "../../files/output.ts"
import { tell } from "../../screen/screen.ts"
import { table } from "../../screen/table.ts"
import { checkOnce, required, text, texts, toggle } from "../../settings/flags.ts"
import * as Settings from "../../settings/settings.ts"
import { command } from "../command.ts"

const simulations = Effect.promise(() => import("./simulations.ts"))

const shown = (reports: ReadonlyArray<Report>): Output.Results => {
  const [titles = [], ...lines] = rows(reports)
  return {
    json: reports,
    human: (style) =>
      [
        table(
          style,
          Record.fromEntries(titles.map((title, at) => [title, (row: ReadonlyArray<string>) => row[at]])),
          lines
        ),
        ...reports.map((report) => style.clean(findings(report).join(" ")))
      ].join("\n\n")
  }
}

/** Tries policies on many clients, without a service. */
export const simulate = command("simulate", {
  examples: {
    "effect-lingua simulate --scenario throttle": "The defaults, in a table and in words",
    "effect-lingua simulate --scenario brownout --policy defaults --policy none --html brownout.html":
      "Two policies, with plots in a file"
  },
  params: {
    scenario: required(
      "scenario",
      "name",
      "A known one such as outage (a wrong name lists them), or a JSON file of your own"
    ),
    policies: texts("policy", "file", "A settings file whose resilience is tried; defaults and none need no file"),
    html: text("html", "file", "Write a page with plots to this file"),
    overwrite: toggle("overwrite", "Replace the file of --html if it exists"),
    seed: text("seed", "text", "Determines arrivals, faults and jitter")
  },
  run: Effect.fnUntraced(function*({ html, overwrite, ...options }) {
    yield* checkOnce(options.policies)
    const { page, simulate } = yield* simulations
    const reports = simulate(options)
    if (html === undefined) return yield* Output.print(shown(yield* reports))
    const written = yield* Effect.cached(reports)
    yield* Output.deliver(
      { output: html, overwrite },
      Effect.map(written, (reports): Output.Results => ({
        json: [],
        human: () => page(reports[0]?.scenario ?? "", reports)
      }))
    ).pipe(Effect.provideService(Settings.Json, false))
    yield* Output.print(shown(yield* written))
    yield* tell("written", `the plots are in ${html}`, { path: html })
  })
})
