/**
 * Translation memories: earlier translations, reused in new ones. They are imported from TMX files and exported to them; their
 * contents cannot be edited.
 *
 * **Details**
 *
 * Imports and exports are jobs of the service. `importTmx` and `exportTmx` start one, transfer the file, and wait. They count
 * no characters.
 *
 * The file is transferred to and from an address that the service has signed. The key is not sent there. An address must be
 * `https:`; `http:` is allowed like for the base address.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import * as OpenStreams from "../call/internal/openStreams.ts"
import type * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import { linked, numbered } from "../call/internal/pages.ts"
import { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import { defined } from "../contract/internal/values.ts"
import { checkInteger, checkText, countCharacters, invalid } from "../errors/internal/checks.ts"
import * as Jobs from "./internal/memoryJobs.ts"
import type { MemoryRef } from "./internal/memoryJobs.ts"
import {
  type Segment,
  type SegmentPage,
  TranslationMemoriesApi,
  type TranslationMemory,
  type TranslationMemoryPage
} from "./internal/translationMemoriesApi.ts"

export type {
  Export,
  ImportedMemory,
  ImportOptions,
  JobRef,
  JobStatus,
  MemoryRef,
  StartImportOptions,
  TmxFile,
  UploadOptions
} from "./internal/memoryJobs.ts"
export {
  Job,
  JobOperation,
  JobState,
  Segment,
  SegmentPage,
  SegmentTarget,
  StartedExport,
  StartedImport,
  TranslationMemory,
  TranslationMemoryPage
} from "./internal/translationMemoriesApi.ts"

/**
 * A page of memories.
 *
 * @category options
 * @since 0.1.0
 */
export interface PageOptions {
  /** Counts from 0, the default. */
  readonly page?: number | undefined
  /** 1 to 25 memories, 10 by default. */
  readonly pageSize?: number | undefined
}

/**
 * Segments of a memory.
 *
 * @category options
 * @since 0.1.0
 */
export interface SegmentsOptions extends MemoryRef {
  /** Segments of a page, 50 by default. */
  readonly pageSize?: number | undefined
  /** Only segments with this text in their source or a target: 2 characters or more. */
  readonly filterText?: string | undefined
  /** Makes the filter case-sensitive. Default false. */
  readonly filterCaseSensitive?: boolean | undefined
}

/**
 * A page of segments.
 *
 * @category options
 * @since 0.1.0
 */
export interface SegmentPageOptions extends SegmentsOptions {
  /** The `nextPageCursor` of the previous page of the same filter. Default: the first page. */
  readonly pageCursor?: string | undefined
}

type ListError = Operations.Errors<typeof TranslationMemoriesApi, "listPage">["call"]

type GetError = Operations.Errors<typeof TranslationMemoriesApi, "get">["call"]

const make = Effect.gen(function*() {
  const jobs = yield* Jobs.make
  const { api } = jobs
  const { limits } = yield* LanguageServiceConfig

  const page = Effect.fnUntraced(function*(options: PageOptions) {
    const { page = 0, pageSize = 10 } = options
    yield* checkInteger("page", page, 0)
    yield* checkInteger("pageSize", pageSize, 1, limits.pageSize)
    return { query: defined(options) }
  })

  const listPage = (options: PageOptions = {}): Effect.Effect<TranslationMemoryPage, ListError> =>
    api.listPage(page(options))

  const list = (): Stream.Stream<TranslationMemory, ListError> =>
    numbered(
      limits.pageSize,
      (options) =>
        Effect.map(
          listPage(options),
          ({ totalCount, translationMemories }) => [translationMemories, totalCount] as const
        ),
      ({ translationMemoryId }) => translationMemoryId
    )

  const segmentPage = Effect.fnUntraced(function*({ translationMemoryId, ...query }: SegmentPageOptions) {
    const { filterText, pageSize } = query
    if (pageSize !== undefined) yield* checkInteger("pageSize", pageSize, 1)
    if (filterText !== undefined) {
      yield* checkText("filterText", filterText)
      if (countCharacters(filterText) < 2) {
        return yield* invalid("filterText", `${countCharacters(filterText)} characters`, "2 characters or more")
      }
    }
    return {
      params: { translationMemoryId },
      query: defined(query)
    }
  })

  const listSegmentsPage = (options: SegmentPageOptions): Effect.Effect<SegmentPage, GetError> =>
    api.listSegmentsPage(segmentPage(options))

  const listSegments = (options: SegmentsOptions): Stream.Stream<Segment, GetError> =>
    linked(
      (record, pageCursor: string | undefined) =>
        segmentPage({ ...options, pageCursor }).pipe(
          Effect.flatMap((page) => api.listSegmentsPage.request(record, page)),
          Effect.map(({ nextPageCursor, segments }) => [segments, nextPageCursor || undefined] as const)
        ),
      api.listSegmentsPage.run
    )

  return yield* withKnownOptions(TranslationMemoriesApi, {
    /**
     * Streams all memories, page by page, each once.
     *
     * **Details**
     *
     * Ends after the number of memories that the service reports, or, without that number, with the first incomplete page. A
     * memory that is created or deleted meanwhile may be missed. Fails like `listPage`.
     */
    list,
    /**
     * Gets one page of memories, and their number. A page beyond the end is empty.
     *
     * **Details**
     *
     * `GET /v3/translation_memories`. Fails with `InvalidInput` for a page below 0 or a page size outside 1 to 25, before anything is
     * sent.
     */
    listPage,
    /**
     * Gets one memory.
     *
     * **Details**
     *
     * `GET /v3/translation_memories/{translation_memory_id}`. Fails with `NotFound` for an unknown id and `InvalidInput` for one that
     * cannot be a path segment.
     */
    get: ({ translationMemoryId }: MemoryRef): Effect.Effect<TranslationMemory, GetError> =>
      api.get({ params: { translationMemoryId } }),
    /**
     * Deletes a memory; it cannot be undone. Translations that refer to it then fail with `NotFound`.
     *
     * **Details**
     *
     * `DELETE /v3/translation_memories/{translation_memory_id}`. A retry that finds nothing counts as success; a first attempt that
     * finds nothing fails with `NotFound`.
     */
    remove: ({ translationMemoryId }: MemoryRef): Effect.Effect<void, GetError> =>
      api.remove({ params: { translationMemoryId } }),
    /**
     * Streams the segments of a memory, or those with a text, page by page. Fails like `listSegmentsPage`, and with
     * `UnexpectedResponse` if a page refers to an earlier one as the next.
     */
    listSegments,
    /**
     * Gets one page of the segments of a memory.
     *
     * **Details**
     *
     * `GET /v3/translation_memories/{translation_memory_id}/segments`. Fails with `NotFound` for an unknown id; with
     * `InvalidInput` for a filter of less than 2 characters or a page size below 1, before anything is sent.
     */
    listSegmentsPage,
    /**
     * Starts an import and returns the address for its file, which `upload` sends. `importTmx` runs all steps.
     *
     * **Details**
     *
     * `POST /v3/translation_memories/import`. Each run starts another job, so a call of unknown outcome fails with
     * `OutcomeUnknown`; it is harmless, as a job without a file creates no memory. Fails with `InvalidInput` or `LimitExceeded`
     * for a name, type or length that the service does not accept, before anything is sent.
     */
    startImport: jobs.startImport,
    /**
     * Starts an export, or returns a recent one. `exportTmx` runs all steps.
     *
     * **Details**
     *
     * `POST /v3/translation_memories/{translation_memory_id}/export`. While another export of the memory is running the client
     * waits and retries; at the deadline of the call it fails with `ExportRunning`. Fails with `NotFound` for an unknown id.
     */
    startExport: jobs.startExport,
    /**
     * Sends the file of a started import, without checking that it is TMX.
     *
     * **Details**
     *
     * It goes to the signed address; the key is never sent there. Fails with `TransferFailed` if the file cannot be sent, after
     * repeats as the policy says; with `SourceFailed` when its stream fails.
     */
    upload: jobs.upload,
    /**
     * Gets the state of an import or export.
     *
     * **Details**
     *
     * `GET /v3/translation_memories/jobs/{job_id}`. Fails with `NotFound` for an unknown id and `InvalidInput` for one that
     * cannot be a path segment.
     */
    status: jobs.status,
    /**
     * Waits until an import or export is done.
     *
     * **Details**
     *
     * Asks at once, and then with the policy's waits for polls, until the policy's `jobDeadline`, 30 minutes by default.
     * An unknown state does not end the wait.
     *
     * Fails with `JobFailed` if the job has failed or its file did not arrive in time; with `JobNotDone` when the deadline
     * passes first: the job continues at the service; with `NotFound` for an unknown id.
     */
    wait: jobs.wait,
    /**
     * Streams the TMX file of a completed export.
     *
     * **Details**
     *
     * Nothing is requested before the stream runs. Each attempt requests the job again, as addresses expire. Fails with
     * `JobNotDone` for an unfinished export, with `JobFailed` for one that failed or whose file is gone, with `TransferFailed`
     * if the download fails or ends early; otherwise like `status`.
     */
    download: jobs.download,
    /**
     * Imports a TMX file as a new memory: starts the job, sends the file, and waits.
     *
     * **Details**
     *
     * The file is checked before anything is sent: `InvalidInput` has the line of the first invalid tag. The contents are left
     * to the service. Fails with `LimitExceeded` for a file over 1 GB or a name over 100 characters; otherwise like
     * `startImport`, `upload` and `wait`. Each error after the start has the id of the job in `job`, with which `wait`
     * continues once the file was sent.
     */
    importTmx: jobs.importTmx,
    /**
     * Exports a memory as a TMX file: starts the job, or uses a recent one, waits, and returns the stream of `download`, which
     * can be run repeatedly while the service has the file. Fails like `startExport` and `wait`.
     */
    exportTmx: jobs.exportTmx
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
 * The service of translation memories.
 *
 * @category services
 * @since 0.1.0
 */
export class TranslationMemories extends Context.Service<TranslationMemories, Effect.Success<typeof make>>()(
  "@effect-lingua/core/translation-memories/TranslationMemories"
) {}

/**
 * The service over the contract client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.provide(Layer.effect(TranslationMemories, make), OpenStreams.layer)
