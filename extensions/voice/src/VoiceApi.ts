/**
 * The contract of voice: jobs translate recorded speech (alpha), realtime sessions translate live speech. Most response fields may be absent.
 * Requires the paid tier's address and a key without scopes.
 *
 * **Details**
 *
 * For realtime sessions, the contract covers only how to get the WebSocket's address and token.
 *
 * @since 0.1.0
 */
import { GlossaryId, VoiceJobId } from "@effect-lingua/core/contract/Ids"
import { LanguageCode } from "@effect-lingua/core/contract/Language"
import { body, Endpoint, Errors, Fields, struct, withStatus } from "@effect-lingua/core/extension/Contract"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { SpokenTermsId } from "./SpokenTermsApi.ts"

export { VoiceJobId } from "@effect-lingua/core/contract/Ids"

/**
 * An address, a signature or a token, which grants access without a key: `Redacted` from the wire to the caller.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Secret = Schema.RedactedFromValue(Schema.String)

/**
 * An address, a signature or a token.
 *
 * @category models
 * @since 0.1.0
 */
export type Secret = typeof Secret.Type

/**
 * A requested result: its language, and its media type such as `text/plain`.
 *
 * @category schemas
 * @since 0.1.0
 */
export class VoiceTarget extends body<VoiceTarget>()("VoiceTarget", { language: LanguageCode, type: Schema.String }) {}

/**
 * The request body that creates a job: the file, of at most 1,073,741,824 bytes, and the requested results. The source language is the only
 * documented parameter.
 *
 * @category schemas
 * @since 0.1.0
 */
export class NewVoiceJob extends body<NewVoiceJob>()("NewVoiceJob", {
  sourceFile: struct({
    name: Schema.String,
    contentType: Schema.String,
    contentLength: Schema.Int
  }),
  parameters: Schema.optionalKey(
    struct({ sourceLanguage: Schema.optionalKey(LanguageCode) })
  ),
  targets: Schema.Array(VoiceTarget)
}) {}

/**
 * A created job, which accepts its file for 5 minutes, at `uploadUrl` with the signature or, if requested, at `signedUploadUrl`.
 *
 * @category schemas
 * @since 0.1.0
 */
export class StartedVoiceJob extends body<StartedVoiceJob>()("StartedVoiceJob", {
  jobId: VoiceJobId,
  uploadUrl: Fields.informative(Secret),
  signature: Fields.occasional(Secret),
  signedUploadUrl: Fields.occasional(Secret)
}) {}

/**
 * The state of a result. The service may add states: an unknown state is not final.
 *
 * @category models
 * @since 0.1.0
 */
export type VoiceResultState = Fields.Open<"pending" | "uploaded" | "processing" | "complete" | "downloaded" | "failed">

/**
 * Decodes a {@link VoiceResultState} case-insensitively.
 *
 * @category schemas
 * @since 0.1.0
 */
export const VoiceResultState = Fields.reportedState<VoiceResultState>(
  "pending uploaded processing complete downloaded failed"
)

/** Why a result failed: an object, or only a string. */
const Reason = Schema.Union([
  Schema.Struct({ message: Fields.occasionalAs(Fields.Reported, ""), code: Fields.occasional(Fields.Reported) }),
  Fields.Reported.pipe(
    Schema.decodeTo(
      Schema.Struct({ message: Schema.String, code: Schema.optionalKey(Schema.String) }),
      SchemaTransformation.transform({ decode: (message) => ({ message }), encode: ({ message }) => message })
    )
  )
])

/**
 * The result of one target. `state` is empty if the service does not send it. A complete result can be fetched for an hour: from `downloadUrl` with
 * the signature or, if requested, from `signedDownloadUrl`. `error` is the reason of a failure.
 *
 * @category schemas
 * @since 0.1.0
 */
export class VoiceResult extends body<VoiceResult>()("VoiceResult", {
  state: Fields.absentAs(VoiceResultState, ""),
  downloadUrl: Fields.occasional(Secret),
  signature: Fields.occasional(Secret),
  signedDownloadUrl: Fields.occasional(Secret),
  error: Fields.occasional(Reason)
}, { state: "status" }) {}

/**
 * The state of a job, with results in the order of the targets. `storageUsed` is in bytes.
 *
 * @category schemas
 * @since 0.1.0
 */
export class VoiceJob extends body<VoiceJob>()("VoiceJob", {
  jobId: Fields.informative(VoiceJobId),
  product: Fields.occasional(Schema.String),
  operation: Fields.occasional(Schema.String),
  createdAt: Fields.occasional(Schema.DateTimeUtcFromString),
  updatedAt: Fields.occasional(Schema.DateTimeUtcFromString),
  usage: Fields.occasional(struct({ storageUsed: Schema.Finite })),
  sourceFile: Fields.occasional(
    struct({
      name: Fields.occasional(Schema.String),
      contentType: Fields.occasional(Schema.String),
      contentLength: Fields.occasional(Schema.Int)
    })
  ),
  parameters: Fields.occasional(struct({ sourceLanguage: Fields.occasional(LanguageCode) })),
  targets: Fields.occasionalAs(
    Schema.Array(
      Fields.informativeObject(
        Schema.Struct({ language: Fields.occasional(LanguageCode), type: Fields.occasional(Schema.String) })
      )
    ),
    []
  ),
  results: Fields.absentAs(Schema.Array(VoiceResult), [])
}) {}

/**
 * The encoding of a session's messages.
 *
 * @category models
 * @since 0.1.0
 */
export type MessageFormat = Fields.Open<"json" | "msgpack">

/**
 * `auto` detects the source language, `fixed` uses `sourceLanguage`.
 *
 * @category models
 * @since 0.1.0
 */
export type SourceLanguageMode = Fields.Open<"auto" | "fixed">

/**
 * The formality of translated speech.
 *
 * @category models
 * @since 0.1.0
 */
export type VoiceFormality = Fields.Open<"default" | "formal" | "more" | "informal" | "less">

/**
 * The request body that creates a realtime session: at most 5 target languages, of which at most one is spoken.
 *
 * @category schemas
 * @since 0.1.0
 */
export class NewVoiceSession extends body<NewVoiceSession>()("NewVoiceSession", {
  sourceMediaContentType: Schema.String,
  messageFormat: Schema.optionalKey(Fields.open<MessageFormat>()),
  sourceLanguage: Schema.optionalKey(LanguageCode),
  sourceLanguageMode: Schema.optionalKey(Fields.open<SourceLanguageMode>()),
  targetLanguages: Schema.optionalKey(Schema.Array(LanguageCode)),
  targetMediaLanguages: Schema.optionalKey(Schema.Array(LanguageCode)),
  targetMediaContentType: Schema.optionalKey(Schema.String),
  targetMediaVoice: Schema.optionalKey(Schema.String),
  formality: Schema.optionalKey(Fields.open<VoiceFormality>()),
  glossaryId: Schema.optionalKey(GlossaryId),
  spokenTermsId: Schema.optionalKey(SpokenTermsId)
}) {}

/**
 * A session to connect to: `Voice.webSocketUrl` returns the address with the short-lived token, which works once.
 *
 * @category schemas
 * @since 0.1.0
 */
export class VoiceSession extends body<VoiceSession>()("VoiceSession", {
  streamingUrl: Secret,
  token: Secret,
  sessionId: Fields.occasional(Schema.String)
}) {}

/** Requests addresses that contain their signature. */
const Include = Schema.optionalKey(Schema.Literal("signed_url"))

const api = Endpoint.of({ tier: "paid", error: Errors.common })

/**
 * The endpoints of voice. `reconnect` gets a session's new token: the query has the old token, which must not appear in logs. Jobs are alpha.
 *
 * @category groups
 * @since 0.1.0
 */
export class VoiceApi extends Endpoint.group(
  "Voice",
  api.post("start", "/v1/jobs/voice/translate", "Start a job that translates speech", {
    query: Schema.Struct({ include: Include }),
    payload: NewVoiceJob,
    success: [withStatus(201, StartedVoiceJob), StartedVoiceJob]
  }),
  api.get("status", "/v1/jobs/voice/translate/:job_id", "Get a job that translates speech", {
    params: struct({ jobId: VoiceJobId }),
    query: Schema.Struct({ include: Include }),
    success: VoiceJob,
    error: [Errors.notFound]
  }),
  api.post("requestSession", "/v3/voice/realtime", "Request a realtime voice session", {
    payload: NewVoiceSession,
    success: VoiceSession,
    error: [Errors.quotaExceeded]
  }),
  api.get("reconnect", "/v3/voice/realtime", "Get a new token for a realtime voice session", {
    query: Schema.Struct({ token: Secret }),
    success: VoiceSession,
    error: [Errors.quotaExceeded],
    repeat: "Create"
  })
) {}
