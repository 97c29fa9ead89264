/** The services of speech, loaded only for a call. */
import * as SpokenTerms from "@effect-lingua/voice/SpokenTerms"
import * as Voice from "@effect-lingua/voice/Voice"
import * as Layer from "effect/Layer"

export { SpokenTerms } from "@effect-lingua/voice/SpokenTerms"
export { Voice, webSocketUrl } from "@effect-lingua/voice/Voice"

export const layer = Layer.merge(Voice.layer, SpokenTerms.layer)
