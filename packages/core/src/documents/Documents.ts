/**
 * Translates files: uploads a file, waits for its translation, and downloads the result once.
 *
 * @since 0.1.0
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Characters from "../account/internal/characters.ts"
import { type CallRecord, Sending } from "../call/internal/callRecord.ts"
import * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import type { Formality } from "../contract/internal/textOptions.ts"
import { defined, differing, type Optional } from "../contract/internal/values.ts"
import * as CallError from "../errors/CallError.ts"
import { checkId, invalid, typeOf, unknownName } from "../errors/internal/checks.ts"
import { expectUsableId } from "../errors/internal/unexpected.ts"
import { type DocumentAlreadyDownloaded, type DocumentNotFound, TooManyDocuments } from "../errors/ServiceError.ts"
import * as JobFile from "../jobs/internal/jobFile.ts"
import { Progress, report, Reporter } from "../jobs/Progress.ts"
import * as LanguageChecks from "../languages/internal/languageChecks.ts"
import * as DocumentCalls from "./internal/documentCalls.ts"
import type { Download } from "./internal/documentCalls.ts"
import {
  DocumentsApi,
  type DocumentState,
  type DocumentStatus,
  documentTypes,
  type IssuedDocument,
  UploadFields
} from "./internal/documentsApi.ts"
import * as Saves from "./internal/saving.ts"
import type { NotSaved, Saving } from "./internal/saving.ts"
import { type DocumentRef, type ReceivedBytes, restartOf } from "./internal/states.ts"
import { checkOwner, type Entry, missing, UploadFacts } from "./Journal.ts"

export type { Download } from "./internal/documentCalls.ts"
export type { DocumentRef, ReceivedBytes } from "./internal/states.ts"

export { DocumentState, DocumentStatus, documentTypes, IssuedDocument, UploadFields } from "./internal/documentsApi.ts"
export { NotSaved } from "./internal/saving.ts"

/**
 * A file to translate, with the fields of {@link UploadFields}.
 *
 * @category options
 * @since 0.1.0
 */
export interface UploadOptions extends Optional<UploadFields> {
  /**
   * The bytes. Each attempt reads a `Blob` (such as `fs.openAsBlob`) or a stream again. An upload of a `ReadableStream`, or of a stream from
   * `Upload.once`, is not retried. `NodeDocuments` of `@effect-lingua/node` accepts paths.
   */
  readonly content: Uint8Array | Blob | ReadableStream<Uint8Array> | Stream.Stream<Uint8Array, unknown>
  /** A name without a folder, with one of the {@link documentTypes} as its extension. */
  readonly fileName: string
  /** Allows extensions that are not in {@link documentTypes}. Default false. */
  readonly anyType?: boolean | undefined
  /** The size of a stream in bytes. */
  readonly size?: number | undefined
  /**
   * An idempotency key, such as a queue message's id: 1 to 60 ASCII characters without spaces and slashes. If the journal has a document with the
   * key, `upload` returns the document without a request, and `translate` resumes the document. Default: random.
   */
  readonly uploadId?: string | undefined
}

/**
 * The id of a journal entry: the document's id, or else the upload's id.
 *
 * @category options
 * @since 0.1.0
 */
export interface EntryRef {
  readonly entryId: string
}

/**
 * A translated document whose download has begun.
 *
 * @category models
 * @since 0.1.0
 */
export interface TranslatedDocument extends Download, DocumentRef {
  readonly billedCharacters?: number
}

type StatusError = DocumentCalls.Errors["status"]

type UploadRefusal = CallError.BudgetExceeded | CallError.Busy | CallError.LimitExceeded | CallError.SourceFailed

type UploadError = Operations.Errors<typeof DocumentsApi, "upload", UploadRefusal>["create"]

type TranslateError = Operations.Union<UploadError | ResumeError>["members"]

type ResumeError = Operations.Union<
  DocumentCalls.Errors["download"] | CallError.Busy | CallError.NotResumable
>["members"]

type ForgetError = CallError.Busy | CallError.InvalidInput | CallError.NotResumable

type AdoptError = Operations.Union<StatusError | CallError.Busy | CallError.NotResumable>["members"]

const quoted = (name: string): string =>
  `"${name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll("\"", "%22")}"`

const encoder = new TextEncoder()

const encodeFields = Schema.encodeEffect(UploadFields)

const types: ReadonlySet<string> = new Set(documentTypes)

const checkType = (fileName: string): Effect.Effect<void, CallError.InvalidInput> => {
  const [, extension] = /\.([^.]+)$/.exec(fileName) ?? []
  if (extension !== undefined && types.has(extension.toLowerCase())) return Effect.void
  return invalid(
    "fileName",
    extension === undefined ? "a name without an extension" : `the type ${extension.slice(0, 20)}`,
    `a type that the service translates: ${documentTypes.join(", ")}`
  )
}

/** Encodes the multipart form (RFC 7578), because the contract cannot encode streams. */
const form = Effect.fnUntraced(function*(
  fields: UploadFields,
  { anyType = false, content, fileName, size }: UploadOptions,
  sending: Sending
): Effect.fn.Return<HttpBody.HttpBody, CallError.InvalidInput | Schema.SchemaError> {
  yield* JobFile.checkFileName(fileName)
  if (!anyType) yield* checkType(fileName)
  const length = yield* JobFile.sizeOf(content, size)
  if (length !== undefined) yield* JobFile.checkSize(length)
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

const refNames = { documentId: true, documentKey: true } as const

const notResumable = (id: string, description: string) => new CallError.NotResumable({ id, description })

const make = Effect.gen(function*() {
  const { composed } = yield* Operations.runs
  const calls = yield* DocumentCalls.make
  const { api, budget, journal, owner, pending, records } = calls
  const checkLanguages = yield* LanguageChecks.make
  const { limits } = yield* LanguageServiceConfig

  /** The entry of an earlier upload with the id. Fails if content or fields differ. */
  const findEarlierUpload = Effect.fnUntraced(function*(
    uploadId: string,
    payload: object,
    digest: ReturnType<typeof JobFile.digestOf>
  ) {
    const earlier = yield* journal.getUpload(uploadId, owner)
    if (earlier === undefined) {
      const other = yield* journal.get(uploadId)
      // Refused, because the upload would overwrite the document's entry and lose the document key.
      if (other !== undefined && other._tag !== "Uploading") {
        return yield* invalid("uploadId", "the id of a document in the journal", "an id that no document has")
      }
      return undefined
    }
    // A download created this entry, without upload fields, while the store was unreadable.
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

  const runUpload = Effect.fnUntraced(function*(record: CallRecord, options: UploadOptions) {
    const { anyType: _anyType, content, fileName, size, uploadId: callerId, ...named } = options
    if (callerId !== undefined && !(typeof callerId === "string" && /^[!-.0-[\]-~]{1,60}$/.test(callerId))) {
      const description = typeof callerId === "string" ? `${callerId.length} characters` : typeOf(callerId)
      return yield* invalid("uploadId", description, "1 to 60 characters of ASCII without spaces and slashes")
    }
    yield* unknownName(named, uploadFieldNames) ?? Effect.void
    const fields = defined(named)
    yield* Characters.refuseTag
    yield* LanguageChecks.checkReferences(named, limits, false)
    const sending = record.sending = new Sending(callerId !== undefined)
    const body = yield* form(fields, options, sending)
    const known = content instanceof Uint8Array ? content : content instanceof Blob ? content.size : size
    if (known === undefined && (yield* Characters.hasBudget)) {
      const allowed = "a length, because the budget counts a file before it is sent"
      return yield* invalid("size", "a stream of unknown length", allowed)
    }
    const digest = JobFile.digestOf(content, size)
    const isInMemory = content instanceof Uint8Array || content instanceof Blob
    const contentHash = callerId !== undefined && isInMemory ? yield* digest : undefined
    const { isClaimed = false, ...files } = yield* UploadFacts
    const uploadId = callerId ?? `upload-${yield* JobFile.randomWord}`
    const facts = { ...owner, startedAt: yield* DateTime.now, fileName, fields, ...defined(files) }
    return yield* Effect.scoped(Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
      if (!isClaimed) yield* restore(journal.claim(uploadId))
      const earlier = callerId === undefined || isClaimed
        ? undefined
        : yield* restore(findEarlierUpload(uploadId, { ...fields, fileName }, digest))
      if (earlier !== undefined && earlier._tag !== "Uploading") return DocumentCalls.refOf(earlier)
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
        Effect.tapError((error) =>
          isNew && DocumentCalls.changedNothing(error, record) ? recorded.refused : Effect.void
        )
      )
      yield* expectUsableId("document", issued.documentId)
      yield* recorded.issued(issued, contentHash ?? sending.contentHash)
      yield* report(() => Progress.Started({ id: issued.documentId }))
      return issued
    }))).pipe(
      Effect.catchTag("TooManyDocuments", (error) =>
        Effect.flatMap(pending, (entries) => {
          const ids = entries.flatMap((entry) =>
            "documentId" in entry && restartOf(entry) === "download" ? [entry.documentId] : []
          )
          // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
          return new TooManyDocuments({ ...error, pending: ids })
        }))
    )
  })

  const upload = (options: UploadOptions): Effect.Effect<IssuedDocument, UploadError> =>
    api.upload.create({}, (record) => runUpload(record, options))

  const { recover, saveTo } = yield* Saves.make(calls)

  const receive = Effect.fnUntraced(function*(ref: DocumentRef) {
    const { billedCharacters } = yield* calls.wait(ref)
    const download = yield* calls.download(ref)
    const translated: TranslatedDocument = {
      ...download,
      // The stream is readable even if the claim fails. `Effect.option`, because `Effect.ignore` would add loggers to a bundle.
      stream: Stream.unwrap(Effect.as(Effect.option(journal.claim(ref.documentId)), download.stream)),
      ...ref,
      ...defined({ billedCharacters })
    }
    return translated
  })

  /** Runs an effect with a document's entry while the document is claimed. */
  const withEntry = Effect.fnUntraced(function*<A, E>(id: string, use: (entry?: Entry) => Effect.Effect<A, E>) {
    yield* checkId("entryId", id)
    yield* journal.claim(id)
    return yield* use(yield* journal.get(id))
  }, Effect.scoped)

  const resumeFrom = Effect.fnUntraced(function*(id: string, entry: Entry) {
    yield* checkOwner(owner, entry)
    if (entry._tag === "Uploading") {
      return yield* notResumable(id, "The response to its upload was lost, so its id is unknown. Upload it again")
    }
    if (entry._tag === "Received") {
      return yield* notResumable(id, `It was already received: ${entry.parts.map(({ path }) => path).join(", ")}`)
    }
    if (entry._tag === "Downloading" && entry.temporary !== undefined) {
      return yield* notResumable(id, `It is downloaded to ${entry.temporary}; resume it with NodeDocuments`)
    }
    const ref = DocumentCalls.refOf(entry)
    const gone = Effect.fnUntraced(function*(error: DocumentNotFound | DocumentAlreadyDownloaded) {
      const { bytesReceived, parts } = entry._tag === "Lost" ? entry : { bytesReceived: 0, parts: [] }
      const reason = "An earlier download consumed the document and did not complete"
      const failure = entry._tag === "Uploaded"
        ? error
        : Saves.lost(entry.documentId, reason, parts, undefined, bytesReceived)
      const { note } = yield* records.of(ref)
      yield* note({ _tag: "Stopped", available: false, reason: failure.description, bytesReceived, parts })
      return yield* failure
    })
    return yield* receive(ref).pipe(
      Effect.catchTag(["DocumentNotFound", "DocumentAlreadyDownloaded"], gone),
      DocumentCalls.about(entry)
    )
  })

  const runTranslate = Effect.fnUntraced(function*(options: UploadOptions) {
    const issued = yield* upload(options)
    const { documentId: id } = issued
    const received = withEntry(
      id,
      (entry) => entry === undefined || entry._tag === "Uploaded" ? receive(issued) : resumeFrom(id, entry)
    )
    return yield* DocumentCalls.about(issued)(received)
  })

  const adoptEntry = Effect.fnUntraced(function*(id: string, entry: Entry | undefined) {
    if (entry === undefined) return yield* missing(journal, id)
    const adopted = { ...entry, account: owner.account }
    yield* checkOwner(owner, adopted)
    if ("documentId" in entry && restartOf(entry) === "download") yield* calls.status(DocumentCalls.refOf(entry))
    yield* records.adopt(adopted)
  })

  return yield* withKnownOptions(DocumentsApi, {
    /** The owner of this client's journal entries: the service and the key's account. */
    owner,
    /** The context's journal, or else one in memory. */
    journal,
    /**
     * Uploads a file for translation (`POST /v2/document`). Returns the document's id and key, and records them in the journal. Only the download
     * is billed. Each attempt has the policy's `documentTimeout`.
     *
     * **Details**
     *
     * If the journal has a document with the `uploadId`, in any state, returns that document and sends nothing. If the response to an earlier upload
     * was lost, uploads again. Fails with `Busy` while another fiber or process uses the `uploadId`; with `InvalidInput` if the earlier upload had
     * another name, other fields or other content.
     *
     * Fails before the request with `InvalidInput` for an invalid name, empty content, a stream without `size` under a budget, or options that
     * exclude each other; with `LimitExceeded` for more than 5 glossaries; with `BudgetExceeded`. Fails with `OutcomeUnknown` if the response is
     * lost; with `SourceFailed` if the stream fails; with `TooManyDocuments`, whose `pending` lists the documents to download; with `NotFound` for
     * an unknown id in the fields; with `PayloadTooLarge` and `QuotaExceeded`.
     */
    upload,
    /**
     * Gets the state of a document (`POST /v2/document/{document_id}`). Fails with `DocumentNotFound` or `DocumentAlreadyDownloaded` for a document
     * that is unknown, deleted or of another account; with `InvalidInput` for an invalid id.
     */
    status: calls.status,
    /** Checks within 10 seconds if the service still has a document; `undefined` if unknown. */
    isAvailable: calls.isAvailable,
    /**
     * Waits until a document is translated. Polls at the policy's intervals, or at the service's estimate if plausible.
     *
     * Fails like `status`; with `DocumentFailed` and the service's message if the translation failed; with `DocumentNotReady` if the policy's
     * `jobDeadline` passes or `polling` is off. Then call `wait` again.
     */
    wait: calls.wait,
    /**
     * Waits until a document is translated, and starts its download (`POST /v2/document/{document_id}/result`). The first success deletes the
     * document at the service: run `stream` once and soon, and store the bytes, like `downloadToFile` in the package for Node.js. A stream that is
     * not read for the policy's `bodyIdleTimeout` fails. The journal keeps the entry until the stream ends.
     *
     * Fails like `wait`; with `QuotaExceeded` (the service keeps the document); with `DownloadInterrupted` if the response is lost. The stream fails
     * with `DownloadInterrupted`; its `available` is true if the service still has the document.
     */
    download: (ref: DocumentRef) => calls.download(ref),
    /**
     * Downloads a document and saves it with a {@link Saving}. If a program crashed after it received all bytes, a later call publishes the bytes.
     *
     * Fails like `download` and its stream; with `DownloadInterrupted` if the service deleted the document and bytes are missing; with `NotSaved` if
     * the document cannot be written or published; with the errors of the {@link Saving}.
     *
     * @since 0.3.0
     */
    saveTo,
    /**
     * Publishes a document if an earlier program received all bytes; otherwise returns `undefined`. Fails with `DownloadInterrupted` if the bytes are
     * gone; with the errors of the {@link Saving}; like `status` if `documentKey` is not the journal's key.
     *
     * @since 0.3.0
     */
    recover,
    /**
     * Runs `upload`, `wait` and `download`, and fails with their errors. After a failure or a crash, `resume` continues, and so does `translate` with
     * the same `uploadId`.
     */
    translate: (options: UploadOptions): Effect.Effect<TranslatedDocument, TranslateError> =>
      composed("Documents.translate", runTranslate(options)),
    /** Gets this account's journal entries, oldest first. */
    pending,
    /**
     * Resumes a document from the journal: waits for the translation, then starts the download.
     *
     * Fails like `wait` and `download`; with `NotResumable` if the entry is missing, incomplete, or of another key or service; with `Busy` if another
     * fiber or process has claimed the document; with `DownloadInterrupted` if the document is lost.
     */
    resume: ({ entryId }: EntryRef): Effect.Effect<TranslatedDocument, ResumeError> =>
      composed(
        "Documents.resume",
        withEntry(entryId, (entry) => entry === undefined ? missing(journal, entryId) : resumeFrom(entryId, entry))
      ),
    /**
     * Removes a document from the journal; the document can no longer be downloaded. Fails with `Busy` for a claimed document; with `NotResumable`
     * for an entry of another key or service; with `InvalidInput` for an invalid id.
     */
    forget: ({ entryId }: EntryRef): Effect.Effect<void, ForgetError> =>
      composed(
        "Documents.forget",
        withEntry(entryId, (entry) =>
          entry === undefined ? Effect.void : Effect.andThen(checkOwner(owner, entry), records.forget(entryId)))
      ),
    /**
     * Takes over a document that was uploaded with another key, such as a rotated key. Fails like `status`, because a status request checks that both
     * keys belong to one account; with `NotResumable` if the entry is missing or of another service; with `Busy` for a claimed document.
     */
    adopt: ({ entryId }: EntryRef): Effect.Effect<void, AdoptError> =>
      composed("Documents.adopt", withEntry(entryId, (entry) => adoptEntry(entryId, entry)))
  }, {
    upload: false,
    translate: false,
    isAvailable: refNames,
    wait: refNames,
    saveTo: refNames,
    recover: refNames,
    resume: { entryId: true },
    forget: { entryId: true },
    adopt: { entryId: true }
  })
})

/**
 * Translates files, and resumes unfinished documents.
 *
 * @category services
 * @since 0.1.0
 */
export class Documents extends Operations.service<Documents>()("@effect-lingua/core/documents/Documents", make) {}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace Documents {
  export type { UploadOptions }
  export type { AdoptError, ForgetError, ResumeError, StatusError, TranslateError, UploadError }
  export type { DocumentRef, DocumentState, DocumentStatus, Download, Entry, EntryRef, Formality, IssuedDocument }
  export type { NotSaved, ReceivedBytes, Saving, TranslatedDocument, UploadFields }
}
