/**
 * Translation of documents: files that are uploaded, translated as a whole, and downloaded once.
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
 * A reference to an entry of the journal: the id of the document, or the id of the upload until the document has one.
 *
 * @category options
 * @since 0.1.0
 */
export interface EntryRef {
  readonly entryId: string
}

/**
 * A translated document that is being downloaded, with its id and key.
 *
 * @category models
 * @since 0.1.0
 */
export interface TranslatedDocument extends Download, DocumentRef {
  /** The characters that the download is billed with. */
  readonly billedCharacters?: number
}

type StatusError = DocumentCalls.Errors["status"]

type UploadError = Uploading.Errors["upload"]

type TranslateError = Operations.Union<UploadError | ResumeError>["members"]

type ResumeError = Operations.Union<DocumentCalls.Errors["download"] | Busy | NotResumable>["members"]

type ForgetError = Busy | InvalidInput | NotResumable

type AdoptError = Operations.Union<StatusError | Busy | NotResumable>["members"]

const notResumable = (id: string, description: string) => new NotResumable({ id, description })

const make = Effect.gen(function*() {
  const { composed } = yield* runs
  const calls = yield* DocumentCalls.make
  const { journal, owner, pending, records } = calls
  const upload = yield* Uploading.make(calls)
  const { recover, saveTo } = yield* Saving.make(calls)

  /** Waits for a document and starts its download. */
  const receive = Effect.fnUntraced(function*(ref: DocumentRef) {
    const { billedCharacters } = yield* calls.wait(ref)
    const download = yield* calls.download(ref)
    const translated: TranslatedDocument = {
      ...download,
      // The stream is read even if the claim fails. `Effect.ignore` could log, and brings the loggers into a bundle.
      stream: Stream.unwrap(Effect.as(Effect.option(journal.claim(ref.documentId)), download.stream)),
      ...ref,
      ...defined({ billedCharacters })
    }
    return translated
  })

  /** The entry of a document, which is claimed. */
  const claimed = Effect.fnUntraced(function*(id: string) {
    yield* checkId("entryId", id)
    yield* journal.claim(id)
    return yield* journal.get(id)
  })

  /** Resumes a claimed document. */
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
      const failure = entry._tag === "Uploaded"
        ? error
        : Saving.lost(
          entry.documentId,
          "An earlier download consumed the document and did not complete",
          parts,
          undefined,
          bytesReceived
        )
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
    const received = Effect.flatMap(
      claimed(issued.documentId),
      (entry) =>
        entry === undefined || entry._tag === "Uploaded" ? receive(issued) : resumedFrom(issued.documentId, entry)
    )
    return yield* DocumentCalls.about(issued)(received)
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
    // Only the service knows whether both keys are of one account.
    if ("documentId" in entry && restartOf(entry) === "download") yield* calls.status(DocumentCalls.refOf(entry))
    yield* records.adopt(adopted)
  }, Effect.scoped)

  return yield* withKnownOptions(DocumentsApi, {
    /** The owner of the entries in the journal: the service, and the account of the key. */
    owner,
    /** The journal of the documents: from the context, or in memory. */
    journal,
    /**
     * Uploads a file for its translation and returns the id and the key of the document.
     *
     * **Details**
     *
     * `POST /v2/document`. The characters are billed with the download. Store the id and the key: without them the document is lost. The
     * journal has both before the call succeeds. A stream is sent while it is read, within the policy's `documentTimeout` for each attempt.
     *
     * With an `uploadId` of which the journal has a document, in any state, it returns that one and sends nothing. If the response to
     * an earlier upload was lost, the file is uploaded again: the first document is never downloaded and so never billed. Fails with
     * `Busy` while another fiber, or another process that shares the journal, uploads with the id, and with `InvalidInput` if the
     * earlier upload had another file name, other fields or content of another SHA-256 digest, or the id belongs to a document in the journal.
     *
     * Not retried after an unknown outcome: it fails with `OutcomeUnknown`, and the service may translate a document with an
     * unknown id. Fails with `InvalidInput` for a file name that is empty or contains a folder, empty or invalid content, a
     * stream without `size` if there is a budget, or references that exclude each other, `LimitExceeded` for more than 5
     * glossaries, and `BudgetExceeded` if a tenant's budget would be exceeded, all before anything is sent; with
     * `SourceFailed` if the stream of the file fails; with `TooManyDocuments` if too many are in translation or not downloaded:
     * it has the ids of those in the journal; with `NotFound` if a reference does not exist; with `PayloadTooLarge` and
     * `QuotaExceeded`.
     */
    upload,
    /**
     * Gets the state of a document.
     *
     * **Details**
     *
     * `POST /v2/document/{document_id}`. A failed translation is a success with the status `error`. Fails with
     * `DocumentNotFound` or `DocumentAlreadyDownloaded` if the document does not exist or was deleted, or the key belongs to
     * another document; with `InvalidInput` for an id that cannot be a path segment, before anything is sent.
     */
    status: calls.status,
    /**
     * Checks if the service still has a document, by its status, for 10 seconds at most. Returns `undefined` if that cannot be
     * determined. Never fails.
     */
    isAvailable: calls.isAvailable,
    /**
     * Waits until a document is translated, and returns its status.
     *
     * **Details**
     *
     * Polls the status until it is `done`, at the intervals of the policy, or of the service's estimate if that is plausible.
     * An unknown state counts as not done.
     *
     * Fails with `DocumentFailed` and the service's message if the translation failed; with `DocumentNotReady` if the policy's
     * `jobDeadline` passes, or `polling` is off: the service still has the document, wait again; otherwise like `status`.
     */
    wait: calls.wait,
    /**
     * Waits until a document is translated and starts its download. The first success deletes the document at the
     * service, so run `stream` once and soon, and store its bytes; `downloadToFile` in the package for Node does that. A stream
     * that is not read for the policy's `bodyIdleTimeout` fails, because it holds a connection.
     *
     * **Details**
     *
     * `POST /v2/document/{document_id}/result`. For a document that is not ready the status is polled until the policy's
     * `jobDeadline`, 30 minutes by default. After a lost response the document is requested once more, because the service may
     * still have it. The journal has the document until the stream has ended.
     *
     * Fails like `wait`; with `QuotaExceeded` if the characters are used up: the service keeps the document; with `DownloadInterrupted` if
     * the document was deleted with a response that was lost. The stream fails with `DownloadInterrupted`, whose `available` is true if the
     * service still has the document.
     */
    download: (ref: DocumentRef) => calls.download(ref),
    /**
     * Downloads a document and saves it. The journal has the document until it is saved, and the length of its bytes: a later call publishes
     * the bytes of a killed program, if they are complete and the service has deleted the document.
     *
     * Fails like `download` and its stream, with `DownloadInterrupted` for a document of which an earlier download kept a part, with
     * `NotSaved`, and with the errors of the place.
     *
     * @since 0.3.0
     */
    saveTo,
    /**
     * Publishes a document of which an earlier program has received all bytes, without downloading it. Returns `undefined` if it has not. Fails
     * with `DownloadInterrupted` if the bytes are gone meanwhile, and with the errors of the place; like `status` if the journal has another key for
     * the document.
     *
     * @since 0.3.0
     */
    recover,
    /**
     * Uploads the bytes of a file, waits for the translation, and starts its download. `NodeDocuments.translate` does so from path to
     * path.
     *
     * **Details**
     *
     * Runs `upload`, `wait` and `download`, and fails with their errors. Each has the policy's `jobDeadline` for itself.
     * Fails with `Busy` if another fiber or process resumes the document meanwhile. After the upload the journal has the
     * document, so that `resume` continues after a failure or a crash, and so does `translate` with the same `uploadId`, as
     * `resume` does.
     */
    translate: (options: UploadOptions): Effect.Effect<TranslatedDocument, TranslateError> =>
      composed("Documents.translate", translated(options)),
    /**
     * Gets the journal's entries for unfinished documents of this account at this service, the oldest first: those that can be
     * resumed, and those that were lost.
     */
    pending,
    /**
     * Resumes a document of the journal: waits for it and starts its download.
     *
     * **Details**
     *
     * Fails with `NotResumable` if the journal has no entry with the id, or one that is incomplete or of another key or service; with
     * `Busy` if another fiber or process has claimed the document; with `DownloadInterrupted` if an earlier download consumed it and
     * did not end: it is lost; otherwise like `wait` and `download`.
     */
    resume: ({ entryId }: EntryRef): Effect.Effect<TranslatedDocument, ResumeError> =>
      composed("Documents.resume", resumed(entryId)),
    /**
     * Removes a document from the journal. It can no longer be downloaded, although the service keeps it for some time. Fails
     * with `Busy` if another fiber or process has claimed it, with `NotResumable` if it is of another key or service, and with
     * `InvalidInput` for an invalid id.
     */
    forget: ({ entryId }: EntryRef): Effect.Effect<void, ForgetError> =>
      composed("Documents.forget", forgotten(entryId)),
    /**
     * Adopts a document of another key in the journal, for example after a key was replaced. `pending` then lists it, and `resume`
     * continues it.
     *
     * **Details**
     *
     * The status of the document is requested, because only the service can tell if both keys are of one account. Fails with
     * `DocumentNotFound` if they are not, or the document was deleted, and leaves it to the other key; with `NotResumable` if the
     * journal has no entry with the id, or one of another service; otherwise like `status`. An upload whose response was lost, and a
     * document that was received or lost, are adopted without a request.
     */
    adopt: ({ entryId }: EntryRef): Effect.Effect<void, AdoptError> => composed("Documents.adopt", adopt(entryId))
  }, {
    upload: false,
    translate: false,
    isAvailable: { documentId: true, documentKey: true },
    wait: { documentId: true, documentKey: true },
    saveTo: { documentId: true, documentKey: true },
    recover: { documentId: true, documentKey: true },
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
 * The service over the contract client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.provide(Layer.effect(Documents, make), [
  LanguageChecks.layer,
  OpenStreams.layer
])
