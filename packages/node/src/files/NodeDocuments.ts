/**
 * Documents translated from file to file. None is lost: a document can be downloaded only once.
 *
 * @since 0.1.0
 */
import * as Call from "@effect-lingua/core/call/Call"
import {
  type DocumentRef,
  Documents,
  type EntryRef,
  type IssuedDocument
} from "@effect-lingua/core/documents/Documents"
import * as Journal from "@effect-lingua/core/documents/Journal"
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
 * A saved document: its id, the absolute path and the size in bytes of its file, and the reported facts. If
 * `completeness` is `unknown`, the file may be truncated: the response had neither a length nor chunks.
 *
 * @category models
 * @since 0.1.0
 */
export type { SavedDocument } from "./internal/saving.ts"

/**
 * The target: a file, whose folder must exist, or a folder, in which the document gets the name suggested by the service, or
 * the name of the uploaded file.
 *
 * **Details**
 *
 * A name from the service cannot leave the folder: separators, control characters, dots at its ends and the like are removed. If a
 * file has the name, the document gets a number: `letter (1).docx`. With `overwrite` an existing file is replaced, once the document
 * is complete.
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
 * The folder for the rest of a document if the disk fails or fills up during the download.
 *
 * @category options
 * @since 0.1.0
 */
export interface RescueOptions {
  /** A folder, best on another disk. Default: the system's folder for temporary files. */
  readonly rescueFolder?: string | undefined
}

/**
 * The document to save, and its target.
 *
 * @category options
 * @since 0.1.0
 */
export type DownloadToFileOptions = DocumentRef & Destination & RescueOptions

/**
 * The file to upload, and the fields of the translation.
 *
 * @category options
 * @since 0.1.0
 */
export interface UploadFileOptions extends Source.Fields {
  /** The file. */
  readonly source: string
}

/**
 * The file to translate, the fields of the translation, and its target.
 *
 * @category options
 * @since 0.1.0
 */
export interface TranslateFileOptions extends UploadFileOptions, RescueOptions {
  /** The file to write. Default: next to the source, with the language in its name: `letter.de.docx`. */
  readonly target?: string | undefined
  /** A folder for the file instead. */
  readonly folder?: string | undefined
  /** Replaces an existing file, once the document is complete. Default false. */
  readonly overwrite?: boolean | undefined
}

/**
 * The entry of the journal to resume, and a target other than the one in the journal.
 *
 * @category options
 * @since 0.1.0
 */
export interface ResumeOptions extends EntryRef, RescueOptions {
  readonly target?: string | undefined
  readonly folder?: string | undefined
  readonly overwrite?: boolean | undefined
}

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
  const journal = yield* Journal.Journal
  const targets = yield* Target.make
  const files = yield* Source.makeUploads
  const save = yield* Saving.make(targets)

  /** Claims the file of a target, so that no other document is sent or requested for it. In a folder each document gets another name. */
  const claimTarget = Effect.fnUntraced(function*(target: Journal.Target) {
    if ("folder" in target) return
    const path = yield* targets.real(target.path)
    const id = `target-${createHash("sha256").update(path).digest("hex")}`
    yield* Effect.mapError(journal.claim(id), ({ holder }) => new Busy({ id: path, holder }))
  })

  const downloadToFile = Effect.fnUntraced(function*(options: DownloadToFileOptions) {
    const { documentId, documentKey, rescueFolder } = options
    const target = yield* targets.required(options)
    // An untyped caller may pass an invalid key.
    if (!Redacted.isRedacted(documentKey)) {
      return yield* new InvalidInput({ parameter: "documentKey", given: "no key", allowed: "a Redacted string" })
    }
    yield* journal.claim(documentId)
    yield* claimTarget(target)
    const entry = yield* journal.get(documentId)
    const before = entry === undefined || entry._tag === "Uploading" ? undefined : entry
    if (before !== undefined) yield* Journal.checkOwner(documents.owner, before)
    return yield* save({ operation: "NodeDocuments.downloadToFile", ref: options, target, before, rescueFolder })
  }, Effect.scoped)

  const upload = Effect.fnUntraced(function*({ source, ...fields }: UploadFileOptions) {
    return yield* files.upload(yield* files.check(source), fields)
  })

  /** Saves a document that was just uploaded. */
  const saveUploaded = Effect.fnUntraced(
    function*({ documentId, documentKey }: DocumentRef, to: Omit<Job, "ref" | "before">) {
      const document = { documentId, documentKey }
      yield* Effect.mapError(journal.claim(documentId), ({ holder }) => new Busy({ document, id: documentId, holder }))
      const entry = yield* journal.get(documentId)
      // A store that fails hides the entry, and fails no call.
      const isSaved = entry === undefined && (yield* journal.unreadable()) === undefined
      if (isSaved || entry?._tag === "Uploading") {
        const description = "Another process has saved it meanwhile"
        return yield* new NotResumable({ document, id: documentId, description })
      }
      return yield* save({ ...to, ref: document, before: entry })
    },
    Effect.scoped
  )

  /** The document of an earlier upload with the id. */
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
    // A known document may have been published at its target already.
    if ((yield* uploadedBefore(fields.uploadId)) === undefined) yield* targets.check(target, rescueFolder)
    const issued = yield* files.upload(source, fields, { target })
    return yield* saveUploaded(issued, { operation: "NodeDocuments.translate", target, rescueFolder })
  }, Effect.scoped)

  const resume = Effect.fnUntraced(function*({ entryId: id, ...options }: ResumeOptions) {
    // An untyped caller may omit the id.
    if (typeof id !== "string") {
      return yield* new InvalidInput({ parameter: "entryId", given: "no id", allowed: "the id of an entry" })
    }
    yield* journal.claim(id)
    const entry = yield* journal.get(id)
    if (entry === undefined) return yield* Journal.missing(journal, id)
    yield* Journal.checkOwner(documents.owner, entry)
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
    // A program that ended right after the response left both entries.
    const answered = yield* uploadedBefore(id)
    if (answered !== undefined) return yield* saveUploaded(answered, to)
    const uploadAgain = yield* files.prepareAgain(entry)
    yield* targets.check(target, rescueFolder)
    return yield* saveUploaded(yield* uploadAgain(target), to)
  }, Effect.scoped)

  return {
    /**
     * Waits until a document is translated, downloads it and saves it.
     *
     * **Details**
     *
     * The target is checked and a temporary file next to it opened before the document is requested. The bytes are written
     * there and synced, and the file gets the final name once its length is correct; an existing file is not touched before, and
     * keeps its mode if it is replaced. A link is followed. If the disk fails during the download, the rest is written to
     * another folder. The journal records each step, so that `resume` can continue.
     *
     * Fails with `TargetUnusable` or `TargetExists` before any request; with the errors of `Documents.wait` and
     * `Documents.download`; with `Busy` if it or its target is claimed by another; with `DownloadInterrupted` if the bytes end early and
     * `SaveFailed` if the disk fails: the received bytes are kept and both have the paths of the files. An interruption keeps the
     * received bytes too, and logs their path.
     */
    downloadToFile: (options: DownloadToFileOptions): Effect.Effect<SavedDocument, DownloadError> =>
      run("NodeDocuments.downloadToFile", downloadToFile(options)),
    /**
     * Uploads a file for its translation and returns the id and the key of the document, which the journal keeps.
     *
     * **Details**
     *
     * The file is read while it is sent. Fails with `SourceUnusable` if it cannot be read or is empty, before anything is
     * sent; with `SourceFailed` if it changes while it is read; otherwise like `Documents.upload`.
     */
    upload: (options: UploadFileOptions): Effect.Effect<IssuedDocument, UploadError> =>
      run("NodeDocuments.upload", upload(options)),
    /**
     * Translates a file into a file: uploads it, waits, and saves the translation.
     *
     * **Details**
     *
     * Source and target are checked before anything is sent, so that nothing is billed for a target that cannot be written. The target is
     * claimed until the end: another document with it fails with `Busy`, in all processes that share the journal. The
     * default target is next to the source, with the language in its name; if a file has that name, it fails with
     * `TargetExists`. The errors are those of `upload` and `downloadToFile`; after any of them `resume`
     * continues, as long as the journal has the document, and so does `translate` with the same `uploadId`. After the document is
     * saved the journal has forgotten it: `translate` with the same target then fails with `TargetExists`.
     */
    translate: (options: TranslateFileOptions): Effect.Effect<SavedDocument, TranslateError> =>
      run("NodeDocuments.translate", translate(options)),
    /**
     * Resumes a document of the journal from any state, and saves it to its target, or another.
     *
     * **Details**
     *
     * An upload whose response was lost is run again, if its file can be read: the service may have the first one, which is
     * never downloaded and so never billed. A document whose download had begun is requested again; if the service has deleted
     * it, it is moved to its target if all of its bytes were received, and lost otherwise. A received document is moved to its
     * target.
     *
     * Fails with `NotResumable` if the journal has no entry with the id, or an incomplete one; with `Busy` if it or its target is
     * claimed by another; with `DownloadInterrupted`, with `available: false`, if the document is lost: it has the number of
     * received bytes and their path; otherwise like `downloadToFile` and `upload`.
     */
    resume: (options: ResumeOptions): Effect.Effect<SavedDocument, TranslateError> =>
      run("NodeDocuments.resume", resume(options))
  }
})

/**
 * The service that saves documents to files.
 *
 * @category services
 * @since 0.1.0
 */
export class NodeDocuments
  extends Context.Service<NodeDocuments, Effect.Success<typeof make>>()("@effect-lingua/node/files/NodeDocuments")
{}

/**
 * The service over `Documents`, whose journal it shares, and the file system of Node.js.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<NodeDocuments, never, Documents> = Layer.effect(
  NodeDocuments,
  // Another journal in the context would know none of the uploads.
  Documents.use(({ journal }) => Effect.provideService(make, Journal.Journal, journal))
).pipe(Layer.provide(platform))
