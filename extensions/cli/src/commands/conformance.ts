/** Commands `conformance` and `drift`. */
import * as Conformance from "@effect-lingua/conformance/Conformance"
import * as Drift from "@effect-lingua/conformance/Drift"
import * as NodePool from "@effect-lingua/node/http/NodePool"
import * as Dialect from "@effect-lingua/testing/fake/Dialect"
import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
import * as VoiceChecks from "@effect-lingua/voice/VoiceChecks"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { call, provide } from "../client/client.ts"
import * as Config from "../client/config.ts"
import * as Output from "../files/output.ts"
import { tell } from "../screen/screen.ts"
import { ProblemsFound } from "../settings/errors.ts"
import { command } from "./command.ts"

const resultOf = ({ check: { name: check, source, states }, ...outcome }: Conformance.Outcome) => {
  const found = { check, source, states, outcome: outcome._tag.toLowerCase() }
  if (outcome._tag === "Passed") return found
  if (outcome._tag === "Skipped") return { ...found, reason: outcome.reason }
  return { ...found, expected: outcome.failure.expected, got: outcome.failure.got }
}

const list = (names: ReadonlyArray<string>) => names.length === 0 ? "none" : names.join(", ")

const run = Effect.fnUntraced(function*(state: Dialect.State) {
  yield* Effect.mapError(
    Conformance.probe.effect,
    ({ message }) => new ProblemsFound({ message: `the host cannot be checked: ${message}` })
  )
  const checks = Conformance.checksOf(state, VoiceChecks.checks)
  const { runId, offers } = yield* Conformance.Subject
  const planned = yield* Conformance.plan(checks)
  yield* tell(
    "conformance",
    `run ${runId}, ${planned.checks.length} checks, ${planned.skipped.length} skipped, up to ${planned.characters} characters` +
      (offers.finishedDocument === undefined ? "" : " and the characters of the downloaded document")
  )
  // Deletes objects that killed runs left behind.
  if (offers.paidTier === true) yield* Effect.ignore(Conformance.cleanUp())
  const outcomes: Array<Conformance.Outcome> = []
  const { coverage, failed, passed, skipped } = yield* Conformance.run({
    checks,
    onOutcome: (outcome) => Effect.sync(() => outcomes.push(outcome))
  })
  return {
    json: outcomes.map(resultOf),
    human: ({ clean }) =>
      [
        ...outcomes.map((outcome) => clean(Conformance.format(outcome))),
        `${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`,
        `operations not seen: ${list(coverage.unseenOperations)}`,
        `errors not seen: ${list(coverage.unseenErrors)}`
      ].join("\n"),
    after: Output.problems(failed.length, "check failed", "checks failed")
  } satisfies Output.Results
})

export const conformance = command("conformance", {
  examples: {
    "--fake": "The embedded fake, which passes all checks",
    "--fake --state 2026-07": "The same in the state of July 2026"
  },
  params: {
    state: Flag.Literals("state", Dialect.states).pipe(
      Flag.withDescription("The state of the interface: the specification, or the descriptions of July 2026"),
      Flag.withDefault("spec" as const)
    )
  },
  run: ({ state }) =>
    provide(
      run(state),
      Config.client,
      ({ options }) =>
        Layer.provide(Conformance.layerConfig(options), NodePool.layerHttpClient({ proxy: "environment" })),
      () =>
        Conformance.layerFake({
          advance: Effect.sleep,
          dialect: Dialect.ofState[state],
          resources: FakeVoice.resources
        })
    )
})

export const drift = command("drift", {
  examples: {
    "--fake": "The embedded fake, which does not differ",
    "--json --fake": "Differences and compared operations as one JSON object"
  },
  params: {},
  run: () =>
    call(Drift.check).pipe(Effect.map((report) => ({
      json: [report],
      human: ({ clean }) => `${Drift.format(report).split("\n").map(clean).join("\n")}\n`,
      after: Output.problems(report.findings.length, "difference was found", "differences were found")
    })))
})
