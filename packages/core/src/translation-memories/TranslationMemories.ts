/**
 * Translation memories: what was translated before, to be used again in translations. They come from TMX files and go to
 * such; their contents cannot be edited.
 *
 * **Details**
 *
 * Imports and exports are jobs of the service. `importTmx` and `exportTmx` do all that belongs to one: they start it, move
 * the file, and wait. The journal has each until it has come to its end, so that `resumeImport` and `resumeExport` go on
 * with it after a failure or a crash. They take no characters.
 *
 * The file goes to and comes from an address that the service signs beforehand. The key is not sent there. An address has to
 * be `https:`, or `http:` as the base address may be.
 *
 * @since 0.2.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { InvalidInput } from "../client/CallError.ts"
import type { JobId, TranslationMemoryId } from "../client/Ids.ts"
import { call, expectId, misfit } from "../client/internal/call.ts"
import { checkId, checkInteger, checkText, countCharacters } from "../client/internal/checks.ts"
import { defined } from "../client/internal/optional.ts"
import { LanguageServiceConfig } from "../client/LanguageServiceConfig.ts"
import type * as DocumentJournal from "../documents/Journal.ts"
import * as Lifetime from "../resilience/internal/lifetime.ts"
import * as OpenStreams from "../resilience/internal/openStreams.ts"

import * as Jobs from "./internal/memoryJobs.ts"
import type { NewImport } from "./TranslationMemoriesApi.ts"

/**
 * Names one translation memory.
 *
 * @category options
 * @since 0.2.0
 */
export interface MemoryRef {
  readonly translationMemoryId: TranslationMemoryId
}

/**
 * Names one import or export.
 *
 * @category options
 * @since 0.2.0
 */
export interface JobRef {
  readonly jobId: JobId
}

/**
 * Which page of memories to get.
 *
 * @category options
 * @since 0.2.0
 */
export interface PageOptions {
  /** Counts from 0, the default. */
  readonly page?: number | undefined
  /** 1 to 25 memories, 10 by default. */
  readonly pageSize?: number | undefined
}

/**
 * Which segments of a memory to get.
 *
 * @category options
 * @since 0.2.0
 */
export interface SegmentsOptions extends MemoryRef {
  /** Segments of a page, 50 by default. */
  readonly pageSize?: number | undefined
  /** Only segments with this text in their source or a target: 2 characters or more. */
  readonly filterText?: string | undefined
  /** Whether the case of the text counts. Default false. */
  readonly filterCaseSensitive?: boolean | undefined
}

/**
 * Which page of segments to get.
 *
 * @category options
 * @since 0.2.0
 */
export interface SegmentPageOptions extends SegmentsOptions {
  /** The `nextPageCursor` of the page before, which had the same filter. Default: the first page. */
  readonly pageCursor?: string | undefined
}

/**
 * The file that an import will be of, and the name of the memory.
 *
 * @category options
 * @since 0.2.0
 */
export interface StartImportOptions extends NewImport {}

/**
 * What to import.
 *
 * @category options
 * @since 0.2.0
 */
export interface ImportOptions {
  /**
   * A TMX file, of at most 1 GB. A stream is run once to be looked at, and anew for each attempt to send it. A `Blob` and a
   * stream are read as they are sent, which not all browsers can do: there give bytes.
   */
  readonly content: Uint8Array | Blob | Stream.Stream<Uint8Array, unknown>
  /** The name of the file without a folder, at most 100 characters. */
  readonly fileName: string
  /** The length of a stream in bytes, which the service asks for. */
  readonly size?: number | undefined
  /** The name of the memory. The service chooses one by default, such as that of the file. */
  readonly displayName?: string | undefined
  /** The media type of the file. Default `application/xml`. */
  readonly contentType?: string | undefined
  /** Where the file can be read again, for the journal. */
  readonly source?: string | undefined
}

/**
 * What to export.
 *
 * @category options
 * @since 0.2.0
 */
export interface ExportOptions extends MemoryRef {
  /** Where the file is to go, for the journal. Whoever writes it there forgets the entry then. */
  readonly target?: DocumentJournal.Target | undefined
}

/**
 * With what to go on with an import.
 *
 * @category options
 * @since 0.2.0
 */
export interface ResumeImportOptions {
  /** What the journal knows it by. */
  readonly id: string
  /** The file again, for an import whose file was not sent or not noticed yet. */
  readonly content?: ImportOptions["content"] | undefined
  /** The length of a stream in bytes. */
  readonly size?: number | undefined
}

/**
 * A memory that was imported. Segments that the service did not take are counted in `skippedSegmentCount`.
 *
 * @category models
 * @since 0.2.0
 */
export interface ImportedMemory extends MemoryRef, JobRef {
  readonly skippedSegmentCount: number
}

const make = Effect.gen(function*() {
  const jobs = yield* Jobs.make
  const { client } = jobs
  const { limits } = yield* LanguageServiceConfig

  const page = Effect.fnUntraced(function*(options: PageOptions) {
    const { page = 0, pageSize = 10 } = options
    yield* checkInteger("page", page, 0)
    yield* checkInteger("pageSize", pageSize, 1, limits.pageSize)
    return yield* client().TranslationMemories.list({ query: defined(options) })
  })

  const list = (options: PageOptions = {}) => call("TranslationMemories.list", page(options))

  const listAll = () =>
    Stream.suspend(() => {
      const pageSize = limits.pageSize
      const seen = new Set<TranslationMemoryId>()
      return Stream.paginate(0, (page) =>
        Effect.map(list({ page, pageSize }), ({ totalCount, translationMemories }) => {
          // Memories made or deleted between two pages shift them, so one can come twice.
          const fresh = translationMemories.filter(({ translationMemoryId }) => !seen.has(translationMemoryId))
          for (const { translationMemoryId } of fresh) seen.add(translationMemoryId)
          // A service may give smaller pages than were asked for.
          const isWhole = totalCount === undefined ? translationMemories.length < pageSize : seen.size >= totalCount
          const isLast = isWhole || fresh.length === 0
          return [fresh, isLast ? Option.none<number>() : Option.some(page + 1)] as const
        }))
    })

  const segmentPage = Effect.fnUntraced(function*({ translationMemoryId, ...query }: SegmentPageOptions) {
    yield* checkId("translationMemoryId", translationMemoryId)
    const { filterText, pageSize } = query
    if (pageSize !== undefined) yield* checkInteger("pageSize", pageSize, 1)
    if (filterText !== undefined) {
      yield* checkText("filterText", filterText)
      if (countCharacters(filterText) < 2) {
        return yield* new InvalidInput({
          parameter: "filterText",
          given: `${countCharacters(filterText)} characters`,
          allowed: "2 characters or more"
        })
      }
    }
    return yield* client().TranslationMemories.listSegments({
      params: { translationMemoryId },
      query: defined<{
        readonly pageSize?: number
        readonly pageCursor?: string
        readonly filterText?: string
        readonly filterCaseSensitive?: boolean
      }>(query)
    })
  })

  const listSegments = (options: SegmentPageOptions) => call("TranslationMemories.listSegments", segmentPage(options))

  const segments = (options: SegmentsOptions) =>
    Stream.suspend(() => {
      const seen = new Set<string>()
      const onward = Effect.fnUntraced(function*(pageCursor: string | undefined) {
        const { nextPageCursor = "", segments } = yield* segmentPage({ ...options, pageCursor })
        const isBack = seen.has(nextPageCursor)
        seen.add(nextPageCursor)
        // A page that leads back would be followed for ever, and what comes after it is not known.
        if (isBack && segments.length > 0) {
          return yield* misfit("the cursor of a page that has come already comes again")
        }
        return [
          segments,
          nextPageCursor === "" || isBack ? Option.none<string>() : Option.some(nextPageCursor)
        ] as const
      })
      return Stream.paginate<string | undefined, Segments[number], PageFailure>(
        undefined,
        (pageCursor) => call("TranslationMemories.listSegments", onward(pageCursor))
      )
    })

  type Segments = Effect.Success<ReturnType<typeof listSegments>>["segments"]
  type PageFailure = Effect.Error<ReturnType<typeof listSegments>>

  return {
    /**
     * Gets one page of memories, and how many there are. A page beyond the end is empty.
     *
     * **Details**
     *
     * `GET /v3/translation_memories` (reference B16-1; described publicly, not by the specification). Fails with
     * `InvalidInput` for a page below 0 or a page size outside 1 to 25, before anything is sent.
     */
    list,
    /**
     * All memories as a stream, page by page, each once.
     *
     * **Details**
     *
     * Ends when as many have come as the service says that there are, or with the first page that is not full where it does not
     * say. A memory that is made or deleted meanwhile may be missed.
     */
    listAll,
    /**
     * Gets one memory.
     *
     * **Details**
     *
     * `GET /v3/translation_memories/{translation_memory_id}` (reference B16-2; described publicly, not by the specification).
     * Fails with `NotFound` for an unknown id and `InvalidInput` for one that cannot be a path segment.
     */
    get: ({ translationMemoryId }: MemoryRef) =>
      call(
        "TranslationMemories.get",
        checkId("translationMemoryId", translationMemoryId).pipe(
          Effect.andThen(client().TranslationMemories.get({ params: { translationMemoryId } })),
          Effect.tap((memory) => expectId("memory", translationMemoryId, memory.translationMemoryId))
        )
      ),
    /**
     * Deletes a memory; it cannot be undone. Translations that name it fail with `NotFound` from then on.
     *
     * **Details**
     *
     * `DELETE /v3/translation_memories/{translation_memory_id}` (reference B16-9; described publicly, not by the
     * specification). A repeat that finds nothing has done its work; a first attempt that finds nothing fails with
     * `NotFound`.
     */
    remove: ({ translationMemoryId }: MemoryRef) =>
      call(
        "TranslationMemories.remove",
        Effect.andThen(
          checkId("translationMemoryId", translationMemoryId),
          client().TranslationMemories.remove({ params: { translationMemoryId } })
        )
      ),
    /**
     * Gets one page of the segments of a memory.
     *
     * **Details**
     *
     * `GET /v3/translation_memories/{translation_memory_id}/segments` (reference B16-3; described publicly, not by the
     * specification). Fails with `NotFound` for an unknown id; with `InvalidInput` for a filter of less than 2 characters or
     * a page size below 1, before anything is sent.
     */
    listSegments,
    /**
     * All segments of a memory, or those with a text, as a stream, page by page. Fails like `listSegments`, and with
     * `UnexpectedResponse` when a page leads back to one that has come already.
     */
    segments,
    /**
     * Starts an import and gives the address that takes its file. `importTmx` does all of it.
     *
     * **Details**
     *
     * `POST /v3/translation_memories/import` (reference B16-4; described publicly, not by the specification). Each run makes
     * another job, so a call whose fate is not known fails with `OutcomeUnknown`; no harm is done then, as a job without a
     * file makes no memory. Fails with `InvalidInput` or `LimitExceeded` for a name, type or length that the service does
     * not take, before anything is sent.
     */
    startImport: (options: StartImportOptions) => jobs.started(options),
    /**
     * Starts an export, or gives a recent one. `exportTmx` does all of it.
     *
     * **Details**
     *
     * `POST /v3/translation_memories/{translation_memory_id}/export` (reference B16-6; described publicly, not by the
     * specification). While another export of the memory is running the client waits and asks again; `ExportRunning` comes
     * when the deadline of the call is over. Fails with `NotFound` for an unknown id.
     */
    startExport: (ref: MemoryRef) => jobs.startedExport(ref),
    /**
     * Asks once how far an import or export is.
     *
     * **Details**
     *
     * `GET /v3/translation_memories/jobs/{job_id}` (spec, States and transitions; reference B16-7). Fails with `NotFound` for
     * an unknown id.
     */
    getJob: ({ jobId }: JobRef) =>
      call("TranslationMemories.getJob", Effect.andThen(checkId("jobId", jobId), jobs.ask(jobId))),
    /**
     * Waits until an import or export is done.
     *
     * **Details**
     *
     * Asks at once, and then again and again with the policy's waits for polls, until the policy's `documentDeadline`, 30
     * minutes by default. A state that is not known is waited out too.
     *
     * Fails with `JobFailed` when the job has failed or its file did not come in time; with `JobNotDone` when the deadline
     * passes first: it goes on at the service; with `NotFound` for an unknown id.
     */
    wait: jobs.wait,
    /**
     * Imports a TMX file as a new memory: starts the job, sends the file, and waits.
     *
     * **Details**
     *
     * The file is read before anything is sent: `InvalidInput` says at which line its tags stop being those of a TMX file.
     * Whether the service can use what they hold is for the service to say. Fails with `LimitExceeded` for a file over 1 GB or a name over 100 characters; with
     * `TransferFailed` when the file cannot be sent to the address, which is tried again as the policy says; with
     * `SourceFailed` when its stream fails; with `JobFailed` when the service cannot use it; else like `startImport` and
     * `wait`. As long as the journal has the import, {@link resumeImport} goes on with it.
     */
    importTmx: jobs.importTmx,
    /**
     * Exports a memory as a TMX file: starts the job, or takes a recent one, waits, and gives the bytes.
     *
     * **Details**
     *
     * Nothing is fetched before the stream runs. Each run asks the storage anew, with a fresh address where one has expired.
     * Fails like `startExport` and `wait`. The journal has the export until the stream has ended, and {@link resumeExport}
     * goes on with it.
     */
    exportTmx: jobs.exportTmx,
    /** The owner of the entries in the journal: the service, and the account of the key. */
    owner: jobs.owner,
    /** The imports and exports of this account at this service that have not ended, as the journal has them, the oldest first. */
    pending: jobs.pending,
    /**
     * Goes on with an import of the journal.
     *
     * **Details**
     *
     * One whose file the service has is waited for. Otherwise `content` is sent: to the address of the job, or of a new job
     * where the first has expired. Fails with `NotResumable` when the journal does not know the id, or the file is needed and
     * not given or has another length than before; with `JobBusy` when somebody works at it; else like `importTmx`.
     */
    resumeImport: (options: ResumeImportOptions) => jobs.resumeImport(options),
    /**
     * Goes on with an export of the journal: waits for it, or exports the memory again where its job is over.
     *
     * **Details**
     *
     * Fails with `NotResumable` when the journal does not know the id; with `JobBusy` when somebody works at it; else like
     * `exportTmx`.
     */
    resumeExport: jobs.resumeExport,
    /**
     * Forgets an import or export of the journal. At the service it goes on. Fails with `JobBusy` when somebody works at it,
     * with `NotResumable` when it is of another key or service, and with `InvalidInput` for an id that is none.
     */
    forget: jobs.forget,
    /**
     * Takes over an import or export of another key in the journal, for example after a key was replaced. `pending` then lists it.
     *
     * **Details**
     *
     * The service is asked for its job, as it alone knows whether both keys are of one account. Fails with `NotFound` when they
     * are not, and leaves it to the other key; with `NotResumable` when the journal does not know the id, or it is of another
     * service; with `JobBusy` when somebody works at it; else like `getJob`.
     */
    adopt: jobs.adopt
  }
})

/**
 * The service of translation memories.
 *
 * @category services
 * @since 0.2.0
 */
export class TranslationMemories extends Context.Service<TranslationMemories, Effect.Success<typeof make>>()(
  "@effect-lingua/core/translation-memories/TranslationMemories"
) {}

/**
 * An export that is done. `id` is what the journal knows it by. `stream` has the bytes of the TMX file, and can be run more
 * than once while the service has it. It fails with `TransferFailed` when they do not come, or not to their end; with
 * `JobFailed` when the service has the file no more; with the errors of `getJob` when it cannot be asked for a fresh address.
 *
 * @category models
 * @since 0.2.0
 */
export type Export = Effect.Success<ReturnType<TranslationMemories["Service"]["exportTmx"]>>

/**
 * The service over the contract client.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = Layer.provide(Layer.effect(TranslationMemories, make), [Lifetime.layer, OpenStreams.layer])
