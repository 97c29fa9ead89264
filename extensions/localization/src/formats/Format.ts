/**
 * Formats of localization files. A format is two functions: `parse` of a source, and `read` of a target.
 *
 * **Example** (A format of a program's own)
 *
 * ```ts import.meta.vitest
 * import type { Format } from "@effect-lingua/localization/formats/Format"
 *
 * // A text on each line, after its key: "title=My page".
 * const entry = /^(\w+)=(.*)$/gm
 * const entriesOf = (text: string) =>
 *   [...text.matchAll(entry)].map(([, id = "", text = ""]) => ({ id, text }))
 *
 * const lines: Format = {
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
  /** The same in the source and in each target, and unique in both. Keys of a path are divided by `/`. */
  readonly id: string
  readonly text: string
  /** Its syntax of placeholders, where that is not the one of the file. */
  readonly placeholders?: Syntax
  /** Texts whose placeholders a translation may have as well, such as those of a plural without the number. */
  readonly alternatives?: ReadonlyArray<string> | undefined
  /** What the file says about the text to its translators; sent as its context. */
  readonly context?: string | undefined
  /** The id of the plural that it is a form of, in a format where a missing form is an empty text. */
  readonly plural?: string
  /** Its place in the source, in UTF-16 units from 0, for messages. */
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
  /** Its place in the file, in UTF-16 units from 0, for messages. */
  readonly offset?: number
}

/**
 * A source file. Codes of languages are those of BCP 47, such as `pt-BR`; `before` is the text of the target file, if there is one.
 *
 * @category models
 * @since 0.3.0
 */
export interface Source {
  /** The usual syntax of placeholders of its texts, or `xml` for texts that are XML. */
  readonly placeholders: Syntax | "xml"
  /** The texts that the file of a language needs. Their ids depend on the language where that has other plurals. */
  readonly units: (language: string, before?: string) => ReadonlyArray<Unit>
  /**
   * The file of a language with texts by their ids. With `before` it is that file, byte for byte but for texts that differ, texts that are
   * new, and texts that the source does not have any more. A text without a translation stays as it is there.
   */
  readonly print: (language: string, texts: ReadonlyMap<string, string>, before?: string) => string
  /** False for a translation that would make the file malformed. Default: always true. */
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
