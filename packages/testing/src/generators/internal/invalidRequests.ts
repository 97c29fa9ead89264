/** Requests that break one rule, which the client refuses before anything is sent. */
import * as Limits from "@effect-lingua/core/client/Limits"
import * as Arbitrary from "effect/Arbitrary"
import * as Redacted from "effect/Redacted"
import type { OperationName } from "../../faults/Fault.ts"
import * as Leaves from "./leaves.ts"
import { type Request, requests } from "./requests.ts"

/** The operations whose input has rules. */
export type CheckedName = Exclude<
  OperationName,
  | "Admin.listKeys"
  | "Usage.get"
  | "Glossaries.list"
  | "GlossariesV2.list"
  | "Languages.glossaryPairs"
  | "Languages.list"
  | "Languages.listV2"
  | "Languages.resources"
>

type Tag = "InvalidEntries" | "InvalidInput" | "LimitExceeded"

/** A request that breaks a rule, and the error that the call fails with. */
export interface InvalidRequest<Name extends CheckedName> {
  readonly request: Request<Name>
  readonly rule: string
  readonly error: Tag
}

/** What is put in the place of valid fields. */
type Breach = readonly [rule: string, error: Tag, fields: object]

const limits = Limits.defaults
const tooLong = (length: number): string => "x".repeat(length + 1)
const tooMany = <A>(item: A, length: number): ReadonlyArray<A> => Array.from({ length: length + 1 }, () => item)

const surrogates: Breach = ["no text has an unpaired surrogate", "InvalidInput", { text: ["a", "\ud800"] }]

const improvement: ReadonlyArray<Breach> = [
  surrogates,
  ["the body has at most 10 KiB", "LimitExceeded", { text: [tooLong(limits.improvementBytes)] }]
]

const id = (name: string): ReadonlyArray<Breach> => [
  [`${name} is not empty`, "InvalidInput", { [name]: "" }],
  [`${name} is not a dot segment`, "InvalidInput", { [name]: ".." }],
  [`${name} has no control characters`, "InvalidInput", { [name]: "a\u0000b" }],
  [`${name} has no slashes`, "InvalidInput", { [name]: "../a" }]
]

const instruction: ReadonlyArray<Breach> = [
  ["a label has at most 100 characters", "LimitExceeded", { label: tooLong(limits.labelCharacters) }],
  ["a prompt has at most 300 characters", "LimitExceeded", { prompt: tooLong(limits.promptCharacters) }],
  ["a prompt has no unpaired surrogate", "InvalidInput", { prompt: "\udc00" }]
]

const list = id("styleId")
const item = [...list, ...id("instructionId")]
const name: Breach = [
  "a name has at most 1024 characters",
  "LimitExceeded",
  { name: tooLong(limits.styleRuleListNameCharacters) }
]

const memory = id("translationMemoryId")

const file = (fields: object) => ({ sourceFile: { fileName: "a.tmx", contentLength: 1, ...fields } })

const segments = (source: string, count = 1) => ({
  segments: Array.from({ length: count }, () => ({ source, target: "a" }))
})

const speech = (fields: object) => ({
  sourceFile: { name: "talk.mp3", contentType: "audio/mpeg", contentLength: 1, ...fields }
})

const glossary = "00000000-0000-4000-8000-000000000000"

/** What a translation may refer to. */
const references: ReadonlyArray<Breach> = [
  ["a threshold is at most 100", "InvalidInput", { translationMemoryThreshold: 101 }],
  ["a glossary needs a source language", "InvalidInput", {
    glossaryId: glossary,
    glossaryIds: undefined,
    sourceLanguage: undefined
  }],
  ["glossaryId and glossaryIds exclude each other", "InvalidInput", {
    glossaryId: glossary,
    glossaryIds: [glossary],
    sourceLanguage: "de"
  }],
  ["there are at most 5 glossaries", "LimitExceeded", {
    glossaryId: undefined,
    glossaryIds: tooMany(glossary, limits.glossaryIds),
    sourceLanguage: "de"
  }]
]

const ofGlossary = id("glossaryId")

/** What the entries and the languages of a dictionary may not be. */
const dictionary: ReadonlyArray<Breach> = [
  ["a line has a tab", "InvalidEntries", { entries: { tsv: "a b" } }],
  ["a line has one tab", "InvalidEntries", { entries: { tsv: "a\tb\tc" } }],
  ["a source stands once", "InvalidEntries", { entries: { tsv: "a\tb\na\tc" } }],
  ["a quote is closed", "InvalidEntries", { entries: { csv: "\"a,b" } }],
  ["no term is empty", "InvalidEntries", { entries: new Map([["a", ""]]) }],
  ["no term has white space around it", "InvalidEntries", { entries: new Map([[" a", "b"]]) }],
  ["no term has control characters", "InvalidEntries", { entries: new Map([["a", "b\u0085c"]]) }],
  ["a term has at most 1024 bytes", "InvalidEntries", {
    entries: new Map([["\u00e9".repeat(limits.glossaryTermBytes / 2), "b"], ["\u00e9".repeat(513), "c"]])
  }],
  ["there is an entry", "InvalidEntries", { entries: new Map() }],
  ["two languages are two", "InvalidInput", { sourceLanguage: "de", targetLanguage: "DE" }]
]

const inField = (field: string, list: boolean) => ([rule, error, fields]: Breach): Breach => {
  const one = { sourceLanguage: "en", targetLanguage: "de", entries: new Map([["a", "b"]]), ...fields }
  return [rule, error, { [field]: list ? [one] : one }]
}

const glossaryName: Breach = [
  "a name has at most 1024 bytes",
  "LimitExceeded",
  { name: "\u00e9".repeat(limits.glossaryNameBytes / 2 + 1) }
]

const label: Breach = ["a label has no unpaired surrogate", "InvalidInput", { label: "\udc00" }]

const range: ReadonlyArray<Breach> = [
  ["a start is a date", "InvalidInput", { startDate: "yesterday" }],
  ["a day is in the calendar", "InvalidInput", { endDate: "2025-02-29" }],
  ["the end is not before the start", "InvalidInput", { startDate: "2026-01-02", endDate: "2026-01-01" }],
  ["a range has at most 366 days", "LimitExceeded", { startDate: "2025-01-01", endDate: "2026-01-03" }]
]

const breaches: { readonly [Name in CheckedName]: ReadonlyArray<Breach> } = {
  "Admin.analytics": range,
  "Admin.createKey": [label],
  "Admin.deactivateKey": id("keyId"),
  "Admin.listCustomTagUsage": [...range, ["pages count from 0", "InvalidInput", { page: -1 }]],
  "Admin.setKeyLabel": [...id("keyId"), label],
  "Admin.setKeyLimits": [
    ...id("keyId"),
    ["a limit is not negative", "InvalidInput", { characters: -1 }],
    ["a limit is a whole number", "InvalidInput", { speechToTextMilliseconds: 0.5 }],
    ["there is a limit", "InvalidInput", { characters: undefined, speechToTextMilliseconds: undefined }]
  ],
  "Detection.detect": [
    surrogates,
    ["there are at most 50 texts", "LimitExceeded", { text: tooMany("a", limits.detectionTexts) }]
  ],
  "Documents.download": id("documentId"),
  "Documents.status": id("documentId"),
  "Documents.upload": [
    ["a file has a name", "InvalidInput", { fileName: " " }],
    ["the name of a file has no folder", "InvalidInput", { fileName: "a/b.txt" }],
    ["a file is not empty", "InvalidInput", { content: new Uint8Array() }],
    ...references
  ],
  "Glossaries.create": [
    glossaryName,
    ...dictionary.map(inField("dictionaries", true)),
    ["each pair of languages comes once", "InvalidInput", {
      dictionaries: tooMany({ sourceLanguage: "en", targetLanguage: "de", entries: new Map([["a", "b"]]) }, 1)
    }]
  ],
  "Glossaries.entries": ofGlossary,
  "Glossaries.get": ofGlossary,
  "Glossaries.merge": [
    ...ofGlossary,
    glossaryName,
    ...dictionary.map(inField("dictionary", false)),
    ["something is changed", "InvalidInput", { name: undefined, dictionary: undefined }]
  ],
  "Glossaries.remove": ofGlossary,
  "Glossaries.removeDictionary": ofGlossary,
  "Glossaries.replaceDictionary": [...ofGlossary, ...dictionary],
  "GlossariesV2.create": [glossaryName, ...dictionary],
  "GlossariesV2.entries": ofGlossary,
  "GlossariesV2.get": ofGlossary,
  "GlossariesV2.remove": ofGlossary,
  "StyleRules.addInstruction": [...list, ...instruction],
  "StyleRules.create": [
    name,
    ["the language is one of eight", "InvalidInput", { language: "en-GB" }],
    [
      "there are at most 200 instructions",
      "LimitExceeded",
      { customInstructions: tooMany({ label: "a", prompt: "a" }, limits.instructionsPerList) }
    ],
    ...instruction.map(([rule, error, fields]): Breach => [
      rule,
      error,
      { customInstructions: [{ label: "a", prompt: "a", ...fields }] }
    ])
  ],
  "StyleRules.get": list,
  "StyleRules.getInstruction": item,
  "StyleRules.list": [
    ["pages count from 0", "InvalidInput", { page: -1 }],
    ["a page is a whole number", "InvalidInput", { page: 0.5 }],
    ["a page has at least 1 list", "InvalidInput", { pageSize: 0 }],
    ["a page has at most 25 lists", "InvalidInput", { pageSize: limits.pageSize + 1 }]
  ],
  "StyleRules.remove": list,
  "StyleRules.removeInstruction": item,
  "StyleRules.rename": [...list, name],
  "StyleRules.replaceConfiguredRules": list,
  "StyleRules.replaceInstruction": [...item, ...instruction],
  "Translation.translate": [
    surrogates,
    ["there are at most 50 texts", "LimitExceeded", { text: tooMany("a", limits.translationTexts) }],
    ["the body has at most 128 KiB", "LimitExceeded", { text: [tooLong(limits.translationBytes)] }],
    ...references,
    ["there are at most 10 instructions", "LimitExceeded", {
      customInstructions: tooMany("a", limits.translationInstructions)
    }],
    ["an instruction has at most 300 characters", "LimitExceeded", {
      customInstructions: [tooLong(limits.promptCharacters)]
    }]
  ],
  "TranslationMemories.get": memory,
  "TranslationMemories.status": id("jobId"),
  "TranslationMemories.listPage": [
    ["pages count from 0", "InvalidInput", { page: -1 }],
    ["a page has at least 1 memory", "InvalidInput", { pageSize: 0 }],
    ["a page has at most 25 memories", "InvalidInput", { pageSize: limits.pageSize + 1 }]
  ],
  "TranslationMemories.listSegmentsPage": [
    ...memory,
    ["a filter has at least 2 characters", "InvalidInput", { filterText: "a" }],
    ["a page has at least 1 segment", "InvalidInput", { pageSize: 0 }]
  ],
  "TranslationMemories.remove": memory,
  "TranslationMemories.startExport": memory,
  "TranslationMemories.startImport": [
    ["a file has a name", "InvalidInput", file({ fileName: " " })],
    ["the name of a file has no folder", "InvalidInput", file({ fileName: "a/b.tmx" })],
    [
      "the name of a file has at most 100 characters",
      "LimitExceeded",
      file({ fileName: tooLong(limits.importFileNameCharacters) })
    ],
    [
      "a content type has at most 127 characters",
      "LimitExceeded",
      file({ contentType: tooLong(limits.importContentTypeCharacters) })
    ],
    ["a file is not empty", "InvalidInput", file({ contentLength: 0 })],
    ["a file has at most 1 GB", "LimitExceeded", file({ contentLength: limits.importBytes + 1 })]
  ],
  "QualityEvaluation.status": id("jobId"),
  "QualityEvaluation.start": [
    ["an evaluation has at least 1 segment", "InvalidInput", segments("a", 0)],
    ["an evaluation has at most 500 segments", "LimitExceeded", segments("a", limits.evaluationSegments + 1)],
    ["a source has at most 10,000 characters", "LimitExceeded", segments(tooLong(limits.evaluationCharacters))],
    ["a source has no unpaired surrogate", "InvalidInput", segments("\ud800")]
  ],
  "Voice.start": [
    ["a file of speech has a name", "InvalidInput", speech({ name: " " })],
    ["the name of a file of speech has no folder", "InvalidInput", speech({ name: "a/b.mp3" })],
    ["a file of speech is not empty", "InvalidInput", speech({ contentLength: 0 })],
    ["a file of speech has at most 1 GiB", "LimitExceeded", speech({ contentLength: limits.voiceBytes + 1 })],
    ["a media type is one that a header can carry", "InvalidInput", speech({ contentType: "audio\n" })],
    ["a job has at least one target", "InvalidInput", { targets: [] }]
  ],
  "Voice.status": id("jobId"),
  "Voice.reconnect": [["a token is not empty", "InvalidInput", { token: Redacted.make("") }]],
  "Voice.requestSession": [
    ["a session has at most 5 languages", "LimitExceeded", { targetLanguages: tooMany("de", limits.voiceTargets) }],
    [
      "a session has at most 1 language that is spoken",
      "LimitExceeded",
      { targetMediaLanguages: tooMany("de", limits.voiceMediaTargets) }
    ],
    ["a session has a media type", "InvalidInput", { sourceMediaContentType: "" }]
  ],
  "Writing.correct": improvement,
  "Writing.rephrase": [
    ...improvement,
    ["a tone and a writing style exclude each other", "InvalidInput", { tone: "friendly", writingStyle: "business" }]
  ]
}

export const invalidRequests = <Name extends CheckedName>(name: Name): Arbitrary.Arbitrary<InvalidRequest<Name>> => {
  const rules = breaches[name]
  const index = Arbitrary.schema(Leaves.int(0, rules.length - 1))
  return Arbitrary.flatMap(index, (index) => {
    const [rule, error, fields] = rules[index] ?? surrogates
    const valid: Arbitrary.Arbitrary<Request<Name>> = requests[name]
    return Arbitrary.map(valid, (request) => ({ rule, error, request: Object.assign({}, request, fields) }))
  })
}
