/** Each operation of speech with a call, its request, a success of the service, and what the client reads. */
import { Contract } from "@effect-lingua/core/extension"
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import { SpokenTerms } from "@effect-lingua/voice/SpokenTerms"
import { SpokenTermsApi, SpokenTermsId } from "@effect-lingua/voice/SpokenTermsApi"
import { Voice } from "@effect-lingua/voice/Voice"
import { VoiceApi, VoiceJobId } from "@effect-lingua/voice/VoiceApi"
import { DateTime, Redacted } from "effect"
import { contractOf, json, noContent, operationsOf, read } from "../../../../packages/core/test/support/operations.ts"

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
const result = {
  status: "complete",
  download_url: "https://assets.example/d/1",
  signature: "s1gn4ture-of-result",
  signed_download_url: "https://assets.example/d/1?sig=s1gned",
  error: "none"
}
const times = { created_at: "2026-03-01T08:00:00Z", updated_at: "2026-03-01T08:01:00Z" }
const job = { job_id: jobId, ...times, targets: speech.targets, results: [result] }

const readSession = {
  streamingUrl: Redacted.make(session.streaming_url),
  token: Redacted.make(session.token),
  sessionId: "1"
}
const readStarted = {
  jobId,
  uploadUrl: Redacted.make("https://assets.example/u/1"),
  signature: Redacted.make("s1gn4ture-of-upload"),
  signedUploadUrl: Redacted.make("https://assets.example/u/1?sig=s1gned")
}
const readResult = {
  state: "complete",
  downloadUrl: Redacted.make("https://assets.example/d/1"),
  signature: Redacted.make("s1gn4ture-of-result"),
  signedDownloadUrl: Redacted.make("https://assets.example/d/1?sig=s1gned"),
  error: { message: "none" }
}
const readJob = {
  jobId,
  createdAt: DateTime.makeUnsafe("2026-03-01T08:00:00Z"),
  updatedAt: DateTime.makeUnsafe("2026-03-01T08:01:00Z"),
  targets: [{ language: "de", type: "text/plain" }],
  results: [readResult]
}

export const spokenTermsId = SpokenTermsId.make("3f1b7c52-6d0e-4a8f-9c21-7be0d4a1f630")
export const termList = { language: "en", terms: ["Plimsoll line", "fairlead", "Knut Hansen"] }
const sentTermList = `"lang":"en","entries":"Plimsoll line\\nfairlead\\nKnut Hansen"`
const terms = "/v3/spoken-terms"
const collection = {
  spoken_terms_id: spokenTermsId,
  name: "Harbour words",
  term_lists: [{ lang: "en", entry_count: 3 }],
  creation_time: "2026-07-03T10:11:12.131Z"
}
const collections = `${terms}/${spokenTermsId}`

export const { call, methodNames, operation, operations } = operationsOf<SpokenTerms | Voice>({ SpokenTerms, Voice }, {
  "SpokenTerms.create": [
    { name: "Harbour words", termLists: [termList] },
    `POST ${terms} {"name":"Harbour words","term_lists":[{${sentTermList}}]}`,
    json(201, collection)
  ],
  "SpokenTerms.list": [{}, `GET ${terms}`, json(200, { spoken_terms: [collection] }, [read(collection)])],
  "SpokenTerms.get": [{ spokenTermsId }, `GET ${collections}`, json(200, collection)],
  "SpokenTerms.merge": [
    { spokenTermsId, name: "Harbour words", termLists: [termList] },
    `PATCH ${collections} {"name":"Harbour words","term_lists":[{${sentTermList}}]}`,
    json(200, collection)
  ],
  "SpokenTerms.remove": [{ spokenTermsId }, `DELETE ${collections}`, noContent],
  "SpokenTerms.terms": [
    { spokenTermsId, language: "en" },
    `GET ${collections}/entries?lang=en`,
    json(200, { lang: "en", entries: "Plimsoll line\nfairlead\nKnut Hansen" }, termList.terms)
  ],
  "SpokenTerms.replaceList": [
    { spokenTermsId, ...termList },
    `PUT ${collections}/term-lists {${sentTermList}}`,
    json(200, { lang: "en", entry_count: 3 })
  ],
  "SpokenTerms.removeList": [
    { spokenTermsId, language: "en" },
    `DELETE ${collections}/term-lists?lang=en`,
    noContent
  ],
  "Voice.start": [
    speech,
    `POST /v1/jobs/voice/translate ` +
    `{"source_file":{"name":"talk.mp3","content_type":"audio/mpeg","content_length":4},` +
    `"parameters":{"source_language":"en"},"targets":[{"language":"de","type":"text/plain"}]}`,
    json(201, started, readStarted)
  ],
  "Voice.status": [{ jobId }, `GET /v1/jobs/voice/translate/${jobId}`, json(200, job, readJob)],
  "Voice.requestSession": [
    { sourceMediaContentType: "audio/webm", targetLanguages: ["de", "fr"] },
    `POST /v3/voice/realtime {"source_media_content_type":"audio/webm","target_languages":["de","fr"]}`,
    json(200, session, readSession)
  ],
  "Voice.reconnect": [
    { token: Redacted.make("old/token") },
    "GET /v3/voice/realtime?token=old%2Ftoken",
    json(200, session, readSession)
  ]
})

/** The contract with the operations of speech. */
export const api = LanguageServiceApi.add(Contract.httpGroup(VoiceApi)).add(Contract.httpGroup(SpokenTermsApi))
export const contract = contractOf(api)
