/** What a test gives to the fake and gets back from it. */
import type * as AdminApi from "@effect-lingua/core/account/AdminApi"
import type { GlossaryId, TranslationMemoryId } from "@effect-lingua/core/client/Ids"
import type * as Limits from "@effect-lingua/core/client/Limits"
import type * as Operation from "@effect-lingua/core/client/Operation"
import type { DocumentId, DocumentKey } from "@effect-lingua/core/documents/DocumentsApi"
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import type { Fault, OperationName } from "../../faults/Fault.ts"
import type { Script } from "../../faults/Script.ts"
import type { Weathers } from "../../faults/Weather.ts"
import type { Dialect } from "../Dialect.ts"
import type { WholeList } from "./style-rules/wholeList.ts"

/** A key that the fake accepts. */
export interface Key {
  /** An admin key ends with `:adm`. It reaches administration and nothing else, which no other key reaches. */
  readonly key: string
  readonly tier: Operation.Tier
  /** A key with scopes is checked against the scope of each operation (reference A2). Without, it reaches all of them. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** Whether the account has opted in to language detection. False by default. */
  readonly detectionEnabled?: boolean | undefined
  /**
   * The account of the key. Documents, style rule lists, glossaries and translation memories of one account are unknown to
   * the keys of another (reference C1). All keys that name none share one. The quota is that of the whole fake.
   */
  readonly account?: string | undefined
}

/** How the fake is set up. Everything is optional. */
export interface Options {
  /** The keys it accepts: one of the paid tier with detection, `defaultKey`, and an admin key, `defaultAdminKey`, by default. */
  readonly keys?: ReadonlyArray<Key> | undefined
  /** The scheme words it accepts in the header `Authorization`. `Service-Auth-Key` by default. */
  readonly authSchemes?: ReadonlyArray<string> | undefined
  /** Characters that can be used in each period. Practically unlimited, and 30 days, by default. */
  readonly quota?: {
    readonly characters?: number | undefined
    readonly period?: Duration.Input | undefined
  } | undefined
  /** Time that passes before any answer. None by default. */
  readonly latency?: Duration.Input | undefined
  /** What ids, trace ids and weather are generated from. */
  readonly seed?: string | number | undefined
  /** How long a document takes to be translated unless it says so itself. 3 seconds by default. */
  readonly readyAfter?: Duration.Input | undefined
  /** How long a translated document is kept for its download unless it says so itself. For good by default. */
  readonly expiresAfter?: Duration.Input | undefined
  /**
   * How many documents of an account may be in translation, or translated and not downloaded. Uploads above that get 429,
   * with words about documents (reference A5). No limit by default.
   */
  readonly maxDocuments?: number | undefined
  /** How large an uploaded file may be. Larger ones get 413. 128 MiB by default, as the fake holds them in memory. */
  readonly maxDocumentBytes?: number | undefined
  /**
   * How many requests each key may make in how much time. Those above it get 429 with the seconds to wait in `Retry-After`.
   * A window begins with the first request after the last one. No limit by default.
   */
  readonly rateLimit?: { readonly requests: number; readonly per: Duration.Input } | undefined
  /** How it answers where descriptions of the service differ. As the specification says by default. */
  readonly dialect?: Dialect | undefined
  /** Limits that differ from those of the specification. */
  readonly limits?: Partial<Limits.Limits> | undefined
  /** Calls that meet a fault, as if they were scripted at once. None by default. */
  readonly scripts?: ReadonlyArray<Script> | undefined
  /** Faults that come by chance. Calm by default. */
  readonly weather?: Weathers | undefined
  /** What stands before the paths of the contract, such as `/lingua`. Nothing by default. */
  readonly basePath?: string | undefined
  /** Headers added to every answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * How many requests, and ids of each operation, are remembered. 10,000 by default. Fewer requests are where their bodies
   * have more than 33,554,432 characters in all.
   */
  readonly remembered?: number | undefined
}

/** A document as it would be after its upload. */
export interface NewDocument {
  /** What the download gives: the translated document. */
  readonly content: Uint8Array | string
  /** Told from the file name by default. */
  readonly contentType?: string | undefined
  readonly fileName?: string | undefined
  /** How long the translation takes from now on. */
  readonly readyAfter?: Duration.Input | undefined
  /** How long it can be downloaded once it is translated. After that it is gone. */
  readonly expiresAfter?: Duration.Input | undefined
  /** Why the translation fails, for a document that never becomes ready. */
  readonly fails?: string | undefined
  /**
   * Characters that the download bills. By default those of the text; at least 50,000 for docx, doc, pptx, xlsx and pdf
   * (reference A9).
   */
  readonly characters?: number | undefined
  /** Whose it is. That of the first key by default. */
  readonly account?: string | undefined
}

/** What the upload of a document gives: an id of 32 and a key of 64 hexadecimal digits. */
export interface IssuedDocument {
  readonly documentId: DocumentId
  readonly documentKey: DocumentKey
}

/** A document as the service sees it now. `gone` means that it was downloaded, or was not in time. */
export interface DocumentState extends IssuedDocument {
  readonly fileName: string
  /** What was asked for, of a document that was uploaded. */
  readonly targetLanguage?: string | undefined
  readonly status: "queued" | "translating" | "done" | "error" | "gone"
  /** Whether it was downloaded. */
  readonly taken: boolean
  readonly billedCharacters: number
  /** Time since it was uploaded, or given to the fake. */
  readonly age: Duration.Duration
}

/** A glossary of one dictionary, as version 3 would have made it. */
export interface NewGlossary {
  readonly sourceLanguage: string
  readonly targetLanguage: string
  /** `Glossary` by default. */
  readonly name?: string | undefined
  /** None by default. They are not held to the rules. */
  readonly entries?: ReadonlyMap<string, string> | undefined
  /** Whose it is. That of the first key by default. */
  readonly account?: string | undefined
}

export interface NewTranslationMemory {
  readonly sourceLanguage: string
  readonly targetLanguages: ReadonlyArray<string>
  /** "Memory" by default. */
  readonly name?: string | undefined
  /** Texts and their translations by language. None by default. */
  readonly segments?:
    | ReadonlyArray<{ readonly source: string; readonly targets: Readonly<Record<string, string>> }>
    | undefined
  /** Whose it is. That of the first key by default. */
  readonly account?: string | undefined
}

/** A style rule list as another person would have made it. */
export interface NewStyleRuleList {
  readonly name: string
  readonly language: string
  readonly configuredRules?: StyleRuleList["configuredRules"] | undefined
  readonly customInstructions?:
    | ReadonlyArray<{
      readonly label: string
      readonly prompt: string
      /** That of the list by default. */
      readonly sourceLanguage?: string | undefined
    }>
    | undefined
  /** Whose it is. That of the first key by default. */
  readonly account?: string | undefined
}

/** A style rule list as the service holds it. */
export type StyleRuleList = WholeList

/** A glossary as the service holds it, with its languages in lower case and without a region. */
export interface GlossaryState {
  readonly glossaryId: GlossaryId
  readonly name: string
  readonly dictionaries: ReadonlyArray<{
    readonly sourceLanguage: string
    readonly targetLanguage: string
    readonly entries: ReadonlyMap<string, string>
  }>
}

/** A translation memory as the service holds it. */
export interface TranslationMemoryState extends NewTranslationMemory {
  readonly translationMemoryId: TranslationMemoryId
}

/** Everything that the service holds, at one time. */
export interface ServiceState {
  readonly time: DateTime.Utc
  readonly documents: ReadonlyArray<DocumentState>
  readonly styleRuleLists: ReadonlyArray<StyleRuleList>
  readonly glossaries: ReadonlyArray<GlossaryState>
  readonly translationMemories: ReadonlyArray<TranslationMemoryState>
  /** As administration tells them, without their secrets. */
  readonly developerKeys: ReadonlyArray<typeof AdminApi.DeveloperKey.Type>
  readonly quota: Quota
}

/** The quota of characters in the current period. */
export interface Quota {
  readonly characters: number
  readonly used: number
  readonly period: Duration.Duration
}

/** What changes about the quota; what is not named stays. */
export interface QuotaChange {
  readonly characters?: number | undefined
  readonly used?: number | undefined
  readonly period?: Duration.Input | undefined
}

/** A request as it came and what became of it. */
export interface RecordedRequest {
  /** Counts from 1. */
  readonly number: number
  /** Milliseconds of the Effect clock at its arrival. */
  readonly time: number
  readonly traceId: string
  /** Absent until the request is read, and for good when no operation of the contract has this method and path. */
  readonly operation: OperationName | undefined
  readonly method: string
  /** Path and query, with keys redacted as in the headers. */
  readonly url: string
  /**
   * With the values of `authorization`, `proxy-authorization` and `cookie` redacted, and in the others the keys of documents
   * and those that the fake accepts, from 8 characters on.
   */
  readonly headers: Readonly<Record<string, string>>
  /** Its first 262,144 characters as they came, secrets included. */
  readonly body: string
  /** The body as JSON, where it is and is not cut. For what it means see `RecordedRequest.decode`. */
  readonly payload: unknown
  /** Absent while there is no answer, and for good when the connection broke or the client went away. */
  readonly status: number | undefined
  /** The fault that hit it. */
  readonly fault: Fault | undefined
  /** Whether the operation really took effect, even where the answer was lost or said otherwise. */
  readonly tookEffect: boolean
  /** Milliseconds of the clock at its answer. Absent as the status is. */
  readonly answerTime: number | undefined
  /** Milliseconds of the clock before which the answer asked not to come again (`Retry-After`). */
  readonly retryTime: number | undefined
}

/** How often an operation really took effect, and on what. */
export interface OperationEffects {
  readonly count: number
  /** Ids of lists, instructions and documents; for text that was improved or translated the trace ids. */
  readonly ids: ReadonlyArray<string>
}
