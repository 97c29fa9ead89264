/**
 * A conformance suite: named checks, for the in-process fake, the fake on a socket, and any real host. The report lists deviations from the
 * specification and the public descriptions; the fake passes all checks.
 *
 * **Details**
 *
 * The checks are strict about the specification, and lenient where the real service may differ. Checks remove the resources that they create, even
 * after a failure. A check is skipped, with a reason, if the host under test does not meet its needs, such as permission to count characters. A
 * request that must be refused has one character (51 for the limit of texts), because a host that accepts it counts characters.
 *
 * **Example** (The fake conforms)
 *
 * ```ts import.meta.vitest
 * import { Conformance } from "@effect-lingua/conformance"
 * import { Effect } from "effect"
 *
 * const report = await Conformance.run().pipe(Effect.provide(Conformance.layerFake()), Effect.runPromise)
 * report.failed.map(Conformance.format) // => []
 * ```
 *
 * @since 0.1.0
 */
import type { InvalidConfiguration, Options as ConfigOptions } from "@effect-lingua/core/config/LanguageServiceConfig"
import type { ErrorOf } from "@effect-lingua/core/errors/CallError"
import type { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import type { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import type * as Dialect from "@effect-lingua/testing/fake/Dialect"
import { FakeLanguageService, type Key } from "@effect-lingua/testing/fake/FakeLanguageService"
import type * as Config from "effect/Config"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
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
import { wire } from "./internal/wire.ts"

/**
 * Checks, their needs, and the services that checks require. `Seen` contains the operations that a check called and the expected errors that it
 * received. `ErrorName` is the name of a service error's class, `Offered` the offers of a host under test.
 *
 * @category models
 * @since 0.1.0
 */
export type { Check, ErrorName, FinishedDocument, Need, Offered, Offers, Requirements, Seen } from "./internal/model.ts"

/**
 * The plan of a run, the outcome of each check, and the report of a run. `characters` is the sum of the checks' characters; the download of a
 * configured document counts in addition. `coverage` lists the operations and expected errors that occurred in passed checks, and all others as
 * unseen.
 *
 * @category models
 * @since 0.1.0
 */
export type { Outcome, Plan, Report } from "./internal/run.ts"

/**
 * The errors of a check: `CheckFailed` contains the expectation, its source and the actual result, `NotOffered` the need that the host under test
 * does not meet.
 *
 * @category errors
 * @since 0.1.0
 */
export { CheckFailed, NotOffered } from "./internal/model.ts"

/**
 * The offers of the host under test, and the run's id, which is part of every created resource's name.
 *
 * @category services
 * @since 0.1.0
 */
export { Subject } from "./internal/model.ts"

const everyCheck: ReadonlyArray<Check> = [
  ...access,
  ...wire,
  ...languages,
  ...styleLists,
  ...instructions,
  ...translationMemories,
  ...qualityEvaluation,
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
 * The checks of an API version in running order, followed by those checks of `others`, such as checks of a custom resource, that apply to it.
 *
 * @category constructors
 * @since 0.3.0
 */
export const checksOf = (state: Dialect.State, others: ReadonlyArray<Check> = []): ReadonlyArray<Check> =>
  [...everyCheck, ...others].filter(({ states }) => states.includes(state))

/**
 * The checks of the specification, in running order. {@link checksOf} returns the checks of a newer API version.
 *
 * @category constructors
 * @since 0.1.0
 */
export const checks: ReadonlyArray<Check> = checksOf("spec")

/**
 * The first check of every run: the host responds and accepts the key. Counts no characters. {@link checks} does not contain the probe, and a report
 * contains the probe only if it failed.
 *
 * @category constructors
 * @since 0.1.0
 */
export const probe: Check = accessProbe

/**
 * Options of a run. `onOutcome` is called at the end of each check.
 *
 * @category options
 * @since 0.1.0
 */
export interface RunOptions {
  /** Default: the checks of the specification. */
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
 * Runs checks against the host under test, one after the other, and returns a report. Never fails: the report lists the host's deviations.
 *
 * **Details**
 *
 * A run begins with {@link probe}. If the probe fails, all other checks are skipped. A check is also skipped if the host refuses its characters with
 * 456.
 *
 * A check removes its style rule list or glossary, even after a failure or an interruption. The end of the run removes leftovers, such as a list
 * whose creation got no response.
 *
 * @category testing
 * @since 0.1.0
 */
export const run = (
  { checks: from = checks, onOutcome = () => Effect.void }: RunOptions = {}
): Effect.Effect<Report, never, Requirements> => Runs.run(from, onOutcome)

/**
 * Removes style rule lists and glossaries that aborted runs left behind, and returns their names. A name is `effect-lingua-conformance`, a run id of
 * 16 hexadecimal digits, and a word. Resources younger than `olderThan` (default 1 hour) are kept, because they may belong to a run in progress.
 *
 * @category testing
 * @since 0.1.0
 */
export const cleanUp = (
  { olderThan = "1 hour" }: { readonly olderThan?: Duration.Input | undefined } = {}
): Effect.Effect<ReadonlyArray<string>, CleanUpFailure, Glossaries | StyleRules> => Lists.removeLeftovers(olderThan)

/**
 * The errors of {@link cleanUp}: the errors of `list`.
 *
 * @category errors
 * @since 0.1.0
 */
export type CleanUpFailure = ErrorOf<typeof Glossaries | typeof StyleRules, "list">

/**
 * Formats a check's outcome as one line, with the reason.
 *
 * @category testing
 * @since 0.1.0
 */
export const format: (outcome: Outcome) => string = Runs.format

/**
 * The keys that a fake must accept for all checks: the default key, a key with scopes, a free tier key, a key without language detection, and an
 * admin key.
 *
 * @category configuration
 * @since 0.1.0
 */
export const keys: ReadonlyArray<Key> = Subjects.keys

/**
 * Options for the test of a fake. `advance` advances the fake's time: `TestClock.adjust` in a test, `Effect.sleep` on a real clock. Without
 * `advance`, checks that wait are skipped.
 *
 * @category options
 * @since 0.1.0
 */
export interface FakeOptions {
  readonly advance?: ((duration: Duration.Input) => Effect.Effect<void>) | undefined
  /** The `Authorization` scheme that the fake accepts, if not the default. */
  readonly authScheme?: string | undefined
}

/**
 * The host under test is the context's fake, such as a fake on a socket. The fake must accept {@link keys}.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHandle = (
  { advance, authScheme }: FakeOptions = {}
): Layer.Layer<Requirements, never, FakeLanguageService | HttpClient.HttpClient> =>
  Subjects.layerHandle(advance, authScheme)

/**
 * The host under test is an in-process fake.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerFake = (
  { advance, authScheme, ...options }: FakeOptions & Omit<FakeLanguageService.Options, "keys" | "authSchemes"> = {}
): Layer.Layer<Requirements | FakeLanguageService> =>
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
 * The host under test is read from the environment or another `ConfigProvider`. `options` override the client's settings.
 *
 * **Details**
 *
 * The client reads the variables of `LanguageServiceConfig.config`: `LANGUAGE_SERVICE_KEY`, `LANGUAGE_SERVICE_BASE_URL` and so on. The suite reads
 * the following optional variables; without a variable, the checks that need it are skipped:
 *
 * - `CONFORMANCE_SPEND_CHARACTERS` (`true` allows checks that count characters)
 * - `CONFORMANCE_DETECTION` (`true` if the account has opted in to language detection)
 * - `CONFORMANCE_SCOPED_KEY` (secret: a key with scopes but without `languages:read`)
 * - `CONFORMANCE_FREE_KEY` (secret: a key of the free tier)
 * - `CONFORMANCE_KEY_WITHOUT_DETECTION` (secret: a key of an account without language detection)
 * - `CONFORMANCE_ADMIN_KEY` (secret: an admin key)
 * - `CONFORMANCE_CREATE_KEYS` (`true` allows checks that create developer keys, which stay in the list, deactivated)
 * - `CONFORMANCE_DOCUMENT_ID`, `CONFORMANCE_DOCUMENT_KEY` (secret): a translated document, which is downloaded and counted
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
