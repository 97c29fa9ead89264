/**
 * The contract of translation memories, which reuse earlier translations. All fields of their responses besides ids and lists may
 * be absent.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { JobId, TranslationMemoryId } from "../../contract/Ids.ts"
import { body, opaque, struct, withStatus } from "../../contract/internal/body.ts"
import * as Endpoint from "../../contract/internal/endpoint.ts"
import * as Operation from "../../contract/internal/operation.ts"
import {
  absent,
  absentAs,
  contents,
  informative,
  occasional,
  occasionalAs,
  type Open,
  open,
  Reported,
  reportedState
} from "../../contract/internal/schema.ts"
import { defined } from "../../contract/internal/values.ts"
import { LanguageCode } from "../../contract/Language.ts"
import * as codecs from "../../errors/internal/codecs.ts"
import { SignedUrl } from "../../jobs/SignedUrl.ts"

const optionalTimes = {
  creationTime: occasional(Schema.DateTimeUtcFromString),
  updatedTime: occasional(Schema.DateTimeUtcFromString)
}

/**
 * A translation memory. Its contents cannot be edited. `name` is empty where the service does not send it, and
 * `targetLanguages` is absent if its value is unreadable. Codes are in lower case, such as `en-us`: compare them
 * without regard to case.
 *
 * @category schemas
 * @since 0.1.0
 */
export class TranslationMemory extends body<TranslationMemory>()("TranslationMemory", {
  translationMemoryId: TranslationMemoryId,
  name: occasionalAs(Schema.String, ""),
  sourceLanguage: occasional(LanguageCode),
  targetLanguages: contents(Schema.Array(LanguageCode), []),
  segmentCount: occasional(Schema.Int),
  ...optionalTimes
}) {}

/**
 * A page of translation memories, and the number of all.
 *
 * @category schemas
 * @since 0.1.0
 */
export class TranslationMemoryPage extends body<TranslationMemoryPage>()("TranslationMemoryPage", {
  translationMemories: Schema.Array(TranslationMemory),
  totalCount: occasional(Schema.Int)
}) {}

const segmentTimes = { ...optionalTimes, lastUsedTime: occasional(Schema.DateTimeUtcFromString) }

/**
 * The translation of a segment into one language.
 *
 * @category schemas
 * @since 0.1.0
 */
export class SegmentTarget extends body<SegmentTarget>()("SegmentTarget", {
  targetSegmentId: occasional(Schema.String),
  targetLanguage: occasional(LanguageCode),
  targetText: absentAs(Schema.String, ""),
  ...segmentTimes
}) {}

/**
 * A segment of a translation memory: a source text and its translations.
 *
 * @category schemas
 * @since 0.1.0
 */
export class Segment extends body<Segment>()("Segment", {
  sourceSegmentId: occasional(Schema.String),
  sourceText: absentAs(Schema.String, ""),
  targets: absentAs(Schema.Array(SegmentTarget), []),
  ...segmentTimes
}) {}

/**
 * A page of segments. `segmentCount` is that of the whole memory, regardless of the filter; `nextPageCursor` is absent on the
 * last page, and is valid only with the same filter.
 *
 * @category schemas
 * @since 0.1.0
 */
export class SegmentPage extends body<SegmentPage>()("SegmentPage", {
  segments: Schema.Array(Segment),
  segmentCount: occasional(Schema.Int),
  nextPageCursor: absent(Schema.String)
}) {}

const SourceFile = struct({
  fileName: Schema.String,
  contentType: Schema.optionalKey(Schema.String),
  contentLength: Schema.Int
})

/** The body that starts an import: the file to send, and the name of the new memory. */
export class NewImport extends body<NewImport>()("NewImport", {
  sourceFile: SourceFile,
  parameters: Schema.optionalKey(
    struct({ displayName: Schema.optionalKey(Schema.String) })
  )
}) {}

/**
 * An import that waits for its file at `uploadUrl`, until `expiresAt`.
 *
 * @category schemas
 * @since 0.1.0
 */
export class StartedImport extends body<StartedImport>()("StartedImport", {
  jobId: JobId,
  uploadUrl: SignedUrl,
  expiresAt: occasional(Schema.DateTimeUtcFromString)
}) {}

/**
 * A started export, or a recent one instead.
 *
 * @category schemas
 * @since 0.1.0
 */
export class StartedExport extends body<StartedExport>()("StartedExport", {
  jobId: JobId,
  parameters: occasional(
    struct({ translationMemoryId: occasional(TranslationMemoryId) })
  )
}) {}

/**
 * The state of a job. The set is open: an unknown state is not final.
 *
 * @category models
 * @since 0.1.0
 */
export type JobState = Open<"awaiting_input" | "processing" | "completed" | "failed" | "expired" | "downloaded">

export const JobState = open<JobState>()

/**
 * The operation of a job.
 *
 * @category models
 * @since 0.1.0
 */
export type JobOperation = Open<"import" | "export">

export const JobOperation = open<JobOperation>()

const sourceFile = struct({ contentType: occasional(Schema.String), contentLength: occasional(Schema.Int) })

const WireJob = Schema.Struct({
  job_id: informative(Schema.String),
  product: occasional(Schema.String),
  operation: occasional(Schema.String),
  creation_time: occasional(Schema.DateTimeUtcFromString),
  updated_time: occasional(Schema.DateTimeUtcFromString),
  source_file: occasional(sourceFile),
  parameters: occasional(Schema.Struct({
    display_name: occasional(Schema.String),
    translation_memory_id: occasional(Schema.String)
  })),
  results: absentAs(
    Schema.Array(Schema.Struct({
      status: absent(reportedState("awaiting_input processing completed failed expired downloaded")),
      status_metadata: occasional(Schema.Struct({ required_action: occasional(Reported) })),
      translation_memory_id: occasional(Schema.String),
      skipped_segment_count: occasional(Schema.Int),
      download_url: occasional(SignedUrl),
      expires_at: occasional(Schema.DateTimeUtcFromString),
      error: occasional(Schema.Struct({ message: occasional(Reported) }))
    })),
    []
  )
}).pipe(Schema.annotateEncoded({ identifier: "TranslationMemoryJob" }))

/**
 * The current state of an import or export. `state` is empty where the service does not send it. A completed import has the
 * `translationMemoryId` of the new memory and the number of omitted segments; a completed export has a short-lived
 * `downloadUrl`, a new one with each request. `sourceFile` is the file that an import was announced with. `errorMessage` is the reason of a failed job.
 *
 * @category schemas
 * @since 0.1.0
 */
export class Job extends opaque<Job>()(
  WireJob.pipe(Schema.decodeTo(
    Schema.Struct({
      jobId: Schema.optionalKey(JobId),
      operation: Schema.optionalKey(JobOperation),
      state: JobState,
      creationTime: Schema.optionalKey(Schema.DateTimeUtc),
      updatedTime: Schema.optionalKey(Schema.DateTimeUtc),
      sourceFile: Schema.optionalKey(Schema.toType(sourceFile)),
      displayName: Schema.optionalKey(Schema.String),
      requiredAction: Schema.optionalKey(Schema.String),
      translationMemoryId: Schema.optionalKey(TranslationMemoryId),
      skippedSegmentCount: Schema.optionalKey(Schema.Int),
      downloadUrl: Schema.optionalKey(Schema.toType(SignedUrl)),
      expiresAt: Schema.optionalKey(Schema.DateTimeUtc),
      errorMessage: Schema.optionalKey(Schema.String)
    }),
    SchemaTransformation.transform({
      decode: ({ creation_time, job_id, operation, parameters, results: [result], source_file, updated_time }) =>
        defined({
          jobId: job_id,
          operation,
          state: result?.status ?? "",
          creationTime: creation_time,
          updatedTime: updated_time,
          sourceFile: source_file,
          displayName: parameters?.display_name,
          requiredAction: result?.status_metadata?.required_action,
          translationMemoryId: result?.translation_memory_id ?? parameters?.translation_memory_id,
          skippedSegmentCount: result?.skipped_segment_count,
          downloadUrl: result?.download_url,
          expiresAt: result?.expires_at,
          errorMessage: result?.error?.message
        }),
      encode: ({ displayName, errorMessage, operation, requiredAction, state, translationMemoryId, ...job }) =>
        defined({
          job_id: job.jobId,
          product: "translation_memory",
          operation,
          creation_time: job.creationTime,
          updated_time: job.updatedTime,
          source_file: job.sourceFile,
          parameters: defined({
            display_name: displayName,
            translation_memory_id: operation === "export" ? translationMemoryId : undefined
          }),
          results: [defined({
            status: state,
            status_metadata: requiredAction === undefined ? undefined : { required_action: requiredAction },
            translation_memory_id: operation === "export" ? undefined : translationMemoryId,
            skipped_segment_count: job.skippedSegmentCount,
            download_url: job.downloadUrl,
            expires_at: job.expiresAt,
            error: errorMessage === undefined ? undefined : { message: errorMessage }
          })]
        })
    })
  ))
) {}

const errors = codecs.common
const itemErrors = [...codecs.common, codecs.notFound] as const
const ofMemory = struct({ translationMemoryId: TranslationMemoryId })
const ofJob = struct({ jobId: JobId })

/** A page of memories. Pages count from 0 and hold 1 to 25, 10 by default. */
export const listPage = Endpoint.get("listPage", "/v3/translation_memories", {
  query: struct({
    page: Schema.optionalKey(Schema.Int),
    pageSize: Schema.optionalKey(Schema.Int)
  }),
  success: TranslationMemoryPage,
  error: errors
}, Operation.annotations("Read", "List translation memories"))

export const get = Endpoint.get("get", "/v3/translation_memories/:translation_memory_id", {
  params: ofMemory,
  success: TranslationMemory,
  error: itemErrors
}, Operation.annotations("Read", "Get a translation memory"))

export const listSegmentsPage = Endpoint.get(
  "listSegmentsPage",
  "/v3/translation_memories/:translation_memory_id/segments",
  {
    params: ofMemory,
    query: struct({
      pageSize: Schema.optionalKey(Schema.Int),
      pageCursor: Schema.optionalKey(Schema.String),
      filterText: Schema.optionalKey(Schema.String),
      filterCaseSensitive: Schema.optionalKey(Schema.Boolean)
    }),
    success: SegmentPage,
    error: itemErrors
  },
  Operation.annotations("Read", "List the segments of a translation memory")
)

export const startImport = Endpoint.post("startImport", "/v3/translation_memories/import", {
  payload: NewImport,
  success: [withStatus(202, StartedImport), StartedImport],
  error: [...errors, codecs.quotaExceeded]
}, Operation.annotations("Create", "Start the import of a translation memory"))

export const startExport = Endpoint.post(
  "startExport",
  "/v3/translation_memories/:translation_memory_id/export",
  {
    params: ofMemory,
    success: [withStatus(202, StartedExport), StartedExport],
    error: [...itemErrors, codecs.exportRunning]
  },
  Operation.annotations("Replace", "Start the export of a translation memory")
)

export const status = Endpoint.get("status", "/v3/translation_memories/jobs/:job_id", {
  params: ofJob,
  success: Job,
  error: itemErrors
}, Operation.annotations("Read", "Get an import or export of a translation memory"))

export const remove = Endpoint.delete("remove", "/v3/translation_memories/:translation_memory_id", {
  params: ofMemory,
  error: itemErrors
}, Operation.annotations("Replace", "Delete a translation memory"))

export class TranslationMemoriesApi extends Endpoint.group(
  "TranslationMemories",
  listPage,
  get,
  listSegmentsPage,
  startImport,
  startExport,
  status,
  remove
) {}
