/**
 * The limits that are checked before anything is sent. They are configuration with the specification's numbers as
 * defaults, so that a plan or a later version of the service may have others.
 *
 * @since 0.1.0
 */

const styleRuleLanguages: ReadonlyArray<string> = ["de", "en", "es", "fr", "it", "ja", "ko", "zh"]

/**
 * The limits of the specification.
 *
 * @category constructors
 * @since 0.1.0
 */
export const defaults = {
  /** Bytes of the encoded body of `rephrase` and `correct`. Default 10,240. */
  improvementBytes: 10 * 1024,
  /** Texts of one detection. Default 50. */
  detectionTexts: 50,
  /** Texts of one translation. Default 50. */
  translationTexts: 50,
  /** Bytes of the encoded body of a translation. Default 131,072. */
  translationBytes: 128 * 1024,
  /** Instructions of one translation. Default 10. */
  translationInstructions: 10,
  /** Characters (code points) of an instruction's prompt. Default 300. */
  promptCharacters: 300,
  /** Characters (code points) of an instruction's label. Default 100. */
  labelCharacters: 100,
  /** Characters (code points) of the name of a style rule list. Default 1024. */
  styleRuleListNameCharacters: 1024,
  /** Instructions of one style rule list. Default 200. */
  instructionsPerList: 200,
  /** Languages that a style rule list can have: root codes, compared without regard to case. The service may have more. */
  styleRuleLanguages,
  /** Items of one page of style rule lists. Default 25. */
  pageSize: 25,
  /** Glossaries of one translation. Default 5. */
  glossaryIds: 5,
  /** Bytes of a file that is imported as a translation memory. Default 1,073,741,824. */
  importBytes: 1024 ** 3,
  /** Characters (code points) of the name of such a file. Default 100. */
  importFileNameCharacters: 100,
  /** Characters of its content type. Default 127. */
  importContentTypeCharacters: 127,
  /** Bytes of the entries of one glossary. Default 10,485,760. */
  glossaryBytes: 10 * 1024 * 1024,
  /** Bytes of a source or a target of a glossary. Default 1024. */
  glossaryTermBytes: 1024,
  /** Bytes of the name of a glossary. Default 1024. */
  glossaryNameBytes: 1024,
  /** Days of a usage report. Default 366. */
  reportDays: 366,
  /** Segments of one evaluation of translations. Default 500. */
  evaluationSegments: 500,
  /** Characters (code points) of a source or a target of a segment. Default 10,000. */
  evaluationCharacters: 10_000,
  /** Bytes of a file of speech. Default 1,073,741,824. */
  voiceBytes: 1024 ** 3,
  /** Languages of a voice session. Default 5. */
  voiceTargets: 5,
  /** Spoken languages of a voice session. Default 1. */
  voiceMediaTargets: 1,
  /** Characters (code points) of the spoken terms of one language, with the line breaks between them. Default 300. */
  spokenTermsCharacters: 300,
  /** Bytes of the name of a collection of spoken terms. Default 1024. */
  spokenTermsNameBytes: 1024
}

/**
 * The limits of the service.
 *
 * @category models
 * @since 0.1.0
 */
export interface Limits extends Readonly<Omit<typeof defaults, "styleRuleLanguages">> {
  /** Languages that a style rule list can have, or `"any"`, with which the service decides alone. */
  readonly styleRuleLanguages: ReadonlyArray<string> | "any"
}
