/**
 * A conformance suite: named checks over the services, written once, and run against the fake in process, the fake on a
 * socket, and any real host. It says of a host what it does otherwise than its sources say, and of the fake that it does
 * the same as the host.
 *
 * **Details**
 *
 * The checks are strict where the specification speaks, and lenient where the real service may differ. They remove what they make, whatever happens, and skip with a reason what the host under test does not offer: calls
 * that count characters, for one, unless they are allowed. A request that has to be refused carries a character, or 51
 * where the number of texts is the matter; a host that takes it all the same counts those.
 *
 * **Example** (The fake conforms)
 *
 * ```ts import.meta.vitest
 * import * as Conformance from "@effect-lingua/testing/conformance/Conformance"
 * import { Effect } from "effect"
 *
 * const report = await Conformance.run().pipe(Effect.provide(Conformance.layerFake()), Effect.runPromise)
 * report.failed.map(Conformance.format) // => []
 * ```
 *
 * @since 0.1.0
 */
import type { InvalidConfiguration, Options as ConfigOptions } from "@effect-lingua/core/client/LanguageServiceConfig"
import type { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import type { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import type * as Config from "effect/Config"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import * as FakeLanguageService from "../fake/FakeLanguageService.ts"
import { access, probe as accessProbe } from "./internal/access.ts"
import { admin } from "./internal/account/admin.ts"
import { usage } from "./internal/account/usage.ts"
import { documents } from "./internal/documents/documents.ts"
import { faults } from "./internal/faults.ts"
import { glossaries } from "./internal/glossaries/glossaries.ts"
import { languages } from "./internal/languages/languages.ts"
import * as Lists from "./internal/lists.ts"
import type { Check, Requirements, Subject } from "./internal/model.ts"
import { qualityEvaluation } from "./internal/quality-evaluation/qualityEvaluation.ts"
import type { Outcome, Plan, Report } from "./internal/run.ts"
import * as Runs from "./internal/run.ts"
import { instructions } from "./internal/style-rules/instructions.ts"
import { styleLists } from "./internal/style-rules/styleLists.ts"
import * as Subjects from "./internal/subjects.ts"
import { detection } from "./internal/texts/detection.ts"
import { translation } from "./internal/texts/translation.ts"
import { writing } from "./internal/texts/writing.ts"
import { translationMemories } from "./internal/translation-memories/translationMemories.ts"
import { voice } from "./internal/voice/voice.ts"
import { wire } from "./internal/wire.ts"

/**
 * The claims themselves, their needs, and the services that they run with. `Seen` names the operations that a check has
 * called and the errors that it expected and met, `ErrorName` is the name of a class of the errors
 * that the service answers with, `Offered` the offers of a host under test.
 *
 * @category models
 * @since 0.1.0
 */
export type { Check, ErrorName, FinishedDocument, Need, Offered, Offers, Requirements, Seen } from "./internal/model.ts"

/**
 * A run beforehand, the end of each check, and the findings of a run. The `characters` of a plan and a report are those of
 * their checks; the download of a named document counts in addition. `coverage` names the operations and errors that the
 * passed checks have seen, and those that none of them has.
 *
 * @category models
 * @since 0.1.0
 */
export type { Outcome, Plan, Report } from "./internal/run.ts"

/**
 * The ways in which a check ends without passing: `CheckFailed` says what was expected by which source and what came,
 * `NotOffered` what the host under test does not offer.
 *
 * @category errors
 * @since 0.1.0
 */
export { CheckFailed, NotOffered } from "./internal/model.ts"

/**
 * The host under test besides its client: its offers, and the id of the run, which is part of the name of every resource
 * that the run creates.
 *
 * @category services
 * @since 0.1.0
 */
export { Subject } from "./internal/model.ts"

/**
 * All checks, in the order in which they run.
 *
 * @category constructors
 * @since 0.1.0
 */
export const checks: ReadonlyArray<Check> = [
  ...access,
  ...wire,
  ...languages,
  ...styleLists,
  ...instructions,
  ...translationMemories,
  ...qualityEvaluation,
  ...voice,
  ...documents,
  ...writing,
  ...detection,
  ...translation,
  ...usage,
  ...glossaries,
  ...admin,
  ...faults
]

/**
 * The check that a run makes before all others: that the host answers, and takes the key. It counts no characters. It is
 * not among {@link checks}, and stands in a report only when it fails.
 *
 * @category constructors
 * @since 0.1.0
 */
export const probe: Check = accessProbe

/**
 * Options of a run. `onOutcome` is called with each outcome as it comes.
 *
 * @category options
 * @since 0.1.0
 */
export interface RunOptions {
  /** All checks by default. */
  readonly checks?: ReadonlyArray<Check> | undefined
  readonly onOutcome?: ((outcome: Outcome) => Effect.Effect<void>) | undefined
}

/**
 * Compares the needs of checks with the offers of the host under test, without a request.
 *
 * @category testing
 * @since 0.1.0
 */
export const plan = (from: ReadonlyArray<Check> = checks): Effect.Effect<Plan, never, Subject> => Runs.plan(from)

/**
 * Runs checks against the host under test, one after the other, and gives a report. It does not fail: what a host does
 * otherwise than described stands in the report.
 *
 * **Details**
 *
 * It begins with {@link probe}. When that fails no other check runs: the probe is the one that failed, and all are skipped.
 * A check whose characters the host refuses with 456 before it has seen anything is skipped too.
 *
 * A style rule list or glossary that a check makes is removed at the end of the check, also when it fails or is interrupted.
 * At the end of the run all are looked through once for some that are left, as one whose creation had no answer.
 *
 * @category testing
 * @since 0.1.0
 */
export const run = (
  { checks: from = checks, onOutcome = () => Effect.void }: RunOptions = {}
): Effect.Effect<Report, never, Requirements> => Runs.run(from, onOutcome)

/**
 * Removes style rule lists and glossaries that aborted runs have left behind, and gives their names. One is among those when
 * its name is exactly as a run makes it: `effect-lingua-conformance`, a run id of 16 hexadecimal digits, and a word. What is
 * younger than `olderThan`, 1 hour by default, stays, as it may belong to a run that still goes on.
 *
 * @category testing
 * @since 0.1.0
 */
export const cleanUp = (
  { olderThan = "1 hour" }: { readonly olderThan?: Duration.Input | undefined } = {}
): Effect.Effect<ReadonlyArray<string>, CleanUpFailure, Glossaries | StyleRules> => Lists.removeLeftovers(olderThan)

/**
 * The ways in which {@link cleanUp} fails: those of listing.
 *
 * @category errors
 * @since 0.1.0
 */
export type CleanUpFailure = Stream.Error<ReturnType<Glossaries["Service"]["list"] | StyleRules["Service"]["list"]>>

/**
 * One line that says how a check ended, and why.
 *
 * @category testing
 * @since 0.1.0
 */
export const format: (outcome: Outcome) => string = Runs.format

/**
 * The keys that a fake has to accept so that all checks run against it: the default one, one with scopes, one of the free
 * tier, one without detection, and an admin key.
 *
 * @category configuration
 * @since 0.1.0
 */
export const keys: ReadonlyArray<FakeLanguageService.Key> = Subjects.keys

/**
 * Options for the test of a fake. `advance` lets its time pass: `TestClock.adjust` in a test, `Effect.sleep` on a real clock.
 * Without it no check waits.
 *
 * @category options
 * @since 0.1.0
 */
export interface FakeOptions {
  readonly advance?: ((duration: Duration.Input) => Effect.Effect<void>) | undefined
  /** The scheme word that the fake accepts, where it is told another. */
  readonly authScheme?: string | undefined
}

/**
 * A fake whose handle is there, with the keys {@link keys}: one on a socket, for instance.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHandle = (
  { advance, authScheme }: FakeOptions = {}
): Layer.Layer<Requirements, never, FakeLanguageService.FakeLanguageService | HttpClient.HttpClient> =>
  Subjects.layerHandle(advance, authScheme)

/**
 * The fake in process.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerFake = (
  { advance, authScheme, ...options }: FakeOptions & Omit<FakeLanguageService.Options, "keys" | "authSchemes"> = {}
): Layer.Layer<Requirements | FakeLanguageService.FakeLanguageService> =>
  layerHandle({ advance, authScheme }).pipe(
    Layer.provideMerge(
      FakeLanguageService.layer({
        ...options,
        keys,
        authSchemes: authScheme === undefined ? undefined : [authScheme]
      })
    )
  )

/**
 * The host of the environment, or of another `ConfigProvider`. `options` adds or replaces settings of the client.
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
 * - `CONFORMANCE_ADMIN_KEY` (secret: an admin key)
 * - `CONFORMANCE_CREATE_KEYS` (`true` allows checks that make developer keys, which stay in the list of keys, deactivated)
 * - `CONFORMANCE_DOCUMENT_ID`, `CONFORMANCE_DOCUMENT_KEY` (secret): a document that is translated. It is downloaded,
 *   counted, and gone then
 * - `CONFORMANCE_UNFINISHED_DOCUMENT_ID`, `CONFORMANCE_UNFINISHED_DOCUMENT_KEY` (secret): a document in translation
 * - `CONFORMANCE_FAILED_DOCUMENT_ID`, `CONFORMANCE_FAILED_DOCUMENT_KEY` (secret): a document whose translation failed
 * - `CONFORMANCE_PAUSE` (a duration before each request, `250 millis` by default)
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (
  options: Partial<ConfigOptions> = {}
): Layer.Layer<Requirements, Config.ConfigError | InvalidConfiguration, HttpClient.HttpClient> =>
  Subjects.layerConfig(options)
