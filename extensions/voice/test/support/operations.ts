/** Each operation of speech with a call, its request, a success of the service, and what the client reads. */
import { SpokenTerms } from "@effect-lingua/voice/SpokenTerms"
import { SpokenTermsId } from "@effect-lingua/voice/SpokenTermsApi"
import { Voice } from "@effect-lingua/voice/Voice"
import { VoiceJobId } from "@effect-lingua/voice/VoiceApi"
import { DateTime, Effect, Redacted, Stream } from "effect"
import type { HttpMethod } from "effect/http"
import type { AnyFailure } from "../../../../packages/core/test/support/operations.ts"
import { answer } from "./wire.ts"

export const jobId = VoiceJobId.make("8a4f2c11-7d3b-4c0e-9f65-1e2d3c4b5a69")
export const speech = {
  fileName: "talk.mp3",
  size: 4,
  contentType: "audio/mpeg",
  sourceLanguage: "en",
  targets: [{ language: "de", type: "text/plain" }]
}
export const started = {
  job_id: jobId,
  upload_url: "https://assets.example/u/1",
  signature: "s1gn4ture-of-upload",
  signed_upload_url: "https://assets.example/u/1?sig=s1gned"
}
export const session = {
  streaming_url: "wss://voice.example/v3/voice/realtime",
  token: "t0ken-of-session",
  session_id: "1"
}
const readSession = {
  streamingUrl: Redacted.make(session.streaming_url),
  token: Redacted.make(session.token),
  sessionId: "1"
}
const job = {
  job_id: jobId,
  created_at: "2026-03-01T08:00:00Z",
  updated_at: "2026-03-01T08:01:00Z",
  targets: speech.targets,
  results: [{
    status: "complete",
    download_url: "https://assets.example/d/1",
    signature: "s1gn4ture-of-result",
    signed_download_url: "https://assets.example/d/1?sig=s1gned",
    error: "none"
  }]
}

export const spokenTermsId = SpokenTermsId.make("3f1b7c52-6d0e-4a8f-9c21-7be0d4a1f630")
export const termList = { language: "en", terms: ["Plimsoll line", "fairlead", "Knut Hansen"] }
const sentTermList = `"lang":"en","entries":"Plimsoll line\\nfairlead\\nKnut Hansen"`
const collection = {
  spoken_terms_id: spokenTermsId,
  name: "Harbour words",
  term_lists: [{ lang: "en", entry_count: 3 }],
  creation_time: "2026-07-03T10:11:12.131Z"
}
const readCollection = {
  spokenTermsId,
  name: "Harbour words",
  termLists: [{ language: "en", entryCount: 3 }],
  creationTime: DateTime.makeUnsafe(collection.creation_time)
}

export type Call = Effect.Effect<object | void, AnyFailure, SpokenTerms | Voice>

export interface Sample {
  readonly input: object
  readonly request: readonly [method: HttpMethod.HttpMethod, path: string, body?: string]
  readonly status: number
  /** The JSON of the success, if there is one. */
  readonly body?: object
  readonly value: unknown
}

export const samples: Readonly<Record<string, Sample>> = {
  "SpokenTerms.create": {
    input: { name: "Harbour words", termLists: [termList] },
    request: ["POST", "/v3/spoken-terms", `{"name":"Harbour words","term_lists":[{${sentTermList}}]}`],
    status: 201,
    body: collection,
    value: readCollection
  },
  "SpokenTerms.list": {
    input: {},
    request: ["GET", "/v3/spoken-terms"],
    status: 200,
    body: { spoken_terms: [collection] },
    value: [readCollection]
  },
  "SpokenTerms.get": {
    input: { spokenTermsId },
    request: ["GET", `/v3/spoken-terms/${spokenTermsId}`],
    status: 200,
    body: collection,
    value: readCollection
  },
  "SpokenTerms.merge": {
    input: { spokenTermsId, name: "Harbour words", termLists: [termList] },
    request: [
      "PATCH",
      `/v3/spoken-terms/${spokenTermsId}`,
      `{"name":"Harbour words","term_lists":[{${sentTermList}}]}`
    ],
    status: 200,
    body: collection,
    value: readCollection
  },
  "SpokenTerms.remove": {
    input: { spokenTermsId },
    request: ["DELETE", `/v3/spoken-terms/${spokenTermsId}`],
    status: 204,
    value: undefined
  },
  "SpokenTerms.terms": {
    input: { spokenTermsId, language: "en" },
    request: ["GET", `/v3/spoken-terms/${spokenTermsId}/entries?lang=en`],
    status: 200,
    body: { lang: "en", entries: "Plimsoll line\nfairlead\nKnut Hansen" },
    value: termList.terms
  },
  "SpokenTerms.replaceList": {
    input: { spokenTermsId, ...termList },
    request: ["PUT", `/v3/spoken-terms/${spokenTermsId}/term-lists`, `{${sentTermList}}`],
    status: 200,
    body: { lang: "en", entry_count: 3 },
    value: { language: "en", entryCount: 3 }
  },
  "SpokenTerms.removeList": {
    input: { spokenTermsId, language: "en" },
    request: ["DELETE", `/v3/spoken-terms/${spokenTermsId}/term-lists?lang=en`],
    status: 204,
    value: undefined
  },
  "Voice.start": {
    input: speech,
    request: [
      "POST",
      "/v1/jobs/voice/translate",
      `{"source_file":{"name":"talk.mp3","content_type":"audio/mpeg","content_length":4},` +
      `"parameters":{"source_language":"en"},"targets":[{"language":"de","type":"text/plain"}]}`
    ],
    status: 201,
    body: started,
    value: {
      jobId,
      uploadUrl: Redacted.make("https://assets.example/u/1"),
      signature: Redacted.make("s1gn4ture-of-upload"),
      signedUploadUrl: Redacted.make("https://assets.example/u/1?sig=s1gned")
    }
  },
  "Voice.status": {
    input: { jobId },
    request: ["GET", `/v1/jobs/voice/translate/${jobId}`],
    status: 200,
    body: job,
    value: {
      jobId,
      createdAt: DateTime.makeUnsafe("2026-03-01T08:00:00Z"),
      updatedAt: DateTime.makeUnsafe("2026-03-01T08:01:00Z"),
      targets: [{ language: "de", type: "text/plain" }],
      results: [{
        state: "complete",
        downloadUrl: Redacted.make("https://assets.example/d/1"),
        signature: Redacted.make("s1gn4ture-of-result"),
        signedDownloadUrl: Redacted.make("https://assets.example/d/1?sig=s1gned"),
        error: { message: "none" }
      }]
    }
  },
  "Voice.requestSession": {
    input: { sourceMediaContentType: "audio/webm", targetLanguages: ["de", "fr"] },
    request: [
      "POST",
      "/v3/voice/realtime",
      `{"source_media_content_type":"audio/webm","target_languages":["de","fr"]}`
    ],
    status: 200,
    body: session,
    value: readSession
  },
  "Voice.reconnect": {
    input: { token: Redacted.make("old/token") },
    request: ["GET", "/v3/voice/realtime?token=old%2Ftoken"],
    status: 200,
    body: session,
    value: readSession
  }
}

/** The success of the service for an operation. */
export const success = (name: string) => answer(samples[name]?.status ?? 200, samples[name]?.body)

const services = { SpokenTerms, Voice }

/** The methods of both services, by name. */
export const methods = Effect.map(
  Effect.all(services),
  (all) => Object.entries(all).flatMap(([group, service]) => Object.keys(service).map((name) => `${group}.${name}`))
)

/** The call of a method with any input. */
export const call = (name: string, input: unknown = samples[name]?.input): Call =>
  Effect.flatMap(Effect.all(services), (all) => {
    const [group = "", key = ""] = name.split(".")
    const method: unknown = Reflect.get(Object(Reflect.get(all, group)), key)
    if (typeof method !== "function") throw new Error(`there is no method ${name}`)
    const answer: Call | Stream.Stream<object, AnyFailure> = Reflect.apply(method, undefined, [input])
    return Stream.isStream(answer) ? Stream.runCollect(answer) : answer
  })
