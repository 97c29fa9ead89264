/** The groups of speech as parts of the fake. */
import { httpGroup } from "@effect-lingua/core/extension/Contract"
import type { SpokenTerms as SpokenTermsService } from "../../SpokenTerms.ts"
import { SpokenTermsApi } from "../../SpokenTermsApi.ts"
import type { Voice as VoiceService } from "../../Voice.ts"
import { VoiceApi } from "../../VoiceApi.ts"

export const Voice = httpGroup(VoiceApi)

export const SpokenTerms = httpGroup(SpokenTermsApi)

type NamesOf<Group extends string, Endpoints> = `${Group}.${keyof Endpoints & string}`

/** The name of an operation of speech, such as `Voice.start`. */
export type OperationName =
  | NamesOf<"Voice", (typeof Voice)["endpoints"]>
  | NamesOf<"SpokenTerms", (typeof SpokenTerms)["endpoints"]>

declare module "@effect-lingua/testing/faults/Fault" {
  interface AddedGroups {
    readonly Voice: typeof Voice
    readonly SpokenTerms: typeof SpokenTerms
  }
  interface AddedServices {
    readonly Voice: VoiceService["Service"]
    readonly SpokenTerms: SpokenTermsService["Service"]
  }
}
