/**
 * Voice: jobs translate recorded speech (alpha), realtime sessions translate live speech.
 *
 * **Details**
 *
 * Requires the paid tier's address and a key without scopes. The API may change.
 *
 * A job's file and results are transferred to and from signed addresses, without the API key. These addresses must be `https:`, and a session's
 * address `wss:`; with an `http:` base address, `http:` and `ws:` are allowed for loopback and the same host.
 *
 * @since 0.1.0
 */
import { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import type { VoiceJobId } from "@effect-lingua/core/contract/Ids"
import type { LanguageCode } from "@effect-lingua/core/contract/Language"
import type {
  DeadlineExceeded,
  InvalidInput,
  JobNotDone,
  LimitExceeded,
  SourceFailed,
  TransferFailed
} from "@effect-lingua/core/errors/CallError"
import type { JobFailed } from "@effect-lingua/core/errors/ServiceError"
import {
  type CallRecord,
  Checks,
  defined,
  JobFile,
  Operations,
  type Optional,
  Polling,
  runs,
  secretsOf,
  SignedFile,
  Unexpected,
  type Wait,
  withKnownOptions
} from "@effect-lingua/core/extension/Service"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as SessionSecrets from "./internal/sessionSecrets.ts"
import {
  type MessageFormat,
  type NewVoiceSession,
  type Secret,
  type SourceLanguageMode,
  type StartedVoiceJob,
  VoiceApi,
  type VoiceFormality,
  type VoiceJob,
  type VoiceResult,
  type VoiceResultState,
  type VoiceSession,
  type VoiceTarget
} from "./VoiceApi.ts"

declare module "@effect-lingua/core/config/LanguageServiceConfig" {
  interface ServiceNames {
    readonly SpokenTerms: true
    readonly Voice: true
  }
}

export { VoiceJobId } from "@effect-lingua/core/contract/Ids"
export {
  NewVoiceSession,
  Secret,
  StartedVoiceJob,
  VoiceJob,
  VoiceResult,
  VoiceResultState,
  VoiceSession,
  VoiceTarget
} from "./VoiceApi.ts"

/**
 * Requests addresses that contain their signature.
 *
 * @category options
 * @since 0.1.0
 */
export interface SignedUrlOption {
  /**
   * Requests addresses that need no header, for example for a browser's transfer. Default: false, because the address alone gives access to the file.
   */
  readonly signedUrl?: boolean | undefined
}

/**
 * The file and targets of a new job.
 *
 * @category options
 * @since 0.1.0
 */
export interface StartOptions extends SignedUrlOption {
  /** The file's name without a folder. */
  readonly fileName: string
  /** Bytes of the file, at most 1,073,741,824. */
  readonly size: number
  /** The media type of the file, such as `audio/mpeg`. */
  readonly contentType: string
  /** One or more languages, each with the media type of its result. */
  readonly targets: ReadonlyArray<VoiceTarget>
  /** The spoken language. Default: detected by the service. */
  readonly sourceLanguage?: LanguageCode | undefined
}

/**
 * Identifies a voice job.
 *
 * @category options
 * @since 0.1.0
 */
export interface VoiceJobRef {
  readonly jobId: VoiceJobId
}

/**
 * The job to query.
 *
 * @category options
 * @since 0.1.0
 */
export interface StatusOptions extends VoiceJobRef, SignedUrlOption {}

/**
 * The state of a voice job, with the job's id.
 *
 * @category models
 * @since 0.1.0
 */
export interface VoiceJobStatus extends Omit<VoiceJob, "jobId">, VoiceJobRef {}

/**
 * Recorded speech to upload.
 *
 * @category options
 * @since 0.1.0
 */
export interface SpeechFile {
  /** At most 1,073,741,824 bytes. An Effect `Stream` runs for each attempt; a `ReadableStream` is sent once. Some browsers cannot send streams. */
  readonly content: Uint8Array | Blob | ReadableStream<Uint8Array> | Stream.Stream<Uint8Array, unknown>
  /** Number of bytes; required if `content` is a stream. */
  readonly size?: number | undefined
}

/**
 * The file to upload, for a started job.
 *
 * @category options
 * @since 0.1.0
 */
export interface UploadOptions extends SpeechFile {
  /** The result of `start`. */
  readonly job: StartedVoiceJob
}

/**
 * The speech to translate, and the targets.
 *
 * @category options
 * @since 0.1.0
 */
export interface TranslateOptions extends SpeechFile, Omit<StartOptions, "signedUrl" | "size"> {}

/**
 * Identifies one result of a job.
 *
 * @category options
 * @since 0.1.0
 */
export interface DownloadOptions extends VoiceJobRef {
  /** The position of the target in the job's `targets`, from 0. */
  readonly targetIndex: number
}

/**
 * The fields of a session: see {@link NewVoiceSession}.
 *
 * @category options
 * @since 0.1.0
 */
export interface RequestSessionOptions extends Optional<NewVoiceSession> {}

/**
 * The latest token of the session to reconnect.
 *
 * @category options
 * @since 0.1.0
 */
export interface ReconnectOptions {
  readonly token: Secret
}

/**
 * The errors of `start`, including `OutcomeUnknown`.
 *
 * @category errors
 * @since 0.1.0
 */
export type StartError = Operations.Errors<typeof VoiceApi, "start", LimitExceeded>["create"]

/**
 * The errors of `upload` to the file storage.
 *
 * @category errors
 * @since 0.1.0
 */
export type UploadError = DeadlineExceeded | InvalidInput | LimitExceeded | SourceFailed | TransferFailed

/**
 * The errors of `status`, such as `NotFound`.
 *
 * @category errors
 * @since 0.1.0
 */
export type StatusError = Operations.Errors<typeof VoiceApi, "status">["call"]

/**
 * The errors of `wait`, including `JobFailed` and `JobNotDone`.
 *
 * @category errors
 * @since 0.1.0
 */
export type WaitError = Operations.Union<StatusError | JobFailed | JobNotDone>["members"]

/**
 * The errors of `download`, including `TransferFailed`.
 *
 * @category errors
 * @since 0.1.0
 */
export type DownloadError = Operations.Union<WaitError | TransferFailed>["members"]

/**
 * The errors of `translate`: of `start`, `upload` and `wait`.
 *
 * @category errors
 * @since 0.1.0
 */
export type TranslateError = Operations.Union<StartError | SourceFailed | TransferFailed | WaitError>["members"]

/**
 * The errors of `requestSession`, including `QuotaExceeded`.
 *
 * @category errors
 * @since 0.1.0
 */
export type SessionError = Operations.Errors<typeof VoiceApi, "requestSession", LimitExceeded>["create"]

/**
 * The errors of `reconnect`, including `OutcomeUnknown`.
 *
 * @category errors
 * @since 0.1.0
 */
export type ReconnectError = Operations.Errors<typeof VoiceApi, "reconnect">["create"]

/**
 * The errors of all methods.
 *
 * @category errors
 * @since 0.1.0
 */
export type AnyError = Operations.Union<
  DownloadError | ReconnectError | SessionError | TranslateError | UploadError
>["members"]

/** The service requires at least 5 seconds between polls. */
const minPollInterval = Duration.seconds(5)

const finalStates: ReadonlySet<string> = new Set(["complete", "downloaded", "failed"])

/** Media type of every upload; the job's creation declares the speech's type. */
const uploadType = "application/octet-stream"

const include = (signedUrl: boolean | undefined) => signedUrl === true ? { include: "signed_url" as const } : {}

const statesOf = ({ results }: VoiceJob): string => Array.from(new Set(results.map(({ state }) => state))).join(", ")

/** The `Authorization` scheme of signatures, derived from the key's scheme: `Service-Signature` for `Service-Auth-Key`. */
const signatureScheme = (authScheme: string): string => `${authScheme.replace(/-Auth-Key$/i, "")}-Signature`

/** Creates the error of a failed result, without the result's addresses and signature. */
const failed = (
  record: CallRecord | undefined,
  operation: string,
  jobId: VoiceJobId,
  { downloadUrl, error, signature, signedDownloadUrl, state }: VoiceResult
) => {
  const secrets = [downloadUrl, signature, signedDownloadUrl].flatMap((secret) =>
    secret === undefined ? [] : [Redacted.value(secret)]
  )
  const description = [error?.message, error?.code].filter((part) => part !== undefined && part !== "").join(", ")
  return Polling.failed(record, { operation, jobId, state, description }, secrets)
}

/** Records a session's secrets, which `reconnect` redacts from errors, keyed by the session's token. */
const noteSecrets = ({ streamingUrl, token }: VoiceSession, known: ReadonlyArray<string>): void =>
  SessionSecrets.note(token, [...known, ...SessionSecrets.ofAddress(Redacted.value(streamingUrl))])

const make = Effect.gen(function*() {
  const api = yield* Operations.make(VoiceApi)
  const { composed } = yield* runs
  const signedFiles = yield* SignedFile.make
  const jobs = yield* Polling.make("Voice")
  const { authScheme, baseUrl, headers, key, limits } = yield* LanguageServiceConfig
  const clientSecrets = [Redacted.value(key), ...secretsOf(Object.values(headers).map(Redacted.value))]
  const scheme = signatureScheme(authScheme)

  /** Returns a file's address, preferably with a signature in the URL. */
  const addressOf = (
    url: Secret | undefined,
    signature: Secret | undefined,
    signed: Secret | undefined
  ): SignedFile.Address | undefined => {
    if (signed !== undefined) return { url: signed }
    if (url === undefined || signature === undefined) return url === undefined ? undefined : { url }
    return { url, authorization: Redacted.make(`${scheme} ${Redacted.value(signature)}`) }
  }

  const checkJob = Effect.fnUntraced(function*({ contentType, fileName, size, sourceLanguage, targets }: StartOptions) {
    yield* JobFile.checkFileName(fileName)
    yield* JobFile.checkContentType(contentType)
    yield* JobFile.checkBytes(size, limits.voiceBytes)
    if (sourceLanguage !== undefined) yield* Checks.checkText("sourceLanguage", sourceLanguage)
    yield* Checks.checkItems("targets", "targets", targets)
    if (targets.length === 0) {
      return yield* Checks.invalid("targets", "none", "one or more")
    }
    for (const [index, { language, type }] of targets.entries()) {
      yield* Checks.checkText(`targets[${index}].language`, language)
      yield* Checks.checkText(`targets[${index}].type`, type)
    }
  })

  const started = Effect.fnUntraced(function*(record: CallRecord, options: StartOptions) {
    yield* checkJob(options)
    const { contentType, fileName, signedUrl, size, sourceLanguage, targets } = options
    const job: StartedVoiceJob = yield* api.start.request(record, {
      query: include(signedUrl),
      payload: defined({
        sourceFile: { name: fileName, contentType, contentLength: size },
        parameters: sourceLanguage === undefined ? undefined : { sourceLanguage },
        targets
      })
    })
    yield* Unexpected.expectUsableId("job", job.jobId)
    if (job.uploadUrl === undefined && job.signedUploadUrl === undefined) {
      return yield* Unexpected.mismatch("the response has neither upload_url nor signed_upload_url")
    }
    return job
  })

  const start = (options: StartOptions): Effect.Effect<StartedVoiceJob, StartError> =>
    api.start.create({}, (record) => started(record, options))

  const ask = (jobId: VoiceJobId, signedUrl?: boolean) => (record: CallRecord, wait?: Wait) =>
    Effect.map(
      api.status.request(record, { params: { jobId }, query: include(signedUrl), wait }),
      // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
      (job) => ({ ...job, jobId })
    )

  const status = ({ jobId, signedUrl }: StatusOptions): Effect.Effect<VoiceJobStatus, StatusError> =>
    api.status.run(ask(jobId, signedUrl))

  const wait = ({ jobId }: VoiceJobRef): Effect.Effect<VoiceJobStatus, WaitError> =>
    jobs.wait(
      jobId,
      Effect.fnUntraced(function*(record, wait) {
        const job = yield* ask(jobId)(record, wait)
        const { results } = job
        const [first] = results
        if (first !== undefined && results.every(({ state }) => state === "failed")) {
          return yield* failed(record, "Voice.wait", jobId, first)
        }
        const hasEnded = first !== undefined && results.every(({ state }) => finalStates.has(state))
        return { state: statesOf(job), result: hasEnded ? job : undefined }
      }),
      { minInterval: minPollInterval }
    )

  const send = Effect.fnUntraced(function*(job: StartedVoiceJob, file: JobFile.File) {
    const { jobId, signature, signedUploadUrl, uploadUrl } = job
    const address = addressOf(uploadUrl, signature, signedUploadUrl)
    if (address === undefined) {
      return yield* Checks.invalid("job", "one without an address", "one with uploadUrl or signedUploadUrl")
    }
    yield* signedFiles.send(
      { operation: "Voice.upload", jobId, policy: yield* jobs.policy, address },
      file,
      uploadType
    )
  })

  const uploaded = Effect.fnUntraced(function*({ content, job, size }: UploadOptions) {
    const file = yield* JobFile.make(content, size)
    yield* JobFile.checkBytes(file.size, limits.voiceBytes)
    yield* send(job, file)
  })

  const upload = (options: UploadOptions): Effect.Effect<void, UploadError> =>
    composed("Voice.upload", uploaded(options))

  const translated = Effect.fnUntraced(function*(options: TranslateOptions) {
    const file = yield* JobFile.make(options.content, options.size)
    const job = yield* start({ ...options, size: file.size })
    const { jobId } = job
    const isThere = Effect.map(
      status({ jobId }),
      ({ results }) => results.some(({ state }) => state !== "pending" && state !== "failed" && state !== "")
    )
    const sent = JobFile.unlessThere(isThere)(composed("Voice.upload", send(job, file)))
    return yield* Polling.started(jobId, Effect.andThen(sent, wait({ jobId })))
  })

  const resultOf = Effect.fnUntraced(function*({ jobId, targetIndex }: DownloadOptions) {
    const { results } = yield* status({ jobId })
    const result = results[targetIndex]
    if (result === undefined) {
      return yield* Checks.invalid(
        "targetIndex",
        Checks.numberOf(targetIndex),
        `the position of one of ${results.length} results, from 0`
      )
    }
    const { downloadUrl, signature, signedDownloadUrl } = result
    const address = addressOf(downloadUrl, signature, signedDownloadUrl)
    if (address === undefined && !finalStates.has(result.state)) return yield* Polling.notDone(jobId, result.state)
    if (address === undefined) {
      return yield* failed(undefined, "Voice.download", jobId, {
        error: { message: "The result has no address" },
        // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
        ...result
      })
    }
    return address
  })

  const download = (options: DownloadOptions): Stream.Stream<Uint8Array, DownloadError> =>
    Stream.unwrap(Effect.gen(function*() {
      return signedFiles.download({
        operation: "Voice.download",
        jobId: options.jobId,
        policy: yield* jobs.policy,
        address: () => resultOf(options)
      })
    }))

  const checkSession = ({ streamingUrl }: VoiceSession) => {
    const address = Redacted.value(streamingUrl)
    const url = URL.canParse(address) ? new URL(address) : undefined
    const problem = url === undefined ? "the address is not a URL" : SignedFile.problemOf(url, baseUrl, ["wss:", "ws:"])
    return problem === undefined ? Effect.void : Unexpected.mismatch(`the session cannot be used, because ${problem}`)
  }

  const requested = Effect.fnUntraced(function*(record: CallRecord, options: RequestSessionOptions) {
    const { sourceMediaContentType, targetLanguages = [], targetMediaLanguages = [] } = options
    yield* JobFile.checkContentType(sourceMediaContentType)
    yield* Checks.checkLimit("targetLanguages", "items", targetLanguages.length, limits.voiceTargets)
    yield* Checks.checkLimit("targetMediaLanguages", "items", targetMediaLanguages.length, limits.voiceMediaTargets)
    const payload: NewVoiceSession = defined(options)
    const session: VoiceSession = yield* Effect.tap(api.requestSession.request(record, { payload }), checkSession)
    noteSecrets(session, clientSecrets)
    return session
  })

  const reconnected = Effect.fnUntraced(function*(
    record: CallRecord,
    { token }: ReconnectOptions,
    secrets: ReadonlyArray<string>
  ) {
    yield* Checks.checkToken("token", Redacted.value(token))
    const session: VoiceSession = yield* Effect.tap(api.reconnect.request(record, { query: { token } }), checkSession)
    noteSecrets(session, secrets)
    return session
  })

  return yield* withKnownOptions(VoiceApi, {
    /**
     * Starts a job and returns the address to which `upload` must send the file within 5 minutes. `translate` runs all steps.
     *
     * **Details**
     *
     * `POST /v1/jobs/voice/translate`. Fails with `LimitExceeded` for a file over 1 GiB and `InvalidInput` for an empty file, a name with a folder,
     * or no targets, before anything is sent; with `OutcomeUnknown` after a lost response; with `RateLimited` at 10 jobs in progress, or 2 of more
     * than 100 MB.
     */
    start,
    /**
     * Sends the file of a started job.
     *
     * **Details**
     *
     * Sends `application/octet-stream` to the signed address or with the signature, without the API key. Fails with `TransferFailed` after the
     * policy's retries; with `SourceFailed` if the file's stream fails; with `DeadlineExceeded` after the call's deadline.
     */
    upload,
    /**
     * Gets the state of a job.
     *
     * **Details**
     *
     * `GET /v1/jobs/voice/translate/{job_id}`. Fails with `NotFound` for an unknown id.
     */
    status,
    /**
     * Waits until each result of a job is complete, downloaded or failed.
     *
     * **Details**
     *
     * Polls after each `Retry-After`, or else the policy's interval of at least 5 seconds, until the policy's `jobDeadline`, 30 minutes by default.
     * An unknown state does not end the wait. Returns the job if at least one result is complete; a failed result has a reason.
     *
     * Fails with `JobFailed` if all results failed; with `JobNotDone` after the deadline: the job continues at the service; with `NotFound` for an
     * unknown id.
     */
    wait,
    /**
     * Streams one result of a job.
     *
     * **Details**
     *
     * Each attempt queries the job again, because addresses expire. Fails with `JobNotDone` for an incomplete result; with `JobFailed` for a result
     * that failed or has no address; with `TransferFailed` if the download fails or ends early; with `InvalidInput` for an invalid index; otherwise
     * like `status`.
     */
    download,
    /**
     * Translates recorded speech: starts a job, sends the file, and waits. `download` fetches the results, within an hour.
     *
     * **Details**
     *
     * Fails like `start`, `upload` and `wait`. An error after the start has the job's id in `job`; if the file was sent, `wait` can continue.
     */
    translate: (options: TranslateOptions): Effect.Effect<VoiceJobStatus, TranslateError> =>
      composed("Voice.translate", translated(options)),
    /**
     * Requests a realtime session, for a WebSocket at {@link webSocketUrl}. `VoiceRealtime.translate` runs all steps.
     *
     * **Details**
     *
     * `POST /v3/voice/realtime`. Fails with `LimitExceeded` for more than 5 languages, or more than one spoken language, before anything is sent;
     * with `OutcomeUnknown` after a lost response, and for an address that is not `wss:`.
     */
    requestSession: (options: RequestSessionOptions): Effect.Effect<VoiceSession, SessionError> =>
      api.requestSession.create({}, (record) => requested(record, options)),
    /**
     * Gets a new token for a session whose connection broke.
     *
     * **Details**
     *
     * `GET /v3/voice/realtime`. No span, error or event contains the old token or an earlier one. Fails like `requestSession`.
     */
    reconnect: (options: ReconnectOptions): Effect.Effect<VoiceSession, ReconnectError> =>
      Effect.suspend(() => {
        const secrets = [...SessionSecrets.of(options.token), Redacted.value(options.token)]
        return api.reconnect.create({}, (record) => reconnected(record, options, secrets), secrets)
      })
  }, {
    start: { fileName: true, contentType: true, targets: true, sourceLanguage: true, size: true, signedUrl: true },
    upload: { job: true, content: true, size: true },
    status: { jobId: true, signedUrl: true },
    wait: { jobId: true },
    download: { jobId: true, targetIndex: true },
    translate: { fileName: true, contentType: true, targets: true, sourceLanguage: true, content: true, size: true }
  })
})

/**
 * Translates recorded and live speech.
 *
 * @category services
 * @since 0.1.0
 */
export class Voice extends Operations.service<Voice>()("@effect-lingua/voice/Voice", make) {
  /**
   * The WebSocket address of a session, with its token, which is short-lived and works once.
   *
   * **Example** (A session)
   *
   * ```ts import.meta.vitest
   * import { Voice } from "@effect-lingua/voice"
   * import { Redacted } from "effect"
   *
   * const url = Voice.webSocketUrl({
   *   streamingUrl: Redacted.make("wss://service.test/voice"),
   *   token: Redacted.make("one/time")
   * })
   * Redacted.value(url) // => "wss://service.test/voice?token=one%2Ftime"
   * ```
   */
  static readonly webSocketUrl = ({ streamingUrl, token }: Pick<VoiceSession, "streamingUrl" | "token">): Secret => {
    const url = new URL(Redacted.value(streamingUrl))
    url.searchParams.set("token", Redacted.value(token))
    return Redacted.make(url.href)
  }
}

/**
 * Types, such as `Voice.StartOptions`.
 *
 * @category models
 * @since 0.3.0
 */
export declare namespace Voice {
  export type { DownloadOptions, ReconnectOptions, RequestSessionOptions, StartOptions, StatusOptions }
  export type { TranslateOptions, UploadOptions }
  export type { AnyError, DownloadError, ReconnectError, SessionError, StartError, StatusError, TranslateError }
  export type { UploadError, WaitError }
  export type { MessageFormat, NewVoiceSession, Secret, SignedUrlOption, SourceLanguageMode, SpeechFile }
  export type { StartedVoiceJob, VoiceFormality, VoiceJob, VoiceJobId, VoiceJobRef, VoiceJobStatus, VoiceResult }
  export type { VoiceResultState, VoiceSession, VoiceTarget }
}
