/**
 * What each response is for, by hand: the fields without which it is of no use. Everything else is informative. A path has
 * `*` in the place of the index of a list.
 */

export interface Point {
  /** A response in which one of these is missing, null or of another type fails. */
  readonly needed: ReadonlyArray<string>
  /** Missing or null, these say that there is nothing; a value of another type fails, because nothing may be lost in silence. */
  readonly lists?: ReadonlyArray<string>
}

const instruction = { needed: ["id"] }
const styleRuleList = { needed: ["style_id"] }
const glossary = { needed: ["glossary_id"] }
const developerKey = { needed: ["key_id"] }
const improvements = { needed: ["improvements", "improvements.*", "improvements.*.text"] }

export const points: Readonly<Record<string, Point>> = {
  "Admin.createKey": developerKey,
  "Admin.listKeys": { needed: ["*", "*.key_id"] },
  "Admin.deactivateKey": developerKey,
  "Admin.setKeyLabel": developerKey,
  "Admin.setKeyLimits": developerKey,
  "Admin.analytics": {
    needed: ["usage_report", "usage_report.key_usages.*", "usage_report.key_and_day_usages.*"],
    lists: ["usage_report.key_usages", "usage_report.key_and_day_usages"]
  },
  "Admin.listCustomTagUsagePage": {
    needed: ["custom_tag_usage_report", "custom_tag_usage_report.usage.*"],
    lists: ["custom_tag_usage_report.usage", "custom_tag_usage_report.next_page"]
  },
  "Detection.detect": { needed: ["results", "results.*", "results.*.detection_status", "results.*.detected_language"] },
  "Documents.upload": { needed: ["document_id", "document_key"] },
  "Documents.status": { needed: ["status"] },
  "Glossaries.create": glossary,
  "Glossaries.entries": { needed: ["dictionaries", "dictionaries.*", "dictionaries.*.entries"] },
  "Glossaries.get": glossary,
  "Glossaries.list": { needed: ["glossaries", "glossaries.*", "glossaries.*.glossary_id"] },
  "Glossaries.merge": glossary,
  "Glossaries.replaceDictionary": { needed: ["source_lang", "target_lang"] },
  "GlossariesV2.create": glossary,
  "GlossariesV2.get": glossary,
  "GlossariesV2.list": { needed: ["glossaries", "glossaries.*", "glossaries.*.glossary_id"] },
  "Languages.glossaryPairs": {
    needed: [
      "supported_languages",
      "supported_languages.*",
      "supported_languages.*.source_lang",
      "supported_languages.*.target_lang"
    ]
  },
  "Languages.list": { needed: ["*", "*.lang"] },
  "Languages.listV2": { needed: ["*", "*.language"] },
  "Languages.resources": { needed: ["*", "*.name"] },
  "QualityEvaluation.status": { needed: ["segments.*", "segments.*.segment_index"], lists: ["segments", "status"] },
  "QualityEvaluation.start": { needed: ["job_id"] },
  "StyleRules.addInstruction": instruction,
  "StyleRules.create": styleRuleList,
  "StyleRules.get": styleRuleList,
  "StyleRules.getInstruction": instruction,
  "StyleRules.listPage": { needed: ["style_rules", "style_rules.*", "style_rules.*.style_id"] },
  "StyleRules.rename": styleRuleList,
  "StyleRules.replaceConfiguredRules": styleRuleList,
  "StyleRules.replaceInstruction": instruction,
  "Translation.translate": { needed: ["translations", "translations.*", "translations.*.text"] },
  "TranslationMemories.get": { needed: ["translation_memory_id"] },
  "TranslationMemories.status": { needed: ["results.*"], lists: ["results", "results.*.status"] },
  "TranslationMemories.listPage": {
    needed: ["translation_memories", "translation_memories.*", "translation_memories.*.translation_memory_id"]
  },
  "TranslationMemories.listSegmentsPage": {
    needed: ["segments", "segments.*", "segments.*.targets.*"],
    lists: ["segments.*.source_text", "segments.*.targets", "segments.*.targets.*.target_text", "next_page_cursor"]
  },
  "TranslationMemories.startExport": { needed: ["job_id"] },
  "TranslationMemories.startImport": { needed: ["job_id", "upload_url"] },
  "Usage.get": { needed: [] },
  "Writing.correct": improvements,
  "Writing.rephrase": improvements
}
