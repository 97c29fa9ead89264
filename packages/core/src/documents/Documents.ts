/**
 * Translation of files, which are uploaded, translated as a whole, and downloaded once.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as OpenStreams from "../call/internal/openStreams.ts"
import { runs } from "../call/internal/operation.ts"
import type * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import { defined } from "../contract/internal/values.ts"
import { type Busy, type InvalidInput, NotResumable } from "../errors/CallError.ts"
import { checkId } from "../errors/internal/checks.ts"
import type { DocumentAlreadyDownloaded, DocumentNotFound } from "../errors/ServiceError.ts"
import * as LanguageChecks from "../languages/internal/languageChecks.ts"
import * as DocumentCalls from "./internal/documentCalls.ts"
import type { Download } from "./internal/documentCalls.ts"
import { DocumentsApi } from "./internal/documentsApi.ts"
import * as Saving from "./internal/saving.ts"
import { type DocumentRef, restartOf } from "./internal/states.ts"
import * as Uploading from "./internal/uploading.ts"
import type { UploadOptions } from "./internal/uploading.ts"
import { checkOwner, type Entry, missing } from "./Journal.ts"

export type { Formality } from "../contract/internal/textOptions.ts"
export type { Download } from "./internal/documentCalls.ts"
export {
  DocumentState,
  DocumentStatus,
  documentTypes,
  IssuedDocument,
  maxBytes,
  UploadFields
} from "./internal/documentsApi.ts"
export { NotSaved, type Saving } from "./internal/saving.ts"
export type { DocumentRef, ReceivedBytes } from "./internal/states.ts"
export type { UploadOptions } from "./internal/uploading.ts"
export { type Entry } from "./Journal.ts"

/**
 * A reference to an entry of the journal: the id of the document, or else of its upload.
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
  /** The billed characters. */
  readonly billedCharacters?: number
}

type StatusError = DocumentCalls.Errors["status"]

type UploadError = Uploading.Errors["upload"]

type TranslateError = Operations.Union<UploadError | ResumeError>["members"]

type ResumeError = Operations.Union<DocumentCalls.Errors["download"] | Busy | NotResumable>["members"]

type ForgetError = Busy | InvalidInput | NotResumable

type AdoptError = Operations.Union<StatusError | Busy | NotResumable>["members"]

const refNames = { documentId: true, documentKey: true } as const

const notResumable = (id: string, description: string) => new NotResumable({ id, description })

const make = Effect.gen(function*() {
  const { composed } = yield* runs
  const calls = yield* DocumentCalls.make
  const { journal, owner, pending, records } = calls
  const upload = yield* Uploading.make(calls)
  const { recover, saveTo } = yield* Saving.make(calls)

  const receive = Effect.fnUntraced(function*(ref: DocumentRef) {
    const { billedCharacters } = yield* calls.wait(ref)
    const download = yield* calls.download(ref)
    const translated: TranslatedDocument = {
      ...download,
      // The stream is read even if the claim fails. `Effect.ignore` would add the loggers to a bundle.
      stream: Stream.unwrap(Effect.as(Effect.option(journal.claim(ref.documentId)), download.stream)),
      ...ref,
      ...defined({ billedCharacters })
    }
    return translated
  })

  const claimed = Effect.fnUntraced(function*(id: string) {
    yield* checkId("entryId", id)
    yield* journal.claim(id)
    return yield* journal.get(id)
  })

  const resumedFrom = Effect.fnUntraced(function*(id: string, entry: Entry) {
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
        : Saving.lost(entry.documentId, reason, parts, undefined, bytesReceived)
      const { note } = yield* records.of(ref)
      yield* note({ _tag: "Stopped", available: false, reason: failure.description, bytesReceived, parts })
      return yield* failure
    })
    return yield* receive(ref).pipe(
      Effect.catchTag(["DocumentNotFound", "DocumentAlreadyDownloaded"], gone),
      DocumentCalls.about(entry)
    )
  })

  const resumed = Effect.fnUntraced(function*(id: string) {
    const entry = yield* claimed(id)
    return yield* entry === undefined ? missing(journal, id) : resumedFrom(id, entry)
  }, Effect.scoped)

  const translated = Effect.fnUntraced(function*(options: UploadOptions) {
    const issued = yield* upload(options)
    return yield* claimed(issued.documentId).pipe(
      Effect.flatMap((entry) =>
        entry === undefined || entry._tag === "Uploaded" ? receive(issued) : resumedFrom(issued.documentId, entry)
      ),
      DocumentCalls.about(issued)
    )
  }, Effect.scoped)

  const forgotten = Effect.fnUntraced(function*(id: string) {
    const entry = yield* claimed(id)
    if (entry === undefined) return
    yield* checkOwner(owner, entry)
    yield* records.forget(id)
  }, Effect.scoped)

  const adopt = Effect.fnUntraced(function*(id: string) {
    const entry = yield* claimed(id)
    if (entry === undefined) return yield* missing(journal, id)
    const adopted = { ...entry, account: owner.account }
    yield* checkOwner(owner, adopted)
    // The service knows if both keys are of one account.
    if ("documentId" in entry && restartOf(entry) === "download") yield* calls.status(DocumentCalls.refOf(entry))
    yield* records.adopt(adopted)
  }, Effect.scoped)

  return yield* withKnownOptions(DocumentsApi, {
    /** The owner of this client's entries. */
    owner,
    /** The journal of the context, or in memory. */
    journal,
    /**
     * Uploads a file for its translation, and returns the id and the key of the document (`POST /v2/document`). Without them the document is
     * lost; the journal has both before the call succeeds. The download is billed. A stream is sent while it is read, within the policy's
     * `documentTimeout` for each attempt.
     *
     * **Details**
     *
     * If the journal has a document of the `uploadId`, in any state, it is returned, and nothing is sent. After a lost response the file is
     * uploaded again. Fails with `Busy` while another fiber, or another process with the journal, uploads with the id; with `InvalidInput` if the
     * earlier upload had another file name, other fields or other content, or the id belongs to a document.
     *
     * Not sent again after an unknown outcome: fails with `OutcomeUnknown`. Before anything is sent, fails with `InvalidInput` for a file name that
     * is empty or has a folder, empty or invalid content, a stream without `size` under a budget, or references that exclude each other; with
     * `LimitExceeded` for more than 5 glossaries; with `BudgetExceeded`. Fails with `SourceFailed` if the stream fails; with `TooManyDocuments` if
     * too many are in translation or not downloaded, with their ids from the journal; with `NotFound` for an unknown reference; with
     * `PayloadTooLarge` and `QuotaExceeded`.
     */
    upload,
    /**
     * Gets the state of a document (`POST /v2/document/{document_id}`). Fails with `DocumentNotFound` or `DocumentAlreadyDownloaded` for an unknown or
     * deleted document or another document's key; with `InvalidInput` for an id that cannot be a path segment.
     */
    status: calls.status,
    /** Checks for 10 seconds at most if the service still has a document; `undefined` if unknown. */
    isAvailable: calls.isAvailable,
    /**
     * Waits until a document is translated, and returns its status. Polls at the policy's intervals, or at the service's estimate if plausible. An
     * unknown state counts as not done.
     *
     * Fails like `status`; with `DocumentFailed` and the service's message if the translation failed; with `DocumentNotReady` after the policy's
     * `jobDeadline`, or without `polling`: wait again.
     */
    wait: calls.wait,
    /**
     * Waits until a document is translated, and starts its download (`POST /v2/document/{document_id}/result`). The first success deletes the document
     * at the service: run `stream` once and soon, and store its bytes, as `downloadToFile` in the package for Node does. A stream that is not
     * read for the policy's `bodyIdleTimeout` fails.
     *
     * **Details**
     *
     * After a lost response the document is requested once more. The journal has the document until the stream has ended.
     *
     * Fails like `wait`; with `QuotaExceeded` if the characters are used up: the service keeps the document; with `DownloadInterrupted` if a lost
     * response deleted the document. The stream fails with `DownloadInterrupted`; `available` is true if the service still has the document.
     */
    download: (ref: DocumentRef) => calls.download(ref),
    /**
     * Downloads a document and saves it. The journal has the document until it is saved. A later call publishes the bytes of a killed program, if
     * they are complete.
     *
     * Fails like `download` and its stream; with `DownloadInterrupted` for a deleted document that was not received completely; with `NotSaved`, and
     * the errors of the place.
     *
     * @since 0.3.0
     */
    saveTo,
    /**
     * Publishes a document of which an earlier program has received all bytes; returns `undefined` if it has not. Fails with
     * `DownloadInterrupted` if the bytes are gone; with the errors of the place; like `status` if the journal has another key.
     *
     * @since 0.3.0
     */
    recover,
    /**
     * Runs `upload`, `wait` and `download`, and fails with their errors. `NodeDocuments.translate` does so with files. Fails with `Busy` if another
     * fiber or process resumes the document. After a failure or a crash, `resume` continues, and so does `translate` with the same `uploadId`.
     */
    translate: (options: UploadOptions): Effect.Effect<TranslatedDocument, TranslateError> =>
      composed("Documents.translate", translated(options)),
    /** Gets the journal's entries of this account, the oldest first: documents to resume, and lost ones. */
    pending,
    /**
     * Resumes a document of the journal: waits for it and starts its download.
     *
     * Fails like `wait` and `download`; with `NotResumable` for an entry that is missing, incomplete, or of another key or service; with `Busy`
     * if another fiber or process has claimed it; with `DownloadInterrupted` if an earlier download consumed the document: it is lost.
     */
    resume: ({ entryId }: EntryRef): Effect.Effect<TranslatedDocument, ResumeError> =>
      composed("Documents.resume", resumed(entryId)),
    /**
     * Removes a document from the journal, so that it can no longer be downloaded. Fails with `Busy` if another fiber or process has claimed it;
     * with `NotResumable` for an entry of another key or service; with `InvalidInput` for an invalid id.
     */
    forget: ({ entryId }: EntryRef): Effect.Effect<void, ForgetError> =>
      composed("Documents.forget", forgotten(entryId)),
    /**
     * Adopts a document of another key in the journal, for example after a key was replaced, for `pending` and `resume`.
     *
     * The status of a document at the service is requested. Fails like `status`; with `DocumentNotFound` if the keys are of different accounts, or the
     * document was deleted; with `NotResumable` for a missing entry, or one of another service.
     */
    adopt: ({ entryId }: EntryRef): Effect.Effect<void, AdoptError> => composed("Documents.adopt", adopt(entryId))
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
 * The service of documents.
 *
 * @category services
 * @since 0.1.0
 */
export class Documents
  extends Context.Service<Documents, Effect.Success<typeof make>>()("@effect-lingua/core/documents/Documents")
{}

/**
 * The service over the client of `LanguageService.layer` or `LanguageServiceClient.layerOf`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.provide(Layer.effect(Documents, make), [LanguageChecks.layer, OpenStreams.layer])
