/**
 * Documents: files that are translated as a whole and downloaded once.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as CharacterBudget from "../account/internal/characterBudget.ts"
import {
  type BudgetExceeded,
  type Busy,
  DownloadInterrupted,
  type InvalidInput,
  type LimitExceeded,
  NotResumable,
  type SourceFailed
} from "../client/CallError.ts"
import type { DocumentId } from "../client/Ids.ts"
import { composed } from "../client/internal/call.ts"
import { checkId } from "../client/internal/checks.ts"
import type * as Operations from "../client/internal/operations.ts"
import { defined, type Optional } from "../client/internal/optional.ts"
import type {
  DocumentAlreadyDownloaded,
  DocumentFailed,
  DocumentNotFound,
  DocumentNotReady
} from "../client/ServiceError.ts"
import * as LanguageChecks from "../languages/internal/languageChecks.ts"
import type { DocumentKey, DocumentsApi, UploadFields } from "./DocumentsApi.ts"
import * as DocumentCalls from "./internal/documentCalls.ts"
import { checkOwner, factsOf } from "./Journal.ts"

export { DocumentId, DocumentKey } from "../client/Ids.ts"
export { DocumentState, DocumentStatus, IssuedDocument, UploadFields } from "./DocumentsApi.ts"

/**
 * Names one document. Both parts are issued at upload and neither can be found out later.
 *
 * @category options
 * @since 0.1.0
 */
export interface DocumentRef {
  readonly documentId: DocumentId
  readonly documentKey: DocumentKey
}

/**
 * Names one entry of the journal: the id of a document, or of its upload as long as it has none.
 *
 * @category options
 * @since 0.1.0
 */
export interface EntryRef {
  readonly entryId: string
}

/**
 * A document on its way to the caller. Nothing but the first run of `stream` gives its bytes: the service has deleted it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Download {
  /**
   * The bytes, as they come. Fails with `DownloadInterrupted` when they stop before the end. Run it: a stream that is
   * never run holds its connection until it is collected.
   */
  readonly stream: Stream.Stream<Uint8Array, DownloadInterrupted>
  /**
   * Completeness of a stream that ends without an error. `verified`: the response has a length or is chunked, so a truncated
   * stream fails. `unknown`: it has neither and ends with its connection, even if that was cut.
   */
  readonly completeness: "verified" | "unknown"
  /** The media type of the document. */
  readonly contentType?: string
  /** The promised length in bytes. */
  readonly contentLength?: number
  /** The file name that the service suggests, without any folder. It is the service's word: check it before use. */
  readonly fileName?: string
  /** The trace id of the download. */
  readonly traceId?: string
}

/**
 * A file to translate, and the options of its translation: the file, and the fields of {@link UploadFields}, of which `targetLanguage` is
 * required.
 *
 * @category options
 * @since 0.1.0
 */
export interface UploadOptions extends Optional<UploadFields> {
  /**
   * The bytes of the file. A `Blob` may stand for a file on disk (`fs.openAsBlob`) and is read as it is sent; so is a
   * stream, which is run anew when the service asks to come back later.
   */
  readonly content: Uint8Array | Blob | Stream.Stream<Uint8Array, unknown>
  /** The name of the file without a folder. Its extension tells the service the type. */
  readonly fileName: string
  /** The length of a stream in bytes, where it is known: the service learns it beforehand. */
  readonly size?: number | undefined
}

/**
 * A translated document on its way, with what names it.
 *
 * @category models
 * @since 0.1.0
 */
export interface TranslatedDocument extends Download, DocumentRef {
  /** The characters that the download is billed with. */
  readonly billedCharacters?: number
}

/**
 * The errors of `upload`.
 *
 * @category errors
 * @since 0.1.0
 */
export type UploadError = Operations.Errors<
  typeof DocumentsApi,
  "upload",
  BudgetExceeded | LimitExceeded | SourceFailed
>["create"]

/**
 * The errors of `status`.
 *
 * @category errors
 * @since 0.1.0
 */
export type StatusError = Operations.Errors<typeof DocumentsApi, "status">["call"]

/**
 * The errors of `wait`.
 *
 * @category errors
 * @since 0.1.0
 */
export type WaitError = Operations.Union<StatusError | DocumentFailed | DocumentNotReady>["members"]

/**
 * The errors of `download`.
 *
 * @category errors
 * @since 0.1.0
 */
export type DownloadError = Operations.Union<WaitError | DownloadInterrupted>["members"]

/**
 * The errors of `translate`.
 *
 * @category errors
 * @since 0.1.0
 */
export type TranslateError = Operations.Union<UploadError | DownloadError | Busy>["members"]

/**
 * The errors of `resume`.
 *
 * @category errors
 * @since 0.1.0
 */
export type ResumeError = Operations.Union<DownloadError | Busy | NotResumable>["members"]

/**
 * The errors of `forget`.
 *
 * @category errors
 * @since 0.1.0
 */
export type ForgetError = Busy | InvalidInput | NotResumable

/**
 * The errors of `adopt`.
 *
 * @category errors
 * @since 0.1.0
 */
export type AdoptError = Operations.Union<StatusError | Busy | NotResumable>["members"]

const notResumable = (id: string, description: string) => new NotResumable({ id, description })

const unknown = (id: string) => notResumable(id, "The journal does not know it")

const make = Effect.gen(function*() {
  const calls = yield* DocumentCalls.make
  const { journal, owner, pending } = calls

  /** Waits for a document and starts its download. */
  const receive = Effect.fnUntraced(function*(ref: DocumentRef) {
    const { billedCharacters } = yield* calls.wait(ref)
    const download = yield* calls.download(ref)
    const translated: TranslatedDocument = {
      ...download,
      // Whoever has its bytes already goes on with them.
      stream: Stream.unwrap(Effect.as(Effect.ignore(journal.claim(ref.documentId)), download.stream)),
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

  const resumed = Effect.fnUntraced(function*(id: string) {
    const entry = yield* claimed(id)
    if (entry === undefined) return yield* unknown(id)
    yield* checkOwner(owner, entry)
    if (entry._tag === "Uploading") {
      return yield* notResumable(id, "The answer to its upload was not seen, so its id is not known. Upload it again")
    }
    if (entry._tag === "Received") {
      return yield* notResumable(id, `It was received: ${entry.parts.map(({ path }) => path).join(", ")}`)
    }
    if (entry._tag === "Downloading" && entry.temporary !== undefined) {
      return yield* notResumable(id, `Its bytes go to ${entry.temporary}; NodeDocuments goes on with that`)
    }
    const lost = <E extends DocumentNotFound | DocumentAlreadyDownloaded>(
      error: E
    ): Effect.Effect<never, E | DownloadInterrupted> => {
      const { bytesReceived, parts } = entry._tag === "Lost" ? entry : { bytesReceived: 0, parts: [] }
      const taken = new DownloadInterrupted({
        documentId: entry.documentId,
        bytesReceived,
        available: false,
        description: "An earlier download took the document and did not end"
      })
      const failure = entry._tag === "Uploaded" ? error : taken
      return Effect.andThen(
        journal.put({
          _tag: "Lost",
          ...factsOf(entry),
          ...DocumentCalls.refOf(entry),
          reason: failure.description,
          bytesReceived,
          parts
        }),
        Effect.fail(failure)
      )
    }
    return yield* receive(DocumentCalls.refOf(entry)).pipe(
      Effect.catchTag(["DocumentNotFound", "DocumentAlreadyDownloaded"], lost),
      DocumentCalls.about(entry)
    )
  }, Effect.scoped)

  const translated = Effect.fnUntraced(function*(options: UploadOptions) {
    const issued = yield* calls.upload(options)
    return yield* Effect.andThen(journal.claim(issued.documentId), receive(issued)).pipe(DocumentCalls.about(issued))
  }, Effect.scoped)

  const forgotten = Effect.fnUntraced(function*(id: string) {
    const entry = yield* claimed(id)
    if (entry === undefined) return
    yield* checkOwner(owner, entry)
    yield* journal.remove(id)
  }, Effect.scoped)

  const adopted = Effect.fnUntraced(function*(id: string) {
    const entry = yield* claimed(id)
    if (entry === undefined) return yield* unknown(id)
    const own = { ...entry, account: owner.account }
    yield* checkOwner(owner, own)
    // Only the service knows whether both keys are of one account.
    if (entry._tag === "Uploaded" || entry._tag === "Downloading") yield* calls.status(DocumentCalls.refOf(entry))
    yield* journal.put(own)
  }, Effect.scoped)

  return {
    /** The owner of the entries in the journal: the service, and the account of the key. */
    owner,
    /**
     * Uploads a file for its translation and gives its id and key.
     *
     * **Details**
     *
     * `POST /v2/document`.
     * The characters are billed when the document is downloaded. Keep id and key: without them the document is lost.
     * A stream is sent as it comes, within the policy's `documentTimeout` for each attempt. The journal has them before this
     * ends.
     *
     * Never repeated after an unknown outcome: fails with `OutcomeUnknown` then, and a document may be in translation
     * under an id that is not known. Fails with `InvalidInput` for a file name that is empty or has a folder in it,
     * content that is empty or no file, a stream without `size` where there is a budget, or references that exclude each
     * other, `LimitExceeded` for more than 5 glossaries, and `BudgetExceeded` when the client's own budget would be passed,
     * all before anything is sent; with `SourceFailed` when the stream of the file fails; with `TooManyDocuments` when too
     * many are in translation or not downloaded: it names those that the journal knows; with `NotFound` when a reference
     * does not exist; with `PayloadTooLarge` and `QuotaExceeded`.
     */
    upload: calls.upload,
    /**
     * Asks how far a document is. Changes nothing.
     *
     * **Details**
     *
     * `POST /v2/document/{document_id}`. A translation
     * that failed is a success with the status `error`. Fails with `DocumentNotFound` or `DocumentAlreadyDownloaded`
     * when the document is not or no longer there, or the key is another's; with `InvalidInput` for an id that cannot be
     * a path segment, before anything is sent.
     */
    status: calls.status,
    /**
     * Asks the service if it still has a document, by its status, for 10 seconds at most. Gives `undefined` when that
     * could not be found out. Never fails.
     */
    isAvailable: calls.isAvailable,
    /**
     * Waits until a document is translated, and gives its status then.
     *
     * **Details**
     *
     * Asks for the status until it is `done`, with the policy's waits between polls, or the service's estimate where that
     * can be believed. A state that is not known is waited for like any other.
     *
     * Fails with `DocumentFailed` when the translation failed: it has the service's words; with `DocumentNotReady` when the
     * policy's `documentDeadline` passes, or `polling` is off: the document is still there, wait again; else like
     * {@link status}.
     */
    wait: calls.wait,
    /**
     * Waits until a document is translated and starts its download. The first success deletes the document at the
     * service, so run `stream` once and soon, to a place that keeps it; `downloadToFile` in the package for Node does that. A
     * stream that is not read for the policy's `bodyIdleTimeout` is ended, as it holds a connection.
     *
     * **Details**
     *
     * `POST /v2/document/{document_id}/result`. For a document that is not ready
     * the status is asked for until the policy's `documentDeadline`, 30 minutes by default. After a lost answer the document
     * is asked for once more, as the service may still have it. The journal has the document until the stream has ended.
     *
     * Fails with `DocumentNotReady` when the deadline passes first: the document is still there, ask again; with
     * `DocumentFailed` when its translation failed; with
     * `DocumentNotFound` or `DocumentAlreadyDownloaded` when it is not or no longer there, or the key is another's; with
     * `QuotaExceeded` when the characters are used up: it stays there; with `DownloadInterrupted` when the document went
     * with an answer that was lost; with `InvalidInput` for an id that cannot be a path segment, before anything is sent.
     * The stream fails with `DownloadInterrupted`, which says whether the service still has the document.
     */
    download: calls.download,
    /**
     * Translates a file: uploads it, waits, and starts the download.
     *
     * **Details**
     *
     * The same as `upload`, `wait` and `download` after one another, whose errors it fails with. Each has the policy's
     * `documentDeadline` for itself. Fails with `Busy` when somebody else resumes the document meanwhile. Once the
     * file is uploaded the journal has the document, so that `resume` goes on after a failure or a crash.
     */
    translate: (options: UploadOptions): Effect.Effect<TranslatedDocument, TranslateError> =>
      composed("Documents.translate", translated(options)),
    /**
     * The journal's entries for unfinished documents of this account at this service, the oldest first: those that can be
     * resumed, and those that were lost.
     */
    pending,
    /**
     * Goes on with a document of the journal: waits for it and starts its download.
     *
     * **Details**
     *
     * Fails with `NotResumable` when the journal does not know the id, knows too little, or has it of another key or service;
     * with `Busy` when somebody works at the document; with `DownloadInterrupted` when an earlier download took it and
     * did not end: it is lost; else like `wait` and `download`.
     */
    resume: ({ entryId }: EntryRef): Effect.Effect<TranslatedDocument, ResumeError> =>
      composed("Documents.resume", resumed(entryId)),
    /**
     * Forgets a document of the journal. The service keeps it until it drops it, and it cannot be downloaded any more. Fails
     * with `Busy` when somebody works at it, with `NotResumable` when it is of another key or service, and with
     * `InvalidInput` for an id that is none.
     */
    forget: ({ entryId }: EntryRef): Effect.Effect<void, ForgetError> =>
      composed("Documents.forget", forgotten(entryId)),
    /**
     * Takes over a document of another key in the journal, for example after a key was replaced. `pending` then lists it, and
     * `resume` continues it.
     *
     * **Details**
     *
     * The service is asked for the status of the document, as it alone knows whether both keys are of one account. Fails with
     * `DocumentNotFound` when they are not, or the document is not there any more, and leaves it to the other key; with
     * `NotResumable` when the journal does not know the id, or it is of another service; else like `status`. Of an upload whose
     * answer was not seen, and of a document that was received or lost, there is nothing to ask: it is taken over.
     */
    adopt: ({ entryId }: EntryRef): Effect.Effect<void, AdoptError> => composed("Documents.adopt", adopted(entryId))
  }
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
export const layer = Layer.provide(Layer.effect(Documents, make), [LanguageChecks.layer, CharacterBudget.layer])
