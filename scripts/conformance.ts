// Runs the conformance suite against the host in the environment, or with --fake against the fake on a socket. --state has the state of the
// interface, spec by default.
import { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as NodePool from "@effect-lingua/node/http/NodePool"
import * as Conformance from "@effect-lingua/testing/conformance/Conformance"
import * as Dialect from "@effect-lingua/testing/fake/Dialect"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer } from "effect"

const list = (names: ReadonlyArray<string>) => names.length === 0 ? "none" : names.join(", ")

const given = process.argv.indexOf("--state")
const name = given === -1 ? "spec" : process.argv[given + 1]
const state = Dialect.states.find((state) => state === name)
if (state === undefined) {
  process.stderr.write(`--state is one of ${Dialect.states.join(", ")}\n`)
  process.exit(1)
}
const from = Conformance.checksOf(state)

const program = Effect.gen(function*() {
  yield* Conformance.probe.effect
  const { baseUrl } = yield* LanguageServiceConfig
  const { runId, offers } = yield* Conformance.Subject
  const { characters, checks, skipped } = yield* Conformance.plan(from)
  yield* Console.log(`${baseUrl.href}: run ${runId}, ${checks.length} checks, ${skipped.length} skipped`)
  yield* Console.log(
    `It will use up ${characters} characters${
      offers.finishedDocument === undefined ? "" : " and those that the download of the document counts"
    }.\n`
  )
  if (offers.paidTier === true) {
    yield* Effect.matchEffect(Conformance.cleanUp(), {
      onSuccess: (names) =>
        names.length === 0 ? Effect.void : Console.log(`Removed from earlier runs: ${list(names)}\n`),
      onFailure: ({ message }) => Console.log(`Leftovers of earlier runs could not be listed. ${message}\n`)
    })
  }
  const report = yield* Conformance.run({
    checks: from,
    onOutcome: (outcome) => Console.log(Conformance.format(outcome))
  })
  const { coverage, failed, passed } = report
  yield* Console.log(`\n${passed.length} passed, ${failed.length} failed, ${report.skipped.length} skipped`)
  yield* Console.log(`operations not seen: ${list(coverage.unseenOperations)}`)
  yield* Console.log(`errors not seen: ${list(coverage.unseenErrors)}`)
  return failed.length
})

const fake = Conformance.layerHandle({ advance: Effect.sleep }).pipe(
  Layer.provide(Layer.orDie(NodeFakeLanguageService.layer({ keys: Conformance.keys, dialect: Dialect.ofState[state] })))
)
const host = process.argv.includes("--fake") ? fake : Conformance.layerConfig()

const help =
  "Set LANGUAGE_SERVICE_KEY and LANGUAGE_SERVICE_BASE_URL for the host to check (docs/testing/conformance.md has the " +
  "other variables), or run against the fake: npx -y pnpm@12 conformance --fake"

program.pipe(
  Effect.provide(
    Layer.provide(host, NodePool.layerHttpClient())
  ),
  Effect.catchTags({
    ConfigError: ({ message }) => Effect.as(Console.error(`${message}\n${help}`), 1),
    CheckFailed: ({ message }) => Effect.as(Console.error(`The host cannot be checked. ${message}`), 1),
    NotOffered: ({ message }) => Effect.as(Console.error(`The host cannot be checked: ${message}`), 1),
    InvalidConfiguration: ({ message }) => Effect.as(Console.error(`${message}\n${help}`), 1)
  }),
  Effect.tap((failures) =>
    Effect.sync(() => {
      process.exitCode = failures === 0 ? 0 : 1
    })
  ),
  NodeRuntime.runMain
)
