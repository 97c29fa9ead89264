import { httpGroup } from "@effect-lingua/core/extension/Contract"
import { SpokenTermsApi } from "../../SpokenTermsApi.ts"
import { VoiceApi } from "../../VoiceApi.ts"

export const Voice = httpGroup(VoiceApi)

export const SpokenTerms = httpGroup(SpokenTermsApi)
