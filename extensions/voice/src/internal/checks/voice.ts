import { Claims, Requests } from "@effect-lingua/conformance/Checks"
import type { Check } from "@effect-lingua/conformance/Conformance"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import { Voice } from "../../Voice.ts"
import { VoiceJobId } from "../../VoiceApi.ts"
import * as VoiceRealtime from "../../VoiceRealtime.ts"

const { fakeCheck, nothing, paidCheck, present, refused, same, that } = Claims
const { decode, read, refusal, send, transfer } = Requests

const ofHost = Effect.provide(Voice.use(Effect.succeed), Voice.layer)

/** The wire format of a job. */
const Job = Schema.Struct({
  job_id: Schema.String,
  product: Schema.Literal("voice"),
  operation: Schema.Literal("translate"),
  created_at: Schema.String,
  updated_at: Schema.String,
  usage: Schema.Struct({ storage_used: Schema.Int }),
  source_file: Schema.Struct({ name: Schema.String, content_type: Schema.String, content_length: Schema.Int }),
  parameters: Schema.Record(Schema.String, Schema.Unknown),
  targets: Schema.Array(Schema.Struct({ language: Schema.String, type: Schema.String })),
  results: Schema.Array(Schema.Record(Schema.String, Schema.Unknown))
})

const jobPath = "/v1/jobs/voice/translate"

/** Field names of a job's first result. */
const resultFields = Effect.fnUntraced(function*(path: string) {
  const { results: [result = {}] } = yield* read(Job, yield* send("GET", path))
  return Object.keys(result).toSorted()
})

const content = new TextEncoder().encode("speech")
const targets = [{ language: "de", type: "text/plain" }, { language: "fr", type: "application/x-subrip" }]
const speech = { fileName: "conformance.mp3", contentType: "audio/mpeg", size: content.length, targets }

/** Uploads `content` with the headers and returns the HTTP status. */
const sent = (url: string, headers: Readonly<Record<string, string>>) =>
  HttpClientRequest.put(url).pipe(
    HttpClientRequest.bodyUint8Array(content, speech.contentType),
    HttpClientRequest.setHeaders(headers),
    transfer,
    Effect.map(({ status }) => status)
  )

export const voice: ReadonlyArray<Check> = [
  paidCheck(
    "Voice: an unknown id is not found, if the account has access",
    {},
    function*() {
      const { status } = yield* ofHost
      yield* refused(status({ jobId: VoiceJobId.make(nothing) }), "NotFound", "AccessDenied")
    }
  ),
  paidCheck(
    "Voice: a job without targets, a session without a media type, and an invalid token are refused",
    {},
    function*() {
      yield* refusal(yield* send("POST", "/v1/jobs/voice/translate", { body: { targets: [] } }), 400, 403)
      yield* refusal(yield* send("POST", "/v3/voice/realtime", { body: {} }), 400, 403)
      yield* refusal(yield* send("GET", "/v3/voice/realtime?token=none"), 400, 403, 404)
    }
  ),
  fakeCheck(
    "Voice: a file is uploaded with a signature and without a key, and its result is downloaded",
    {},
    function*({ fake }) {
      const voice = yield* ofHost
      const job = yield* voice.start(speech)
      const { jobId } = job
      const url = Redacted.value(yield* present("the address of an upload", job.uploadUrl))
      const signature = job.signature === undefined ? "" : Redacted.value(job.signature)
      const states = Effect.map(voice.status({ jobId }), ({ results }) => results.map(({ state }) => state))
      yield* same("the states of a job without a file", yield* states, ["pending", "pending"])
      const refusedWith = yield* sent(url, {})
      yield* that(refusedWith === 401 || refusedWith === 403, "status 401 or 403 without a signature", refusedWith)
      yield* same(
        "the status of an upload",
        yield* sent(url, { authorization: `Service-Signature ${signature}` }),
        204
      )
      yield* same("the states of a job with its file", yield* states, ["uploaded", "uploaded"])
      yield* fake.advance("1 minute")
      yield* same("the states of a job that is done", yield* states, ["complete", "complete"])
      const text = yield* Stream.mkString(Stream.decodeText(voice.download({ jobId, targetIndex: 0 })))
      yield* that(text !== "", "the bytes of the result", "nothing")
      yield* same("the states after a download", yield* states, ["downloaded", "complete"])
      yield* fake.advance("1 hour")
      yield* refused(states, "NotFound")
    }
  ),
  fakeCheck("Voice: the client uploads a file as application/octet-stream", {}, function*({ fake }) {
    const voice = yield* ofHost
    const job = yield* voice.start(speech)
    yield* voice.upload({ job, content })
    const upload = (yield* fake.requests).at(-1)
    yield* same("the request", [upload?.method, upload?.status, upload?.headers["content-type"]], [
      "PUT",
      204,
      "application/octet-stream"
    ])
    const { source_file, usage } = yield* read(Job, yield* send("GET", `${jobPath}/${job.jobId}`))
    yield* same("the file", [source_file.content_type, source_file.content_length, usage.storage_used], [
      speech.contentType,
      content.length,
      content.length
    ])
  }),
  fakeCheck("Voice: addresses contain their signature on request only", {}, function*({ fake }) {
    const voice = yield* ofHost
    yield* same(
      "the signed address without the request for it",
      (yield* voice.start(speech)).signedUploadUrl,
      undefined
    )
    const { jobId, signedUploadUrl } = yield* voice.start({ ...speech, signedUrl: true })
    const url = Redacted.value(yield* present("a signed address", signedUploadUrl))
    yield* same("the status of an upload to it, without a header", yield* sent(url, {}), 204)
    yield* fake.advance("1 minute")
    yield* same("the fields of a result", yield* resultFields(`${jobPath}/${jobId}`), [
      "download_url",
      "signature",
      "status"
    ])
    yield* same(
      "the fields with a signed address",
      yield* resultFields(`${jobPath}/${jobId}?include=signed_url`),
      ["download_url", "signature", "signed_download_url", "status"]
    )
  }),
  fakeCheck("Voice: a job whose file does not arrive in time fails", {}, function*({ fake }) {
    const voice = yield* ofHost
    const { jobId } = yield* voice.start(speech)
    yield* fake.advance("5 minutes")
    yield* refused(voice.wait({ jobId }), "JobFailed")
    const { results: [result] } = yield* read(Job, yield* send("GET", `${jobPath}/${jobId}`))
    yield* same("the fields of its result", Object.keys(result ?? {}).toSorted(), ["error", "status"])
    yield* decode(Schema.Struct({ message: Schema.String, code: Schema.String }), result?.["error"])
  }),
  fakeCheck(
    "Voice: a session transcribes, translates and speaks, in both encodings",
    { needs: ["webSocket"] },
    function*({ webSocket }) {
      for (const messageFormat of ["json", "msgpack"] as const) {
        const messages = yield* VoiceRealtime.translate(Stream.make(new TextEncoder().encode("Good morning. How")), {
          sourceMediaContentType: "audio/ogg",
          targetLanguages: ["de"],
          targetMediaLanguages: ["de"],
          messageFormat
        }).pipe(
          Stream.runCollect,
          Effect.provide(Voice.layer),
          Effect.provideService(Socket.WebSocketConstructor, webSocket)
        )
        const { source, targets } = messages.reduce(VoiceRealtime.fold, VoiceRealtime.empty)
        yield* same("the transcripts", [source, targets["de"]].map((transcript) => VoiceRealtime.textOf(transcript)), [
          "Good morning. How",
          "[de] Good morning. [de] How"
        ])
        yield* same("the messages", Array.from(new Set(messages.map(({ _tag }) => _tag))), [
          "SourceTranscriptUpdate",
          "TargetTranscriptUpdate",
          "TargetMediaChunk",
          "EndOfSourceTranscript",
          "EndOfTargetTranscript",
          "EndOfTargetMedia"
        ])
      }
    }
  ),
  fakeCheck("Voice: a session has an address and a token, which is exchanged once for another", {}, function*() {
    const voice = yield* ofHost
    const first = yield* voice.requestSession({ sourceMediaContentType: "audio/webm", targetLanguages: ["de"] })
    const second = yield* voice.reconnect({ token: first.token })
    yield* same("the session", second.sessionId, first.sessionId)
    yield* that(
      Redacted.value(second.token) !== Redacted.value(first.token),
      "another token",
      "the same token"
    )
    yield* refused(voice.reconnect({ token: first.token }), "BadRequest")
  })
]
