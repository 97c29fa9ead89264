/** What each response is for, by hand: the fields without which it is of no use. Everything else is informative. */
import { Record } from "effect"

export interface Point {
  /** A response in which one of these is missing, null or of another type fails. */
  readonly needed: ReadonlyArray<string>
  /** Missing or null, these say that there is nothing; a value of another type fails, because nothing may be lost in silence. */
  readonly lists: ReadonlyArray<string>
}

const isList = (part: string) => part.endsWith("?")

const plain = (parts: ReadonlyArray<string>) => [...new Set(parts.map((part) => part.replaceAll("?", "")))]

/** The point of paths with spaces between, with `*` for the index of a list. Each part is needed, or with `?` one of `lists`. */
export const fieldsOf = (paths: string): Point => {
  const parts = paths.split(" ").filter((path) => path !== "").flatMap((path) =>
    path.split(".").map((_, index, keys) => keys.slice(0, index + 1).join("."))
  )
  return { needed: plain(parts.filter((part) => !isList(part))), lists: plain(parts.filter(isList)) }
}

export const points: Readonly<Record<string, Point>> = Record.map({
  "Admin.createKey": "key_id",
  "Admin.listKeys": "*.key_id",
  "Admin.deactivateKey": "key_id",
  "Admin.setKeyLabel": "key_id",
  "Admin.setKeyLimits": "key_id",
  "Admin.analytics": "usage_report.key_usages?.* usage_report.key_and_day_usages?.*",
  "Admin.listCustomTagUsagePage": "custom_tag_usage_report.usage?.* custom_tag_usage_report.next_page?",
  "Detection.detect": "results.*.detection_status results.*.detected_language",
  "Documents.upload": "document_id document_key",
  "Documents.status": "status",
  "Glossaries.create": "glossary_id",
  "Glossaries.entries": "dictionaries.*.entries",
  "Glossaries.get": "glossary_id",
  "Glossaries.list": "glossaries.*.glossary_id",
  "Glossaries.merge": "glossary_id",
  "Glossaries.replaceDictionary": "source_lang target_lang",
  "GlossariesV2.create": "glossary_id",
  "GlossariesV2.get": "glossary_id",
  "GlossariesV2.list": "glossaries.*.glossary_id",
  "Languages.glossaryPairs": "supported_languages.*.source_lang supported_languages.*.target_lang",
  "Languages.list": "*.lang",
  "Languages.listV2": "*.language",
  "Languages.resources": "*.name",
  "QualityEvaluation.status": "segments?.*.segment_index status?",
  "QualityEvaluation.start": "job_id",
  "StyleRules.addInstruction": "id",
  "StyleRules.create": "style_id",
  "StyleRules.get": "style_id",
  "StyleRules.getInstruction": "id",
  "StyleRules.listPage": "style_rules.*.style_id",
  "StyleRules.rename": "style_id",
  "StyleRules.replaceConfiguredRules": "style_id",
  "StyleRules.replaceInstruction": "id",
  "Translation.translate": "translations.*.text",
  "TranslationMemories.get": "translation_memory_id",
  "TranslationMemories.status": "results?.*.status?",
  "TranslationMemories.listPage": "translation_memories.*.translation_memory_id",
  "TranslationMemories.listSegmentsPage":
    "segments.*.source_text? segments.*.targets?.*.target_text? next_page_cursor?",
  "TranslationMemories.startExport": "job_id",
  "TranslationMemories.startImport": "job_id upload_url",
  "Usage.get": "",
  "Writing.correct": "improvements.*.text",
  "Writing.rephrase": "improvements.*.text"
}, fieldsOf)
