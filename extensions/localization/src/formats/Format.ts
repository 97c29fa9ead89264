/**
 * Formats of localization files. A format has two functions: `parse` for a source file, and `read` for a target file.
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
 * Thrown by a format's functions for a file that does not follow the format. The message contains the position, such as
 * `line 3, column 10: …`, but not the file name.
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
  /** Unique in the file, and equal in the source file and its targets. Nested keys are joined with `/`. */
  readonly id: string
  readonly text: string
  /** The text's placeholder syntax, if the file declares it. */
  readonly placeholders?: Syntax | undefined
  /** Texts whose placeholders a translation may have instead, such as a plural form without the number. */
  readonly alternatives?: ReadonlyArray<string> | undefined
  /** Notes for translators, sent as context. */
  readonly context?: string | undefined
  /** Id of the text's plural, in formats that write a missing form as an empty text. All missing forms are written, or none. */
  readonly plural?: string
  /** Offset in the source file, in UTF-16 code units. */
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
  /** Offset in the target file, in UTF-16 code units. */
  readonly offset?: number
}

/**
 * A parsed source file. Languages are BCP 47 codes, such as `pt-BR`; `before` is the content of an existing target file.
 *
 * @category models
 * @since 0.3.0
 */
export interface Source {
  /** The placeholder syntax for texts in which no syntax is detected; `xml` if texts are XML. */
  readonly placeholders: Syntax | "xml"
  /** The texts to translate into a language. Plural forms depend on the language. */
  readonly units: (language: string, before?: string) => ReadonlyArray<Unit>
  /**
   * Prints a language's target file with `texts` keyed by id. With `before`, the result equals `before` byte for byte, except for changed,
   * new and `removed` texts. A text without a translation stays unchanged.
   */
  readonly print: (
    language: string,
    texts: ReadonlyMap<string, string>,
    before?: string,
    removed?: ReadonlySet<string>
  ) => string
  /** Ids of values that are not translated, such as numbers. Runs report them, and keep a target's texts with these ids. */
  readonly others?: ReadonlyArray<string>
  /** Returns false for a translation that would break the file. Default: always true. */
  readonly accepts?: (translation: string) => boolean
}

/**
 * A file format. Both functions throw {@link Malformed}. A call stack overflow (`RangeError`) is reported as too deep
 * nesting, and any other error is a defect.
 *
 * @category models
 * @since 0.3.0
 */
export interface Format {
  /** Parses a source file in a language. */
  readonly parse: (text: string, language: string) => Source
  /**
   * Reads a target file's translated texts, keyed by id. Omits texts that await review, plural forms that the language does not use, and empty
   * texts that mean a missing translation.
   */
  readonly read: (text: string, language: string) => ReadonlyMap<string, Entry>
}
