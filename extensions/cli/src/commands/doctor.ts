/** `doctor`. */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { call } from "../client/client.ts"
import * as Output from "../files/output.ts"
import type { Style } from "../screen/screen.ts"
import { forTerminal } from "../screen/wrap.ts"
import * as Settings from "../settings/settings.ts"
import { command } from "./command.ts"
import type { Finding } from "./diagnosis.ts"

const diagnosis = Effect.promise(() => import("./diagnosis.ts"))

const words = { ok: "ok", warning: "warning", problem: "PROBLEM", skipped: "skipped" }

const shown = (style: Style, { advice, check, detail, status }: Finding): string => {
  const loud = status === "problem" ? style.red : status === "warning" ? style.bold : style.dim
  return `${check.padEnd(11)} ${loud(words[status].padEnd(8))} ${style.clean(detail)}\n` +
    (advice === undefined ? "" : `${" ".repeat(21)}${style.bold(style.clean(advice))}\n`)
}

/** Runs the checks. */
export const doctor = command("doctor", {
  examples: {
    "--fake": "The checks, which only run without --fake",
    "--json --fake": "One JSON object for each check"
  },
  params: {},
  run: Effect.fnUntraced(function*(_: {}, { output }) {
    const fit = output === undefined ? yield* forTerminal : identity
    const { diagnose, ofFake } = yield* diagnosis
    const findings = (yield* Settings.Fake)
      ? yield* call(({ Languages }) => Effect.as(Languages.use((languages) => languages.resources()), ofFake))
      : yield* diagnose
    const { length } = findings.filter(({ status }) => status === "problem")
    return {
      json: findings,
      human: (style) => fit(findings.map((finding) => shown(style, finding)).join("")),
      after: Output.problems(length, "check found a problem", "checks found a problem")
    } satisfies Output.Results
  })
})
