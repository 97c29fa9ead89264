/**
 * Translation memories: earlier translations, reused in new translations. Jobs at the service import and export TMX files.
 *
 * **Details**
 *
 * Files are transferred through signed URLs, without the API key. An `http:` URL is accepted only if the base URL is `http:`.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CallRecord, Wait } from "../call/internal/callRecord.ts"
import * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import { linked, numbered } from "../call/internal/pages.ts"
import { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import type { JobId, TranslationMemoryId } from "../contract/Ids.ts"
import { defined } from "../contract/internal/values.ts"
import type * as CallError from "../errors/CallError.ts"
import { checkInteger, checkLength, checkText, countCharacters, invalid } from "../errors/internal/checks.ts"
import { expectUsableId } from "../errors/internal/unexpected.ts"
import type { JobFailed } from "../errors/ServiceError.ts"
import * as JobFile from "../jobs/internal/jobFile.ts"
import * as Jobs from "../jobs/internal/polling.ts"
import * as SignedFile from "../jobs/internal/signedFile.ts"
import type { SignedUrl } from "../jobs/SignedUrl.ts"
import {
  type Job,
  type JobOperation,
  type JobState,
  type Segment,
  type SegmentPage,
  type SegmentTarget,
  type StartedExport,
  type StartedImport,
  TranslationMemoriesApi,
  type TranslationMemory,
  type TranslationMemoryPage
} from "./internal/translationMemoriesApi.ts"

export { Job, JobOperation, JobState, Segment, SegmentPage, SegmentTarget } from "./internal/translationMemoriesApi.ts"
export { StartedExport, StartedImport, TranslationMemory } from "./internal/translationMemoriesApi.ts"
export { TranslationMemoryPage } from "./internal/translationMemoriesApi.ts"

/**
 * A memory's id, or a whole `TranslationMemory`.
 *
 * @category options
 * @since 0.1.0
 */
export interface MemoryRef {
  readonly translationMemoryId: TranslationMemoryId
}

/**
 * The id of an import or export.
 *
 * @category options
 * @since 0.1.0
 */
export interface JobRef {
  readonly jobId: JobId
}

/**
 * The state of an import or export.
 *
 * @category models
 * @since 0.1.0
 */
export interface JobStatus extends Omit<Job, "jobId">, JobRef {}

/**
 * @category options
 * @since 0.1.0
 */
export interface PageOptions {
  /** The page, from 0. Default 0. */
  readonly page?: number | undefined
  /** 1 to 25 memories. Default 10. */
  readonly pageSize?: number | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface SegmentsOptions extends MemoryRef {
  /** Default 50. */
  readonly pageSize?: number | undefined
  /** Text to find in the source or a target: 2 characters or more. */
  readonly filterText?: string | undefined
  /** Default false. */
  readonly filterCaseSensitive?: boolean | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface SegmentPageOptions extends SegmentsOptions {
  /** The `nextPageCursor` of the previous page. Default: the first page. */
  readonly pageCursor?: string | undefined
}

/**
 * The file of an import, and the name of the memory.
 *
 * @category options
 * @since 0.1.0
 */
export interface StartImportOptions {
  /** Without a folder, at most 100 characters. */
  readonly fileName: string
  /** In bytes. */
  readonly size: number
  /** Default `application/xml`. */
  readonly contentType?: string | undefined
  /** The name of the memory. Default: the service's choice. */
  readonly displayName?: string | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface TmxFile {
  /**
   * At most 1 GB. A stream runs once for the checks and once per attempt. A `ReadableStream` is neither checked nor retried. Some browsers cannot
   * send streams.
   */
  readonly content: Uint8Array | Blob | ReadableStream<Uint8Array> | Stream.Stream<Uint8Array, unknown>
  /** In bytes, required for a stream. */
  readonly size?: number | undefined
  /** Default `application/xml`. */
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
 * @category options
 * @since 0.1.0
 */
export interface ImportOptions extends TmxFile, Omit<StartImportOptions, "size"> {}

/**
 * An imported memory. `skippedSegmentCount` is the number of segments that the service left out.
 *
 * @category models
 * @since 0.1.0
 */
export interface ImportedMemory extends MemoryRef, JobRef {
  readonly skippedSegmentCount: number
}

type ListError = Operations.Errors<typeof TranslationMemoriesApi, "listPage">["call"]

type GetError = Operations.Errors<typeof TranslationMemoriesApi, "get">["call"]

type StartImportError = Operations.Errors<
  typeof TranslationMemoriesApi,
  "startImport",
  CallError.LimitExceeded
>["create"]

type StartExportError = Operations.Errors<typeof TranslationMemoriesApi, "startExport">["call"]

type UploadError =
  | CallError.DeadlineExceeded
  | CallError.InvalidInput
  | CallError.SourceFailed
  | CallError.TransferFailed

type WaitError = Operations.Union<GetError | JobFailed | CallError.JobNotDone>["members"]

type DownloadError = Operations.Union<WaitError | CallError.TransferFailed>["members"]

type ImportError = Operations.Union<
  StartImportError | CallError.SourceFailed | CallError.TransferFailed | WaitError
>["members"]

type ExportError = Operations.Union<StartExportError | WaitError>["members"]

/**
 * A completed export and its bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Export extends MemoryRef, JobRef {
  readonly stream: Stream.Stream<Uint8Array, DownloadError>
}

const defaultContentType = "application/xml"

const isDone = (state: string): boolean => state === "completed" || state === "downloaded"

const isFailed = (state: string): boolean => state === "failed" || state === "expired"

/** Number of bytes at a file's start that are searched for the `<tmx>` element. */
const headBytes = 1024 * 1024

/** Fails if a file has no `<tmx>` element at its start. The service checks the rest. A stream that can be read only once is not read. */
const checkTmx = (content: JobFile.Content): Effect.Effect<void, CallError.InvalidInput> =>
  Effect.suspend(() => {
    if (content instanceof ReadableStream || JobFile.single.has(content)) return Effect.void
    // In UTF-16 each character of `<tmx` has a zero byte, which is removed.
    const decoder = new TextDecoder("latin1")
    let bytes = 0
    const head = content instanceof Uint8Array ? Stream.make(content.subarray(0, headBytes)) : JobFile.streamOf(content)
    return head.pipe(
      // Untyped callers may stream other values.
      Stream.filter((chunk) => chunk instanceof Uint8Array),
      Stream.takeUntil((chunk) => (bytes += chunk.length) >= headBytes),
      Stream.map((chunk) => decoder.decode(chunk).replaceAll("\0", "")),
      Stream.mkString,
      Effect.map((text) => /<(?:\w+:)?tmx[\s/>]/.test(text)),
      // A stream's failure is reported when the file is sent.
      Effect.orElseSucceed(() => true),
      Effect.flatMap((isTmx) => isTmx ? Effect.void : invalid("content", "no <tmx> element at its start", "a TMX file"))
    )
  })

const make = Effect.gen(function*() {
  const api = yield* Operations.make(TranslationMemoriesApi)
  const { composed } = yield* Operations.runs
  const signedFiles = yield* SignedFile.make
  const { limits } = yield* LanguageServiceConfig
  const jobs = yield* Jobs.make("TranslationMemories")

  const page = Effect.fnUntraced(function*(options: PageOptions) {
    const { page = 0, pageSize = 10 } = options
    yield* checkInteger("page", page, 0)
    yield* checkInteger("pageSize", pageSize, 1, limits.pageSize)
    return { query: defined(options) }
  })

  const listPage = (options: PageOptions = {}): Effect.Effect<TranslationMemoryPage, ListError> =>
    api.listPage(page(options))

  const segmentPage = Effect.fnUntraced(function*({ translationMemoryId, ...query }: SegmentPageOptions) {
    const { filterText, pageSize } = query
    if (pageSize !== undefined) yield* checkInteger("pageSize", pageSize, 1)
    if (filterText !== undefined) {
      yield* checkText("filterText", filterText)
      if (countCharacters(filterText) < 2) {
        return yield* invalid("filterText", `${countCharacters(filterText)} characters`, "2 characters or more")
      }
    }
    return { params: { translationMemoryId }, query: defined(query) }
  })

  const statusOf = (jobId: JobId) => (record: CallRecord, wait?: Wait) =>
    // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
    Effect.map(api.status.request(record, { params: { jobId }, wait }), (job) => ({ ...job, jobId }))

  const status = ({ jobId }: JobRef): Effect.Effect<JobStatus, GetError> => api.status.run(statusOf(jobId))

  const wait = ({ jobId }: JobRef): Effect.Effect<JobStatus, WaitError> =>
    jobs.wait(
      jobId,
      Effect.fnUntraced(function*(record, wait) {
        const job = yield* statusOf(jobId)(record, wait)
        const { errorMessage: description = "", state } = job
        if (isFailed(state)) {
          return yield* Jobs.failed(record, { operation: "TranslationMemories.wait", jobId, state, description })
        }
        return { state, result: isDone(state) ? job : undefined }
      })
    )

  const checkImport = Effect.fnUntraced(function*(options: StartImportOptions) {
    const { contentType = defaultContentType, displayName, fileName, size } = options
    yield* JobFile.checkFileName(fileName)
    yield* checkLength("fileName", fileName, limits.importFileNameCharacters)
    yield* JobFile.checkContentType(contentType)
    yield* checkLength("contentType", contentType, limits.importContentTypeCharacters)
    if (displayName !== undefined) yield* checkText("displayName", displayName)
    yield* JobFile.checkBytes(size, limits.importBytes)
  })

  const startImport = (options: StartImportOptions): Effect.Effect<StartedImport, StartImportError> => {
    const { contentType, displayName, fileName, size: contentLength } = options
    const payload = defined({
      sourceFile: defined({ fileName, contentType, contentLength }),
      parameters: displayName === undefined ? undefined : { displayName }
    })
    return api.startImport.create({ fileName }, (record) =>
      checkImport(options).pipe(
        Effect.andThen(api.startImport.request(record, { payload })),
        Effect.tap(({ jobId }) => expectUsableId("job", jobId))
      ))
  }

  const startExport = ({ translationMemoryId }: MemoryRef): Effect.Effect<StartedExport, StartExportError> =>
    api.startExport.run((record) =>
      Effect.tap(
        api.startExport.request(record, { params: { translationMemoryId } }),
        ({ jobId }) => expectUsableId("job", jobId)
      )
    )

  const send = Effect.fnUntraced(function*({ content, contentType = defaultContentType, job, size }: UploadOptions) {
    const file = yield* JobFile.make(content, size)
    const address = { url: job.uploadUrl }
    const policy = yield* jobs.policy
    yield* signedFiles.send(
      { operation: "TranslationMemories.upload", jobId: job.jobId, policy, address },
      file,
      contentType
    )
  })

  const upload = (options: UploadOptions): Effect.Effect<void, UploadError> =>
    composed("TranslationMemories.upload", send(options))

  const runImport = Effect.fnUntraced(function*(options: ImportOptions) {
    const { contentType = defaultContentType, displayName, fileName } = options
    const { content, size } = yield* JobFile.make(options.content, options.size)
    const file: StartImportOptions = { fileName, size, contentType, displayName }
    yield* checkImport(file)
    yield* checkTmx(content)
    const job = yield* startImport(file)
    const { jobId } = job
    const isReceived = Effect.map(status({ jobId }), ({ state }) => state !== "awaiting_input" && state !== "expired")
    const continued = upload({ job, content, size, contentType }).pipe(
      JobFile.unlessThere(isReceived),
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
    if (!isDone(state) && !isFailed(state)) return yield* Jobs.notDone(jobId, state)
    const description = errorMessage ?? "The job has no download URL"
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

  const runExport = Effect.fnUntraced(function*({ translationMemoryId }: MemoryRef) {
    const { jobId } = yield* startExport({ translationMemoryId })
    const { downloadUrl } = yield* Jobs.started(jobId, wait({ jobId }))
    const done: Export = { jobId, translationMemoryId, stream: download({ jobId }, downloadUrl) }
    return done
  })

  const list: Stream.Stream<TranslationMemory, ListError> = numbered(
    limits.pageSize,
    (options) =>
      Effect.map(
        listPage(options),
        ({ totalCount, translationMemories }) => [translationMemories, totalCount] as const
      ),
    ({ translationMemoryId }) => translationMemoryId
  )

  return yield* withKnownOptions(TranslationMemoriesApi, {
    /** Streams all memories, each once. Concurrent creations and deletions may hide memories. Fails like `listPage`. */
    list,
    /** Gets a page of memories (`GET /v3/translation_memories`), empty beyond the end. Fails with `InvalidInput` for an invalid page or size. */
    listPage,
    /** Gets a memory (`GET /v3/translation_memories/{translation_memory_id}`). Fails with `NotFound`, and with `InvalidInput` for an invalid id. */
    get: ({ translationMemoryId }: MemoryRef): Effect.Effect<TranslationMemory, GetError> =>
      api.get({ params: { translationMemoryId } }),
    /**
     * Deletes a memory (`DELETE /v3/translation_memories/{translation_memory_id}`). Fails like `get`; a retry after the deletion succeeds.
     */
    remove: ({ translationMemoryId }: MemoryRef): Effect.Effect<void, GetError> =>
      api.remove({ params: { translationMemoryId } }),
    /** Streams the segments of a memory. Fails like `listSegmentsPage`, and with `UnexpectedResponse` for a repeated cursor. */
    listSegments: (options: SegmentsOptions): Stream.Stream<Segment, GetError> =>
      linked(
        (record, pageCursor: string | undefined) =>
          segmentPage({ ...options, pageCursor }).pipe(
            Effect.flatMap((page) => api.listSegmentsPage.request(record, page)),
            Effect.map(({ nextPageCursor, segments }) => [segments, nextPageCursor || undefined] as const)
          ),
        api.listSegmentsPage.run
      ),
    /**
     * Gets a page of segments (`GET /v3/translation_memories/{translation_memory_id}/segments`). Fails like `get`, and with `InvalidInput` for a
     * filter of less than 2 characters.
     */
    listSegmentsPage: (options: SegmentPageOptions): Effect.Effect<SegmentPage, GetError> =>
      api.listSegmentsPage(segmentPage(options)),
    /**
     * Starts an import that waits for `upload` (`POST /v3/translation_memories/import`). `importTmx` runs all steps.
     *
     * Fails before the request with `InvalidInput` or `LimitExceeded` for an invalid name, type or size. Fails with `OutcomeUnknown` if the response
     * is lost; a repeat is safe, because a job without a file creates no memory.
     */
    startImport,
    /**
     * Starts an export, or returns a recent export (`POST /v3/translation_memories/{translation_memory_id}/export`). `exportTmx` runs all steps. Fails
     * with `NotFound`, and with `ExportRunning` if another export of the memory does not end before the deadline.
     */
    startExport,
    /**
     * Sends the file of a started import, unchecked. Fails with `TransferFailed`, and with `SourceFailed` if the file's stream fails.
     */
    upload,
    /** Gets the state of an import or export (`GET /v3/translation_memories/jobs/{job_id}`). Fails like `get`. */
    status,
    /**
     * Waits until an import or export is done. Fails like `status`; with `JobFailed` if the job failed or its file did not arrive in time; with
     * `JobNotDone` after the policy's `jobDeadline`: call `wait` again.
     */
    wait,
    /**
     * Streams the TMX file of a completed export. Fails like `status`; with `JobNotDone` for an unfinished export; with `JobFailed` if the export
     * failed or its file is gone; with `TransferFailed` if the download fails or ends early.
     */
    download: (ref: JobRef): Stream.Stream<Uint8Array, DownloadError> => download(ref),
    /**
     * Imports a TMX file as a new memory: starts the job, sends the file, and waits. Fails before the request with `InvalidInput` for a file
     * without a `<tmx>` element at its start; otherwise like `startImport`, `upload` and `wait`. Each error after the start has the id in `job`.
     */
    importTmx: (options: ImportOptions): Effect.Effect<ImportedMemory, ImportError> =>
      composed("TranslationMemories.importTmx", runImport(options)),
    /**
     * Exports a memory: starts the job, waits, and returns a repeatable stream of the file. Fails like `startExport` and `wait`.
     */
    exportTmx: (ref: MemoryRef): Effect.Effect<Export, ExportError> =>
      composed("TranslationMemories.exportTmx", runExport(ref))
  }, {
    listSegments: { translationMemoryId: true, pageSize: true, filterText: true, filterCaseSensitive: true },
    startImport: { fileName: true, displayName: true, contentType: true, size: true },
    upload: { job: true, content: true, contentType: true, size: true },
    wait: { jobId: true },
    download: { jobId: true },
    importTmx: { fileName: true, displayName: true, content: true, contentType: true, size: true },
    exportTmx: { translationMemoryId: true }
  })
})

/**
 * Imports and exports translation memories.
 *
 * @category services
 * @since 0.1.0
 */
export class TranslationMemories extends Operations.service<TranslationMemories>()(
  "@effect-lingua/core/translation-memories/TranslationMemories",
  make
) {}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace TranslationMemories {
  export type { ImportOptions, PageOptions, SegmentPageOptions, SegmentsOptions, StartImportOptions, UploadOptions }
  export type { DownloadError, ExportError, GetError, ImportError, ListError, StartExportError, StartImportError }
  export type { UploadError, WaitError }
  export type { Export, ImportedMemory, Job, JobOperation, JobRef, JobState, JobStatus, MemoryRef, Segment }
  export type { SegmentPage, SegmentTarget, StartedExport, StartedImport, TmxFile, TranslationMemory }
  export type { TranslationMemoryPage }
}
