/**
 * The limits that are checked before anything is sent. They are configuration with the specification's numbers as
 * defaults, so that a plan or a later version of the service may have others.
 *
 * @since 0.1.0
 */

/**
 * The limits of the service.
 *
 * @category models
 * @since 0.1.0
 */
export interface Limits {
  /** Bytes of the encoded body of `rephrase` and `correct`. Default 10,240. */
  readonly improvementBytes: number
  /** Texts of one detection. Default 50. */
  readonly detectionTexts: number
  /** Texts of one translation. Default 50. */
  readonly translationTexts: number
  /** Bytes of the encoded body of a translation. Default 131,072. */
  readonly translationBytes: number
  /** Instructions of one translation. Default 10. */
  readonly translationInstructions: number
  /** Characters (code points) of an instruction's prompt. Default 300. */
  readonly promptCharacters: number
  /** Characters (code points) of an instruction's label. Default 100. */
  readonly labelCharacters: number
  /** Characters (code points) of the name of a style rule list. Default 1024. */
  readonly styleRuleListNameCharacters: number
  /** Instructions of one style rule list. Default 200. */
  readonly instructionsPerList: number
  /** Languages that a style rule list can have: root codes, compared without regard to case. */
  readonly styleRuleLanguages: ReadonlyArray<string>
  /** Items of one page of style rule lists. Default 25. */
  readonly pageSize: number
  /** Glossaries of one translation. Default 5. */
  readonly glossaryIds: number
  /** Bytes of a file that is imported as a translation memory. Default 1,073,741,824. */
  readonly importBytes: number
  /** Characters (code points) of the name of such a file. Default 100. */
  readonly importFileNameCharacters: number
  /** Characters of its content type. Default 127. */
  readonly importContentTypeCharacters: number
  /** Bytes of the entries of one glossary. Default 10,485,760. */
  readonly glossaryBytes: number
  /** Bytes of a source or a target of a glossary. Default 1024. */
  readonly glossaryTermBytes: number
  /** Bytes of the name of a glossary. Default 1024. */
  readonly glossaryNameBytes: number
  /** Days that a report of usage may be about. Default 366. */
  readonly reportDays: number
  /** Segments of one evaluation of translations. Default 500. */
  readonly evaluationSegments: number
  /** Characters (code points) of a source or a target of them. Default 10,000. */
  readonly evaluationCharacters: number
  /** Bytes of a file of speech. Default 1,073,741,824. */
  readonly voiceBytes: number
  /** Languages of a voice session. Default 5. */
  readonly voiceTargets: number
  /** Languages of them that are spoken. Default 1. */
  readonly voiceMediaTargets: number
}

/**
 * The specification's numbers.
 *
 * @category constructors
 * @since 0.1.0
 */
export const defaults: Limits = {
  improvementBytes: 10 * 1024,
  detectionTexts: 50,
  translationTexts: 50,
  translationBytes: 128 * 1024,
  translationInstructions: 10,
  promptCharacters: 300,
  labelCharacters: 100,
  styleRuleListNameCharacters: 1024,
  instructionsPerList: 200,
  styleRuleLanguages: ["de", "en", "es", "fr", "it", "ja", "ko", "zh"],
  pageSize: 25,
  glossaryIds: 5,
  importBytes: 1024 ** 3,
  importFileNameCharacters: 100,
  importContentTypeCharacters: 127,
  glossaryBytes: 10 * 1024 * 1024,
  glossaryTermBytes: 1024,
  glossaryNameBytes: 1024,
  reportDays: 366,
  evaluationSegments: 500,
  evaluationCharacters: 10_000,
  voiceBytes: 1024 ** 3,
  voiceTargets: 5,
  voiceMediaTargets: 1
}
