/** The upload of a document. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Characters from "../../account/internal/characters.ts"
import { type CallRecord, Sending } from "../../call/internal/callRecord.ts"
import * as Operations from "../../call/internal/operation.ts"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import { defined, differing, type Optional } from "../../contract/internal/values.ts"
import type { BudgetExceeded, Busy, InvalidInput, LimitExceeded, SourceFailed } from "../../errors/CallError.ts"
import { invalid, typeOf, unknownName } from "../../errors/internal/checks.ts"
import { expectUsableId } from "../../errors/internal/unexpected.ts"
import { TooManyDocuments } from "../../errors/ServiceError.ts"
import * as JobFile from "../../jobs/internal/jobFile.ts"
import { Progress, report, Reporter } from "../../jobs/Progress.ts"
import * as LanguageChecks from "../../languages/internal/languageChecks.ts"
import * as Journal from "../Journal.ts"
import { changedNothing, type DocumentCalls, refOf } from "./documentCalls.ts"
import { type DocumentsApi, documentTypes, type IssuedDocument, UploadFields } from "./documentsApi.ts"
import { restartOf } from "./states.ts"

/**
 * A file to translate, with the fields of {@link UploadFields}.
 *
 * @category options
 * @since 0.1.0
 */
export interface UploadOptions extends Optional<UploadFields> {
  /**
   * The bytes. A `Blob`, such as a file on disk (`fs.openAsBlob`), and a stream are read for each attempt while they are sent; a
   * `ReadableStream` is read once, and then not sent again. For paths use `NodeDocuments` of `@effect-lingua/node`.
   */
  readonly content: Uint8Array | Blob | ReadableStream<Uint8Array> | Stream.Stream<Uint8Array, unknown>
  /** A name without a folder. Its extension is the type, one of {@link documentTypes}. */
  readonly fileName: string
  /** Allows types that {@link documentTypes} lacks. Default false. */
  readonly anyType?: boolean | undefined
  /** The size of a stream in bytes, if known. */
  readonly size?: number | undefined
  /**
   * An id of the upload, such as of a queue's message: 1 to 60 ASCII characters without spaces and slashes. While the journal has a document
   * of the id, `upload` returns and `translate` resumes that document. Default: random.
   */
  readonly uploadId?: string | undefined
}

type UploadError = Operations.Errors<
  typeof DocumentsApi,
  "upload",
  BudgetExceeded | Busy | LimitExceeded | SourceFailed
>["create"]

export interface Errors {
  readonly upload: UploadError
}

/** A name in a header of a part, escaped as in HTML. */
const quoted = (name: string): string =>
  `"${name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll("\"", "%22")}"`

const encoder = new TextEncoder()

const encodeFields = Schema.encodeEffect(UploadFields)

const types: ReadonlySet<string> = new Set(documentTypes)

const checkType = (fileName: string): Effect.Effect<void, InvalidInput> => {
  const [, extension] = /\.([^.]+)$/.exec(fileName) ?? []
  if (extension !== undefined && types.has(extension.toLowerCase())) return Effect.void
  return invalid(
    "fileName",
    extension === undefined ? "a name without an extension" : `the type ${extension.slice(0, 20)}`,
    `a type that the service translates: ${documentTypes.join(", ")}`
  )
}

/** Checks the file and makes the form (RFC 7578), with a stream, unlike the contract. Not all platforms can send a `Blob` as a stream. */
const form = Effect.fnUntraced(function*(
  fields: UploadFields,
  { anyType = false, content, fileName, size }: UploadOptions,
  sending: Sending
): Effect.fn.Return<HttpBody.HttpBody, InvalidInput | Schema.SchemaError> {
  yield* JobFile.checkFileName(fileName)
  if (!anyType) yield* checkType(fileName)
  const length = yield* JobFile.sizeOf(content, size)
  if (length !== undefined) yield* JobFile.checkSize(length)
  // Does not occur in the file.
  const boundary = `form-${yield* JobFile.randomWord}`
  const part = (name: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}${rest}`
  const parts = Object.entries(yield* encodeFields(fields)).flatMap(([name, value]) =>
    value === undefined || (name === "enable_watermark" && value === "false")
      ? []
      : [`${part(name, "")}\r\n\r\n${String(value)}\r\n`]
  )
  const file = `${part("file", `; filename=${quoted(fileName)}`)}\r\nContent-Type: application/octet-stream\r\n\r\n`
  const head = encoder.encode(`${parts.join("")}${file}`)
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`)
  const contentType = `multipart/form-data; boundary=${boundary}`
  if (content instanceof Uint8Array) {
    const bytes = new Uint8Array(head.length + content.length + tail.length)
    bytes.set(head)
    bytes.set(content, head.length)
    bytes.set(tail, head.length + content.length)
    return HttpBody.uint8Array(bytes, contentType)
  }
  if (content instanceof Blob) {
    const whole = new Blob([head, content, tail])
    return HttpBody.raw(whole, { contentType, contentLength: whole.size })
  }
  const reporter = yield* Reporter
  const onBytes = (bytes: number) => reporter?.(Progress.Sent(defined({ fileName, bytes, total: size })))
  const stream = Stream.make(head).pipe(
    Stream.concat(JobFile.watched(content, size, sending, onBytes)),
    Stream.concat(Stream.make(tail))
  )
  return HttpBody.stream(stream, contentType, size === undefined ? undefined : head.length + size + tail.length)
})

const uploadFieldNames = [...Operations.fieldsOf(UploadFields), "anyType", "content", "fileName", "size", "uploadId"]

const checkUploadId = (id: string | undefined): Effect.Effect<void, InvalidInput> =>
  id === undefined || (typeof id === "string" && /^[!-.0-[\]-~]{1,60}$/.test(id))
    ? Effect.void
    : invalid(
      "uploadId",
      typeof id === "string" ? `${id.length} characters` : typeOf(id),
      "1 to 60 characters of ASCII without spaces and slashes"
    )

export const make = Effect.fnUntraced(function*({ api, budget, journal, owner, pending, records }: DocumentCalls) {
  const checkLanguages = yield* LanguageChecks.make
  const { limits } = yield* LanguageServiceConfig

  /** The entry of an earlier upload with the id. Fails if it was another file. */
  const uploadedBefore = Effect.fnUntraced(function*(
    uploadId: string,
    payload: object,
    digest: ReturnType<typeof JobFile.digestOf>
  ) {
    const earlier = yield* journal.getUpload(uploadId, owner)
    if (earlier === undefined) {
      const other = yield* journal.get(uploadId)
      // The entry of the upload would replace the key.
      if (other !== undefined && other._tag !== "Uploading") {
        return yield* invalid("uploadId", "the id of a document in the journal", "an id that no document has")
      }
      return undefined
    }
    // Noted by a download while the store was unreadable.
    if (earlier.fileName === undefined) return earlier
    const { contentHash: content, fields, fileName } = earlier
    const current = { ...payload, content: content === undefined ? undefined : yield* digest }
    // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
    const differences = differing({ ...fields, fileName, content }, current)
    return differences.length === 0
      ? earlier
      : yield* invalid(
        "uploadId",
        `the id of an upload with another ${differences.join(", ")}`,
        "one id for each upload"
      )
  })

  const upload = Effect.fnUntraced(function*(record: CallRecord, options: UploadOptions) {
    const { anyType: _anyType, content, fileName, size, uploadId: callerId, ...named } = options
    yield* checkUploadId(callerId)
    const unknown = unknownName(named, uploadFieldNames)
    if (unknown !== undefined) return yield* unknown
    const fields = defined(named)
    yield* Characters.refuseTag
    yield* LanguageChecks.checkReferences(named, limits, false)
    const sending = record.sending = new Sending(callerId !== undefined)
    const body = yield* form(fields, options, sending)
    const known = content instanceof Uint8Array ? content : content instanceof Blob ? content.size : size
    if (known === undefined && (yield* Characters.hasBudget)) {
      return yield* invalid(
        "size",
        "a stream of unknown length",
        "a length, because the budget counts a file before it is sent"
      )
    }
    const digest = JobFile.digestOf(content, size)
    const isInMemory = content instanceof Uint8Array || content instanceof Blob
    const contentHash = callerId !== undefined && isInMemory ? yield* digest : undefined
    const { isClaimed = false, ...files } = yield* Journal.UploadFacts
    const uploadId = callerId ?? `upload-${yield* JobFile.randomWord}`
    const facts = {
      ...owner,
      startedAt: yield* DateTime.now,
      fileName,
      fields,
      ...defined(files)
    }
    return yield* Effect.scoped(Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
      if (!isClaimed) yield* restore(journal.claim(uploadId))
      const earlier = callerId === undefined || isClaimed
        ? undefined
        : yield* restore(uploadedBefore(uploadId, { ...fields, fileName }, digest))
      if (earlier !== undefined && earlier._tag !== "Uploading") return refOf(earlier)
      const isNew = earlier === undefined && !isClaimed
      const recorded = yield* records.begin(facts, uploadId)
      const issued = yield* restore(
        checkLanguages(
          () => LanguageChecks.ofTranslation("translate_document", fields),
          budget.around(
            () => Characters.ofFile(fileName, known ?? 0),
            api.upload.request(record, { payload: new FormData(), body })
          )
        )
      ).pipe(
        Effect.tapError((error) => isNew && changedNothing(error, record) ? recorded.refused : Effect.void)
      )
      yield* expectUsableId("document", issued.documentId)
      yield* recorded.issued(issued, contentHash ?? sending.contentHash)
      yield* report(() => Progress.Started({ id: issued.documentId }))
      return issued
    }))).pipe(
      Effect.catchTag("TooManyDocuments", (error) =>
        Effect.flatMap(pending(), (entries) => {
          const ids = entries.flatMap((entry) =>
            "documentId" in entry && restartOf(entry) === "download" ? [entry.documentId] : []
          )
          // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
          return new TooManyDocuments({ ...error, pending: ids })
        }))
    )
  })

  return (options: UploadOptions): Effect.Effect<IssuedDocument, UploadError> =>
    api.upload.create({}, (record) => upload(record, options))
})
