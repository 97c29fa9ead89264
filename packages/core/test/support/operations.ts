/** Every operation of the client once: valid input, its request on the wire, a success of the service, and the decoded value. */
import * as Core from "@effect-lingua/core"
import { Endpoint } from "@effect-lingua/core/extension/Contract"
import { Context, DateTime, Effect, Predicate, Record, Redacted, Stream, Struct } from "effect"
import { HttpMethod } from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { answer, type Reply } from "./Wire.ts"

const { Ids, LanguageServiceApi: { LanguageServiceApi } } = Core

type Classes = typeof Core.CallError & typeof Core.ServiceError

export type AnyFailure = {
  [K in keyof Classes]: Classes[K] extends abstract new(...args: never) => infer E ? Extract<E, Error> : never
}[keyof Classes]

/** The services of the contract's groups, which have their names, and the one of requests outside of the contract. */
const services = Struct.pick(Core, [...Record.keys(LanguageServiceApi.groups), "CustomRequests"])

type Services = Core.Admin | Core.LanguageService.LanguageService | Core.OtherServices.OtherServices

type Method<Name extends Core.LanguageServiceApi.OperationName> = Name extends
  `${infer Group extends keyof typeof services}.${infer Key}`
  ? Key extends keyof typeof services[Group]["Service"] ? typeof services[Group]["Service"][Key] : never
  : never

/** The input of a method; that of one for texts is the last of two, its options with a list. */
type Options<Input> = Input extends ReadonlyArray<string> | string
  ? Core.Writing.RephraseOptions | Core.Translation.TranslateOptions
  : Input

/** A success of the service, its JSON if it is JSON, and what the client makes of it. */
interface Success {
  readonly body: object | undefined
  readonly success: Reply
  readonly value: unknown
}

/** An input, the one request of its call as `METHOD path body`, and the success. */
type Row<Input = object | undefined> = readonly [input: Input, request: string, success: Success]

type Sample<Name extends Core.LanguageServiceApi.OperationName> = Row<
  Method<Name> extends (...input: infer Input) => unknown ? Options<Input[0]> : undefined
>

/** One operation with a call of it and a success. */
export interface Operation<R = Services> extends Success {
  readonly input: object | undefined
  readonly call: Effect.Effect<object | void, AnyFailure, R>
  readonly request: readonly [method: HttpMethod.HttpMethod, path: string, body: string | undefined]
}

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

export const json = (status: number, body: object, value = read(body)): Success => ({
  body,
  success: answer(status, body),
  value
})
const text = (text: string, type: string, value: unknown): Success => ({
  body: undefined,
  success: answer(200, text, { "content-type": type }),
  value
})
export const noContent: Success = { body: undefined, success: answer(204), value: undefined }

export const styleId = Ids.StyleId.make("5f0f6a52-2f0e-4a0c-9a43-0d1c9f6b7e10")
export const instructionId = Ids.InstructionId.make("0f9a2c1e-6f0b-4c55-8c1b-2a7d0b3e4f11")
export const documentId = Ids.DocumentId.make("7A2D0C4E5B6F48129D3E0F1A2B3C4D5E")
export const documentKey = "00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF"
export const translationMemoryId = Ids.TranslationMemoryId.make("9e1d3c70-0a6c-4d52-8c71-5b7a3f2e1d00")
export const jobId = Ids.JobId.make("2b8f0c9d-51a4-4f0b-8f43-9a6f7f4b1c22")
export const evaluationId = Ids.EvaluationId.make("5d1f6f0a-3b1c-4e7e-9a53-0c2f4b6d8e10")
export const glossaryId = Ids.GlossaryId.make("c1a7b6de-9d65-4a0e-b0d3-6a4a2b1c0d9e")
export const keyId = Ids.KeyId.make("ca7d5694-96eb-4263-a9a4-7f7e4211529e:20c2abcf-4c3c-4cd6-8ae8-8bd2a7d4da38")

export const document = { documentId, documentKey: Redacted.make(documentKey) }
export const upload = {
  content: new TextEncoder().encode("Guten Tag"),
  fileName: "letter.txt",
  targetLanguage: "en-US"
} satisfies Core.Documents.UploadOptions
const form = `--BOUNDARY
Content-Disposition: form-data; name="target_lang"

en-US
--BOUNDARY
Content-Disposition: form-data; name="file"; filename="letter.txt"
Content-Type: application/octet-stream

Guten Tag
--BOUNDARY--
`.replaceAll("\n", "\r\n")

// The bodies are examples of the service.
const currency = { label: "Currency", prompt: "Put the currency sign before the amount." }
export const instruction = { id: instructionId, ...currency, source_language: "de" }
const times = { creation_time: "2026-03-01T08:00:00Z", updated_time: "2026-03-02T09:30:00Z" }
export const summary = { style_id: styleId, name: "House style", ...times, language: "en", version: 4 }
const configuredRules = { punctuation: { periods_in_academic_degrees: "do_not_use" } }
export const list = { ...summary, configured_rules: configuredRules, custom_instructions: [instruction] }
const english = { detected_source_language: "en", target_language: "en-GB" }
export const improvements = { improvements: [{ text: "This is fine.", ...english }] }
export const detections = {
  results: [
    { detection_status: "success", detected_language: "fr" },
    { detection_status: "insufficient_confidence", detected_language: null }
  ]
}
const model = { model_type_used: "quality_optimized", tag_handling_version: "v2" }
export const translations = {
  translations: [{ detected_source_language: "EN", text: "Guten Tag", billed_characters: 8, ...model }]
}
const units = { api_key_unit_count: 100, account_unit_count: 2000, api_key_character_count: 100, character_count: 2000 }
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
    { product_type: "translate", billing_unit: "characters", ...units },
    { product_type: "write", billing_unit: "characters", api_key_unit_count: 50, account_unit_count: 150 }
  ]
}
const features = { formality: { status: "stable", external: true }, glossary: { status: "stable" } }
const portuguese = { name: "Portuguese (Brazilian)", status: "stable", features }
export const languages = [{ lang: "pt-BR", usable_as_source: false, usable_as_target: true, ...portuguese }]
const formality = { name: "formality", needs_target_support: true }
const termsFeature = { name: "glossary", needs_source_support: true, needs_target_support: true }
const resources = [{ name: "translate_text", features: [formality, termsFeature] }, { name: "glossary", features: [] }]
const memory = {
  translation_memory_id: translationMemoryId,
  name: "Manuals",
  source_language: "en",
  target_languages: ["de", "en-us"],
  segment_count: 2
}
const segment = {
  source_segment_id: "1",
  source_text: "Screw",
  targets: [{ target_segment_id: "2", target_language: "de", target_text: "Schraube" }]
}
export const importStarted = {
  job_id: jobId,
  upload_url: "https://storage.example/u/abc?sig=x",
  expires_at: "2026-03-01T08:15:00Z"
}
const jobTimes = { creation_time: "2026-03-01T08:00:00Z", updated_time: "2026-03-01T08:01:00Z" }
const importCompleted = {
  job_id: jobId,
  product: "translation_memory",
  operation: "import",
  ...jobTimes,
  parameters: { display_name: "Manuals" },
  results: [{ status: "completed", translation_memory_id: translationMemoryId, skipped_segment_count: 1 }]
}
const mistranslation = {
  type: "Accuracy",
  sub_type: "Mistranslation",
  severity: "Critical",
  explanation: "The number differs.",
  source_spans: [{ start: 0, end: 2 }],
  target_spans: []
}
export const evaluation = {
  job_id: evaluationId,
  status: "done",
  segments: [{ segment_index: 0, errors: [mistranslation] }],
  summary: { overall_score: 38.5 },
  error: { code: "evaluation_failed", message: "No." }
}
const pair = { source_lang: "en", target_lang: "de" }
const languagePair = { sourceLanguage: "en", targetLanguage: "de" } as const
const dictionary = { ...languagePair, entries: new Map([["screw", "Schraube"], ["nut", "Mutter"]]) }
const terms = { glossary_id: glossaryId, name: "Terms", creation_time: "2026-03-01T08:00:00.000Z" }
const glossary = { ...terms, dictionaries: [{ ...pair, entry_count: 2 }] }
const glossaryV2 = { ...terms, ready: true, ...pair, entry_count: 2 }
const tsv = "screw\tSchraube\nnut\tMutter"
const sentTerms =
  `"source_lang":"en","target_lang":"de","entries":"screw\\tSchraube\\nnut\\tMutter","entries_format":"tsv"`
const limits = { characters: 5000, speech_to_text_milliseconds: null }
const label = { label: "Help pages", creation_time: "2026-03-01T08:00:00.000Z" }
const active = { deactivated_time: null, is_deactivated: false }
export const developerKey = { key_id: keyId, ...label, ...active, usage_limits: limits }
const deactivatedKey = { ...developerKey, deactivated_time: "2026-03-02T08:00:00Z", is_deactivated: true }
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
  ...reported,
  group_by: "key_and_day",
  total_usage: counts,
  key_usages: [ofKey],
  key_and_day_usages: [{ ...ofKey, usage_date: "2026-03-02" }]
}
const breakdown = { total_characters: 5, text_translation_characters: 5, text_improvement_characters: 0 }
const customTags = {
  ...reported,
  aggregate_by: "day",
  next_page: 1,
  usage: [{ custom_tag: "help-pages", usage_date: "2026-03-02", breakdown }]
}

// What the client makes of bodies, where it is not only other names.
const { id, ...contents } = instruction
const readInstruction = { instructionId: id, ...fields(contents) }
const readList = { ...fields(summary), configuredRules, customInstructions: [readInstruction] }
const { status: _, ...findings } = evaluation
const readLimits = { characters: 5000, speechToTextMilliseconds: "unlimited" }
const readKey = { keyId, ...fields(label), isDeactivated: false, usageLimits: readLimits }
const readDeactivatedKey = { ...readKey, deactivatedTime: read(deactivatedKey.deactivated_time), isDeactivated: true }
const readUnits = { accountUnits: 2000, keyUnits: 100, characterCount: 2000, keyCharacterCount: 100 }
const readUsage = {
  characterCount: 2150,
  characterLimit: "unlimited",
  keyCharacterCount: 150,
  keyCharacterLimit: "unlimited",
  products: [
    { product: "translate", billingUnit: "characters", ...readUnits },
    { product: "write", billingUnit: "characters", accountUnits: 150, keyUnits: 50 }
  ],
  speechMillisecondsCount: 0,
  speechMillisecondsLimit: "unknown",
  startTime: DateTime.makeUnsafe("2026-03-03T04:05:06Z"),
  endTime: DateTime.makeUnsafe("2026-04-03T04:05:06Z")
}
const readJob = {
  jobId,
  operation: "import",
  state: "completed",
  ...fields(jobTimes),
  displayName: "Manuals",
  translationMemoryId,
  skippedSegmentCount: 1
}
const readFormality = { name: "formality", needsSourceSupport: false, needsTargetSupport: true }
const readTermsFeature = { name: "glossary", needsSourceSupport: true, needsTargetSupport: true }
const readResources = [
  { name: "translate_text", features: [readFormality, readTermsFeature] },
  { name: "glossary", features: [] }
]
const readUpload = { ...fields(importStarted), uploadUrl: Redacted.make(importStarted.upload_url) }
const detected = [{ _tag: "Detected", language: "fr" }, { _tag: "Undetected", reason: "insufficient_confidence" }]
const binary = "application/octet-stream"
const readDownload = { completeness: "unknown", contentType: binary, bytes: "bytes" }

const aKey = json(200, developerKey, readKey)
const aList = json(200, list, readList)
const anInstruction = json(200, instruction, readInstruction)
const corrected = json(200, improvements, read(improvements.improvements))
const aMemory = { translation_memory_id: translationMemoryId }
const keys = "/v2/admin/developer-keys"
const aRange = "start_date=2026-03-01&end_date=2026-03-31"
const rules = `/v3/style_rules/${styleId}`
const instructions = `${rules}/custom_instructions`
const memories = "/v3/translation_memories"
const sentCurrency = `"label":"Currency","prompt":"Put the currency sign before the amount."`

/** The request of each operation, the success of the service, and what the client makes of it: by default, what is {@link read}. */
const samples: { readonly [Name in Core.LanguageServiceApi.OperationName]?: Sample<Name> } = {
  "Admin.createKey": [
    { label: "Help pages" },
    `POST ${keys} {"label":"Help pages"}`,
    json(200, { ...developerKey, api_key: "a-developer-key" }, { ...readKey, secret: Redacted.make("a-developer-key") })
  ],
  "Admin.listKeys": [undefined, `GET ${keys}`, json(200, [deactivatedKey], [readDeactivatedKey])],
  "Admin.deactivateKey": [
    { keyId },
    `PUT ${keys}/deactivate {"key_id":"${keyId}"}`,
    json(200, deactivatedKey, readDeactivatedKey)
  ],
  "Admin.setKeyLabel": [
    { keyId, label: "Help pages" },
    `PUT ${keys}/label {"key_id":"${keyId}","label":"Help pages"}`,
    aKey
  ],
  "Admin.setKeyLimits": [
    { keyId, characters: 5000, speechToTextMilliseconds: "unlimited", speechToSpeechMilliseconds: 0 },
    `PUT ${keys}/limits {"key_id":"${keyId}","characters":5000,"speech_to_text_milliseconds":null,` +
    `"speech_to_speech_milliseconds":0}`,
    aKey
  ],
  "Admin.analytics": [
    { ...range, groupBy: "key_and_day" },
    `GET /v2/admin/analytics?${aRange}&group_by=key_and_day`,
    json(200, { usage_report: usageReport }, read(usageReport))
  ],
  "Admin.listCustomTagUsagePage": [
    { ...range, aggregateBy: "day", page: 0 },
    `GET /v2/admin/analytics/custom-tags?${aRange}&aggregate_by=day&page=0`,
    json(200, { custom_tag_usage_report: customTags }, read(customTags))
  ],
  "Documents.download": [
    document,
    `POST /v2/document/${documentId}/result {"document_key":"${documentKey}"}`,
    text("bytes", binary, readDownload)
  ],
  "Documents.upload": [
    upload,
    `POST /v2/document ${form}`,
    json(200, { document_id: documentId, document_key: documentKey }, document)
  ],
  "Documents.status": [
    document,
    `POST /v2/document/${documentId} {"document_key":"${documentKey}"}`,
    json(200, { document_id: documentId, status: "done", billed_characters: 9 })
  ],
  "Writing.rephrase": [
    { text: ["This are fine."], targetLanguage: "en-GB" },
    `POST /v2/write/rephrase {"text":["This are fine."],"target_lang":"en-GB"}`,
    corrected
  ],
  "Writing.correct": [{ text: ["This are fine."] }, `POST /v2/write/correct {"text":["This are fine."]}`, corrected],
  "StyleRules.create": [
    { name: "House style", language: "en" },
    `POST /v3/style_rules {"name":"House style","language":"en"}`,
    json(201, list, readList)
  ],
  "StyleRules.listPage": [undefined, "GET /v3/style_rules", json(200, { style_rules: [summary] }, [read(summary)])],
  "StyleRules.get": [{ styleId }, `GET ${rules}`, aList],
  "StyleRules.rename": [{ styleId, name: "House style" }, `PATCH ${rules} {"name":"House style"}`, aList],
  "StyleRules.remove": [{ styleId }, `DELETE ${rules}`, noContent],
  "StyleRules.replaceConfiguredRules": [
    { styleId, configuredRules },
    `PUT ${rules}/configured_rules {"punctuation":{"periods_in_academic_degrees":"do_not_use"}}`,
    aList
  ],
  "StyleRules.addInstruction": [
    { styleId, ...currency },
    `POST ${instructions} {${sentCurrency}}`,
    json(201, instruction, readInstruction)
  ],
  "StyleRules.getInstruction": [{ styleId, instructionId }, `GET ${instructions}/${instructionId}`, anInstruction],
  "StyleRules.replaceInstruction": [
    { styleId, instructionId, ...currency, sourceLanguage: "de" },
    `PUT ${instructions}/${instructionId} {${sentCurrency},"source_language":"de"}`,
    anInstruction
  ],
  "StyleRules.removeInstruction": [{ styleId, instructionId }, `DELETE ${instructions}/${instructionId}`, noContent],
  "Detection.detect": [
    { text: ["Bonjour tout le monde", "42"] },
    `POST /v3/detect/language {"text":["Bonjour tout le monde","42"]}`,
    json(200, detections, detected)
  ],
  "Glossaries.create": [
    { name: "Terms", dictionaries: [dictionary] },
    `POST /v3/glossaries {"name":"Terms","dictionaries":[{${sentTerms}}]}`,
    json(201, glossary)
  ],
  "Glossaries.list": [undefined, "GET /v3/glossaries", json(200, { glossaries: [glossary] }, [read(glossary)])],
  "Glossaries.get": [{ glossaryId }, `GET /v3/glossaries/${glossaryId}`, json(200, glossary)],
  "Glossaries.merge": [
    { glossaryId, name: "Terms", dictionary },
    `PATCH /v3/glossaries/${glossaryId} {"name":"Terms","dictionaries":[{${sentTerms}}]}`,
    json(200, glossary)
  ],
  "Glossaries.remove": [{ glossaryId }, `DELETE /v3/glossaries/${glossaryId}`, noContent],
  "Glossaries.entries": [
    { glossaryId, ...languagePair },
    `GET /v3/glossaries/${glossaryId}/entries?source_lang=en&target_lang=de`,
    json(200, { dictionaries: [{ ...pair, entries: tsv, entries_format: "tsv" }] }, dictionary.entries)
  ],
  "Glossaries.replaceDictionary": [
    { glossaryId, ...dictionary },
    `PUT /v3/glossaries/${glossaryId}/dictionaries {${sentTerms}}`,
    json(200, { ...pair, entry_count: 2 })
  ],
  "Glossaries.removeDictionary": [
    { glossaryId, ...languagePair },
    `DELETE /v3/glossaries/${glossaryId}/dictionaries?source_lang=en&target_lang=de`,
    noContent
  ],
  "GlossariesV2.create": [
    { name: "Terms", ...languagePair, entries: tsv, entriesFormat: "tsv" },
    `POST /v2/glossaries {"name":"Terms",${sentTerms}}`,
    json(201, glossaryV2)
  ],
  "GlossariesV2.list": [undefined, "GET /v2/glossaries", json(200, { glossaries: [glossaryV2] })],
  "GlossariesV2.get": [{ glossaryId }, `GET /v2/glossaries/${glossaryId}`, json(200, glossaryV2)],
  "GlossariesV2.entries": [
    { glossaryId },
    `GET /v2/glossaries/${glossaryId}/entries`,
    text(tsv, "text/tab-separated-values", tsv)
  ],
  "GlossariesV2.remove": [{ glossaryId }, `DELETE /v2/glossaries/${glossaryId}`, noContent],
  "Languages.list": [
    { resource: "translate_text", include: ["beta", "external"] },
    "GET /v3/languages?resource=translate_text&include=beta&include=external",
    json(200, languages, [{ code: "pt-BR", usableAsSource: false, usableAsTarget: true, ...portuguese }])
  ],
  "Languages.resources": [undefined, "GET /v3/languages/resources", json(200, resources, readResources)],
  "Languages.listV2": [
    { type: "target" },
    "GET /v2/languages?type=target",
    json(200, [{ language: "EN-US", name: "English (American)", supports_formality: false }], [
      { code: "EN-US", name: "English (American)", supportsFormality: false }
    ])
  ],
  "Languages.glossaryPairs": [
    undefined,
    "GET /v2/glossary-language-pairs",
    json(200, { supported_languages: [pair] }, [languagePair])
  ],
  "Translation.translate": [
    { text: ["Good day"], targetLanguage: "de" },
    `POST /v2/translate {"text":["Good day"],"target_lang":"de"}`,
    json(200, translations, read(translations.translations))
  ],
  "Usage.get": [undefined, "GET /v2/usage", json(200, usage, readUsage)],
  "TranslationMemories.listPage": [
    undefined,
    `GET ${memories}`,
    json(200, { translation_memories: [memory], total_count: 1 })
  ],
  "TranslationMemories.get": [{ translationMemoryId }, `GET ${memories}/${translationMemoryId}`, json(200, memory)],
  "TranslationMemories.listSegmentsPage": [
    { translationMemoryId },
    `GET ${memories}/${translationMemoryId}/segments`,
    json(200, { segments: [segment], segment_count: 2, next_page_cursor: "b3Bh" })
  ],
  "TranslationMemories.startImport": [
    { fileName: "manuals.tmx", size: 2048 },
    `POST ${memories}/import {"source_file":{"file_name":"manuals.tmx","content_length":2048}}`,
    json(202, importStarted, readUpload)
  ],
  "TranslationMemories.startExport": [
    { translationMemoryId },
    `POST ${memories}/${translationMemoryId}/export`,
    json(202, { job_id: jobId, parameters: aMemory })
  ],
  "TranslationMemories.status": [{ jobId }, `GET ${memories}/jobs/${jobId}`, json(200, importCompleted, readJob)],
  "TranslationMemories.remove": [{ translationMemoryId }, `DELETE ${memories}/${translationMemoryId}`, noContent],
  "QualityEvaluation.start": [
    { ...languagePair, segments: [{ source: "42", target: "24" }] },
    `POST /v1/quality-evaluation {"metadata":{"source_language":"en","target_language":"de"},` +
    `"segments":[{"source":"42","target":"24"}]}`,
    json(202, { job_id: evaluationId, poll_url: "https://service.test/v1/quality-evaluation/1" })
  ],
  "QualityEvaluation.status": [
    { jobId: evaluationId },
    `GET /v1/quality-evaluation/${evaluationId}`,
    json(200, evaluation, { ...fields(findings), state: "done" })
  ]
}

/** The calls of the methods of services by `Service.method`, with any input, and their operations with samples. */
export const operationsOf = <R>(
  services: Readonly<Record<string, Context.Key<R, object>>>,
  rows: Readonly<Record<string, Row>>
) => {
  const call = (name: string, input: unknown = rows[name]?.[0]): Operation<R>["call"] => {
    const [group = "", key = ""] = name.split(".")
    const service = services[group]
    if (service === undefined) throw new Error(`there is no service of ${name}`)
    return Effect.flatMap(service, (service) => {
      const method: unknown = Reflect.get(service, key)
      const answer: Operation<R>["call"] | Stream.Stream<object, AnyFailure> = typeof method === "function"
        ? Reflect.apply(method, service, [input])
        : Reflect.get(service, key)
      return Stream.isStream(answer) ? Stream.runCollect(answer) : answer
    })
  }
  const operations: Readonly<Record<string, Operation<R>>> = Object.fromEntries(
    Object.entries(rows).map(([name, [input, request, success]]) => {
      const [, method, path = "", body] = /^(\S+) (\S+)(?: (.*))?$/s.exec(request) ?? []
      if (!HttpMethod.isHttpMethod(method)) throw new Error(`the request of ${name} has no method`)
      return [name, { input, call: call(name, input), ...success, request: [method, path, body] }]
    })
  )
  return {
    call,
    /** All operations by name. */
    operations,
    operation: (name: string): Operation<R> => {
      const found = operations[name]
      if (found === undefined) throw new Error(`there is no sample of ${name}`)
      return found
    },
    /** The names of the methods of all services. */
    methodNames: Effect.map(
      Effect.all(services),
      (all) =>
        Object.entries(all).flatMap(([group, service]) =>
          Object.entries(service).flatMap(([name, method]) =>
            typeof method === "function" || Effect.isEffect(method) || Stream.isStream(method)
              ? [`${group}.${name}`]
              : []
          )
        )
    )
  }
}

export const { call, methodNames, operation, operations } = operationsOf<Services>(services, samples)

/** The operations that answer with JSON, each with a body. */
export const bodies: ReadonlyArray<readonly [operation: string, body: object]> = Object.entries(operations).flatMap((
  [name, { body }]
) => body === undefined ? [] : [[name, body] as const])

type Reflected = Parameters<Parameters<typeof HttpApi.reflect>[1]["onEndpoint"]>[0]

/** An operation in a contract. */
export interface ContractEntry extends Pick<Reflected, "endpoint" | "errors" | "group" | "successes"> {
  readonly operation: string
  readonly method: HttpMethod.HttpMethod
  readonly path: string
  /** Statuses of declared errors. */
  readonly statuses: ReadonlyArray<number>
  readonly repeat: Endpoint.RepeatKind
  readonly tier: string
}

/** The operations of a contract, by reflection. */
export const contractOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<ContractEntry> => {
  const entries: Array<ContractEntry> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, group, successes }) => {
      const { annotations, identifier, method, path } = endpoint
      const { repeat, tier } = Context.get(annotations, Endpoint.Facts)
      const statuses = [...errors.keys()].toSorted((a, b) => a - b)
      const operation = `${group.identifier}.${identifier}`
      entries.push({ operation, method, path, statuses, repeat, tier, endpoint, errors, group, successes })
    }
  })
  return entries
}

export const contract = contractOf(LanguageServiceApi)

/** The operations that create something. */
export const creates: ReadonlySet<string> = new Set(
  contract.flatMap(({ operation, repeat }) => repeat === "Create" ? [operation] : [])
)
