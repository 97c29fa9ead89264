import type { GlossaryId } from "@effect-lingua/core/contract/Ids"
import type { LanguageCode } from "@effect-lingua/core/contract/Language"
import { kept, untilReset } from "@effect-lingua/testing/extension/Resource"
import type * as DateTime from "effect/DateTime"
import type { SpokenTermsId } from "../../SpokenTermsApi.ts"
import type { VoiceJobId, VoiceTarget } from "../../VoiceApi.ts"
import type { Format, ServerMessage } from "../../VoiceMessages.ts"

export interface StoredSpokenTerms {
  readonly spokenTermsId: SpokenTermsId
  readonly name: string
  /** Terms keyed by language, a root code in lower case such as `en`. */
  readonly lists: ReadonlyMap<string, ReadonlyArray<string>>
  readonly created: DateTime.Utc
}

export interface StoredVoiceJob {
  readonly id: VoiceJobId
  /** The signature that gives access to the job's file and results. */
  readonly signature: string
  readonly created: number
  readonly name: string
  readonly contentType: string
  readonly contentLength: number
  readonly sourceLanguage: LanguageCode | undefined
  readonly targets: ReadonlyArray<VoiceTarget>
  /** The reason of a scripted failure. */
  readonly fails: string | undefined
  /** The uploaded file: its arrival in epoch milliseconds, size, and problem if any. */
  file: { readonly at: number; readonly bytes: number; readonly problem: string | undefined } | undefined
  /** Indexes of targets whose results were downloaded. */
  readonly fetched: Set<number>
}

export interface StoredVoiceSession {
  readonly account: string
  readonly created: number
  readonly format: Format
  readonly sourceLanguage: string
  readonly targets: ReadonlyArray<string>
  readonly mediaTargets: ReadonlyArray<string>
  readonly mediaType: string
  readonly glossaryId: GlossaryId | undefined
  /** Bytes per second, if known. */
  readonly rate: number | undefined
  /** Bytes per sample. */
  readonly sample: number
  readonly decoder: TextDecoder
  /** Target languages with spoken output so far. */
  readonly spoken: Set<string>
  /** Messages that no connection has received yet. */
  readonly unsent: Array<ServerMessage>
  isOver: boolean
  /** Arrival of the first chunk, in epoch milliseconds. */
  started: number | undefined
  bytes: number
  /** Text whose transcript is not final. `position` is the number of characters before `pending`. */
  pending: string
  position: number
}

export const spokenTerms = kept<StoredSpokenTerms>("Spoken terms")

export const voiceJobs = kept<StoredVoiceJob>("Job")

/** The latest tokens of realtime sessions. */
export const voiceTokens = untilReset(() =>
  new Map<string, { readonly session: string; readonly expires: number; readonly isUsed: boolean }>()
)

/** Running realtime sessions. */
export const voiceSessions = untilReset(() => new Map<string, StoredVoiceSession>())
