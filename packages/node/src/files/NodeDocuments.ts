/**
 * Translates documents from file to file. The service delivers a document only once, so every step can be resumed.
 *
 * @since 0.1.0
 */
import * as Call from "@effect-lingua/core/call/Call"
import { Documents, type EntryRef, type IssuedDocument } from "@effect-lingua/core/documents/Documents"
import { checkOwner, Journal, missing } from "@effect-lingua/core/documents/Journal"
import { Busy, type ErrorOf, InvalidInput, NotResumable, type TargetExists } from "@effect-lingua/core/errors/CallError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createHash } from "node:crypto"
import { platform } from "./internal/files.ts"
import * as Saving from "./internal/saving.ts"
import type { Job, SavedDocument, SaveFailed } from "./internal/saving.ts"
import * as Source from "./internal/source.ts"
import type { SourceUnusable } from "./internal/source.ts"
import * as Target from "./internal/target.ts"
import type { TargetUnusable } from "./internal/target.ts"

export { TargetExists } from "@effect-lingua/core/errors/CallError"
export { SaveFailed } from "./internal/saving.ts"
export { SourceUnusable } from "./internal/source.ts"
export { TargetUnusable } from "./internal/target.ts"

/**
 * Where to save a document: a file in an existing folder, or a folder, where the file gets the service's suggested name,
 * or else the uploaded file's name.
 *
 * **Details**
 *
 * A suggested name cannot point outside the folder. A number is added to an existing name: `letter (1).docx`. With
 * `overwrite`, a complete document replaces an existing file.
 *
 * @category options
 * @since 0.1.0
 */
export type Destination =
  & { readonly overwrite?: boolean | undefined }
  & (
    | { readonly target: string; readonly folder?: undefined }
    | { readonly folder: string; readonly target?: undefined }
  )

/**
 * Options for a disk that fails or fills up.
 *
 * @category options
 * @since 0.1.0
 */
export interface RescueOptions {
  /** Folder for a document's remaining bytes if the target's disk fails. Default: the system's temporary folder. */
  readonly rescueFolder?: string | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export type DownloadToFileOptions = Documents.DocumentRef & Destination & RescueOptions

/**
 * @category options
 * @since 0.1.0
 */
export interface UploadFileOptions extends Source.Fields {
  readonly source: string
}

/**
 * @category options
 * @since 0.1.0
 */
export interface TranslateFileOptions extends UploadFileOptions, RescueOptions {
  /** Default: next to the source, with the language in the name: `letter.de.docx`. */
  readonly target?: string | undefined
  readonly folder?: string | undefined
  /** Replaces an existing file with the complete document. Default: false. */
  readonly overwrite?: boolean | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface ResumeOptions
  extends EntryRef, Pick<TranslateFileOptions, "folder" | "overwrite" | "rescueFolder" | "target">
{}

type UploadError = ErrorOf<typeof Documents, "upload"> | SourceUnusable

type DownloadError =
  | ErrorOf<typeof Documents, "download">
  | Busy
  | NotResumable
  | SaveFailed
  | TargetExists
  | TargetUnusable

type TranslateError = UploadError | DownloadError

const make = Effect.gen(function*() {
  const run = yield* Call.runner
  const documents = yield* Documents
  const journal = yield* Journal
  const targets = yield* Target.make
  const files = yield* Source.makeUploads
  const save = yield* Saving.make(targets)

  /** Claims a target file for one document. A folder needs no claim, because each document gets a free name. */
  const claimTarget = Effect.fnUntraced(function*(target: Journal.Target) {
    if ("folder" in target) return
    const path = yield* targets.real(target.path)
    const id = `target-${createHash("sha256").update(path).digest("hex")}`
    yield* Effect.mapError(journal.claim(id), ({ holder }) => new Busy({ id: path, holder }))
  })

  const downloadToFile = Effect.fnUntraced(function*(options: DownloadToFileOptions) {
    const { documentId, documentKey, rescueFolder } = options
    const target = yield* targets.required(options)
    if (!Redacted.isRedacted(documentKey)) {
      return yield* new InvalidInput({ parameter: "documentKey", given: "no key", allowed: "a Redacted string" })
    }
    yield* journal.claim(documentId)
    yield* claimTarget(target)
    const entry = yield* journal.get(documentId)
    const before = entry === undefined || entry._tag === "Uploading" ? undefined : entry
    if (before !== undefined) yield* checkOwner(documents.owner, before)
    return yield* save({ operation: "NodeDocuments.downloadToFile", ref: options, target, before, rescueFolder })
  }, Effect.scoped)

  const upload = Effect.fnUntraced(function*({ source, ...fields }: UploadFileOptions) {
    return yield* files.upload(yield* files.check(source), fields)
  })

  const saveUploaded = Effect.fnUntraced(
    function*({ documentId, documentKey }: Documents.DocumentRef, to: Omit<Job, "ref" | "before">) {
      const document = { documentId, documentKey }
      yield* Effect.mapError(journal.claim(documentId), ({ holder }) => new Busy({ document, id: documentId, holder }))
      const entry = yield* journal.get(documentId)
      // A missing entry means that another process saved the document, unless the store is unreadable.
      const isSaved = entry === undefined && (yield* journal.unreadable) === undefined
      if (isSaved || entry?._tag === "Uploading") {
        const description = "Another process has saved it meanwhile"
        return yield* new NotResumable({ document, id: documentId, description })
      }
      return yield* save({ ...to, ref: document, before: entry })
    },
    Effect.scoped
  )

  const uploadedBefore = Effect.fnUntraced(function*(uploadId: string | undefined) {
    if (uploadId === undefined) return undefined
    const found = yield* journal.getUpload(uploadId, documents.owner)
    return found?._tag === "Uploading" ? undefined : found
  })

  const translate = Effect.fnUntraced(function*(options: TranslateFileOptions) {
    const { folder, overwrite = false, rescueFolder, source: sourcePath, target: file, ...fields } = options
    const source = yield* files.check(sourcePath)
    const target = (yield* targets.of({ target: file, folder }, overwrite)) ??
      { path: files.nextTo(source, options), overwrite }
    yield* claimTarget(target)
    // Skipped for an uploaded document, because its translation may already be at the target.
    if ((yield* uploadedBefore(fields.uploadId)) === undefined) yield* targets.check(target, rescueFolder)
    const issued = yield* files.upload(source, fields, { target })
    return yield* saveUploaded(issued, { operation: "NodeDocuments.translate", target, rescueFolder })
  }, Effect.scoped)

  const resume = Effect.fnUntraced(function*({ entryId: id, ...options }: ResumeOptions) {
    if (typeof id !== "string") {
      return yield* new InvalidInput({ parameter: "entryId", given: "no id", allowed: "the id of an entry" })
    }
    yield* journal.claim(id)
    const entry = yield* journal.get(id)
    if (entry === undefined) return yield* missing(journal, id)
    yield* checkOwner(documents.owner, entry)
    const overwrite = options.overwrite ?? entry.target?.overwrite ?? false
    const chosen = yield* targets.of(options, overwrite)
    const noted = entry.target === undefined ? undefined : targets.absolute({ ...entry.target, overwrite })
    const target = chosen ?? noted
    if (target === undefined) {
      return yield* new NotResumable({ id, description: "The journal has no target for it; name a file or a folder" })
    }
    yield* claimTarget(target)
    const { rescueFolder } = options
    const to = { operation: "NodeDocuments.resume", target, rescueFolder }
    if (entry._tag !== "Uploading") return yield* save({ ...to, ref: entry, before: entry })
    // A kill after the upload's response may leave an upload entry and a document entry.
    const answered = yield* uploadedBefore(id)
    if (answered !== undefined) return yield* saveUploaded(answered, to)
    const uploadAgain = yield* files.prepareAgain(entry)
    yield* targets.check(target, rescueFolder)
    return yield* saveUploaded(yield* uploadAgain(target), to)
  }, Effect.scoped)

  return {
    /**
     * Waits for a document's translation, downloads and saves it.
     *
     * **Details**
     *
     * The target is checked and a temporary file opened next to it before the document is requested. The synced temporary
     * file is renamed once its length is correct; until then an existing file is unchanged. If the disk fails, remaining
     * bytes are written to `rescueFolder`. The journal records each step for `resume`.
     *
     * Fails with `TargetUnusable` or `TargetExists` usually before any request; with the errors of `Documents.wait` and
     * `Documents.download`; with `Busy` if another process has claimed the document or the target; with
     * `DownloadInterrupted` if the response body ends early and `SaveFailed` if the disk fails, both with the paths of the
     * received bytes. Interruption keeps the received bytes and logs their paths.
     */
    downloadToFile: (options: DownloadToFileOptions): Effect.Effect<SavedDocument, DownloadError> =>
      run("NodeDocuments.downloadToFile", downloadToFile(options)),
    /**
     * Uploads a file for translation. The journal keeps the document's id and key. Fails with `SourceUnusable` before
     * sending if the file is unreadable or empty; with `SourceFailed` if the file changes during the upload; otherwise like
     * `Documents.upload`.
     */
    upload: (options: UploadFileOptions): Effect.Effect<IssuedDocument, UploadError> =>
      run("NodeDocuments.upload", upload(options)),
    /**
     * Uploads a file, waits for its translation and saves the translation.
     *
     * **Details**
     *
     * Source and target are checked before anything is sent or billed. Fails with `Busy` if another document has claimed
     * the target in any process that shares the journal; with `TargetExists` if the target exists, even after an earlier
     * success with the same `uploadId`; otherwise like `upload` and `downloadToFile`. After a failure, `resume` or
     * `translate` with the same `uploadId` continues.
     */
    translate: (options: TranslateFileOptions): Effect.Effect<SavedDocument, TranslateError> =>
      run("NodeDocuments.translate", translate(options)),
    /**
     * Resumes a journal's document from any state, and saves it to the recorded or another target.
     *
     * **Details**
     *
     * A file whose upload got no response is uploaded again; an upload that is never downloaded is never billed. An
     * interrupted download is requested again. If the service has deleted the document, complete received bytes are
     * saved, and a partial document is lost.
     *
     * Fails with `NotResumable` if the journal has no complete entry; with `Busy` if another process has claimed the
     * document or the target; with `DownloadInterrupted`, `available: false` and the received bytes' path if the document
     * is lost; otherwise like `downloadToFile` and `upload`.
     */
    resume: (options: ResumeOptions): Effect.Effect<SavedDocument, TranslateError> =>
      run("NodeDocuments.resume", resume(options))
  }
})

/**
 * Saves documents to files.
 *
 * @category services
 * @since 0.1.0
 */
export class NodeDocuments
  extends Context.Service<NodeDocuments, Effect.Success<typeof make>>()("@effect-lingua/node/files/NodeDocuments")
{
  static readonly make: Effect.Effect<NodeDocuments["Service"], never, Documents> = Documents.use(
    // Not the context's `Journal`, because the uploads are in the journal of `Documents`.
    ({ journal }) => Effect.provide(Effect.provideService(make, Journal, journal), platform)
  )

  /** The service over `Documents` and its journal, with Node.js's file system. */
  static readonly layer: Layer.Layer<NodeDocuments, never, Documents> = Layer.effect(this, this.make)
}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace NodeDocuments {
  export type { DownloadToFileOptions, RescueOptions, ResumeOptions, TranslateFileOptions, UploadFileOptions }
  export type { DownloadError, TranslateError, UploadError }
  export type { Destination, SavedDocument, SaveFailed, SourceUnusable, TargetExists, TargetUnusable }
}
