/** `doctor`. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { call } from "../../client/client.ts"
import * as Config from "../../client/config.ts"
import * as Output from "../../files/output.ts"
import { advised } from "../../screen/advised.ts"
import type { Style } from "../../screen/screen.ts"
import { forTerminal } from "../../screen/wrap.ts"
import { ProblemsFound } from "../../settings/errors.ts"
import * as Settings from "../../settings/settings.ts"
import type { Finding } from "./diagnosis.ts"

const diagnosis = Effect.promise(() => import("./diagnosis.ts"))
const services = Effect.promise(() => import("../../client/services.ts"))

const words = { ok: "ok", warning: "warning", problem: "PROBLEM", skipped: "skipped" }

const shown = (style: Style, { advice, check, detail, status }: Finding): string => {
  const loud = status === "problem" ? style.red : status === "warning" ? style.bold : style.dim
  return `${check.padEnd(11)} ${loud(words[status].padEnd(8))} ${style.clean(detail)}\n` +
    (advice === undefined ? "" : `${" ".repeat(21)}${style.bold(style.clean(advice))}\n`)
}

/** Looks for what is wrong. */
export const doctor = Command.make(
  "doctor",
  Output.flags,
  Effect.fnUntraced(function*(input) {
    let problems = 0
    yield* Output.deliver(
      input,
      Effect.gen(function*() {
        const fit = input.output === undefined ? yield* forTerminal : identity
        const { diagnose, ofFake } = yield* diagnosis
        const findings = (yield* Settings.Fake)
          ? yield* call(({ Languages }) => Effect.as(Languages.use((languages) => languages.resources()), ofFake))
          : yield* diagnose({
            commandOf: yield* advised,
            settings: Config.options,
            pending: (yield* services).journalEntries
          })
        problems = findings.filter(({ status }) => status === "problem").length
        const results: Output.Results = {
          json: findings,
          human: (style) => fit(findings.map((finding) => shown(style, finding)).join(""))
        }
        return results
      })
    )
    if (problems > 0) {
      return yield* new ProblemsFound({
        message: problems === 1 ? "one check found a problem" : `${problems} checks found a problem`
      })
    }
  })
).pipe(
  Command.withDescription(
    "Check settings, key, tier, proxy, network, clock and documents on their way, and say what to do. " +
      "Consumes nothing. Ends with 3 when a check finds a problem"
  ),
  Command.withExamples([
    { command: `effect-lingua doctor --fake`, description: "What is checked; without --fake it is" },
    { command: `effect-lingua doctor --json --fake`, description: "One JSON object for each check" }
  ])
)
