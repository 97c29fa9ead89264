/**
 * Formats of localization files. A format is two functions: `parse` of a source, and `read` of a target.
 *
 * **Example** (Another format)
 *
 * ```ts import.meta.vitest
 * import type { Format } from "@effect-lingua/localization"
 *
 * // A text on each line, after its key: "title=My page".
 * const entry = /^(\w+)=(.*)$/gm
 * const entriesOf = (text: string) =>
 *   [...text.matchAll(entry)].map(([, id = "", text = ""]) => ({ id, text }))
 *
 * const lines: Format.Format = {
 *   parse: (source) => ({
 *     placeholders: "brace",
 *     units: () => entriesOf(source),
 *     print: (_language, texts, before = source) =>
 *       before.replace(entry, (line, id: string) => {
 *         const text = texts.get(id)
 *         return text === undefined ? line : `${id}=${text}`
 *       })
 *   }),
 *   read: (target) => new Map(entriesOf(target).map(({ id, text }) => [id, { text }]))
 * }
 * lines.parse("title=My page", "en").print("de", new Map([["title", "Meine Seite"]])) // => "title=Meine Seite"
 * ```
 *
 * @since 0.3.0
 */
import type { Syntax } from "@effect-lingua/core/texts/Placeholders"
import * as Data from "effect/Data"

/**
 * Thrown by the functions of a format for a text that is not of the format. The message has the position, such as
 * `line 3, column 10: …`, and not the name of the file.
 *
 * @category errors
 * @since 0.3.0
 */
export class Malformed extends Data.TaggedError("Malformed")<{ readonly message: string }> {}

/**
 * A text to translate.
 *
 * @category models
 * @since 0.3.0
 */
export interface Unit {
  /** The same in source and targets, and unique. Keys of a path are separated by `/`. */
  readonly id: string
  readonly text: string
  /** Its placeholder syntax, if its entry says one. */
  readonly placeholders?: Syntax | undefined
  /** Texts whose placeholders are allowed too, such as a plural form without the number. */
  readonly alternatives?: ReadonlyArray<string> | undefined
  /** Notes for translators, sent as context. */
  readonly context?: string | undefined
  /** The id of its plural, in a format where a missing form is an empty text. */
  readonly plural?: string
  /** Its offset in the source, in UTF-16 units. */
  readonly offset?: number
}

/**
 * A text of a target file.
 *
 * @category models
 * @since 0.3.0
 */
export interface Entry {
  readonly text: string
  /** Its offset in the file, in UTF-16 units. */
  readonly offset?: number
}

/**
 * A source file. Language codes follow BCP 47, such as `pt-BR`; `before` is the text of the target file, if there is one.
 *
 * @category models
 * @since 0.3.0
 */
export interface Source {
  /** The placeholder syntax of texts that do not show one, or `xml`. */
  readonly placeholders: Syntax | "xml"
  /** The texts that a language needs. Plurals depend on the language. */
  readonly units: (language: string, before?: string) => ReadonlyArray<Unit>
  /**
   * The file of a language with texts by their ids. With `before` it is that file, byte for byte but for texts that differ, texts that are
   * new, and texts that the source does not have any more. A text without a translation stays as it is there.
   */
  readonly print: (language: string, texts: ReadonlyMap<string, string>, before?: string) => string
  /** Ids of its values that are not translated, such as numbers and references, to be reported. */
  readonly others?: ReadonlyArray<string>
  /** False for a translation that would break the file. Default: always true. */
  readonly accepts?: (translation: string) => boolean
}

/**
 * A format. Both functions throw {@link Malformed}; the `RangeError` of a recursion that is too deep is reported as a file that is nested
 * too deep, and any other error is a defect.
 *
 * @category models
 * @since 0.3.0
 */
export interface Format {
  /** Parses a source file in a language. */
  readonly parse: (text: string, language: string) => Source
  /**
   * The translated texts of a target file by their ids: empty ones, those that await a review, and forms of plurals that the language does
   * not use are left out.
   */
  readonly read: (text: string, language: string) => ReadonlyMap<string, Entry>
}
