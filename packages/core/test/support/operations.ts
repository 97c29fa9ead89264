/** Every operation of the client once: valid input, its request on the wire, a success of the service, and the decoded value. */
import { CustomRequests, Detection, Languages, QualityEvaluation, StyleRules } from "@effect-lingua/core"
import { Admin, Usage } from "@effect-lingua/core/account"
import {
  DocumentId,
  EvaluationId,
  GlossaryId,
  InstructionId,
  JobId,
  KeyId,
  StyleId,
  TranslationMemoryId
} from "@effect-lingua/core/contract/Ids"
import { Documents, type UploadOptions } from "@effect-lingua/core/documents/Documents"
import type { CallError, ServiceError } from "@effect-lingua/core/errors"
import { Endpoint } from "@effect-lingua/core/extension/Contract"
import { Glossaries, GlossariesV2 } from "@effect-lingua/core/glossaries"
import type { LanguageService } from "@effect-lingua/core/LanguageService"
import { LanguageServiceApi, type OperationName } from "@effect-lingua/core/LanguageServiceApi"
import type { OtherServices } from "@effect-lingua/core/OtherServices"
import { type TranslateOptions, Translation } from "@effect-lingua/core/texts/Translation"
import { type RephraseOptions, Writing } from "@effect-lingua/core/texts/Writing"
import { TranslationMemories } from "@effect-lingua/core/translation-memories"
import { Context, DateTime, Effect, Predicate, Redacted, Stream } from "effect"
import type { HttpMethod } from "effect/http"
import { HttpApi } from "effect/http-api"
import { answer, type Reply } from "./Wire.ts"

type Classes = typeof CallError & typeof ServiceError

export type AnyFailure = {
  [K in keyof Classes]: Classes[K] extends abstract new(...args: never) => infer E ? Extract<E, Error> : never
}[keyof Classes]

const services = {
  Admin,
  CustomRequests,
  Detection,
  Documents,
  Glossaries,
  GlossariesV2,
  Languages,
  QualityEvaluation,
  StyleRules,
  Translation,
  TranslationMemories,
  Usage,
  Writing
}

type Services = typeof services

type Method<Name extends OperationName> = Name extends `${infer Group extends keyof Services}.${infer Key}`
  ? Key extends keyof Services[Group]["Service"] ? Services[Group]["Service"][Key] : never
  : never

/** The input of a method; that of one for texts is the last of two, its options with a list. */
type Options<Input> = Input extends ReadonlyArray<string> | string ? RephraseOptions | TranslateOptions : Input

type Sample<Name extends OperationName> = readonly [
  input: Method<Name> extends (...input: infer Input) => unknown ? Options<Input[0]> : undefined,
  request: Operation["request"],
  answer: Pick<Operation, "body" | "success">,
  value?: unknown
]

/** One operation with a call of it and a success. */
export interface Operation {
  readonly input: unknown
  readonly call: Effect.Effect<object | void, AnyFailure, Admin | LanguageService | OtherServices>
  /** The JSON of the success, if it is JSON. */
  readonly body: object | undefined
  readonly success: Reply
  /** The one request of the call. */
  readonly request: readonly [method: string, path: string, body?: string]
  /** The result of the call. */
  readonly value: unknown
}

export const styleId = StyleId.make("5f0f6a52-2f0e-4a0c-9a43-0d1c9f6b7e10")
export const instructionId = InstructionId.make("0f9a2c1e-6f0b-4c55-8c1b-2a7d0b3e4f11")
export const documentId = DocumentId.make("7A2D0C4E5B6F48129D3E0F1A2B3C4D5E")
export const documentKey = "00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF"
export const document = { documentId, documentKey: Redacted.make(documentKey) }
export const upload = {
  content: new TextEncoder().encode("Guten Tag"),
  fileName: "letter.txt",
  targetLanguage: "en-US"
} satisfies UploadOptions

// The bodies are examples of the service.
export const instruction = {
  id: instructionId,
  label: "Currency",
  prompt: "Put the currency sign before the amount.",
  source_language: "de"
}
export const summary = {
  style_id: styleId,
  name: "House style",
  creation_time: "2026-03-01T08:00:00Z",
  updated_time: "2026-03-02T09:30:00Z",
  language: "en",
  version: 4
}
export const list = {
  ...summary,
  configured_rules: { punctuation: { periods_in_academic_degrees: "do_not_use" } },
  custom_instructions: [instruction]
}
export const improvements = {
  improvements: [{ text: "This is fine.", detected_source_language: "en", target_language: "en-GB" }]
}
export const detections = {
  results: [
    { detection_status: "success", detected_language: "fr" },
    { detection_status: "insufficient_confidence", detected_language: null }
  ]
}
export const translations = {
  translations: [{
    detected_source_language: "EN",
    text: "Guten Tag",
    billed_characters: 8,
    model_type_used: "quality_optimized",
    tag_handling_version: "v2"
  }]
}
export const usage = {
  character_count: 2150,
  character_limit: 1_000_000_000_000,
  api_key_character_count: 150,
  api_key_character_limit: 1_000_000_000_000,
  start_time: "2026-03-03T04:05:06Z",
  end_time: "2026-04-03T04:05:06Z",
  speech_to_text_milliseconds_count: 0,
  speech_to_text_milliseconds_limit: 0,
  products: [
    {
      product_type: "translate",
      billing_unit: "characters",
      api_key_unit_count: 100,
      account_unit_count: 2000,
      api_key_character_count: 100,
      character_count: 2000
    },
    { product_type: "write", billing_unit: "characters", api_key_unit_count: 50, account_unit_count: 150 }
  ]
}
export const languages = [{
  lang: "pt-BR",
  name: "Portuguese (Brazilian)",
  usable_as_source: false,
  usable_as_target: true,
  status: "stable",
  features: { formality: { status: "stable", external: true }, glossary: { status: "stable" } }
}]
const resources = [
  {
    name: "translate_text",
    features: [
      { name: "formality", needs_target_support: true },
      { name: "glossary", needs_source_support: true, needs_target_support: true }
    ]
  },
  { name: "glossary", features: [] }
]

export const translationMemoryId = TranslationMemoryId.make("9e1d3c70-0a6c-4d52-8c71-5b7a3f2e1d00")
export const jobId = JobId.make("2b8f0c9d-51a4-4f0b-8f43-9a6f7f4b1c22")
const memory = {
  translation_memory_id: translationMemoryId,
  name: "Manuals",
  source_language: "en",
  target_languages: ["de", "en-us"],
  segment_count: 2
}
const segments = {
  segments: [{
    source_segment_id: "1",
    source_text: "Screw",
    targets: [{ target_segment_id: "2", target_language: "de", target_text: "Schraube" }]
  }],
  segment_count: 2,
  next_page_cursor: "b3Bh"
}
export const importStarted = {
  job_id: jobId,
  upload_url: "https://storage.example/u/abc?sig=x",
  expires_at: "2026-03-01T08:15:00Z"
}
const importCompleted = {
  job_id: jobId,
  product: "translation_memory",
  operation: "import",
  creation_time: "2026-03-01T08:00:00Z",
  updated_time: "2026-03-01T08:01:00Z",
  parameters: { display_name: "Manuals" },
  results: [{ status: "completed", translation_memory_id: translationMemoryId, skipped_segment_count: 1 }]
}

export const evaluationId = EvaluationId.make("5d1f6f0a-3b1c-4e7e-9a53-0c2f4b6d8e10")
export const evaluation = {
  job_id: evaluationId,
  status: "done",
  segments: [{
    segment_index: 0,
    errors: [{
      type: "Accuracy",
      sub_type: "Mistranslation",
      severity: "Critical",
      explanation: "The number differs.",
      source_spans: [{ start: 0, end: 2 }],
      target_spans: []
    }]
  }],
  summary: { overall_score: 38.5 },
  error: { code: "evaluation_failed", message: "No." }
}

const other = (success: Reply) => ({ body: undefined, success })
export const json = (status: number, body: object) => ({ body, success: answer(status, body) })
export const noContent = other(answer(204))

/** The fields of JSON with the names that the client has for them. */
const fields = (json: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name.replace(/(?:^|_)lang$/, "$&uage").replaceAll(/_[a-z]/g, ([, letter = ""]) => letter.toUpperCase()),
      read(value)
    ])
  )

/** What the client reads of JSON: names in camel case, and times, which are in UTC. */
export const read = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(read)
  if (typeof json !== "string") return Predicate.isObject(json) ? fields(json) : json
  return /^\d{4}-\d\d-\d\d/.test(json) ? DateTime.makeUnsafe(json.length === 19 ? `${json}Z` : json) : json
}

const form = [
  "--BOUNDARY",
  "Content-Disposition: form-data; name=\"target_lang\"",
  "",
  "en-US",
  "--BOUNDARY",
  "Content-Disposition: form-data; name=\"file\"; filename=\"letter.txt\"",
  "Content-Type: application/octet-stream",
  "",
  "Guten Tag",
  "--BOUNDARY--",
  ""
].join("\r\n")
const { id, ...contents } = instruction
const readInstruction = { instructionId: id, ...fields(contents) }
const readList = { ...fields(summary), configuredRules: list.configured_rules, customInstructions: [readInstruction] }
const { status: _, ...findings } = evaluation
export const glossaryId = GlossaryId.make("c1a7b6de-9d65-4a0e-b0d3-6a4a2b1c0d9e")
const dictionary = {
  sourceLanguage: "en",
  targetLanguage: "de",
  entries: new Map([["screw", "Schraube"], ["nut", "Mutter"]])
} as const
const pair = { source_lang: "en", target_lang: "de" }
const glossary = {
  glossary_id: glossaryId,
  name: "Terms",
  dictionaries: [{ ...pair, entry_count: 2 }],
  creation_time: "2026-03-01T08:00:00.000Z"
}
const sentTerms =
  `"source_lang":"en","target_lang":"de","entries":"screw\\tSchraube\\nnut\\tMutter","entries_format":"tsv"`
const entries = { dictionaries: [{ ...pair, entries: "screw\tSchraube\nnut\tMutter", entries_format: "tsv" }] }
const glossaryV2 = {
  glossary_id: glossaryId,
  name: "Terms",
  ready: true,
  ...pair,
  creation_time: "2026-03-01T08:00:00.000Z",
  entry_count: 2
}

export const keyId = KeyId.make("ca7d5694-96eb-4263-a9a4-7f7e4211529e:20c2abcf-4c3c-4cd6-8ae8-8bd2a7d4da38")
export const developerKey = {
  key_id: keyId,
  label: "Help pages",
  creation_time: "2026-03-01T08:00:00.000Z",
  deactivated_time: null,
  is_deactivated: false,
  usage_limits: { characters: 5000, speech_to_text_milliseconds: null }
}
const deactivatedKey = { ...developerKey, deactivated_time: "2026-03-02T08:00:00Z", is_deactivated: true }
const readKey = {
  keyId,
  label: "Help pages",
  creationTime: read(developerKey.creation_time),
  isDeactivated: false,
  usageLimits: { characters: 5000, speechToTextMilliseconds: "unlimited" }
}
const readDeactivatedKey = { ...readKey, deactivatedTime: read(deactivatedKey.deactivated_time), isDeactivated: true }
const counts = {
  total_characters: 9,
  text_translation_characters: 5,
  document_translation_characters: 3,
  text_improvement_characters: 1,
  speech_to_text_minutes: 1.5
}
const ofKey = { api_key: "********a38", api_key_label: "Help pages", usage: counts }
export const range = { startDate: "2026-03-01", endDate: "2026-03-31" }
const reported = { start_date: "2026-03-01T00:00:00", end_date: "2026-03-31T00:00:00Z" }
const usageReport = {
  usage_report: {
    ...reported,
    group_by: "key_and_day",
    total_usage: counts,
    key_usages: [ofKey],
    key_and_day_usages: [{ ...ofKey, usage_date: "2026-03-02" }]
  }
}
const customTags = {
  custom_tag_usage_report: {
    ...reported,
    aggregate_by: "day",
    next_page: 1,
    usage: [{
      custom_tag: "help-pages",
      usage_date: "2026-03-02",
      breakdown: { total_characters: 5, text_translation_characters: 5, text_improvement_characters: 0 }
    }]
  }
}

/** The request of each operation, the success of the service, and what the client makes of it: by default, what is {@link read}. */
const samples: { readonly [Name in OperationName]?: Sample<Name> } = {
  "Admin.createKey": [
    { label: "Help pages" },
    ["POST", "/v2/admin/developer-keys", `{"label":"Help pages"}`],
    json(200, { ...developerKey, api_key: "a-developer-key" }),
    { ...readKey, secret: Redacted.make("a-developer-key") }
  ],
  "Admin.listKeys": [undefined, ["GET", "/v2/admin/developer-keys"], json(200, [deactivatedKey]), [readDeactivatedKey]],
  "Admin.deactivateKey": [
    { keyId },
    ["PUT", "/v2/admin/developer-keys/deactivate", `{"key_id":"${keyId}"}`],
    json(200, deactivatedKey),
    readDeactivatedKey
  ],
  "Admin.setKeyLabel": [
    { keyId, label: "Help pages" },
    ["PUT", "/v2/admin/developer-keys/label", `{"key_id":"${keyId}","label":"Help pages"}`],
    json(200, developerKey),
    readKey
  ],
  "Admin.setKeyLimits": [
    { keyId, characters: 5000, speechToTextMilliseconds: "unlimited", speechToSpeechMilliseconds: 0 },
    [
      "PUT",
      "/v2/admin/developer-keys/limits",
      `{"key_id":"${keyId}","characters":5000,"speech_to_text_milliseconds":null,"speech_to_speech_milliseconds":0}`
    ],
    json(200, developerKey),
    readKey
  ],
  "Admin.analytics": [
    { ...range, groupBy: "key_and_day" },
    ["GET", "/v2/admin/analytics?start_date=2026-03-01&end_date=2026-03-31&group_by=key_and_day"],
    json(200, usageReport),
    read(usageReport.usage_report)
  ],
  "Admin.listCustomTagUsagePage": [
    { ...range, aggregateBy: "day", page: 0 },
    ["GET", "/v2/admin/analytics/custom-tags?start_date=2026-03-01&end_date=2026-03-31&aggregate_by=day&page=0"],
    json(200, customTags),
    read(customTags.custom_tag_usage_report)
  ],
  "Documents.download": [
    document,
    ["POST", `/v2/document/${documentId}/result`, `{"document_key":"${documentKey}"}`],
    other(answer(200, "bytes", { "content-type": "application/octet-stream" })),
    { completeness: "unknown", contentType: "application/octet-stream", bytes: "bytes" }
  ],
  "Documents.upload": [
    upload,
    ["POST", "/v2/document", form],
    json(200, { document_id: documentId, document_key: documentKey }),
    document
  ],
  "Documents.status": [
    document,
    ["POST", `/v2/document/${documentId}`, `{"document_key":"${documentKey}"}`],
    json(200, { document_id: documentId, status: "done", billed_characters: 9 })
  ],
  "Writing.rephrase": [
    { text: ["This are fine."], targetLanguage: "en-GB" },
    ["POST", "/v2/write/rephrase", `{"text":["This are fine."],"target_lang":"en-GB"}`],
    json(200, improvements),
    read(improvements.improvements)
  ],
  "Writing.correct": [
    { text: ["This are fine."] },
    ["POST", "/v2/write/correct", `{"text":["This are fine."]}`],
    json(200, improvements),
    read(improvements.improvements)
  ],
  "StyleRules.create": [
    { name: "House style", language: "en" },
    ["POST", "/v3/style_rules", `{"name":"House style","language":"en"}`],
    json(201, list),
    readList
  ],
  "StyleRules.listPage": [
    undefined,
    ["GET", "/v3/style_rules"],
    json(200, { style_rules: [summary] }),
    [read(summary)]
  ],
  "StyleRules.get": [{ styleId }, ["GET", `/v3/style_rules/${styleId}`], json(200, list), readList],
  "StyleRules.rename": [
    { styleId, name: "House style" },
    ["PATCH", `/v3/style_rules/${styleId}`, `{"name":"House style"}`],
    json(200, list),
    readList
  ],
  "StyleRules.remove": [{ styleId }, ["DELETE", `/v3/style_rules/${styleId}`], noContent],
  "StyleRules.replaceConfiguredRules": [
    { styleId, configuredRules: { punctuation: { periods_in_academic_degrees: "do_not_use" } } },
    [
      "PUT",
      `/v3/style_rules/${styleId}/configured_rules`,
      `{"punctuation":{"periods_in_academic_degrees":"do_not_use"}}`
    ],
    json(200, list),
    readList
  ],
  "StyleRules.addInstruction": [
    { styleId, label: "Currency", prompt: "Put the currency sign before the amount." },
    [
      "POST",
      `/v3/style_rules/${styleId}/custom_instructions`,
      `{"label":"Currency","prompt":"Put the currency sign before the amount."}`
    ],
    json(201, instruction),
    readInstruction
  ],
  "StyleRules.getInstruction": [
    { styleId, instructionId },
    ["GET", `/v3/style_rules/${styleId}/custom_instructions/${instructionId}`],
    json(200, instruction),
    readInstruction
  ],
  "StyleRules.replaceInstruction": [
    {
      styleId,
      instructionId,
      label: "Currency",
      prompt: "Put the currency sign before the amount.",
      sourceLanguage: "de"
    },
    [
      "PUT",
      `/v3/style_rules/${styleId}/custom_instructions/${instructionId}`,
      `{"label":"Currency","prompt":"Put the currency sign before the amount.","source_language":"de"}`
    ],
    json(200, instruction),
    readInstruction
  ],
  "StyleRules.removeInstruction": [
    { styleId, instructionId },
    ["DELETE", `/v3/style_rules/${styleId}/custom_instructions/${instructionId}`],
    noContent
  ],
  "Detection.detect": [
    { text: ["Bonjour tout le monde", "42"] },
    ["POST", "/v3/detect/language", `{"text":["Bonjour tout le monde","42"]}`],
    json(200, detections),
    [{ _tag: "Detected", language: "fr" }, { _tag: "Undetected", reason: "insufficient_confidence" }]
  ],
  "Glossaries.create": [
    { name: "Terms", dictionaries: [dictionary] },
    ["POST", "/v3/glossaries", `{"name":"Terms","dictionaries":[{${sentTerms}}]}`],
    json(201, glossary)
  ],
  "Glossaries.list": [undefined, ["GET", "/v3/glossaries"], json(200, { glossaries: [glossary] }), [read(glossary)]],
  "Glossaries.get": [{ glossaryId }, ["GET", `/v3/glossaries/${glossaryId}`], json(200, glossary)],
  "Glossaries.merge": [
    { glossaryId, name: "Terms", dictionary },
    ["PATCH", `/v3/glossaries/${glossaryId}`, `{"name":"Terms","dictionaries":[{${sentTerms}}]}`],
    json(200, glossary)
  ],
  "Glossaries.remove": [{ glossaryId }, ["DELETE", `/v3/glossaries/${glossaryId}`], noContent],
  "Glossaries.entries": [
    { glossaryId, sourceLanguage: "en", targetLanguage: "de" },
    ["GET", `/v3/glossaries/${glossaryId}/entries?source_lang=en&target_lang=de`],
    json(200, entries),
    dictionary.entries
  ],
  "Glossaries.replaceDictionary": [
    { glossaryId, ...dictionary },
    ["PUT", `/v3/glossaries/${glossaryId}/dictionaries`, `{${sentTerms}}`],
    json(200, { ...pair, entry_count: 2 })
  ],
  "Glossaries.removeDictionary": [
    { glossaryId, sourceLanguage: "en", targetLanguage: "de" },
    ["DELETE", `/v3/glossaries/${glossaryId}/dictionaries?source_lang=en&target_lang=de`],
    noContent
  ],
  "GlossariesV2.create": [
    {
      name: "Terms",
      sourceLanguage: "en",
      targetLanguage: "de",
      entries: "screw\tSchraube\nnut\tMutter",
      entriesFormat: "tsv"
    },
    ["POST", "/v2/glossaries", `{"name":"Terms",${sentTerms}}`],
    json(201, glossaryV2)
  ],
  "GlossariesV2.list": [undefined, ["GET", "/v2/glossaries"], json(200, { glossaries: [glossaryV2] })],
  "GlossariesV2.get": [{ glossaryId }, ["GET", `/v2/glossaries/${glossaryId}`], json(200, glossaryV2)],
  "GlossariesV2.entries": [
    { glossaryId },
    ["GET", `/v2/glossaries/${glossaryId}/entries`],
    other(answer(200, "screw\tSchraube\nnut\tMutter", { "content-type": "text/tab-separated-values" })),
    "screw\tSchraube\nnut\tMutter"
  ],
  "GlossariesV2.remove": [{ glossaryId }, ["DELETE", `/v2/glossaries/${glossaryId}`], noContent],
  "Languages.list": [
    { resource: "translate_text", include: ["beta", "external"] },
    ["GET", "/v3/languages?resource=translate_text&include=beta&include=external"],
    json(200, languages),
    [{
      code: "pt-BR",
      name: "Portuguese (Brazilian)",
      usableAsSource: false,
      usableAsTarget: true,
      status: "stable",
      features: { formality: { status: "stable", external: true }, glossary: { status: "stable" } }
    }]
  ],
  "Languages.resources": [
    undefined,
    ["GET", "/v3/languages/resources"],
    json(200, resources),
    [
      {
        name: "translate_text",
        features: [
          { name: "formality", needsSourceSupport: false, needsTargetSupport: true },
          { name: "glossary", needsSourceSupport: true, needsTargetSupport: true }
        ]
      },
      { name: "glossary", features: [] }
    ]
  ],
  "Languages.listV2": [
    { type: "target" },
    ["GET", "/v2/languages?type=target"],
    json(200, [{ language: "EN-US", name: "English (American)", supports_formality: false }]),
    [{ code: "EN-US", name: "English (American)", supportsFormality: false }]
  ],
  "Languages.glossaryPairs": [
    undefined,
    ["GET", "/v2/glossary-language-pairs"],
    json(200, { supported_languages: [{ source_lang: "de", target_lang: "en" }] }),
    [{ sourceLanguage: "de", targetLanguage: "en" }]
  ],
  "Translation.translate": [
    { text: ["Good day"], targetLanguage: "de" },
    ["POST", "/v2/translate", `{"text":["Good day"],"target_lang":"de"}`],
    json(200, translations),
    read(translations.translations)
  ],
  "Usage.get": [
    undefined,
    ["GET", "/v2/usage"],
    json(200, usage),
    {
      characterCount: 2150,
      characterLimit: "unlimited",
      keyCharacterCount: 150,
      keyCharacterLimit: "unlimited",
      products: [
        {
          product: "translate",
          billingUnit: "characters",
          accountUnits: 2000,
          keyUnits: 100,
          characterCount: 2000,
          keyCharacterCount: 100
        },
        { product: "write", billingUnit: "characters", accountUnits: 150, keyUnits: 50 }
      ],
      speechMillisecondsCount: 0,
      speechMillisecondsLimit: "unknown",
      startTime: DateTime.makeUnsafe("2026-03-03T04:05:06Z"),
      endTime: DateTime.makeUnsafe("2026-04-03T04:05:06Z")
    }
  ],
  "TranslationMemories.listPage": [
    undefined,
    ["GET", "/v3/translation_memories"],
    json(200, { translation_memories: [memory], total_count: 1 })
  ],
  "TranslationMemories.get": [
    { translationMemoryId },
    ["GET", `/v3/translation_memories/${translationMemoryId}`],
    json(200, memory)
  ],
  "TranslationMemories.listSegmentsPage": [
    { translationMemoryId },
    ["GET", `/v3/translation_memories/${translationMemoryId}/segments`],
    json(200, segments)
  ],
  "TranslationMemories.startImport": [
    { fileName: "manuals.tmx", size: 2048 },
    ["POST", "/v3/translation_memories/import", `{"source_file":{"file_name":"manuals.tmx","content_length":2048}}`],
    json(202, importStarted),
    { ...fields(importStarted), uploadUrl: Redacted.make(importStarted.upload_url) }
  ],
  "TranslationMemories.startExport": [
    { translationMemoryId },
    ["POST", `/v3/translation_memories/${translationMemoryId}/export`],
    json(202, { job_id: jobId, parameters: { translation_memory_id: translationMemoryId } })
  ],
  "TranslationMemories.status": [
    { jobId },
    ["GET", `/v3/translation_memories/jobs/${jobId}`],
    json(200, importCompleted),
    {
      jobId,
      operation: "import",
      state: "completed",
      creationTime: DateTime.makeUnsafe("2026-03-01T08:00:00Z"),
      updatedTime: DateTime.makeUnsafe("2026-03-01T08:01:00Z"),
      displayName: "Manuals",
      translationMemoryId,
      skippedSegmentCount: 1
    }
  ],
  "TranslationMemories.remove": [
    { translationMemoryId },
    ["DELETE", `/v3/translation_memories/${translationMemoryId}`],
    noContent
  ],
  "QualityEvaluation.start": [
    { sourceLanguage: "en", targetLanguage: "de", segments: [{ source: "42", target: "24" }] },
    [
      "POST",
      "/v1/quality-evaluation",
      `{"metadata":{"source_language":"en","target_language":"de"},"segments":[{"source":"42","target":"24"}]}`
    ],
    json(202, { job_id: evaluationId, poll_url: "https://service.test/v1/quality-evaluation/1" })
  ],
  "QualityEvaluation.status": [
    { jobId: evaluationId },
    ["GET", `/v1/quality-evaluation/${evaluationId}`],
    json(200, evaluation),
    { ...fields(findings), state: "done" }
  ]
}

/** The method of a service by its name, without its types. */
const methodOf = (service: unknown, key: string): (input: unknown) => Operation["call"] => {
  const method: unknown = Reflect.get(Object(service), key)
  return (input) => {
    const answer: Operation["call"] | Stream.Stream<object, AnyFailure> = typeof method === "function"
      ? Reflect.apply(method, service, [input])
      : Reflect.get(Object(service), key)
    return Stream.isStream(answer) ? Stream.runCollect(answer) : answer
  }
}

/** The call of an operation with any input. */
export const call = (name: string, input: unknown): Operation["call"] => {
  const [group = "", key = ""] = name.split(".")
  const found = Object.entries(services).find(([service]) => service === group)
  if (found === undefined) throw new Error(`there is no service of ${name}`)
  const service: Context.Key<Admin | LanguageService | OtherServices, unknown> = found[1]
  return Effect.flatMap(service, (service) => methodOf(service, key)(input))
}

/** The names of the methods of all services. */
export const methodNames = Effect.gen(function*() {
  const names: Array<string> = []
  for (const [group, key] of Object.entries(services)) {
    const service: Context.Key<Admin | LanguageService | OtherServices, object> = key
    for (const [name, method] of Object.entries(yield* service)) {
      if (typeof method === "function" || Effect.isEffect(method) || Stream.isStream(method)) {
        names.push(`${group}.${name}`)
      }
    }
  }
  return names
})

/** All operations by name. */
export const operations: Readonly<Record<string, Operation>> = Object.fromEntries(
  Object.entries(samples).map(([name, [input, request, answer, value = read(answer.body)]]) => [
    name,
    { input, call: call(name, input), ...answer, request, value }
  ])
)

/** The operation of that name. */
export const operation = (name: string): Operation => {
  const found = operations[name]
  if (found === undefined) throw new Error(`there is no sample of ${name}`)
  return found
}

/** The operations that answer with JSON, each with a body. */
export const bodies: ReadonlyArray<readonly [operation: string, body: object]> = Object.entries(operations).flatMap((
  [name, { body }]
) => body === undefined ? [] : [[name, body] as const])

/** An operation in the contract. */
export interface ContractEntry {
  readonly operation: string
  readonly method: HttpMethod.HttpMethod
  readonly path: string
  /** Statuses of declared errors. */
  readonly statuses: ReadonlyArray<number>
  readonly repeat: Endpoint.RepeatKind
}

/** The operations of the contract, by reflection. */
export const contract: ReadonlyArray<ContractEntry> = (() => {
  const entries: Array<ContractEntry> = []
  HttpApi.reflect(LanguageServiceApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, group }) => {
      entries.push({
        operation: `${group.identifier}.${endpoint.identifier}`,
        method: endpoint.method,
        path: endpoint.path,
        statuses: [...errors.keys()].toSorted((a, b) => a - b),
        repeat: Context.get(endpoint.annotations, Endpoint.Facts).repeat
      })
    }
  })
  return entries
})()

/** The operations that create something. */
export const creates: ReadonlySet<string> = new Set(
  contract.flatMap(({ operation, repeat }) => repeat === "Create" ? [operation] : [])
)
