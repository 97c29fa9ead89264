/** The contract of translation memories. Only ids and lists are always present. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { JobId, TranslationMemoryId } from "../../contract/Ids.ts"
import { body, opaque, struct, withStatus } from "../../contract/internal/body.ts"
import * as Endpoint from "../../contract/internal/endpoint.ts"
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
 * A translation memory. `name` is empty if absent, `targetLanguages` absent if unreadable. Codes are in lower case, such as `en-us`.
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
 * A page of translation memories. `totalCount` counts all pages.
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
 * A source text and its translations.
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
 * A page of segments. `segmentCount` ignores the filter. `nextPageCursor` is absent on the last page, and valid with the same filter only.
 *
 * @category schemas
 * @since 0.1.0
 */
export class SegmentPage extends body<SegmentPage>()("SegmentPage", {
  segments: Schema.Array(Segment),
  segmentCount: occasional(Schema.Int),
  nextPageCursor: absent(Schema.String)
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
  parameters: occasional(struct({ translationMemoryId: occasional(TranslationMemoryId) }))
}) {}

/**
 * The state of a job. An unknown state is not final.
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

const jobFields = {
  operation: occasional(JobOperation),
  ...optionalTimes,
  sourceFile: occasional(struct({ contentType: occasional(Schema.String), contentLength: occasional(Schema.Int) }))
}

const resultFields = {
  translationMemoryId: occasional(TranslationMemoryId),
  skippedSegmentCount: occasional(Schema.Int),
  downloadUrl: occasional(SignedUrl),
  expiresAt: occasional(Schema.DateTimeUtcFromString)
}

const WireJob = struct({
  jobId: informative(JobId),
  product: occasional(Schema.String),
  ...jobFields,
  parameters: occasional(
    struct({ displayName: occasional(Schema.String), translationMemoryId: occasional(TranslationMemoryId) })
  ),
  results: absentAs(
    Schema.Array(struct({
      status: absent(reportedState<JobState>("awaiting_input processing completed failed expired downloaded")),
      statusMetadata: occasional(struct({ requiredAction: occasional(Reported) })),
      ...resultFields,
      error: occasional(Schema.Struct({ message: occasional(Reported) }))
    })),
    []
  )
}).pipe(Schema.annotateEncoded({ identifier: "TranslationMemoryJob" }))

const text = Schema.optionalKey(Schema.String)

/**
 * The state of an import or export. `state` is empty if absent. A completed import has the `translationMemoryId` and `skippedSegmentCount`; a
 * completed export has a short-lived `downloadUrl`, another one in each response.
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
