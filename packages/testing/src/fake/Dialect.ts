/**
 * Dialects: how the fake answers where public descriptions of the service contradict its specification, or where the
 * specification leaves it open (reference B20). The fake follows the specification unless it is told otherwise.
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
 * @since 0.2.0
 */

/**
 * The form of an error body (reference A4).
 *
 * **Details**
 *
 * - `message`: `{ "message": ... }`, with `code` and `detail` where there is one.
 * - `code`: the same with a `code` always.
 * - `capital`: `{ "Message": ... }`.
 * - `nested`: `{ "error": { "message": ... } }`, as gateways write it.
 * - `text`: the words alone.
 * - `html`: a page, as proxies send it.
 * - `empty`: nothing.
 *
 * @category models
 * @since 0.2.0
 */
export type ErrorBody = "message" | "code" | "capital" | "nested" | "text" | "html" | "empty"

/**
 * One way to play the service. What is not named is as in the specification; each field names the row of reference B20, or another place.
 *
 * @category models
 * @since 0.2.0
 */
export interface Dialect {
  /** Status for a missing or wrong key (row 3). 403 by default. */
  readonly invalidKey?: 403 | 401 | undefined
  /** Status of a second download, with the text "Document already downloaded" (row 2). 404 by default. */
  readonly secondDownload?: 404 | 503 | undefined
  /**
   * What the 503 for a document says whose translation failed: the reason, which is the default, or the same as for one
   * that is not ready yet (reference C1).
   */
  readonly failedDocument?: "reason" | "notReady" | undefined
  /**
   * What becomes of an upload whose source is its target language (reference D18): its translation fails, which is the
   * default, or it is refused with 400.
   */
  readonly sameLanguage?: "error" | "refused" | undefined
  /**
   * What the status of a document in translation estimates (reference B12): the seconds that are left, which is the default,
   * 2^27, always 0, or nothing.
   */
  readonly secondsRemaining?: "right" | "huge" | "zero" | "absent" | undefined
  /** Whether `en` and `pt` can be targets without a variant (rows 4 and 5). False by default. */
  readonly rootTargets?: boolean | undefined
  /** Whether the instruction that replaces another needs its source language (row 7). True by default. */
  readonly replacementNeedsSource?: boolean | undefined
  /** What the answer to an added instruction is (row 8): the instruction by default, or the whole list. */
  readonly addedInstruction?: "instruction" | "list" | undefined
  /** What the answer with the entries of a glossary is (row 19): a list of the dictionary by default, or it by itself. */
  readonly glossaryEntries?: "list" | "bare" | undefined
  /** Whether the answer to a key that was made has the key itself (reference D43). It has by default. */
  readonly createdKey?: "with secret" | "without secret" | undefined
  /** Which languages a list can have (row 24): those of `limits.styleRuleLanguages`, which is the default, or any. */
  readonly styleRuleLanguages?: "limited" | "any" | undefined
  /** Whether a request without a `User-Agent` is refused with 400 (reference A3). `optional` by default. */
  readonly userAgent?: "optional" | "required" | undefined
  /** The form of all error bodies, but of faults that have a body of their own (row 20). `message` by default. */
  readonly errorBody?: ErrorBody | undefined
  /** Whether the objects of each answer have a field that no description names (reference D2). False by default. */
  readonly unknownFields?: boolean | undefined
}

/**
 * What each field of a dialect can be. The first value is the default.
 *
 * @category constructors
 * @since 0.2.0
 */
export const choices: { readonly [K in keyof Dialect]-?: ReadonlyArray<NonNullable<Dialect[K]>> } = {
  invalidKey: [403, 401],
  secondDownload: [404, 503],
  failedDocument: ["reason", "notReady"],
  sameLanguage: ["error", "refused"],
  secondsRemaining: ["right", "huge", "zero", "absent"],
  rootTargets: [false, true],
  replacementNeedsSource: [true, false],
  addedInstruction: ["instruction", "list"],
  glossaryEntries: ["list", "bare"],
  createdKey: ["with secret", "without secret"],
  styleRuleLanguages: ["limited", "any"],
  userAgent: ["optional", "required"],
  errorBody: ["message", "code", "capital", "nested", "text", "html", "empty"],
  unknownFields: [false, true]
}

/**
 * Every dialect that differs from the specification in one point.
 *
 * @category constructors
 * @since 0.2.0
 */
export const all: ReadonlyArray<Dialect> = Object.entries(choices).flatMap(([name, [, ...others]]) =>
  others.map((choice): Dialect => ({ [name]: choice }))
)
