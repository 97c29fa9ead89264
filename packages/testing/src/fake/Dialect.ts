/**
 * Dialects: the responses of the fake where public descriptions of the service contradict its specification, or where the
 * specification leaves them open. By default the fake follows the specification.
 *
 * **Example** (A program against each dialect)
 *
 * ```ts import.meta.vitest
 * import * as Dialect from "@effect-lingua/testing/fake/Dialect"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 *
 * const fakes = Dialect.all.map((dialect) => FakeLanguageService.layer({ dialect }))
 *
 * fakes.length > 10 // => true
 * Dialect.all[0] // => { invalidKey: 401 }
 * ```
 *
 * @since 0.1.0
 */
import { map } from "effect/Record"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { struct } from "../faults/internal/schema.ts"

const choice = <const Values extends ReadonlyArray<string | number | boolean>>(...values: Values) =>
  Schema.optional(Schema.Literals(values))

/**
 * Schema of a {@link Dialect}.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Dialect = struct({
  /** Status for a missing or wrong key. 403 by default. */
  invalidKey: choice(403, 401),
  /** Status of a second download, with the text "Document already downloaded". 404 by default. */
  secondDownload: choice(404, 503),
  /** Status for an id in a path that is neither a UUID nor 32 hexadecimal digits. 404 by default, as for any unknown id. */
  malformedId: choice(404, 400),
  /**
   * The message of the 503 for a document whose translation failed: the reason, which is the default, or the same as for one
   * that is not ready yet.
   */
  failedDocument: choice("reason", "notReady"),
  /**
   * The result of an upload whose given source is its target language: a refusal with 400, which is the default, or a translation that
   * fails, as it does if the source is only detected.
   */
  sameLanguage: choice("refused", "error"),
  /** The languages of the listing and of translations: those of the specification, which is the default, or those of July 2026. */
  languages: choice("specification", "2026-07"),
  /**
   * The estimate for a document in translation: the remaining seconds, which is the default, 2^27, always 0, none, or the remaining
   * seconds, and 0 when it is done.
   */
  secondsRemaining: choice("right", "huge", "zero", "absent", "untilDone"),
  /** The formats into which documents are converted: PDF to docx, which is the default, or also txt and HTML to each other. */
  outputFormats: choice("limited", "texts"),
  /**
   * A glossary for texts without a source language is refused, which is the default; or each text has the dictionary of its detected
   * language. Documents need the source in any case.
   */
  glossaryDetection: choice("refused", "detected"),
  /** A glossary of `glossary_ids` without the pair of languages is refused, which is the default, or skipped. */
  glossaryIdsMissingPair: choice("refused", "skipped"),
  /** Accepts `en` and `pt` as targets without a variant. False by default. */
  rootTargets: choice(false, true),
  /** Requires the source language of an instruction that replaces another. True by default. */
  replacementNeedsSource: choice(true, false),
  /** The response to an added instruction: the instruction by default, or the whole list. */
  addedInstruction: choice("instruction", "list"),
  /** The response with the entries of a glossary: a list with its dictionary by default, or the dictionary alone. */
  glossaryEntries: choice("list", "bare"),
  /** The response to a created key, with the key itself, which is the default, or without. */
  createdKey: choice("with secret", "without secret"),
  /** The languages of style rule lists: those of `limits.styleRuleLanguages`, which is the default, or any. */
  styleRuleLanguages: choice("limited", "any"),
  /** Refuses a request without a `User-Agent` with 400 if it is `required`. `optional` by default. */
  userAgent: choice("optional", "required"),
  /**
   * The form of all error bodies except those of faults with a body of their own:
   *
   * - `message`, the default: `{ "message": ... }`, with `code` and `detail` where there is one.
   * - `code`: the same, always with a `code`.
   * - `capital`: `{ "Message": ... }`.
   * - `nested`: `{ "error": { "message": ... } }`, as gateways write it.
   * - `text`: the message alone.
   * - `html`: a page, as proxies send it.
   * - `empty`: nothing.
   */
  errorBody: choice("message", "code", "capital", "nested", "text", "html", "empty"),
  /** Adds a field that no description names to the objects of each response. False by default. */
  unknownFields: choice(false, true)
})

/**
 * A deviation from the specification. Fields that are left out are as in the specification.
 *
 * @category models
 * @since 0.1.0
 */
export type Dialect = {
  readonly [K in keyof typeof Dialect.Type]: typeof Dialect.Type[K]
}

/**
 * The values of each field of a dialect. The first is the default.
 *
 * @category constructors
 * @since 0.1.0
 */
export const choices: Readonly<Record<keyof Dialect, ReadonlyArray<string | number | boolean>>> = map(
  Dialect.fields,
  ({ schema: { members: [{ literals }] } }) => literals
)

/**
 * A state of the interface: the specification, or the public descriptions of July 2026 where they contradict it.
 *
 * @category models
 * @since 0.3.0
 */
export type State = "spec" | "2026-07"

/**
 * The dialect of each state of the interface.
 *
 * @category constructors
 * @since 0.3.0
 */
export const ofState: Readonly<Record<State, Dialect>> = {
  spec: {},
  "2026-07": { languages: "2026-07", glossaryDetection: "detected", replacementNeedsSource: false }
}

/**
 * All states of the interface, the oldest first.
 *
 * @category constructors
 * @since 0.3.0
 */
export const states: ReadonlyArray<State> = Struct.keys(ofState)

/**
 * Every dialect that differs from the specification in one point.
 *
 * @category constructors
 * @since 0.1.0
 */
export const all: ReadonlyArray<Dialect> = Object.entries(choices).flatMap(([name, [, ...others]]) =>
  others.map((choice): Dialect => ({ [name]: choice }))
)
