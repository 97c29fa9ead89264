/** Schemas of the values that a test passes to the fake and receives from it. Types, checks and control endpoint follow from them. */
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

/** A time with an end that is longer than 0. */
const Period = FiniteWait.check(
  Schema.makeFilter((value) => Duration.isPositive(Duration.fromInputUnsafe(value)), {
    expected: "a duration longer than 0"
  })
)

/** Keys and scheme words are sent in a header, with one space between them. */
const Word = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]+$/, { expected: "visible ASCII without spaces" }))

/** A key that the fake accepts. */
export const Key = struct({
  /** An admin key ends with `:adm`. It has access to administration and to nothing else; no other key has access to it. */
  key: Word,
  tier: Schema.Literals(["paid", "free"]),
  /** A key with scopes is checked against the scope of each operation. Without, it has access to all of them. */
  scopes: Schema.optional(Schema.Array(Schema.String)),
  /** True if the account has opted in to language detection. False by default. */
  detectionEnabled: Schema.optional(Schema.Boolean),
  /**
   * The account of the key. Documents, style rule lists, glossaries and translation memories of one account are unknown to
   * the keys of another. All keys without an account share one. Each account has a quota.
   */
  account: Schema.optional(Schema.String)
})

const Keys = Schema.Array(Key).check(Schema.makeFilter((keys) => {
  const index = keys.findIndex(({ key }, at) => keys.findIndex((other) => other.key === key) < at)
  return index < 0 ? undefined : { path: [index, "key"], issue: "The same key is there twice." }
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

/** The tables and phrases of {@link Taught}. */
const taughtFields = {
  /** Translations of texts: for a target, with its variants unless it is one, and for a source, or any without. */
  translations: Schema.optional(Schema.Array(struct({
    text: Schema.String,
    sourceLanguage: Schema.optional(Schema.String),
    targetLanguage: Schema.String,
    translation: Schema.String
  }))),
  /** Improvements of texts, by rephrasing and by correction: for a target, or for any. */
  improvements: Schema.optional(Schema.Array(struct({
    text: Schema.String,
    targetLanguage: Schema.optional(Schema.String),
    improvement: Schema.String
  }))),
  /** Languages of texts. */
  detections: Schema.optional(Schema.Array(struct({ text: Schema.String, language: Schema.String }))),
  /**
   * A phrase for each target language. Each line of a text without an answer is translated or improved to it, except for empty lines. A text
   * that begins with a phrase is detected as its language.
   */
  phrases: Schema.optional(Schema.Record(Schema.String, Schema.String))
}

/** Answers to texts that replace those of the fake, in translation, improvement, detection and documents. */
export const Taught = struct(taughtFields)

type Translate = (text: string, sourceLanguage: string, targetLanguage: string) => string | undefined

/** Taught answers, also by a function. */
export const TaughtOption = struct({
  ...taughtFields,
  /** Translates a text, or a line of a text whose target has a phrase. Without a result the tables decide. */
  translate: Schema.optional(
    Schema.declare((value): value is Translate => typeof value === "function", { expected: "a function" })
  )
})

/** The settings of the fake. Everything is optional. */
export const Options = struct({
  /** The accepted keys: by default `defaultKey`, of the paid tier with detection, and the admin key `defaultAdminKey`. */
  keys: Schema.optional(Keys),
  /**
   * Accepts every other key too. With its first request it makes an account of its own, which has the name of the key; one that ends with
   * `:fx` is of the free tier. The account is forgotten with all that it owns after 10 minutes without a request. False by default.
   */
  anyKey: Schema.optional(Schema.Boolean),
  /** The scheme words accepted in the header `Authorization`. `Service-Auth-Key` by default. */
  authSchemes: Schema.optional(
    Schema.Array(Word).check(Schema.isMinLength(1, { expected: "one scheme word at least" }))
  ),
  /**
   * Characters that each account can use in each period, practically unlimited by default, and documents that it, and its team, can
   * upload, without a limit by default. 30 days by default.
   */
  quota: Schema.optional(struct({
    characters: Schema.optional(Count),
    documents: Schema.optional(Count),
    teamDocuments: Schema.optional(Count),
    period: Schema.optional(Period)
  })),
  /** Time that passes before any response. None by default. */
  latency: Schema.optional(Wait),
  /** The seed of ids, trace ids and weather. By default one that is fixed, but the ids of several fakes in a program differ. */
  seed: Schema.optional(Schema.Union([Schema.String, Schema.Number])),
  /** Time that the translation of a document takes unless the document has its own. 3 seconds by default. */
  readyAfter: Schema.optional(Wait),
  /** Time that a translated document can be downloaded unless the document has its own. Unlimited by default. */
  expiresAfter: Schema.optional(Wait),
  /**
   * The documents of an account that may be in translation, or translated and not downloaded. Further uploads get 429, with
   * a message about documents. No limit by default.
   */
  maxDocuments: Schema.optional(Count),
  /** The largest accepted upload in bytes; larger ones get 413. 128 MiB by default, as the fake holds them in memory. */
  maxDocumentBytes: Schema.optional(Count),
  /**
   * The requests that each key may make in a period. Further ones get 429 with the remaining seconds in `Retry-After`. A
   * period begins with the first request after the last period. No limit by default.
   */
  rateLimit: Schema.optional(struct({ requests: Positive, per: Period })),
  /** The responses where descriptions of the service differ. Those of the specification by default. */
  dialect: Schema.optional(Dialect),
  /** Answers to texts that replace those of the fake. None by default. */
  taught: Schema.optional(TaughtOption),
  /** Limits that differ from those of the specification. */
  limits: Schema.optional(LimitsOption),
  /** Calls that meet a fault, as if they were scripted at once. None by default. */
  scripts: Schema.optional(Scripts),
  /** Random faults. Calm by default. */
  weather: Schema.optional(Weathers),
  /** A path before the paths of the contract, such as `/lingua`. None by default. */
  basePath: Schema.optional(
    Schema.String.check(Schema.isPattern(/^(\/[^\s?#]*)?$/, { expected: "a path that begins with / and has no query" }))
  ),
  /** Headers added to every response. */
  headers: Schema.optional(Headers),
  /**
   * The number of requests, and of ids of each operation, that are remembered. 10,000 by default. Fewer requests are kept
   * when their bodies have more than 33,554,432 characters in all.
   */
  remembered: Schema.optional(Count)
})

/** The owner of something that a test adds. */
const ownerFields = {
  /** The account of the owner. That of the first key by default. */
  account: Schema.optional(Schema.String)
}

const sharedFields = {
  ...ownerFields,
  /** Every account sees it, after its own. A change or deletion by one account applies to all of them. False by default. */
  isShared: Schema.optional(Schema.Boolean)
}

/** The fields of a new document besides its content. */
export const documentFields = {
  /** Generated by default; one that is in use is replaced. */
  documentId: Schema.optional(DocumentId),
  documentKey: Schema.optional(DocumentKey),
  /** Derived from the file name by default. */
  contentType: Schema.optional(Schema.String),
  fileName: Schema.optional(Schema.String),
  /** Time that the translation takes from now on. */
  readyAfter: Schema.optional(Wait),
  /** Time that it can be downloaded once it is translated. After that it is gone. */
  expiresAfter: Schema.optional(Wait),
  /** The reason of a translation that fails, for a document that never becomes ready. */
  fails: Schema.optional(Schema.String),
  /** Characters that the download bills. By default those of the text; at least 50,000 for docx, doc, pptx, xlsx and pdf. */
  characters: Schema.optional(Count),
  ...ownerFields
}

/** A document in its state after the upload. */
export const NewDocument = struct({
  /** The translated document, as the download returns it. */
  content: Schema.declare(
    (value): value is Uint8Array | string => typeof value === "string" || value instanceof Uint8Array,
    { expected: "a text, or bytes (Uint8Array)" }
  ),
  ...documentFields
})

/** The response to the upload of a document: an id of 32 and a key of 64 hexadecimal digits. */
export const IssuedDocument = Schema.Struct({
  documentId: DocumentId,
  documentKey: DocumentKey
})

/** A document in its present state. `gone` means that it was downloaded, or was not downloaded in time. */
export const DocumentState = Schema.Struct({
  ...IssuedDocument.fields,
  fileName: Schema.String,
  /** The requested language of a document that was uploaded. */
  targetLanguage: Schema.optional(Schema.String),
  status: Schema.Literals(["queued", "translating", "done", "error", "gone"]),
  /** True once it was downloaded. */
  taken: Schema.Boolean,
  billedCharacters: Schema.Finite,
  /** Time since it was uploaded, or added by a test. */
  age: Schema.DurationFromMillis
})

/** A glossary of one dictionary, as version 3 of the interface would have made it. */
export const NewGlossary = struct({
  sourceLanguage: Schema.String,
  targetLanguage: Schema.String,
  /** `Glossary` by default. */
  name: Schema.optional(Schema.String),
  /** None by default. They are not checked against the rules of entries. */
  entries: Schema.optional(Schema.ReadonlyMap(Schema.String, Schema.String)),
  /** Generated by default; one that is in use is replaced. */
  glossaryId: Schema.optional(GlossaryId),
  ...sharedFields
})

const memoryFields = {
  sourceLanguage: Schema.String,
  targetLanguages: Schema.Array(Schema.String),
  /** "Memory" by default. */
  name: Schema.optional(Schema.String),
  /** Texts and their translations by language. None by default. */
  segments: Schema.optional(Schema.Array(Schema.Struct({
    source: Schema.String,
    targets: Schema.Record(Schema.String, Schema.String),
    /** None by default, as for a segment that no translation has used. */
    lastUsedTime: Schema.optionalKey(Schema.DateTimeUtcFromString)
  })))
}

/** A translation memory to be added. */
export const NewTranslationMemory = struct({
  ...memoryFields,
  /** Generated by default; one that is in use is replaced. */
  translationMemoryId: Schema.optional(TranslationMemoryId),
  ...sharedFields
})

const NewInstruction = struct({
  label: Schema.String,
  prompt: Schema.String,
  /** That of the list by default. */
  sourceLanguage: Schema.optional(Schema.String)
}).pipe(Schema.encodeKeys({ sourceLanguage: "source_language" }))

/** A style rule list made by another person, encoded as in the contract. */
export const NewStyleRuleList = struct({
  name: Schema.String,
  language: Schema.String,
  configuredRules: Schema.optional(ConfiguredRules),
  customInstructions: Schema.optional(Schema.Array(NewInstruction)),
  /** Generated by default; one that is in use is replaced. */
  styleId: Schema.optional(StyleId),
  ...sharedFields
}).pipe(
  Schema.encodeKeys({
    configuredRules: "configured_rules",
    customInstructions: "custom_instructions",
    styleId: "style_id"
  })
)

/** True for a list that has all its fields. */
export const isWhole = (list: StyleRulesApi.StyleRuleList): list is Required<StyleRulesApi.StyleRuleList> =>
  list.creationTime !== undefined && list.updatedTime !== undefined && list.language !== undefined &&
  list.version !== undefined && list.configuredRules !== undefined && list.customInstructions !== undefined

/** A style rule list with all the fields that the specification promises. A client copes without most of them. */
export const StyleRuleList = StyleRulesApi.StyleRuleList.pipe(Schema.refine(isWhole))

/** A glossary as the service holds it, with its languages in lower case and without a region. */
export const GlossaryState = Schema.Struct({
  glossaryId: GlossaryId,
  name: Schema.String,
  /** The version of the interface that knows it: 2 and 3 if it was created by version 2 and not edited by version 3, else only 3. */
  version: Schema.Literals([2, 3]),
  dictionaries: Schema.Array(Schema.Struct({
    sourceLanguage: Schema.String,
    targetLanguage: Schema.String,
    entries: Schema.ReadonlyMap(Schema.String, Schema.String)
  }))
})

/** A translation memory as the service holds it. */
export const TranslationMemoryState = Schema.Struct({ translationMemoryId: TranslationMemoryId, ...memoryFields })

/** The quota of characters of an account in the current period, and that of documents, where they have a limit. */
export const Quota = Schema.Struct({
  characters: Schema.Finite,
  used: Schema.Finite,
  documents: Schema.optionalKey(Schema.Finite),
  teamDocuments: Schema.optionalKey(Schema.Finite),
  /** Uploads, which count for the account and for its team, where one of them has a limit. */
  usedDocuments: Schema.optionalKey(Schema.Finite),
  period: Schema.DurationFromMillis
})

/** A change of the quota; fields that are left out stay. */
export const QuotaChange = struct({
  /** The account. By default that of the first key. */
  account: Schema.optional(Schema.String),
  characters: Schema.optional(Count),
  used: Schema.optional(Count),
  documents: Schema.optional(Count),
  teamDocuments: Schema.optional(Count),
  usedDocuments: Schema.optional(Count),
  period: Schema.optional(Period)
})

/** Everything that the service holds, at one time. Style rule lists are encoded as in the contract. */
export const ServiceState = Schema.Struct({
  time: Schema.DateTimeUtcFromString,
  documents: Schema.Array(DocumentState),
  styleRuleLists: Schema.Array(StyleRuleList),
  glossaries: Schema.Array(GlossaryState),
  translationMemories: Schema.Array(TranslationMemoryState),
  /** The imports and exports. `translationMemoryId` of an import is the id of the memory that it makes. */
  translationMemoryJobs: Schema.Array(Schema.Struct({
    jobId: JobId,
    operation: JobOperation,
    state: JobState,
    translationMemoryId: TranslationMemoryId
  })),
  /** The evaluations whose status can be read. */
  evaluations: Schema.Array(EvaluationId),
  /** What resources from outside hold, by their groups. */
  resources: Schema.Record(Schema.String, Schema.Unknown),
  /** As administration lists them, without their secrets. */
  developerKeys: Schema.Array(DeveloperKey),
  /** By the account; keys without an account share the account `""`. */
  quotas: Schema.Record(Schema.String, Quota)
})

/** A request as it arrived, with its outcome. */
export const RecordedRequest = Schema.Struct({
  /** Counts from 1. */
  number: Schema.Int,
  /** Milliseconds of the Effect clock at its arrival. */
  time: Schema.Finite,
  traceId: Schema.String,
  /** The number of its connection, from 1. Absent in process, where there are none. */
  connection: Schema.optionalKey(Schema.Int),
  /** Absent until the request is read, and for good when no operation of the contract has this method and path. */
  operation: Schema.UndefinedOr(OperationName),
  method: Schema.String,
  /** Path and query, with keys redacted as in the headers. */
  url: Schema.String,
  /**
   * With the values of `authorization`, `proxy-authorization` and `cookie` redacted, and in the others the keys of documents
   * and the accepted keys, from 8 characters on.
   */
  headers: Schema.Record(Schema.String, Schema.String),
  /** Its first 262,144 characters, unchanged, secrets included. */
  body: Schema.String,
  /** The body as JSON, if it is JSON and was not cut. `RecordedRequest.decode` decodes it by the contract. */
  payload: Schema.optionalKey(Schema.Unknown),
  /** Absent while there is no response, and for good when the connection broke or the client went away. */
  status: Schema.UndefinedOr(Schema.Int),
  /** The fault that hit it. */
  fault: Schema.UndefinedOr(Fault),
  /** True if the operation really took effect, even if the response was lost or is an error. */
  tookEffect: Schema.Boolean,
  /** Milliseconds of the clock at its response. Absent as the status is. */
  answerTime: Schema.UndefinedOr(Schema.Finite),
  /** The end of the response's `Retry-After`, in milliseconds of the clock. */
  retryTime: Schema.UndefinedOr(Schema.Finite)
})

/** The number of times that an operation really took effect, with ids. */
export const OperationEffects = Schema.Struct({
  count: Schema.Int,
  /** Ids of lists, instructions and documents; for text that was improved or translated the trace ids. */
  ids: Schema.Array(Schema.String)
})
