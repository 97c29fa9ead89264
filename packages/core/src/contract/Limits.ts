/**
 * Limits that the client checks before sending a request. The defaults are the specification's limits; the limits of a plan or a later version may
 * differ.
 *
 * @since 0.1.0
 */

const styleRuleLanguages: ReadonlyArray<string> = ["de", "en", "es", "fr", "it", "ja", "ko", "zh"]

/**
 * The specification's limits. Characters are Unicode code points, bytes are UTF-8.
 *
 * @category constructors
 * @since 0.1.0
 */
export const defaults = {
  /** Bytes of an encoded `rephrase` or `correct` body. Default 10,240. */
  improvementBytes: 10 * 1024,
  /** Texts per detection. Default 50. */
  detectionTexts: 50,
  /** Texts per translation. Default 50. */
  translationTexts: 50,
  /** Bytes of an encoded translation request. Default 131,072. */
  translationBytes: 128 * 1024,
  /** Custom instructions per translation. Default 10. */
  translationInstructions: 10,
  /** Characters of a custom instruction's prompt. Default 300. */
  promptCharacters: 300,
  /** Characters of a custom instruction's label. Default 100. */
  labelCharacters: 100,
  /** Characters of a style rule list's name. Default 1024. */
  styleRuleListNameCharacters: 1024,
  /** Custom instructions per style rule list. Default 200. */
  instructionsPerList: 200,
  /** Languages of style rule lists: root codes, case-insensitive. */
  styleRuleLanguages,
  /** Style rule lists per page. Default 25. */
  pageSize: 25,
  /** Glossaries per translation. Default 5. */
  glossaryIds: 5,
  /** Bytes of a translation memory's import file. Default 1,073,741,824. */
  importBytes: 1024 ** 3,
  /** Characters of an import file's name. Default 100. */
  importFileNameCharacters: 100,
  /** Characters of an import file's content type. Default 127. */
  importContentTypeCharacters: 127,
  /** Bytes of a glossary's entries. Default 10,485,760. */
  glossaryBytes: 10 * 1024 * 1024,
  /** Bytes of a glossary entry's source or target. Default 1024. */
  glossaryTermBytes: 1024,
  /** Bytes of a glossary's name. Default 1024. */
  glossaryNameBytes: 1024,
  /** Days per usage report. Default 366. */
  reportDays: 366,
  /** Segments per evaluation. Default 500. */
  evaluationSegments: 500,
  /** Characters of a segment's source or target. Default 10,000. */
  evaluationCharacters: 10_000,
  /** Bytes of a speech file. Default 1,073,741,824. */
  voiceBytes: 1024 ** 3,
  /** Languages per voice session. Default 5. */
  voiceTargets: 5,
  /** Spoken languages per voice session. Default 1. */
  voiceMediaTargets: 1,
  /** Characters of one language's spoken terms, with line breaks between them. Default 300. */
  spokenTermsCharacters: 300,
  /** Bytes of a spoken term collection's name. Default 1024. */
  spokenTermsNameBytes: 1024
}

/**
 * The {@link defaults}, overridden by the option `limits`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Limits extends Readonly<Omit<typeof defaults, "styleRuleLanguages">> {
  /** Languages of style rule lists; `"any"` disables the check. */
  readonly styleRuleLanguages: ReadonlyArray<string> | "any"
}
