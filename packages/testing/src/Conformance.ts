/**
 * A conformance suite: named checks over the services, written once, and run against the fake in process, the fake on a
 * socket, and any real host. It says of a host what it does otherwise than its sources say, and of the fake that it does
 * the same as the host.
 *
 * **Details**
 *
 * The checks are strict where the specification speaks, and lenient where the real service may differ (reference B20 and
 * D). They remove what they make, whatever happens, and skip with a reason what the host under test does not offer: calls
 * that count characters, for one, unless they are allowed. A request that has to be refused carries a character, or 51
 * where the number of texts is the matter; a host that takes it all the same counts those.
 *
 * **Example** (The fake conforms)
 *
 * ```ts import.meta.vitest
 * import * as Conformance from "@effect-lingua/testing/Conformance"
 * import { Effect } from "effect"
 *
 * const report = await Conformance.run().pipe(Effect.provide(Conformance.layerFake()), Effect.runPromise)
 * report.failed.map(Conformance.format) // => []
 * ```
 *
 * @since 0.2.0
 */
import type { InvalidConfiguration, Options as ConfigOptions } from "@effect-lingua/core/LanguageServiceConfig"
import * as ServiceError from "@effect-lingua/core/ServiceError"
import type { StyleRules } from "@effect-lingua/core/StyleRules"
import * as Cause from "effect/Cause"
import type * as Config from "effect/Config"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as FakeLanguageService from "./FakeLanguageService.ts"
import type { OperationName } from "./Fault.ts"
import { access } from "./internal/conformance/access.ts"
import { lacks, show } from "./internal/conformance/check.ts"
import { detection } from "./internal/conformance/detection.ts"
import { documents } from "./internal/conformance/documents.ts"
import { faults } from "./internal/conformance/faults.ts"
import { instructions } from "./internal/conformance/instructions.ts"
import { languages } from "./internal/conformance/languages.ts"
import * as Lists from "./internal/conformance/lists.ts"
import { type Check, CheckFailed, type ErrorName, type Requirements, Subject } from "./internal/conformance/model.ts"
import { styleLists } from "./internal/conformance/styleLists.ts"
import * as Subjects from "./internal/conformance/subjects.ts"
import { translation } from "./internal/conformance/translation.ts"
import { wire } from "./internal/conformance/wire.ts"
import { writing } from "./internal/conformance/writing.ts"
import { operationNames } from "./internal/operations.ts"

/**
 * What checks are made of: the claims themselves, what they need, and what they run with. `ErrorName` is the name of a
 * class of the errors that the service answers with, `Offered` what a host under test offers.
 *
 * @category models
 * @since 0.2.0
 */
export type {
  Check,
  ErrorName,
  FinishedDocument,
  Need,
  Offered,
  Offers,
  Requirements
} from "./internal/conformance/model.ts"

/**
 * The ways in which a check ends without passing: `CheckFailed` says what was expected by which source and what came,
 * `NotOffered` what the host under test does not offer.
 *
 * @category errors
 * @since 0.2.0
 */
export { CheckFailed, NotOffered } from "./internal/conformance/model.ts"

/**
 * The host under test, beside its client: what it offers, and the id of the run, which stands in the names of all that is
 * made there.
 *
 * @category services
 * @since 0.2.0
 */
export { Subject } from "./internal/conformance/model.ts"

/**
 * All checks, in the order in which they run.
 *
 * @category constructors
 * @since 0.2.0
 */
export const checks: ReadonlyArray<Check> = [
  ...access,
  ...wire,
  ...languages,
  ...styleLists,
  ...instructions,
  ...documents,
  ...writing,
  ...detection,
  ...translation,
  ...faults
]

/**
 * How a check ended. `errors` are those that the service answered with, as it should.
 *
 * @category models
 * @since 0.2.0
 */
export type Outcome = Data.TaggedEnum<{
  Passed: { readonly check: Check; readonly errors: ReadonlyArray<ErrorName> }
  Failed: { readonly check: Check; readonly failure: CheckFailed }
  Skipped: { readonly check: Check; readonly reason: string }
}>

const Outcome = Data.taggedEnum<Outcome>()

/**
 * What a run found. `coverage` names the operations and errors that the checks which passed have seen, and those that no
 * such check has seen. `characters` is how many the checks that ran use up.
 *
 * @category models
 * @since 0.2.0
 */
export interface Report {
  readonly runId: string
  readonly passed: ReadonlyArray<Extract<Outcome, { readonly _tag: "Passed" }>>
  readonly failed: ReadonlyArray<Extract<Outcome, { readonly _tag: "Failed" }>>
  readonly skipped: ReadonlyArray<Extract<Outcome, { readonly _tag: "Skipped" }>>
  readonly characters: number
  readonly coverage: {
    readonly operations: ReadonlyArray<OperationName>
    readonly errors: ReadonlyArray<ErrorName>
    readonly unseenOperations: ReadonlyArray<OperationName>
    readonly unseenErrors: ReadonlyArray<ErrorName>
  }
}

/**
 * What a run would do: which checks run, which are skipped and why, and how many characters it would use up. A document
 * that is named for download counts its characters beside them, as the service does.
 *
 * @category models
 * @since 0.2.0
 */
export interface Plan {
  readonly checks: ReadonlyArray<Check>
  readonly skipped: ReadonlyArray<Extract<Outcome, { readonly _tag: "Skipped" }>>
  readonly characters: number
}

const skipped = (check: Check, reason: string) => Outcome.Skipped({ check, reason })

/**
 * Looks at what the host under test offers, without asking it anything.
 *
 * @category testing
 * @since 0.2.0
 */
export const plan = (from: ReadonlyArray<Check> = checks): Effect.Effect<Plan, never, Subject> =>
  Effect.map(Subject, ({ offers }) => {
    const running = from.filter((check) => lacks(check, offers) === undefined)
    return {
      checks: running,
      skipped: from.flatMap((check) => {
        const reason = lacks(check, offers)
        return reason === undefined ? [] : [skipped(check, reason.message)]
      }),
      characters: running.reduce((sum, { characters }) => sum + characters, 0)
    }
  })

/** A defect is a finding too: what a host does must not break its client. */
const defect = ({ name, source }: Check, cause: Cause.Cause<unknown>) =>
  new CheckFailed({
    check: name,
    source,
    expected: "an answer that the client can bear",
    got: show(Cause.pretty(cause))
  })

/** Runs one check. Nothing that a host does ends the run. */
const judge = (check: Check): Effect.Effect<Outcome, never, Requirements> =>
  check.effect.pipe(
    Effect.map((errors) => Outcome.Passed({ check, errors })),
    Effect.catchTags({
      CheckFailed: (failure) => Effect.succeed(Outcome.Failed({ check, failure })),
      NotOffered: ({ reason }) => Effect.succeed(skipped(check, reason))
    }),
    Effect.exit,
    Effect.map((exit) =>
      Exit.isSuccess(exit) ? exit.value : Outcome.Failed({ check, failure: defect(check, exit.cause) })
    )
  )

const errorNames = Object.keys(ServiceError).filter((name): name is ErrorName => name !== "codecs")

const reportOf = (runId: string, { characters }: Plan, outcomes: ReadonlyArray<Outcome>): Report => {
  const passed = outcomes.filter(Outcome.$is("Passed"))
  const operations = new Set(passed.flatMap(({ check }) => check.operations))
  const errors = new Set(passed.flatMap((outcome) => outcome.errors))
  return {
    runId,
    passed,
    failed: outcomes.filter(Outcome.$is("Failed")),
    skipped: outcomes.filter(Outcome.$is("Skipped")),
    characters,
    coverage: {
      operations: operationNames.filter((name) => operations.has(name)),
      errors: errorNames.filter((name) => errors.has(name)),
      unseenOperations: operationNames.filter((name) => !operations.has(name)),
      unseenErrors: errorNames.filter((name) => !errors.has(name))
    }
  }
}

/** Removes what checks could not remove by themselves. What a host does must not end the run here either. */
const tidy = ({ checks }: Plan): Effect.Effect<void, never, Subject | StyleRules> =>
  checks.some(({ operations }) => operations.includes("StyleRules.create"))
    ? Effect.catch(
      Effect.asVoid(Lists.sweep),
      ({ message }) => Effect.logWarning(`It is not known whether style rule lists of this run are left. ${message}`)
    )
    : Effect.void

/**
 * Runs checks against the host under test, one after the other, and gives a report. It does not fail: what a host does
 * otherwise than described stands in the report. `onOutcome` sees each outcome as it comes.
 *
 * **Details**
 *
 * A style rule list that a check makes is removed at the end of the check, also when it fails or is interrupted. At the
 * end of the run all lists are looked through once for some that are left, as one whose creation had no answer.
 *
 * @category testing
 * @since 0.2.0
 */
export const run = Effect.fnUntraced(function*(
  options: {
    readonly checks?: ReadonlyArray<Check> | undefined
    readonly onOutcome?: ((outcome: Outcome) => Effect.Effect<void>) | undefined
  } = {}
): Effect.fn.Return<Report, never, Requirements> {
  const { runId } = yield* Subject
  const { checks: from = checks, onOutcome = () => Effect.void } = options
  const planned = yield* plan(from)
  const outcomes = yield* Effect.forEach(from, (check) => {
    const outcome = planned.skipped.find((skip) => skip.check === check)
    return Effect.tap(outcome === undefined ? judge(check) : Effect.succeed(outcome), onOutcome)
  }).pipe(Effect.ensuring(tidy(planned)))
  return reportOf(runId, planned, outcomes)
})

/**
 * Removes style rule lists that aborted runs have left behind, and gives their names. A list is one of those when its name
 * is exactly as a run makes it: `effect-lingua-conformance`, a run id of 16 hexadecimal digits, and a word. Lists that are
 * younger than `olderThan`, 1 hour by default, stay, as they may belong to a run that still goes on.
 *
 * @category testing
 * @since 0.2.0
 */
export const cleanUp = (
  { olderThan = "1 hour" }: { readonly olderThan?: Duration.Input | undefined } = {}
): Effect.Effect<ReadonlyArray<string>, CleanUpFailure, StyleRules> => Lists.removeLeftovers(olderThan)

/**
 * The ways in which {@link cleanUp} fails: those of listing.
 *
 * @category errors
 * @since 0.2.0
 */
export type CleanUpFailure = Effect.Error<ReturnType<StyleRules["Service"]["list"]>>

/**
 * One line that says how a check ended, and why.
 *
 * @category testing
 * @since 0.2.0
 */
export const format: (outcome: Outcome) => string = Outcome.$match({
  Passed: ({ check }) => `passed   ${check.name}`,
  Failed: ({ failure }) => `FAILED   ${failure.message}`,
  Skipped: ({ check, reason }) => `skipped  ${check.name}: ${reason}`
})

/**
 * The keys that a fake has to accept so that all checks run against it: the default one, one with scopes, one of the free
 * tier, one without detection.
 *
 * @category configuration
 * @since 0.2.0
 */
export const keys: ReadonlyArray<FakeLanguageService.Key> = Subjects.keys

/**
 * How a fake is tested. `advance` lets its time pass: `TestClock.adjust` in a test, `Effect.sleep` on a real clock.
 * Without it no check waits.
 *
 * @category options
 * @since 0.2.0
 */
export interface FakeOptions {
  readonly advance?: ((duration: Duration.Input) => Effect.Effect<void>) | undefined
}

/**
 * A fake whose handle is there, with the keys {@link keys}: one on a socket, for instance.
 *
 * @category layers
 * @since 0.2.0
 */
export const layerHandle = (
  { advance }: FakeOptions = {}
): Layer.Layer<Requirements, never, FakeLanguageService.FakeLanguageService | HttpClient.HttpClient> =>
  Subjects.layerHandle(advance)

/**
 * The fake in process.
 *
 * @category layers
 * @since 0.2.0
 */
export const layerFake = (
  { advance, ...options }: FakeOptions & Omit<FakeLanguageService.Options, "keys"> = {}
): Layer.Layer<Requirements | FakeLanguageService.FakeLanguageService> =>
  layerHandle({ advance }).pipe(Layer.provideMerge(FakeLanguageService.layer({ ...options, keys })))

/**
 * The host that the environment names, or whatever `ConfigProvider` is in place. `options` adds or replaces settings of the
 * client.
 *
 * **Details**
 *
 * The client reads the variables of `LanguageServiceConfig.config`: `LANGUAGE_SERVICE_KEY`, `LANGUAGE_SERVICE_BASE_URL` and
 * so on. The suite reads these, all optional; without one the checks that need it are skipped:
 *
 * - `CONFORMANCE_SPEND_CHARACTERS` (`true` allows checks that count characters)
 * - `CONFORMANCE_DETECTION` (`true` says that the account has opted in to language detection)
 * - `CONFORMANCE_SCOPED_KEY` (secret: a key with scopes but without `languages:read`)
 * - `CONFORMANCE_FREE_KEY` (secret: a key of the free tier)
 * - `CONFORMANCE_KEY_WITHOUT_DETECTION` (secret: a key of an account without language detection)
 * - `CONFORMANCE_DOCUMENT_ID`, `CONFORMANCE_DOCUMENT_KEY` (secret): a document that is translated. It is downloaded,
 *   counted, and gone then
 * - `CONFORMANCE_UNFINISHED_DOCUMENT_ID`, `CONFORMANCE_UNFINISHED_DOCUMENT_KEY` (secret): a document in translation
 * - `CONFORMANCE_FAILED_DOCUMENT_ID`, `CONFORMANCE_FAILED_DOCUMENT_KEY` (secret): a document whose translation failed
 * - `CONFORMANCE_PAUSE` (a duration before each request, `250 millis` by default)
 *
 * @category layers
 * @since 0.2.0
 */
export const layerConfig = (
  options: Partial<ConfigOptions> = {}
): Layer.Layer<Requirements, Config.ConfigError | InvalidConfiguration, HttpClient.HttpClient> =>
  Subjects.layerConfig(options)
