/** What the fake keeps of voice. */
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
  /** The terms by language, a root code in lower case. */
  readonly lists: ReadonlyMap<string, ReadonlyArray<string>>
  readonly created: DateTime.Utc
}

export interface StoredVoiceJob {
  readonly id: VoiceJobId
  /** The signature that gives access to its file and its results. */
  readonly signature: string
  readonly created: number
  readonly name: string
  readonly contentType: string
  readonly contentLength: number
  readonly sourceLanguage: LanguageCode | undefined
  readonly targets: ReadonlyArray<VoiceTarget>
  /** The reason for which it fails with any file. */
  readonly fails: string | undefined
  /** The time at which the file arrived, and its problem, if any. */
  file: { readonly at: number; readonly bytes: number; readonly problem: string | undefined } | undefined
  /** The places of the targets whose results were fetched. */
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
  /** The bytes of a second, where they are known. */
  readonly rate: number | undefined
  /** The bytes of a sample. */
  readonly sample: number
  readonly decoder: TextDecoder
  /** The languages in which something was spoken. */
  readonly spoken: Set<string>
  /** The messages that no connection has taken yet, and whether there are others after them. */
  readonly unsent: Array<ServerMessage>
  isOver: boolean
  /** The time of the first chunk. */
  started: number | undefined
  bytes: number
  /** The words that are not concluded, and the number of the characters before them. */
  pending: string
  position: number
}

export const spokenTerms = kept<StoredSpokenTerms>("Spoken terms")

export const voiceJobs = kept<StoredVoiceJob>("Job")

/** The latest tokens of realtime sessions. */
export const voiceTokens = untilReset(() =>
  new Map<string, { readonly session: string; readonly expires: number; readonly isUsed: boolean }>()
)

/** The realtime sessions that go on. */
export const voiceSessions = untilReset(() => new Map<string, StoredVoiceSession>())
