/** The embedded fake's handlers for speech, and sample data for examples. */
import { SpokenTerms } from "@effect-lingua/voice/SpokenTerms"
import { Voice } from "@effect-lingua/voice/Voice"
import * as Effect from "effect/Effect"

export { resources } from "@effect-lingua/voice/FakeVoice"

export const sample = Effect.gen(function*() {
  const voice = yield* Voice
  const content = new TextEncoder().encode("speech")
  const job = yield* voice.start({
    contentType: "audio/mpeg",
    fileName: "talk.mp3",
    size: content.length,
    targets: [{ language: "de", type: "text/plain" }]
  })
  yield* voice.upload({ job, content })
  const termLists = [{ language: "en", terms: ["Plimsoll line", "fairlead"] }]
  yield* SpokenTerms.use((service) => service.create({ name: "Harbour words", termLists }))
})
