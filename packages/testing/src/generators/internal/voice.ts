/** Voice. */
/* oxlint-disable typescript/no-misused-spread -- bodies of the contract are plain objects, their classes only names */
import * as VoiceApi from "@effect-lingua/core/voice/VoiceApi"
import * as Arbitrary from "effect/Arbitrary"
import * as Redacted from "effect/Redacted"
import { findLanguage } from "../../fake/internal/languages/languages.ts"
import { answerOf, derive } from "./derive.ts"
import * as Leaves from "./leaves.ts"
import { limits, more, type Records } from "./record.ts"

/** A session with an address that can be connected to. */
const session = Arbitrary.map(
  answerOf(VoiceApi.VoiceSession),
  (session) => ({ ...session, streamingUrl: Redacted.make("wss://voice.test/v3/realtime") })
)

/** A language that speech has, instead of one that only texts have. */
const spoken = (code: string): string => findLanguage("voice", code) === undefined ? "de" : code

export const voice = {
  "Voice.start": {
    request: Arbitrary.map(derive(VoiceApi.NewVoiceJob), ({ parameters, sourceFile, targets }) => ({
      ...(parameters?.sourceLanguage === undefined
        ? undefined
        : { sourceLanguage: spoken(parameters.sourceLanguage) }),
      fileName: "talk.mp3",
      size: sourceFile.contentLength,
      contentType: "audio/mpeg",
      targets: (targets.length > 0 ? targets : [{ language: "de" }]).map(({ language }) => ({
        language: spoken(language),
        type: "text/plain"
      }))
    })),
    // A job whose file can be sent.
    response: Arbitrary.map(
      answerOf(VoiceApi.StartedVoiceJob),
      (job): VoiceApi.StartedVoiceJob => ({ uploadUrl: Redacted.make("https://voice.test/u/1"), ...job })
    ),
    breaches: [
      ["a file of speech has a name", "InvalidInput", { fileName: " " }],
      ["the name of a file of speech has no folder", "InvalidInput", { fileName: "a/b.mp3" }],
      ["a file of speech is not empty", "InvalidInput", { size: 0 }],
      ["a file of speech has at most 1 GiB", "LimitExceeded", { size: limits.voiceBytes + 1 }],
      ["a media type is one that a header can carry", "InvalidInput", { contentType: "audio\n" }],
      ["a job has at least one target", "InvalidInput", { targets: [] }]
    ]
  },
  "Voice.status": { existing: ({ voiceJobs }) => voiceJobs.map((jobId) => ({ jobId })) },
  "Voice.reconnect": {
    existing: ({ voiceSessions }) => voiceSessions.map(({ token }) => ({ token })),
    request: Arbitrary.map(Arbitrary.schema(Leaves.hexDigits(64)), (token) => ({ token: Redacted.make(token) })),
    response: session,
    answers: (_, { token }) => ({ token }),
    breaches: [["a token is not empty", "InvalidInput", { token: Redacted.make("") }]]
  },
  "Voice.requestSession": {
    request: Arbitrary.map(
      derive(VoiceApi.NewVoiceSession),
      ({
        formality,
        glossaryId: _glossary,
        sourceLanguage,
        spokenTermsId: _terms,
        targetLanguages,
        targetMediaLanguages,
        ...session
      }) => ({
        ...session,
        ...(sourceLanguage === undefined ? undefined : { sourceLanguage: spoken(sourceLanguage) }),
        ...(formality === undefined ? undefined : { formality: formality.replace("prefer_", "") }),
        sourceMediaContentType: "audio/webm",
        ...(targetLanguages === undefined
          ? undefined
          : { targetLanguages: targetLanguages.slice(0, limits.voiceTargets).map(spoken) }),
        ...(targetMediaLanguages === undefined
          ? undefined
          : { targetMediaLanguages: targetMediaLanguages.slice(0, limits.voiceMediaTargets).map(spoken) })
      })
    ),
    existing: ({ glossaries }) => [{}, ...glossaries.map(({ glossaryId }) => ({ glossaryId }))],
    response: session,
    breaches: [
      more("targetLanguages", limits.voiceTargets, "de"),
      more("targetMediaLanguages", limits.voiceMediaTargets, "de"),
      ["a session has a media type", "InvalidInput", { sourceMediaContentType: "" }]
    ]
  }
} satisfies Records<"Voice">
