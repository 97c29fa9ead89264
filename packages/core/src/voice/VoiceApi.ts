/**
 * The contract of voice: recorded speech is translated in jobs (alpha), and speech as it is spoken in realtime sessions.
 * Described publicly (reference B18), not by the specification, so that most of what comes may be absent. Offered at the
 * address of the paid tier only, and to keys without scopes (reference A1 and A2).
 *
 * **Details**
 *
 * A realtime session itself goes over a WebSocket, of which this contract has no more than the address and the token.
 *
 * @since 0.1.0
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { GlossaryId, SpokenTermsId, VoiceJobId } from "../client/Ids.ts"
import { body, struct, withStatus } from "../client/internal/body.ts"
import { group } from "../client/internal/group.ts"
import {
  absentAs,
  informative,
  informativeObject,
  occasional,
  occasionalAs,
  type Open,
  open,
  openSaid,
  Said
} from "../client/internal/schema.ts"
import { LanguageCode } from "../client/Language.ts"
import * as Operation from "../client/Operation.ts"
import { codecs } from "../client/ServiceError.ts"

export { SpokenTermsId, VoiceJobId } from "../client/Ids.ts"

/**
 * An address, a signature or a token. Whoever has it needs no key, so it is `Redacted` from the wire to the caller.
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
 * One form that speech is to be translated into: a language, and a media type such as `text/plain`.
 *
 * @category schemas
 * @since 0.1.0
 */
export class VoiceTarget extends body<VoiceTarget>()("VoiceTarget", { language: LanguageCode, type: Schema.String }) {}

/**
 * The body that makes a job: what file will be sent, of at most 1,073,741,824 bytes, and what it is to become. Of the
 * parameters only the language of the source is described.
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
 * A job that waits for its file, for 5 minutes. The file goes to `signedUploadUrl`, where there is one, or else to `uploadUrl`
 * with the signature, as far as that was told.
 *
 * @category schemas
 * @since 0.1.0
 */
export class StartedVoiceJob extends body<StartedVoiceJob>()("StartedVoiceJob", {
  jobId: VoiceJobId,
  uploadUrl: informative(Secret),
  signature: occasional(Secret),
  signedUploadUrl: occasional(Secret)
}) {}

/**
 * The state of a result (reference C5). The service may name others, which are not the end of it.
 *
 * @category models
 * @since 0.1.0
 */
export type VoiceResultState = Open<"pending" | "uploaded" | "processing" | "complete" | "downloaded" | "failed">

/**
 * The schema of a result's state.
 *
 * @category schemas
 * @since 0.1.0
 */
export const VoiceResultState = openSaid<VoiceResultState>()

/** Why a result failed: a text, or an object with one. */
const Reason = Schema.Union([
  Said,
  Schema.Struct({ message: occasionalAs(Said, "") }).pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform({ decode: ({ message }) => message, encode: (message) => ({ message }) })
    )
  )
])

/**
 * What came of one target. `state` is empty where the service does not say it. A complete one has an address to be fetched
 * from, for an hour: `signedDownloadUrl`, or `downloadUrl` with the signature. `errorMessage` says why one failed.
 *
 * @category schemas
 * @since 0.1.0
 */
export class VoiceResult extends body<VoiceResult>()("VoiceResult", {
  state: absentAs(VoiceResultState, ""),
  downloadUrl: occasional(Secret),
  signature: occasional(Secret),
  signedDownloadUrl: occasional(Secret),
  errorMessage: occasional(Reason)
}, { state: "status", errorMessage: "error" }) {}

/**
 * A job as it stands. Its results are in the order of its targets.
 *
 * @category schemas
 * @since 0.1.0
 */
export class VoiceJob extends body<VoiceJob>()("VoiceJob", {
  jobId: informative(VoiceJobId),
  createdAt: occasional(Schema.DateTimeUtcFromString),
  updatedAt: occasional(Schema.DateTimeUtcFromString),
  targets: occasionalAs(
    Schema.Array(
      informativeObject(Schema.Struct({ language: occasional(LanguageCode), type: occasional(Schema.String) }))
    ),
    []
  ),
  results: absentAs(Schema.Array(VoiceResult), [])
}) {}

/**
 * How the messages of a session are written.
 *
 * @category models
 * @since 0.1.0
 */
export type MessageFormat = Open<"json" | "msgpack">

/**
 * Whether the language of the source is told by the service, or the one that is given.
 *
 * @category models
 * @since 0.1.0
 */
export type SourceLanguageMode = Open<"auto" | "fixed">

/**
 * How formal a translation of speech is.
 *
 * @category models
 * @since 0.1.0
 */
export type VoiceFormality = Open<"default" | "formal" | "more" | "informal" | "less">

/**
 * The body that asks for a realtime session: at most 5 languages to be translated into, of which at most one is spoken.
 *
 * @category schemas
 * @since 0.1.0
 */
export class NewVoiceSession extends body<NewVoiceSession>()("NewVoiceSession", {
  sourceMediaContentType: Schema.String,
  messageFormat: Schema.optionalKey(open<MessageFormat>()),
  sourceLanguage: Schema.optionalKey(LanguageCode),
  sourceLanguageMode: Schema.optionalKey(open<SourceLanguageMode>()),
  targetLanguages: Schema.optionalKey(Schema.Array(LanguageCode)),
  targetMediaLanguages: Schema.optionalKey(Schema.Array(LanguageCode)),
  targetMediaContentType: Schema.optionalKey(Schema.String),
  targetMediaVoice: Schema.optionalKey(Schema.String),
  formality: Schema.optionalKey(open<VoiceFormality>()),
  glossaryId: Schema.optionalKey(GlossaryId),
  spokenTermsId: Schema.optionalKey(SpokenTermsId)
}) {}

/**
 * A session to be connected to: `Voice.webSocketUrl` gives the address with the token, which can be used once and soon.
 *
 * @category schemas
 * @since 0.1.0
 */
export class VoiceSession extends body<VoiceSession>()("VoiceSession", {
  streamingUrl: Secret,
  token: Secret,
  sessionId: occasional(Schema.String)
}) {}

const operation = (repeat: Operation.RepeatKind, summary: string) =>
  Operation.annotations(repeat, summary, { tier: "paid" })

/**
 * `POST /v1/jobs/voice/translate`: makes a job, whose file then goes to the address of the answer. Described publicly, not by
 * the specification; alpha.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const start = HttpApiEndpoint.post("start", "/v1/jobs/voice/translate", {
  payload: NewVoiceJob,
  success: [withStatus(201, StartedVoiceJob), StartedVoiceJob],
  error: codecs.common
}).annotateMerge(operation("Create", "Make a job that translates speech"))

/**
 * `GET /v1/jobs/voice/translate/{job_id}`: a job as it stands. Described publicly, not by the specification; alpha.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const status = HttpApiEndpoint.get("status", "/v1/jobs/voice/translate/:job_id", {
  params: struct({ jobId: VoiceJobId }),
  success: VoiceJob,
  error: [...codecs.common, codecs.notFound]
}).annotateMerge(operation("Read", "Get a job that translates speech"))

/**
 * `POST /v3/voice/realtime`: asks for a realtime session. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const requestSession = HttpApiEndpoint.post("requestSession", "/v3/voice/realtime", {
  payload: NewVoiceSession,
  success: VoiceSession,
  error: [...codecs.common, codecs.quotaExceeded]
}).annotateMerge(operation("Create", "Ask for a realtime voice session"))

/**
 * `GET /v3/voice/realtime`: a new token for a session whose connection broke. The old token is in the query, and goes nowhere
 * else. Described publicly, not by the specification.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const reconnect = HttpApiEndpoint.get("reconnect", "/v3/voice/realtime", {
  query: Schema.Struct({ token: Secret }),
  success: VoiceSession,
  error: [...codecs.common, codecs.quotaExceeded]
}).annotateMerge(operation("Create", "Get a new token for a realtime voice session"))

/**
 * The group of voice.
 *
 * @category groups
 * @since 0.1.0
 */
export class VoiceApi extends group("Voice", start, status, requestSession, reconnect) {}
