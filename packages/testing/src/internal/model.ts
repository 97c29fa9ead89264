/** What a test gives to the fake and gets back from it. */
import type { DocumentId, DocumentKey } from "@effect-lingua/core/DocumentsApi"
import type * as Limits from "@effect-lingua/core/Limits"
import type * as Operation from "@effect-lingua/core/Operation"
import type * as Duration from "effect/Duration"
import type { Fault, OperationName, Script } from "../Fault.ts"
import type { Weathers } from "../Weather.ts"

/** A key that the fake accepts. */
export interface Key {
  readonly key: string
  readonly tier: Operation.Tier
  /** A key with scopes is checked against the scope of each operation (reference A2). Without, it reaches all of them. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** Whether the account has opted in to language detection. False by default. */
  readonly detectionEnabled?: boolean | undefined
}

/** How the fake is set up. Everything is optional. */
export interface Options {
  /** The keys it accepts: one of the paid tier with detection by default, `defaultKey`. */
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
  /** How many requests, and ids of each operation, are remembered. 10,000 by default. */
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
  /** Why the translation fails, for a document that never becomes ready. */
  readonly fails?: string | undefined
  /**
   * Characters that the download bills. By default those of the text; at least 50,000 for docx, doc, pptx, xlsx and pdf
   * (reference A9).
   */
  readonly characters?: number | undefined
}

/** What the upload of a document gives: an id of 32 and a key of 64 hexadecimal digits. */
export interface IssuedDocument {
  readonly documentId: DocumentId
  readonly documentKey: DocumentKey
}

/** A document as the service sees it now. `gone` means that it was downloaded. */
export interface DocumentState extends IssuedDocument {
  readonly fileName: string
  readonly status: "queued" | "translating" | "done" | "error" | "gone"
  readonly billedCharacters: number
}

export interface NewGlossary {
  readonly sourceLanguage: string
  readonly targetLanguage: string
}

export interface NewTranslationMemory {
  readonly sourceLanguage: string
  readonly targetLanguages: ReadonlyArray<string>
}

/** The quota of characters in the current period. */
export interface Quota {
  readonly characters: number
  readonly used: number
  readonly period: Duration.Duration
}

/** A request as it came and what became of it. */
export interface RecordedRequest {
  /** Counts from 1. */
  readonly number: number
  /** Milliseconds of the Effect clock at its arrival. */
  readonly time: number
  readonly traceId: string
  /** Absent when no operation of the contract has this method and path. */
  readonly operation: OperationName | undefined
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** With the value of `authorization` redacted. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The body as JSON, where it is. */
  readonly payload: unknown
  /** Absent while there is no answer, and for good when the connection broke or the client went away. */
  readonly status: number | undefined
  /** The fault that hit it. */
  readonly fault: Fault | undefined
}

/** How often an operation really took effect, and on what. */
export interface OperationEffects {
  readonly count: number
  /** Ids of lists, instructions and documents; for text that was improved or translated the trace ids. */
  readonly ids: ReadonlyArray<string>
}
