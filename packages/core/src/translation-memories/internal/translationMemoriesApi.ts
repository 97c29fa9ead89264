/** The translation memory endpoints. All response fields except ids, the lists in pages and `uploadUrl` may be absent. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { JobId, TranslationMemoryId } from "../../contract/Ids.ts"
import { body, opaque, struct, withStatus } from "../../contract/internal/body.ts"
import * as Endpoint from "../../contract/internal/endpoint.ts"
import * as Fields from "../../contract/internal/schema.ts"
import { defined } from "../../contract/internal/values.ts"
import { LanguageCode } from "../../contract/Language.ts"
import * as codecs from "../../errors/internal/codecs.ts"
import { SignedUrl } from "../../jobs/SignedUrl.ts"

const optionalTimes = {
  creationTime: Fields.occasional(Schema.DateTimeUtcFromString),
  updatedTime: Fields.occasional(Schema.DateTimeUtcFromString)
}

/**
 * A translation memory. `name` is empty if absent, `targetLanguages` absent if unreadable. Codes are in lower case, such as `en-us`.
 *
 * @category schemas
 * @since 0.1.0
 */
export class TranslationMemory extends body<TranslationMemory>()("TranslationMemory", {
  translationMemoryId: TranslationMemoryId,
  name: Fields.occasionalAs(Schema.String, ""),
  sourceLanguage: Fields.occasional(LanguageCode),
  targetLanguages: Fields.contents(Schema.Array(LanguageCode), []),
  segmentCount: Fields.occasional(Schema.Int),
  ...optionalTimes
}) {}

/**
 * A page of translation memories. `totalCount` is the number of memories on all pages.
 *
 * @category schemas
 * @since 0.1.0
 */
export class TranslationMemoryPage extends body<TranslationMemoryPage>()("TranslationMemoryPage", {
  translationMemories: Schema.Array(TranslationMemory),
  totalCount: Fields.occasional(Schema.Int)
}) {}

const segmentTimes = { ...optionalTimes, lastUsedTime: Fields.occasional(Schema.DateTimeUtcFromString) }

/**
 * A segment's translation into one language.
 *
 * @category schemas
 * @since 0.1.0
 */
export class SegmentTarget extends body<SegmentTarget>()("SegmentTarget", {
  targetSegmentId: Fields.occasional(Schema.String),
  targetLanguage: Fields.occasional(LanguageCode),
  targetText: Fields.absentAs(Schema.String, ""),
  ...segmentTimes
}) {}

/**
 * A source text and its translations.
 *
 * @category schemas
 * @since 0.1.0
 */
export class Segment extends body<Segment>()("Segment", {
  sourceSegmentId: Fields.occasional(Schema.String),
  sourceText: Fields.absentAs(Schema.String, ""),
  targets: Fields.absentAs(Schema.Array(SegmentTarget), []),
  ...segmentTimes
}) {}

/**
 * A page of segments. `segmentCount` ignores the filter. `nextPageCursor` is absent on the last page, and valid only with the same filter.
 *
 * @category schemas
 * @since 0.1.0
 */
export class SegmentPage extends body<SegmentPage>()("SegmentPage", {
  segments: Schema.Array(Segment),
  segmentCount: Fields.occasional(Schema.Int),
  nextPageCursor: Fields.absent(Schema.String)
}) {}

export class NewImport extends body<NewImport>()("NewImport", {
  sourceFile: struct({
    fileName: Schema.String,
    contentType: Schema.optionalKey(Schema.String),
    contentLength: Schema.Int
  }),
  parameters: Schema.optionalKey(struct({ displayName: Schema.optionalKey(Schema.String) }))
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
  expiresAt: Fields.occasional(Schema.DateTimeUtcFromString)
}) {}

/**
 * A started export, or a recent export that the service returns instead.
 *
 * @category schemas
 * @since 0.1.0
 */
export class StartedExport extends body<StartedExport>()("StartedExport", {
  jobId: JobId,
  parameters: Fields.occasional(struct({ translationMemoryId: Fields.occasional(TranslationMemoryId) }))
}) {}

/**
 * The state of a job. An unknown state is not final.
 *
 * @category models
 * @since 0.1.0
 */
export type JobState = Fields.Open<"awaiting_input" | "processing" | "completed" | "failed" | "expired" | "downloaded">

export const JobState = Fields.open<JobState>()

/**
 * The service may add other operations.
 *
 * @category models
 * @since 0.1.0
 */
export type JobOperation = Fields.Open<"import" | "export">

export const JobOperation = Fields.open<JobOperation>()

const jobFields = {
  operation: Fields.occasional(JobOperation),
  ...optionalTimes,
  sourceFile: Fields.occasional(
    struct({ contentType: Fields.occasional(Schema.String), contentLength: Fields.occasional(Schema.Int) })
  )
}

const resultFields = {
  translationMemoryId: Fields.occasional(TranslationMemoryId),
  skippedSegmentCount: Fields.occasional(Schema.Int),
  downloadUrl: Fields.occasional(SignedUrl),
  expiresAt: Fields.occasional(Schema.DateTimeUtcFromString)
}

const WireJob = struct({
  jobId: Fields.informative(JobId),
  product: Fields.occasional(Schema.String),
  ...jobFields,
  parameters: Fields.occasional(
    struct({
      displayName: Fields.occasional(Schema.String),
      translationMemoryId: Fields.occasional(TranslationMemoryId)
    })
  ),
  results: Fields.absentAs(
    Schema.Array(struct({
      status: Fields.absent(
        Fields.reportedState<JobState>("awaiting_input processing completed failed expired downloaded")
      ),
      statusMetadata: Fields.occasional(struct({ requiredAction: Fields.occasional(Fields.Reported) })),
      ...resultFields,
      error: Fields.occasional(Schema.Struct({ message: Fields.occasional(Fields.Reported) }))
    })),
    []
  )
}).pipe(Schema.annotateEncoded({ identifier: "TranslationMemoryJob" }))

const text = Schema.optionalKey(Schema.String)

/**
 * The state of an import or export. `state` is empty if absent. A completed import has `translationMemoryId` and `skippedSegmentCount`; a
 * completed export has a short-lived `downloadUrl`, different in each response.
 *
 * @category schemas
 * @since 0.1.0
 */
export class Job extends opaque<Job>()(
  WireJob.pipe(Schema.decodeTo(
    Schema.toType(struct({
      ...jobFields,
      ...resultFields,
      jobId: Schema.optionalKey(JobId),
      state: JobState,
      displayName: text,
      requiredAction: text,
      errorMessage: text
    })),
    SchemaTransformation.transform({
      decode: ({ parameters = {}, product: _product, results: [result = {}], ...job }) => {
        const { error, status: state = "", statusMetadata, ...fields } = result
        const { message: errorMessage } = error ?? {}
        return defined({ ...parameters, ...job, ...fields, ...statusMetadata, state, errorMessage })
      },
      encode: ({ displayName, errorMessage, requiredAction, state, translationMemoryId, ...fields }) => {
        const { downloadUrl, expiresAt, skippedSegmentCount, ...job } = fields
        const isExport = job.operation === "export"
        return {
          ...job,
          product: "translation_memory",
          parameters: defined({ displayName, translationMemoryId: isExport ? translationMemoryId : undefined }),
          results: [defined({
            status: state,
            statusMetadata: requiredAction === undefined ? undefined : { requiredAction },
            translationMemoryId: isExport ? undefined : translationMemoryId,
            skippedSegmentCount,
            downloadUrl,
            expiresAt,
            error: errorMessage === undefined ? undefined : { message: errorMessage }
          })]
        }
      }
    })
  ))
) {}

const ofMemory = struct({ translationMemoryId: TranslationMemoryId })
const memories = "/v3/translation_memories"
const memoryPath = `${memories}/:translation_memory_id` as const

const api = Endpoint.of({ error: codecs.common })
const item = Endpoint.of({ error: [...codecs.common, codecs.notFound] })

export class TranslationMemoriesApi extends Endpoint.group(
  "TranslationMemories",
  api.get("listPage", memories, "List translation memories", {
    query: struct({ page: Schema.optionalKey(Schema.Int), pageSize: Schema.optionalKey(Schema.Int) }),
    success: TranslationMemoryPage
  }),
  item.get("get", memoryPath, "Get a translation memory", { params: ofMemory, success: TranslationMemory }),
  item.get("listSegmentsPage", `${memoryPath}/segments`, "List the segments of a translation memory", {
    params: ofMemory,
    query: struct({
      pageSize: Schema.optionalKey(Schema.Int),
      pageCursor: Schema.optionalKey(Schema.String),
      filterText: Schema.optionalKey(Schema.String),
      filterCaseSensitive: Schema.optionalKey(Schema.Boolean)
    }),
    success: SegmentPage
  }),
  api.post("startImport", `${memories}/import`, "Start the import of a translation memory", {
    payload: NewImport,
    success: [withStatus(202, StartedImport), StartedImport],
    error: [codecs.quotaExceeded]
  }),
  item.post("startExport", `${memoryPath}/export`, "Start the export of a translation memory", {
    params: ofMemory,
    success: [withStatus(202, StartedExport), StartedExport],
    error: [codecs.exportRunning],
    repeat: "Replace"
  }),
  item.get("status", `${memories}/jobs/:job_id`, "Get an import or export of a translation memory", {
    params: struct({ jobId: JobId }),
    success: Job
  }),
  item.delete("remove", memoryPath, "Delete a translation memory", { params: ofMemory })
) {}
