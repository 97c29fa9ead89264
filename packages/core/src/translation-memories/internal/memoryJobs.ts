/** Imports and exports of translation memories: jobs of the service. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CallRecord, Wait } from "../../call/internal/callRecord.ts"
import { runs } from "../../call/internal/operation.ts"
import * as Operations from "../../call/internal/operation.ts"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type { JobId, TranslationMemoryId } from "../../contract/Ids.ts"
import { defined } from "../../contract/internal/values.ts"
import type {
  DeadlineExceeded,
  InvalidInput,
  JobNotDone,
  LimitExceeded,
  SourceFailed,
  TransferFailed
} from "../../errors/CallError.ts"
import { checkLength, checkText } from "../../errors/internal/checks.ts"
import { expectUsableId } from "../../errors/internal/unexpected.ts"
import type { JobFailed } from "../../errors/ServiceError.ts"
import * as JobFile from "../../jobs/internal/jobFile.ts"
import * as Jobs from "../../jobs/internal/polling.ts"
import * as SignedFile from "../../jobs/internal/signedFile.ts"
import * as Uploading from "../../jobs/internal/uploading.ts"
import type { SignedUrl } from "../../jobs/SignedUrl.ts"
import { checkTmx } from "./tmx.ts"
import { type Job, type StartedExport, type StartedImport, TranslationMemoriesApi } from "./translationMemoriesApi.ts"

/**
 * A translation memory by its id.
 *
 * @category options
 * @since 0.1.0
 */
export interface MemoryRef {
  readonly translationMemoryId: TranslationMemoryId
}

/**
 * An import or export by the id of its job.
 *
 * @category options
 * @since 0.1.0
 */
export interface JobRef {
  readonly jobId: JobId
}

/**
 * An import or export with its id.
 *
 * @category models
 * @since 0.1.0
 */
export interface JobStatus extends Omit<Job, "jobId">, JobRef {}

/**
 * The file of an import, and the name of the memory.
 *
 * @category options
 * @since 0.1.0
 */
export interface StartImportOptions {
  /** The name of the file without a folder, at most 100 characters. */
  readonly fileName: string
  /** The length of the file in bytes. */
  readonly size: number
  /** The media type of the file. Default `application/xml`. */
  readonly contentType?: string | undefined
  /** The name of the memory. By default the service chooses one, such as that of the file. */
  readonly displayName?: string | undefined
}

/**
 * A TMX file.
 *
 * @category options
 * @since 0.1.0
 */
export interface TmxFile {
  /**
   * At most 1 GB. A stream is run once for its checks, and again for each attempt to send it. A `ReadableStream` is read once, without
   * the checks of `importTmx`, and then not sent again. A `Blob` and a stream are read while they are sent, which not all browsers
   * support: pass bytes there.
   */
  readonly content: Uint8Array | Blob | ReadableStream<Uint8Array> | Stream.Stream<Uint8Array, unknown>
  /** The length of a stream in bytes, which the service requires. */
  readonly size?: number | undefined
  /** The media type of the file. Default `application/xml`. */
  readonly contentType?: string | undefined
}

/**
 * The file of a started import.
 *
 * @category options
 * @since 0.1.0
 */
export interface UploadOptions extends TmxFile {
  /** The result of `startImport`. */
  readonly job: StartedImport
}

/**
 * The file to import.
 *
 * @category options
 * @since 0.1.0
 */
export interface ImportOptions extends TmxFile, Omit<StartImportOptions, "size"> {}

/**
 * An imported memory. `skippedSegmentCount` counts the segments that the service did not import.
 *
 * @category models
 * @since 0.1.0
 */
export interface ImportedMemory extends MemoryRef, JobRef {
  readonly skippedSegmentCount: number
}

type StatusError = Operations.Errors<typeof TranslationMemoriesApi, "status">["call"]

type StartImportError = Operations.Errors<typeof TranslationMemoriesApi, "startImport", LimitExceeded>["create"]

type StartExportError = Operations.Errors<typeof TranslationMemoriesApi, "startExport">["call"]

type UploadError = DeadlineExceeded | InvalidInput | SourceFailed | TransferFailed

type WaitError = Operations.Union<StatusError | JobFailed | JobNotDone>["members"]

type DownloadError = Operations.Union<WaitError | TransferFailed>["members"]

type ImportError = Operations.Union<StartImportError | SourceFailed | TransferFailed | WaitError>["members"]

type ExportError = Operations.Union<StartExportError | WaitError>["members"]

/**
 * A completed export: the ids of its job and memory, and its bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Export extends MemoryRef, JobRef {
  readonly stream: Stream.Stream<Uint8Array, DownloadError>
}

/** The media type of TMX files. */
const defaultContentType = "application/xml"

export const make = Effect.gen(function*() {
  const api = yield* Operations.make(TranslationMemoriesApi)
  const { composed } = yield* runs
  const signedFiles = yield* SignedFile.make
  const { limits } = yield* LanguageServiceConfig
  const jobs = yield* Jobs.make("TranslationMemories")

  const ask = (jobId: JobId) => (record: CallRecord, wait?: Wait) =>
    // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
    Effect.map(api.status.request(record, { params: { jobId }, wait }), (job) => ({ ...job, jobId }))

  const status = ({ jobId }: JobRef): Effect.Effect<JobStatus, StatusError> => api.status.run(ask(jobId))

  const wait = ({ jobId }: JobRef): Effect.Effect<JobStatus, WaitError> =>
    jobs.wait(jobId, {
      ask: ask(jobId),
      stateOf: ({ state }) => state,
      end: (job, record) => {
        switch (job.state) {
          case "completed":
          case "downloaded":
            return Effect.succeed(job)
          case "failed":
          case "expired":
            return Jobs.failed(record, {
              operation: "TranslationMemories.wait",
              jobId,
              state: job.state,
              description: job.errorMessage ?? ""
            })
          default:
            return undefined
        }
      }
    })

  const checkImport = Effect.fnUntraced(function*(options: StartImportOptions) {
    const { contentType = defaultContentType, displayName, fileName, size } = options
    yield* Uploading.checkFileName(fileName)
    yield* checkLength("fileName", fileName, limits.importFileNameCharacters)
    yield* JobFile.checkContentType(contentType)
    yield* checkLength("contentType", contentType, limits.importContentTypeCharacters)
    if (displayName !== undefined) yield* checkText("displayName", displayName)
    yield* JobFile.checkBytes(size, limits.importBytes)
  })

  const startedImport = Effect.fnUntraced(function*(record: CallRecord, options: StartImportOptions) {
    yield* checkImport(options)
    const { contentType, displayName, fileName, size: contentLength } = options
    const started: StartedImport = yield* api.startImport.request(record, {
      payload: defined({
        sourceFile: defined({ fileName, contentType, contentLength }),
        parameters: displayName === undefined ? undefined : { displayName }
      })
    })
    yield* expectUsableId("job", started.jobId)
    return started
  })

  const startImport = (options: StartImportOptions): Effect.Effect<StartedImport, StartImportError> =>
    api.startImport.create({ fileName: options.fileName }, (record) => startedImport(record, options))

  const startExport = ({ translationMemoryId }: MemoryRef): Effect.Effect<StartedExport, StartExportError> =>
    api.startExport.run((record) =>
      Effect.tap(
        api.startExport.request(record, { params: { translationMemoryId } }),
        ({ jobId }) => expectUsableId("job", jobId)
      )
    )

  const sent = Effect.fnUntraced(function*({ contentType = defaultContentType, job, ...given }: UploadOptions) {
    const file = yield* JobFile.make(given.content, given.size)
    const transfer = { operation: "TranslationMemories.upload", jobId: job.jobId, policy: yield* jobs.policy }
    yield* JobFile.send(signedFiles, { ...transfer, address: { url: job.uploadUrl } }, file, contentType)
  })

  const upload = (options: UploadOptions): Effect.Effect<void, UploadError> =>
    composed("TranslationMemories.upload", sent(options))

  const imported = Effect.fnUntraced(function*(options: ImportOptions) {
    const { contentType = defaultContentType, displayName, fileName } = options
    const { content, size } = yield* JobFile.make(options.content, options.size)
    const file: StartImportOptions = { fileName, size, contentType, displayName }
    yield* checkImport(file)
    yield* checkTmx(content)
    const job = yield* startImport(file)
    const { jobId } = job
    const isThere = Effect.map(status({ jobId }), ({ state }) => state !== "awaiting_input" && state !== "expired")
    const continued = upload({ job, content, size, contentType }).pipe(
      JobFile.unlessThere(isThere),
      Effect.andThen(wait({ jobId })),
      Effect.flatMap(({ skippedSegmentCount = 0, state, translationMemoryId }) => {
        if (translationMemoryId === undefined) {
          const description = "The job has no id of the new translation memory"
          return Jobs.failed(undefined, { operation: "TranslationMemories.wait", jobId, state, description })
        }
        const memory: ImportedMemory = { translationMemoryId, skippedSegmentCount, jobId }
        return Effect.succeed(memory)
      })
    )
    return yield* Jobs.started(jobId, continued)
  })

  const address = Effect.fnUntraced(function*({ jobId }: JobRef) {
    const { downloadUrl, errorMessage, state } = yield* status({ jobId })
    if (downloadUrl !== undefined) return { url: downloadUrl }
    if (state !== "completed" && state !== "downloaded" && state !== "failed" && state !== "expired") {
      return yield* Jobs.notDone(jobId, state)
    }
    const description = errorMessage ?? "The job has no address of its file"
    return yield* Jobs.failed(undefined, { operation: "TranslationMemories.download", jobId, state, description })
  })

  const download = ({ jobId }: JobRef, first?: SignedUrl): Stream.Stream<Uint8Array, DownloadError> =>
    Stream.unwrap(Effect.map(jobs.policy, (policy) =>
      signedFiles.download({
        operation: "TranslationMemories.download",
        jobId,
        policy,
        address: (number) => number === 1 && first !== undefined ? Effect.succeed({ url: first }) : address({ jobId })
      })))

  const exported = Effect.fnUntraced(function*({ translationMemoryId }: MemoryRef) {
    const { jobId } = yield* startExport({ translationMemoryId })
    const { downloadUrl } = yield* Jobs.started(jobId, wait({ jobId }))
    const done: Export = { jobId, translationMemoryId, stream: download({ jobId }, downloadUrl) }
    return done
  })

  return {
    api,
    status,
    wait,
    startImport,
    startExport,
    upload,
    download: (ref: JobRef) => download(ref),
    importTmx: (options: ImportOptions): Effect.Effect<ImportedMemory, ImportError> =>
      composed("TranslationMemories.importTmx", imported(options)),
    exportTmx: (ref: MemoryRef): Effect.Effect<Export, ExportError> =>
      composed("TranslationMemories.exportTmx", exported(ref))
  }
})
