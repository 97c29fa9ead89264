import type { Download } from "@effect-lingua/core/documents/Documents"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Predicate, Redacted, Stream } from "effect"
import { version } from "../src/config/internal/version.ts"
import * as Sample from "./support/operations.ts"
import * as Wire from "./support/Wire.ts"

const ids = {
  glossary: "c1a7b6de-9d65-4a0e-b0d3-6a4a2b1c0d9e",
  style: "5f0f6a52-2f0e-4a0c-9a43-0d1c9f6b7e10",
  instruction: "0f9a2c1e-6f0b-4c55-8c1b-2a7d0b3e4f11",
  document: "7A2D0C4E5B6F48129D3E0F1A2B3C4D5E",
  memory: "9e1d3c70-0a6c-4d52-8c71-5b7a3f2e1d00",
  job: "2b8f0c9d-51a4-4f0b-8f43-9a6f7f4b1c22",
  key: "ca7d5694-96eb-4263-a9a4-7f7e4211529e:20c2abcf-4c3c-4cd6-8ae8-8bd2a7d4da38",
  evaluation: "5d1f6f0a-3b1c-4e7e-9a53-0c2f4b6d8e10",
  voiceJob: "8a4f2c11-7d3b-4c0e-9f65-1e2d3c4b5a69",
  spokenTerms: "3f1b7c52-6d0e-4a8f-9c21-7be0d4a1f630"
}
const session = {
  streamingUrl: Redacted.make("wss://voice.example/v3/voice/realtime"),
  token: Redacted.make("t0ken-of-session"),
  sessionId: "1"
}
const memories = "https://service.test/v3/translation_memories"
const memory = {
  translationMemoryId: ids.memory,
  name: "Manuals",
  sourceLanguage: "en",
  targetLanguages: ["de", "en-us"],
  segmentCount: 2
}
const styleRules = "https://service.test/v3/style_rules"
const developerKeys = "https://service.test/v2/admin/developer-keys"
const analytics = "https://service.test/v2/admin/analytics"
const developerKey = {
  keyId: ids.key,
  label: "Help pages",
  creationTime: DateTime.makeUnsafe("2026-03-01T08:00:00Z"),
  isDeactivated: false,
  usageLimits: { characters: 5000, speechToTextMilliseconds: "unlimited" }
}
const deactivatedKey = {
  ...developerKey,
  deactivatedTime: DateTime.makeUnsafe("2026-03-02T08:00:00Z"),
  isDeactivated: true
}
const counts = {
  totalCharacters: 9,
  textTranslationCharacters: 5,
  documentTranslationCharacters: 3,
  textImprovementCharacters: 1,
  speechToTextMinutes: 1.5
}
const ofKey = { apiKey: "********a38", apiKeyLabel: "Help pages", usage: counts }
const reported = {
  startDate: DateTime.makeUnsafe("2026-03-01T00:00:00Z"),
  endDate: DateTime.makeUnsafe("2026-03-31T00:00:00Z")
}

const instruction = {
  instructionId: ids.instruction,
  label: "Currency",
  prompt: "Put the currency sign before the amount.",
  sourceLanguage: "de"
}
const summary = {
  styleId: ids.style,
  name: "House style",
  creationTime: DateTime.makeUnsafe("2026-03-01T08:00:00Z"),
  updatedTime: DateTime.makeUnsafe("2026-03-02T09:30:00Z"),
  language: "en",
  version: 4
}
const list = {
  ...summary,
  configuredRules: { punctuation: { periods_in_academic_degrees: "do_not_use" } },
  customInstructions: [instruction]
}
const improvements = [{ text: "This is fine.", detectedSourceLanguage: "en", targetLanguage: "en-GB" }]

const pair = { sourceLanguage: "en", targetLanguage: "de" }
const glossary = {
  glossaryId: ids.glossary,
  name: "Terms",
  dictionaries: [{ ...pair, entryCount: 2 }],
  creationTime: DateTime.makeUnsafe("2026-03-01T08:00:00Z")
}
const glossaryV2 = {
  glossaryId: ids.glossary,
  name: "Terms",
  ready: true,
  ...pair,
  creationTime: glossary.creationTime,
  entryCount: 2
}
const terms = new Map([["screw", "Schraube"], ["nut", "Mutter"]])
const sentTerms =
  `"source_lang":"en","target_lang":"de","entries":"screw\\tSchraube\\nnut\\tMutter","entries_format":"tsv"`
const glossaries = "https://service.test/v3/glossaries"
const glossariesV2 = "https://service.test/v2/glossaries"

const collection = {
  spokenTermsId: ids.spokenTerms,
  name: "Harbour words",
  termLists: [{ language: "en", entryCount: 3 }],
  creationTime: DateTime.makeUnsafe("2026-07-03T10:11:12.131Z")
}
const sentTermList = `"lang":"en","entries":"Plimsoll line\\nfairlead\\nKnut Hansen"`
const spokenTerms = "https://service.test/v3/spoken-terms"

/** What each operation sends, and what the answer becomes. */
const rows: ReadonlyArray<{
  readonly operation: string
  readonly request: readonly [method: string, url: string, body?: string, kind?: "json" | "form"]
  readonly value: unknown
}> = [
  {
    operation: "Documents.download",
    request: [
      "POST",
      `https://service.test/v2/document/${ids.document}/result`,
      `{"document_key":"00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF"}`
    ],
    value: { completeness: "unknown", contentType: "application/octet-stream", bytes: "bytes" }
  },
  {
    operation: "Documents.upload",
    request: [
      "POST",
      "https://service.test/v2/document",
      [
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
      ].join("\r\n"),
      "form"
    ],
    value: {
      documentId: ids.document,
      documentKey: Redacted.make("00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF")
    }
  },
  {
    operation: "Documents.status",
    request: [
      "POST",
      `https://service.test/v2/document/${ids.document}`,
      `{"document_key":"00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF"}`
    ],
    value: { documentId: ids.document, status: "done", billedCharacters: 9 }
  },
  {
    operation: "Writing.rephrase",
    request: [
      "POST",
      "https://service.test/v2/write/rephrase",
      `{"text":["This are fine."],"target_lang":"en-GB"}`
    ],
    value: improvements
  },
  {
    operation: "Writing.correct",
    request: ["POST", "https://service.test/v2/write/correct", `{"text":["This are fine."]}`],
    value: improvements
  },
  {
    operation: "StyleRules.create",
    request: ["POST", styleRules, `{"name":"House style","language":"en"}`],
    value: list
  },
  { operation: "StyleRules.listPage", request: ["GET", styleRules], value: [summary] },
  { operation: "StyleRules.get", request: ["GET", `${styleRules}/${ids.style}`], value: list },
  {
    operation: "StyleRules.rename",
    request: ["PATCH", `${styleRules}/${ids.style}`, `{"name":"House style"}`],
    value: list
  },
  { operation: "StyleRules.remove", request: ["DELETE", `${styleRules}/${ids.style}`], value: undefined },
  {
    operation: "StyleRules.replaceConfiguredRules",
    request: [
      "PUT",
      `${styleRules}/${ids.style}/configured_rules`,
      `{"punctuation":{"periods_in_academic_degrees":"do_not_use"}}`
    ],
    value: list
  },
  {
    operation: "StyleRules.addInstruction",
    request: [
      "POST",
      `${styleRules}/${ids.style}/custom_instructions`,
      `{"label":"Currency","prompt":"Put the currency sign before the amount."}`
    ],
    value: instruction
  },
  {
    operation: "StyleRules.getInstruction",
    request: ["GET", `${styleRules}/${ids.style}/custom_instructions/${ids.instruction}`],
    value: instruction
  },
  {
    operation: "StyleRules.replaceInstruction",
    request: [
      "PUT",
      `${styleRules}/${ids.style}/custom_instructions/${ids.instruction}`,
      `{"label":"Currency","prompt":"Put the currency sign before the amount.","source_language":"de"}`
    ],
    value: instruction
  },
  {
    operation: "StyleRules.removeInstruction",
    request: ["DELETE", `${styleRules}/${ids.style}/custom_instructions/${ids.instruction}`],
    value: undefined
  },
  {
    operation: "Detection.detect",
    request: ["POST", "https://service.test/v3/detect/language", `{"text":["Bonjour tout le monde","42"]}`],
    value: [{ _tag: "Detected", language: "fr" }, { _tag: "Undetected", reason: "insufficient_confidence" }]
  },
  {
    operation: "Languages.list",
    request: ["GET", "https://service.test/v3/languages?resource=translate_text&include=beta&include=external"],
    value: [{
      code: "pt-BR",
      name: "Portuguese (Brazilian)",
      usableAsSource: false,
      usableAsTarget: true,
      status: "stable",
      features: { formality: { status: "stable" }, glossary: { status: "stable" } }
    }]
  },
  {
    operation: "Languages.resources",
    request: ["GET", "https://service.test/v3/languages/resources"],
    value: [
      {
        name: "translate_text",
        features: [
          { name: "formality", needsSourceSupport: false, needsTargetSupport: true },
          { name: "glossary", needsSourceSupport: true, needsTargetSupport: true }
        ]
      },
      { name: "glossary", features: [] }
    ]
  },
  {
    operation: "Glossaries.create",
    request: ["POST", glossaries, `{"name":"Terms","dictionaries":[{${sentTerms}}]}`],
    value: glossary
  },
  { operation: "Glossaries.list", request: ["GET", glossaries], value: [glossary] },
  { operation: "Glossaries.get", request: ["GET", `${glossaries}/${ids.glossary}`], value: glossary },
  {
    operation: "Glossaries.merge",
    request: ["PATCH", `${glossaries}/${ids.glossary}`, `{"name":"Terms","dictionaries":[{${sentTerms}}]}`],
    value: glossary
  },
  { operation: "Glossaries.remove", request: ["DELETE", `${glossaries}/${ids.glossary}`], value: undefined },
  {
    operation: "Glossaries.entries",
    request: ["GET", `${glossaries}/${ids.glossary}/entries?source_lang=en&target_lang=de`],
    value: terms
  },
  {
    operation: "Glossaries.replaceDictionary",
    request: ["PUT", `${glossaries}/${ids.glossary}/dictionaries`, `{${sentTerms}}`],
    value: { ...pair, entryCount: 2 }
  },
  {
    operation: "Glossaries.removeDictionary",
    request: ["DELETE", `${glossaries}/${ids.glossary}/dictionaries?source_lang=en&target_lang=de`],
    value: undefined
  },
  {
    operation: "GlossariesV2.create",
    request: ["POST", glossariesV2, `{"name":"Terms",${sentTerms}}`],
    value: glossaryV2
  },
  { operation: "GlossariesV2.list", request: ["GET", glossariesV2], value: [glossaryV2] },
  { operation: "GlossariesV2.get", request: ["GET", `${glossariesV2}/${ids.glossary}`], value: glossaryV2 },
  {
    operation: "GlossariesV2.entries",
    request: ["GET", `${glossariesV2}/${ids.glossary}/entries`],
    value: terms
  },
  { operation: "GlossariesV2.remove", request: ["DELETE", `${glossariesV2}/${ids.glossary}`], value: undefined },
  {
    operation: "Languages.listV2",
    request: ["GET", "https://service.test/v2/languages?type=target"],
    value: [{ code: "EN-US", name: "English (American)", supportsFormality: false }]
  },
  {
    operation: "Languages.glossaryPairs",
    request: ["GET", "https://service.test/v2/glossary-language-pairs"],
    value: [{ sourceLanguage: "de", targetLanguage: "en" }]
  },
  {
    operation: "Translation.translate",
    request: ["POST", "https://service.test/v2/translate", `{"text":["Good day"],"target_lang":"de"}`],
    value: [{
      text: "Guten Tag",
      detectedSourceLanguage: "EN",
      billedCharacters: 8,
      modelTypeUsed: "quality_optimized",
      tagHandlingVersion: "v2"
    }]
  },
  {
    operation: "Usage.get",
    request: ["GET", "https://service.test/v2/usage"],
    value: {
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
  },
  {
    operation: "TranslationMemories.listPage",
    request: ["GET", memories],
    value: { translationMemories: [memory], totalCount: 1 }
  },
  { operation: "TranslationMemories.get", request: ["GET", `${memories}/${ids.memory}`], value: memory },
  {
    operation: "TranslationMemories.listSegmentsPage",
    request: ["GET", `${memories}/${ids.memory}/segments`],
    value: {
      segments: [{
        sourceSegmentId: "1",
        sourceText: "Screw",
        targets: [{ targetSegmentId: "2", targetLanguage: "de", targetText: "Schraube" }]
      }],
      segmentCount: 2,
      nextPageCursor: "b3Bh"
    }
  },
  {
    operation: "TranslationMemories.startImport",
    request: ["POST", `${memories}/import`, `{"source_file":{"file_name":"manuals.tmx","content_length":2048}}`],
    value: {
      jobId: ids.job,
      uploadUrl: Redacted.make("https://storage.example/u/abc?sig=x"),
      expiresAt: DateTime.makeUnsafe("2026-03-01T08:15:00Z")
    }
  },
  {
    operation: "TranslationMemories.startExport",
    request: ["POST", `${memories}/${ids.memory}/export`],
    value: { jobId: ids.job, parameters: { translationMemoryId: ids.memory } }
  },
  {
    operation: "TranslationMemories.status",
    request: ["GET", `${memories}/jobs/${ids.job}`],
    value: {
      jobId: ids.job,
      operation: "import",
      state: "completed",
      creationTime: DateTime.makeUnsafe("2026-03-01T08:00:00Z"),
      updatedTime: DateTime.makeUnsafe("2026-03-01T08:01:00Z"),
      displayName: "Manuals",
      translationMemoryId: ids.memory,
      skippedSegmentCount: 1
    }
  },
  { operation: "TranslationMemories.remove", request: ["DELETE", `${memories}/${ids.memory}`], value: undefined },
  {
    operation: "Admin.createKey",
    request: ["POST", developerKeys, `{"label":"Help pages"}`],
    value: { ...developerKey, secret: Redacted.make("a-developer-key") }
  },
  { operation: "Admin.listKeys", request: ["GET", developerKeys], value: [deactivatedKey] },
  {
    operation: "Admin.deactivateKey",
    request: ["PUT", `${developerKeys}/deactivate`, `{"key_id":"${ids.key}"}`],
    value: deactivatedKey
  },
  {
    operation: "Admin.setKeyLabel",
    request: ["PUT", `${developerKeys}/label`, `{"key_id":"${ids.key}","label":"Help pages"}`],
    value: developerKey
  },
  {
    operation: "Admin.setKeyLimits",
    request: [
      "PUT",
      `${developerKeys}/limits`,
      `{"key_id":"${ids.key}","characters":5000,"speech_to_text_milliseconds":null,"speech_to_speech_milliseconds":0}`
    ],
    value: developerKey
  },
  {
    operation: "Admin.analytics",
    request: ["GET", `${analytics}?start_date=2026-03-01&end_date=2026-03-31&group_by=key_and_day`],
    value: {
      ...reported,
      groupBy: "key_and_day",
      totalUsage: counts,
      keyUsages: [ofKey],
      keyAndDayUsages: [{ ...ofKey, usageDate: DateTime.makeUnsafe("2026-03-02T00:00:00Z") }]
    }
  },
  {
    operation: "Admin.listCustomTagUsagePage",
    request: ["GET", `${analytics}/custom-tags?start_date=2026-03-01&end_date=2026-03-31&aggregate_by=day&page=0`],
    value: {
      ...reported,
      aggregateBy: "day",
      nextPage: 1,
      usage: [{
        customTag: "help-pages",
        usageDate: DateTime.makeUnsafe("2026-03-02T00:00:00Z"),
        breakdown: { totalCharacters: 5, textTranslationCharacters: 5, textImprovementCharacters: 0 }
      }]
    }
  },
  {
    operation: "QualityEvaluation.start",
    request: [
      "POST",
      "https://service.test/v1/quality-evaluation",
      `{"metadata":{"source_language":"en","target_language":"de"},"segments":[{"source":"42","target":"24"}]}`
    ],
    value: { jobId: ids.evaluation, pollUrl: "https://service.test/v1/quality-evaluation/1" }
  },
  {
    operation: "QualityEvaluation.status",
    request: ["GET", `https://service.test/v1/quality-evaluation/${ids.evaluation}`],
    value: {
      jobId: ids.evaluation,
      state: "done",
      segments: [{
        segmentIndex: 0,
        errors: [{
          type: "Accuracy",
          subType: "Mistranslation",
          severity: "Critical",
          explanation: "The number differs.",
          sourceSpans: [{ start: 0, end: 2 }],
          targetSpans: []
        }]
      }],
      summary: { overallScore: 38.5 },
      error: { code: "evaluation_failed", message: "No." }
    }
  },
  {
    operation: "Voice.start",
    request: [
      "POST",
      "https://service.test/v1/jobs/voice/translate",
      `{"source_file":{"name":"talk.mp3","content_type":"audio/mpeg","content_length":4},` +
      `"parameters":{"source_language":"en"},"targets":[{"language":"de","type":"text/plain"}]}`
    ],
    value: {
      jobId: ids.voiceJob,
      uploadUrl: Redacted.make("https://assets.example/u/1"),
      signature: Redacted.make("s1gn4ture-of-upload"),
      signedUploadUrl: Redacted.make("https://assets.example/u/1?sig=s1gned")
    }
  },
  {
    operation: "Voice.status",
    request: ["GET", `https://service.test/v1/jobs/voice/translate/${ids.voiceJob}`],
    value: {
      jobId: ids.voiceJob,
      createdAt: DateTime.makeUnsafe("2026-03-01T08:00:00Z"),
      updatedAt: DateTime.makeUnsafe("2026-03-01T08:01:00Z"),
      targets: [{ language: "de", type: "text/plain" }],
      results: [{
        state: "complete",
        downloadUrl: Redacted.make("https://assets.example/d/1"),
        signature: Redacted.make("s1gn4ture-of-result"),
        signedDownloadUrl: Redacted.make("https://assets.example/d/1?sig=s1gned"),
        error: { message: "none" }
      }]
    }
  },
  {
    operation: "Voice.requestSession",
    request: [
      "POST",
      "https://service.test/v3/voice/realtime",
      `{"source_media_content_type":"audio/webm","target_languages":["de","fr"]}`
    ],
    value: session
  },
  {
    operation: "Voice.reconnect",
    request: ["GET", "https://service.test/v3/voice/realtime?token=old%2Ftoken"],
    value: session
  },
  {
    operation: "SpokenTerms.create",
    request: ["POST", spokenTerms, `{"name":"Harbour words","term_lists":[{${sentTermList}}]}`],
    value: collection
  },
  { operation: "SpokenTerms.list", request: ["GET", spokenTerms], value: [collection] },
  { operation: "SpokenTerms.get", request: ["GET", `${spokenTerms}/${ids.spokenTerms}`], value: collection },
  {
    operation: "SpokenTerms.merge",
    request: [
      "PATCH",
      `${spokenTerms}/${ids.spokenTerms}`,
      `{"name":"Harbour words","term_lists":[{${sentTermList}}]}`
    ],
    value: collection
  },
  { operation: "SpokenTerms.remove", request: ["DELETE", `${spokenTerms}/${ids.spokenTerms}`], value: undefined },
  {
    operation: "SpokenTerms.terms",
    request: ["GET", `${spokenTerms}/${ids.spokenTerms}/entries?lang=en`],
    value: ["Plimsoll line", "fairlead", "Knut Hansen"]
  },
  {
    operation: "SpokenTerms.replaceList",
    request: ["PUT", `${spokenTerms}/${ids.spokenTerms}/term-lists`, `{${sentTermList}}`],
    value: { language: "en", entryCount: 3 }
  },
  {
    operation: "SpokenTerms.removeList",
    request: ["DELETE", `${spokenTerms}/${ids.spokenTerms}/term-lists?lang=en`],
    value: undefined
  }
]

/** The request with all of its headers. */
const sentOf = ([method, url, body = "", kind = "json"]: typeof rows[number]["request"]) => ({
  method,
  url,
  headers: {
    ...(body === "" ? undefined : {
      "content-type": kind === "form" ? "multipart/form-data; boundary=BOUNDARY" : "application/json",
      "content-length": String(new TextEncoder().encode(body).length)
    }),
    "user-agent": `effect-lingua/${version}`,
    authorization: `Service-Auth-Key ${url.includes("/v2/admin/") ? "admin-key-of-the-tests:adm" : "key-of-the-tests"}`
  },
  body
})

const boundary = /form-[0-9a-f]{12,}/g

/** A request with a name in the place of the boundary of a form. */
const withoutBoundary = (sent: Effect.Success<typeof Wire.sent>[number]) => {
  const body = sent.body.replaceAll(boundary, "BOUNDARY")
  return {
    ...sent,
    body,
    headers: Object.fromEntries(
      Object.entries(sent.headers).map(([name, value]) => [
        name,
        name === "content-length"
          ? String(Number(value) + new TextEncoder().encode(body).length - new TextEncoder().encode(sent.body).length)
          : value.replace(boundary, "BOUNDARY")
      ])
    )
  }
}

/** A download with its bytes in the place of its stream. */
const collect = ({ stream, ...rest }: Download) =>
  Effect.map(Stream.mkString(Stream.decodeText(stream)), (bytes) => ({ ...rest, bytes }))

const isDownload = (value: unknown): value is Download =>
  Predicate.hasProperty(value, "stream") && Stream.isStream(value.stream)

describe("wire", () => {
  it("has a row and a call for every operation of the contract", () => {
    const names = Sample.contract.map(({ operation }) => operation).toSorted()
    assert.deepStrictEqual(rows.map(({ operation }) => operation).toSorted(), names)
    assert.deepStrictEqual(Object.keys(Sample.operations).toSorted(), names)
  })

  it.effect.each(rows)(
    "$operation sends the request and reads the answer",
    ({ operation, request, value }) =>
      Effect.gen(function*() {
        const { call, success } = Sample.operation(operation)
        const [given, sent] = yield* Effect.gen(function*() {
          const result = yield* call
          return [isDownload(result) ? yield* collect(result) : result, yield* Wire.sent] as const
        }).pipe(Effect.provide(Wire.layer([success])))
        assert.deepStrictEqual<unknown>(sent.map(withoutBoundary), [sentOf(request)])
        assert.deepStrictEqual(given, value)
      })
  )
})
