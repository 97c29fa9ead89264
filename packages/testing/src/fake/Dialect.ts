/**
 * Dialects: alternative responses of the fake, where public descriptions of the service contradict its specification, or
 * the specification is silent.
 *
 * **Example** (A program against each dialect)
 *
 * ```ts import.meta.vitest
 * import { Dialect, FakeLanguageService } from "@effect-lingua/testing"
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
 * @category schemas
 * @since 0.1.0
 */
export const Dialect = struct({
  /** Status for a missing or wrong API key. Default: 403. */
  invalidKey: choice(403, 401),
  /** Status of a document's second download. Default: 404. */
  secondDownload: choice(404, 503),
  /** Status for an id that is neither a UUID nor 32 hexadecimal digits. Default: 404. */
  malformedId: choice(404, 400),
  /** The message of the status 503 for a failed document's download: the reason (default), or only "not ready". */
  failedDocument: choice("reason", "notReady"),
  /** An upload with equal source and target languages: status 400 (default), or a failing translation. */
  sameLanguage: choice("refused", "error"),
  /** Supported languages: the specification's (default), or also the languages added in July 2026. */
  languages: choice("specification", "2026-07"),
  /**
   * The estimate for a document in translation: the remaining seconds (default), 2^27, 0, no estimate, or the remaining
   * seconds and 0 when done.
   */
  secondsRemaining: choice("right", "huge", "zero", "absent", "untilDone"),
  /** Document conversions: PDF to docx (default), or also between txt and HTML. */
  outputFormats: choice("limited", "texts"),
  /** A glossary for texts without a source language: refused (default), or applied to each text's detected language. */
  glossaryDetection: choice("refused", "detected"),
  /** A glossary in `glossary_ids` that lacks the language pair: refused (default), or skipped. */
  glossaryIdsMissingPair: choice("refused", "skipped"),
  /** Accepts `en` and `pt` as targets without a variant. Default: false. */
  rootTargets: choice(false, true),
  /** Requires a source language when a style rule list's instruction is replaced. Default: true. */
  replacementNeedsSource: choice(true, false),
  /** The response to an added instruction: the instruction (default), or the list. */
  addedInstruction: choice("instruction", "list"),
  /** The response with glossary entries: a list with the dictionary (default), or only the dictionary. */
  glossaryEntries: choice("list", "bare"),
  /** The response to a key's creation. Default: with the secret. */
  createdKey: choice("with secret", "without secret"),
  /** Languages that a style rule list can have: `limits.styleRuleLanguages` (default), or any. */
  styleRuleLanguages: choice("limited", "any"),
  /** With `required`, a request without a `User-Agent` gets 400. Default: `optional`. */
  userAgent: choice("optional", "required"),
  /**
   * The form of error bodies, except for faults with a `body`: `message` (default) is `{ "message": ... }`; `code`
   * always has a `code`; `capital` is `{ "Message": ... }`; `nested` is `{ "error": { "message": ... } }`; `text` is
   * the message; `html` is a page.
   */
  errorBody: choice("message", "code", "capital", "nested", "text", "html", "empty"),
  /** Adds an undocumented field to each response's objects. Default: false. */
  unknownFields: choice(false, true)
})

/**
 * Deviations from the specification.
 *
 * @category models
 * @since 0.1.0
 */
export type Dialect = {
  readonly [K in keyof typeof Dialect.Type]: typeof Dialect.Type[K]
}

/**
 * The values of each dialect field, the default first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const choices: Readonly<Record<keyof Dialect, ReadonlyArray<string | number | boolean>>> = map(
  Dialect.fields,
  ({ schema: { members: [{ literals }] } }) => literals
)

/**
 * An API version: the specification, or the public descriptions of July 2026.
 *
 * @category models
 * @since 0.3.0
 */
export type State = "spec" | "2026-07"

/**
 * The dialect of each API version.
 *
 * @category constructors
 * @since 0.3.0
 */
export const ofState: Readonly<Record<State, Dialect>> = {
  spec: {},
  "2026-07": { languages: "2026-07", glossaryDetection: "detected", replacementNeedsSource: false }
}

/**
 * All API versions, the oldest first.
 *
 * @category constructors
 * @since 0.3.0
 */
export const states: ReadonlyArray<State> = Struct.keys(ofState)

/**
 * Every dialect that differs from the specification in one field.
 *
 * @category constructors
 * @since 0.1.0
 */
export const all: ReadonlyArray<Dialect> = Object.entries(choices).flatMap(([name, [, ...others]]) =>
  others.map((choice): Dialect => ({ [name]: choice }))
)
