/** Schemas of the fake's options, arguments and results. */
import { DeveloperKey } from "@effect-lingua/core/account/Admin"
import {
  DocumentId,
  DocumentKey,
  EvaluationId,
  GlossaryId,
  JobId,
  StyleId,
  TranslationMemoryId
} from "@effect-lingua/core/contract/Ids"
import * as Limits from "@effect-lingua/core/contract/Limits"
import { StyleRulesApi } from "@effect-lingua/core/extension/Resources"
import { ConfiguredRules } from "@effect-lingua/core/style-rules/ConfiguredRules"
import { JobOperation, JobState } from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as Duration from "effect/Duration"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { Fault, OperationName } from "../../faults/Fault.ts"
import { Count, FiniteWait, Headers, Positive, struct, Wait } from "../../faults/internal/schema.ts"
import { Scripts } from "../../faults/Script.ts"
import { Weathers } from "../../faults/Weather.ts"
import { Dialect } from "../Dialect.ts"

const Period = FiniteWait.check(
  Schema.makeFilter((value) => Duration.isPositive(Duration.fromInputUnsafe(value)), {
    expected: "a duration longer than 0"
  })
)

/** A scheme or key in the header `Authorization`. */
const Word = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]+$/, { expected: "visible ASCII without spaces" }))

export const Key = struct({
  /** An admin key ends with `:adm`, and gives access to administration only. */
  key: Word,
  tier: Schema.Literals(["paid", "free"]),
  /** Scopes of the key. Default: access to all operations. */
  scopes: Schema.optional(Schema.Array(Schema.String)),
  /** The account has opted in to language detection. Default: false. */
  detectionEnabled: Schema.optional(Schema.Boolean),
  /** The key's account. Each account has a quota and sees only its resources. Keys without an account share one. */
  account: Schema.optional(Schema.String)
})

const Keys = Schema.Array(Key).check(Schema.makeFilter((keys) => {
  const index = keys.findIndex(({ key }, at) => keys.findIndex((other) => other.key === key) < at)
  return index < 0 ? undefined : { path: [index, "key"], issue: "The key is listed twice." }
}))

const LimitsOption: Schema.Codec<Partial<Limits.Limits>, unknown> = struct(
  Record.map({ ...Limits.defaults }, (value, name) =>
    Schema.optional(
      typeof value === "object"
        ? Schema.Union([Schema.Array(Schema.String), Schema.Literal("any")])
        : name === "pageSize"
        ? Positive
        : Count
    ))
).pipe(Schema.refine((_limits): _limits is Partial<Limits.Limits> => true))

const taughtFields = {
  /** Translations for a target language (`en` includes `en-GB`) and a source language (default: any). */
  translations: Schema.optional(Schema.Array(struct({
    text: Schema.String,
    sourceLanguage: Schema.optional(Schema.String),
    targetLanguage: Schema.String,
    translation: Schema.String
  }))),
  /** Results of rephrasing and correction for a target language (default: any). */
  improvements: Schema.optional(Schema.Array(struct({
    text: Schema.String,
    targetLanguage: Schema.optional(Schema.String),
    improvement: Schema.String
  }))),
  detections: Schema.optional(Schema.Array(struct({ text: Schema.String, language: Schema.String }))),
  /**
   * Maps a target language to a phrase. In translations and improvements, the phrase replaces each non-empty line
   * without a taught result or glossary entry. A text that begins with the phrase is detected as this language.
   */
  phrases: Schema.optional(Schema.Record(Schema.String, Schema.String))
}

export const Taught = struct(taughtFields)

type Translate = (text: string, sourceLanguage: string, targetLanguage: string) => string | undefined

export const TaughtOption = struct({
  ...taughtFields,
  /**
   * Translates a text; `undefined` falls back to the other taught results. Also called for single lines if `phrases`
   * has the target language.
   */
  translate: Schema.optional(
    Schema.declare((value): value is Translate => typeof value === "function", { expected: "a function" })
  )
})

export const Options = struct({
  /** Accepted API keys. Default: `defaultKey`, of the paid tier with detection, and the admin key `defaultAdminKey`. */
  keys: Schema.optional(Keys),
  /**
   * Accepts any other key, of the free tier if it ends with `:fx`. Each key gets an account of the same name,
   * removed after 10 minutes without a request. Default: false.
   */
  anyKey: Schema.optional(Schema.Boolean),
  /** Schemes of the header `Authorization`. Default: `Service-Auth-Key`. */
  authSchemes: Schema.optional(
    Schema.Array(Word).check(Schema.isMinLength(1, { expected: "one scheme word at least" }))
  ),
  /**
   * Limits of an account in each `period` (default: 30 days). `characters` limits billed characters (default: practically
   * unlimited); `documents` and `teamDocuments` limit uploads of the account and of its team (default: unlimited).
   */
  quota: Schema.optional(struct({
    characters: Schema.optional(Count),
    documents: Schema.optional(Count),
    teamDocuments: Schema.optional(Count),
    period: Schema.optional(Period)
  })),
  /** Delay before each response. */
  latency: Schema.optional(Wait),
  /** The seed of ids, trace ids and weather (random faults). Default: fixed, but ids of several fakes in a program differ. */
  seed: Schema.optional(Schema.Union([Schema.String, Schema.Number])),
  /** Translation time of documents, unless a document sets another time. Default: 3 seconds. */
  readyAfter: Schema.optional(Wait),
  /** Time for which a translated document can be downloaded, unless a document sets another time. Default: unlimited. */
  expiresAfter: Schema.optional(Wait),
  /** Maximum documents of an account that are not downloaded yet; further uploads get 429. Default: unlimited. */
  maxDocuments: Schema.optional(Count),
  /** Maximum bytes of an upload; a larger upload gets 413. Default: 128 MiB. */
  maxDocumentBytes: Schema.optional(Count),
  /**
   * Maximum requests per key and period; further requests get 429 with `Retry-After`. A period begins with the first
   * request after the previous period. Default: unlimited.
   */
  rateLimit: Schema.optional(struct({ requests: Positive, per: Period })),
  dialect: Schema.optional(Dialect),
  taught: Schema.optional(TaughtOption),
  /** Limits that differ from the specification's. */
  limits: Schema.optional(LimitsOption),
  /** Faults for selected calls, from the start. */
  scripts: Schema.optional(Scripts),
  weather: Schema.optional(Weathers),
  /** A path before the contract's paths, such as `/lingua`. */
  basePath: Schema.optional(
    Schema.String.check(Schema.isPattern(/^(\/[^\s?#]*)?$/, { expected: "a path that begins with / and has no query" }))
  ),
  /** Headers added to every response. */
  headers: Schema.optional(Headers),
  /**
   * Maximum recorded requests, and maximum recorded ids of each operation. Default: 10,000. Requests are dropped earlier
   * if all recorded bodies together exceed 33,554,432 characters.
   */
  remembered: Schema.optional(Count)
})

const ownerFields = {
  /** The owner's account. Default: the first key's account. */
  account: Schema.optional(Schema.String)
}

const sharedFields = {
  ...ownerFields,
  /**
   * Visible to all accounts, listed after each account's unshared resources. One account's change applies to all.
   * Default: false.
   */
  isShared: Schema.optional(Schema.Boolean)
}

export const documentFields = {
  /** The document's id. Default: generated. Replaces an existing document. */
  documentId: Schema.optional(DocumentId),
  documentKey: Schema.optional(DocumentKey),
  /** Default: derived from the file name. */
  contentType: Schema.optional(Schema.String),
  fileName: Schema.optional(Schema.String),
  /** Time until the translation is ready. Default: the option `readyAfter`. */
  readyAfter: Schema.optional(Wait),
  /** Time for which the translation can be downloaded. Default: the option `expiresAfter`. */
  expiresAfter: Schema.optional(Wait),
  /** Makes the translation fail for this reason. */
  fails: Schema.optional(Schema.String),
  /** Billed characters. Default: the content's characters; at least 50,000 for docx, doc, pptx, xlsx and pdf. */
  characters: Schema.optional(Count),
  ...ownerFields
}

export const NewDocument = struct({
  /** The translated document, as the download returns it. */
  content: Schema.declare(
    (value): value is Uint8Array | string => typeof value === "string" || value instanceof Uint8Array,
    { expected: "a text, or bytes (Uint8Array)" }
  ),
  ...documentFields
})

export const IssuedDocument = Schema.Struct({
  documentId: DocumentId,
  documentKey: DocumentKey
})

export const DocumentState = Schema.Struct({
  ...IssuedDocument.fields,
  fileName: Schema.String,
  targetLanguage: Schema.optional(Schema.String),
  status: Schema.Literals(["queued", "translating", "done", "error", "gone"]),
  taken: Schema.Boolean,
  billedCharacters: Schema.Finite,
  /** Time since the document was uploaded, or added by a test. */
  age: Schema.DurationFromMillis
})

export const NewGlossary = struct({
  sourceLanguage: Schema.String,
  targetLanguage: Schema.String,
  /** Default: `Glossary`. */
  name: Schema.optional(Schema.String),
  /** Glossary entries, which are not checked. */
  entries: Schema.optional(Schema.ReadonlyMap(Schema.String, Schema.String)),
  glossaryId: Schema.optional(GlossaryId),
  ...sharedFields
})

const memoryFields = {
  sourceLanguage: Schema.String,
  targetLanguages: Schema.Array(Schema.String),
  name: Schema.optional(Schema.String),
  /** Texts and their translations, keyed by language. */
  segments: Schema.optional(Schema.Array(Schema.Struct({
    source: Schema.String,
    targets: Schema.Record(Schema.String, Schema.String),
    /** Absent for a segment that no translation has used. */
    lastUsedTime: Schema.optionalKey(Schema.DateTimeUtcFromString)
  })))
}

export const NewTranslationMemory = struct({
  ...memoryFields,
  translationMemoryId: Schema.optional(TranslationMemoryId),
  ...sharedFields
})

const NewInstruction = struct({
  label: Schema.String,
  prompt: Schema.String,
  sourceLanguage: Schema.optional(Schema.String)
}).pipe(Schema.encodeKeys({ sourceLanguage: "source_language" }))

export const NewStyleRuleList = struct({
  name: Schema.String,
  language: Schema.String,
  configuredRules: Schema.optional(ConfiguredRules),
  customInstructions: Schema.optional(Schema.Array(NewInstruction)),
  styleId: Schema.optional(StyleId),
  ...sharedFields
}).pipe(
  Schema.encodeKeys({
    configuredRules: "configured_rules",
    customInstructions: "custom_instructions",
    styleId: "style_id"
  })
)

export const isWhole = (list: StyleRulesApi.StyleRuleList): list is Required<StyleRulesApi.StyleRuleList> =>
  list.creationTime !== undefined && list.updatedTime !== undefined && list.language !== undefined &&
  list.version !== undefined && list.configuredRules !== undefined && list.customInstructions !== undefined

/** A style rule list with all fields that the specification promises. */
export const StyleRuleList = StyleRulesApi.StyleRuleList.pipe(Schema.refine(isWhole))

export const GlossaryState = Schema.Struct({
  glossaryId: GlossaryId,
  name: Schema.String,
  /** 2 if API version 2 created the glossary and API version 3 has not edited it. */
  version: Schema.Literals([2, 3]),
  dictionaries: Schema.Array(Schema.Struct({
    sourceLanguage: Schema.String,
    targetLanguage: Schema.String,
    entries: Schema.ReadonlyMap(Schema.String, Schema.String)
  }))
})

export const TranslationMemoryState = Schema.Struct({ translationMemoryId: TranslationMemoryId, ...memoryFields })

export const Quota = Schema.Struct({
  characters: Schema.Finite,
  used: Schema.Finite,
  documents: Schema.optionalKey(Schema.Finite),
  teamDocuments: Schema.optionalKey(Schema.Finite),
  /** Number of uploads, if the account or its team has a limit. */
  usedDocuments: Schema.optionalKey(Schema.Finite),
  period: Schema.DurationFromMillis
})

export const QuotaChange = struct({
  /** Default: the first key's account. */
  account: Schema.optional(Schema.String),
  characters: Schema.optional(Count),
  used: Schema.optional(Count),
  documents: Schema.optional(Count),
  teamDocuments: Schema.optional(Count),
  usedDocuments: Schema.optional(Count),
  period: Schema.optional(Period)
})

export const ServiceState = Schema.Struct({
  time: Schema.DateTimeUtcFromString,
  documents: Schema.Array(DocumentState),
  styleRuleLists: Schema.Array(StyleRuleList),
  glossaries: Schema.Array(GlossaryState),
  translationMemories: Schema.Array(TranslationMemoryState),
  /** Jobs; `translationMemoryId` is the imported or exported memory. */
  translationMemoryJobs: Schema.Array(Schema.Struct({
    jobId: JobId,
    operation: JobOperation,
    state: JobState,
    translationMemoryId: TranslationMemoryId
  })),
  /** Evaluations whose status can be read. */
  evaluations: Schema.Array(EvaluationId),
  /** State of extensions' resources, keyed by API group. */
  resources: Schema.Record(Schema.String, Schema.Unknown),
  /** Developer keys without secrets. */
  developerKeys: Schema.Array(DeveloperKey),
  /** Quotas keyed by account; API keys without an account share the account `""`. */
  quotas: Schema.Record(Schema.String, Quota)
})

export const RecordedRequest = Schema.Struct({
  /** The request's number, from 1. */
  number: Schema.Int,
  /** Arrival time in milliseconds of the Effect clock. */
  time: Schema.Finite,
  traceId: Schema.String,
  /** The connection's number, from 1. Absent if the fake is called without a socket. */
  connection: Schema.optionalKey(Schema.Int),
  /** Absent until the request is read, and for an unknown method or path. */
  operation: Schema.UndefinedOr(OperationName),
  method: Schema.String,
  /** Path and query, with API keys redacted. */
  url: Schema.String,
  /** Headers; `authorization`, `proxy-authorization`, `cookie` and keys of at least 8 characters are redacted. */
  headers: Schema.Record(Schema.String, Schema.String),
  /** The first 262,144 characters, secrets included. */
  body: Schema.String,
  /** The body, if it is complete JSON. `RecordedRequest.decode` decodes it. */
  payload: Schema.optionalKey(Schema.Unknown),
  /** Absent before the response, and if the connection broke. */
  status: Schema.UndefinedOr(Schema.Int),
  fault: Schema.UndefinedOr(Fault),
  /** True if the operation took effect, even if the response was lost or is an error. */
  tookEffect: Schema.Boolean,
  /** The response's time in milliseconds of the Effect clock. Absent without `status`. */
  answerTime: Schema.UndefinedOr(Schema.Finite),
  /** The end of the response's `Retry-After`, in milliseconds of the Effect clock. */
  retryTime: Schema.UndefinedOr(Schema.Finite)
})

export const OperationEffects = Schema.Struct({
  count: Schema.Int,
  /** Ids of affected objects, or trace ids of requests with texts. */
  ids: Schema.Array(Schema.String)
})
