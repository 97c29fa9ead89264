/**
 * Documents saved to files so that none is lost: a document can be downloaded once.
 *
 * @since 0.1.0
 */
import { Busy, InvalidInput, NotResumable } from "@effect-lingua/core/client/CallError"
import * as Operation from "@effect-lingua/core/client/Operation"
import {
  type DocumentRef,
  Documents,
  type DownloadError as DocumentDownloadError,
  type EntryRef,
  type IssuedDocument,
  type UploadError as DocumentUploadError
} from "@effect-lingua/core/documents/Documents"
import * as Journal from "@effect-lingua/core/documents/Journal"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { SaveFailed, SourceUnusable, TargetExists, TargetUnusable } from "./internal/documentErrors.ts"
import { platform } from "./internal/files.ts"
import * as Finishing from "./internal/finishing.ts"
import type { Job, SavedDocument } from "./internal/job.ts"
import { recorded } from "./internal/ledger.ts"
import * as Saving from "./internal/saving.ts"
import * as Target from "./internal/target.ts"
import * as UploadFile from "./internal/uploadFile.ts"

/**
 * The target cannot be written: its folder does not exist or is read-only, or it is a folder itself. Raised before the
 * document is asked for, so nothing is lost.
 *
 * @category errors
 * @since 0.1.0
 */
export { TargetUnusable } from "./internal/documentErrors.ts"

/**
 * The target is there already and `overwrite` is not set. Raised before the document is asked for, so nothing is lost. A
 * file that appears meanwhile is not replaced either: that is a `SaveFailed` with the complete document in `parts`.
 *
 * @category errors
 * @since 0.1.0
 */
export { TargetExists } from "./internal/documentErrors.ts"

/**
 * The file to upload cannot be read, is no file or is empty. Raised before anything is sent.
 *
 * @category errors
 * @since 0.1.0
 */
export { SourceUnusable } from "./internal/documentErrors.ts"

/**
 * The document was taken but could not be written to the end, or not be put in its place. `parts` are the files that hold
 * what arrived, in their order, with their bytes: all of the document when `complete`, which `resume` puts in its place.
 * When not, `available` says whether the service still has it; it is absent when that could not be found out.
 *
 * @category errors
 * @since 0.1.0
 */
export { SaveFailed } from "./internal/documentErrors.ts"

/**
 * A saved document: its id, the absolute path and the size in bytes of its file, and the facts that the service gave. If
 * `completeness` is `unknown`, the file may be truncated: the response had neither a length nor chunks.
 *
 * @category models
 * @since 0.1.0
 */
export type { SavedDocument } from "./internal/job.ts"

/**
 * The target: a file, whose folder must exist, or a folder, in which the document gets the name that the service gives it,
 * or that of the file that was uploaded.
 *
 * **Details**
 *
 * A name from the service cannot leave the folder: separators, control characters, dots at its ends and the like are taken
 * away. When a file has the name, the document gets a number: `letter (1).docx`. With `overwrite` a file that is there is
 * replaced, once the document is complete.
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
 * The place for the rest of a document when the disk fails or fills up in the middle of it.
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
export interface UploadFileOptions extends UploadFile.Fields {
  /** The file. */
  readonly source: string
  /** The name that the service sees, whose extension tells it the type. Default: that of the file. */
  readonly fileName?: string | undefined
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

/**
 * The errors of `upload`.
 *
 * @category errors
 * @since 0.1.0
 */
export type UploadError = DocumentUploadError | SourceUnusable

/**
 * The errors of `downloadToFile`.
 *
 * @category errors
 * @since 0.1.0
 */
export type DownloadError = DocumentDownloadError | Busy | NotResumable | SaveFailed | TargetExists | TargetUnusable

/**
 * The errors of `translate` and `resume`.
 *
 * @category errors
 * @since 0.1.0
 */
export type TranslateError = UploadError | DownloadError

const use = (operation: string): Target.Use => () => ({ operation })

const make = Effect.gen(function*() {
  const documents = yield* Documents
  const journal = yield* Journal.Journal
  const targets = yield* Target.make
  const files = yield* UploadFile.make
  const save = yield* Saving.make(targets, yield* Finishing.make(targets))

  const saved = (job: Omit<Job, "attempts">) =>
    recorded((attempts) => Effect.scopedWith((scope) => save({ ...job, attempts }, scope)))

  const downloadToFile = Effect.fnUntraced(function*(options: DownloadToFileOptions) {
    const operation = "NodeDocuments.downloadToFile"
    const { documentId, documentKey, rescueFolder } = options
    const target = yield* Target.required(options)
    // A caller without types may give a key that is none.
    if (!Redacted.isRedacted(documentKey)) {
      return yield* new InvalidInput({ parameter: "documentKey", given: "no key", allowed: "a Redacted text" })
    }
    yield* journal.claim(documentId)
    const entry = yield* journal.get(documentId)
    const before = entry === undefined || entry._tag === "Uploading" ? undefined : entry
    if (before !== undefined) yield* Journal.checkOwner(documents.owner, before)
    // A wrong key must not take the place of the right one in the journal.
    if (before !== undefined && !Equal.equals(before.documentKey, documentKey)) {
      yield* documents.status({ documentId, documentKey })
    }
    const about = before === undefined
      ? { ...documents.owner, startedAt: yield* DateTime.now }
      : Journal.factsOf(before)
    return yield* saved({ operation, issued: { ...about, documentId, documentKey }, target, before, rescueFolder })
  }, Effect.scoped)

  const upload = Effect.fnUntraced(function*({ fileName, source, ...fields }: UploadFileOptions) {
    return yield* files.upload(yield* files.check(source), fields, fileName)
  })

  /** Saves a document that was just uploaded. */
  const saveUploaded = Effect.fnUntraced(function*(
    operation: string,
    ref: DocumentRef,
    target: Journal.Target,
    rescueFolder: string | undefined
  ) {
    const { documentId } = ref
    yield* Effect.mapError(
      journal.claim(documentId),
      ({ holder }) => new Busy({ document: ref, id: documentId, holder })
    )
    const entry = yield* journal.get(documentId)
    if (entry === undefined || entry._tag === "Uploading") {
      const description = "Another process has saved it meanwhile"
      return yield* new NotResumable({ document: ref, id: documentId, description })
    }
    return yield* saved({
      operation,
      issued: { ...Journal.factsOf(entry), ...ref },
      target,
      before: entry,
      rescueFolder
    })
  }, Effect.scoped)

  const translate = Effect.fnUntraced(function*(options: TranslateFileOptions) {
    const operation = "NodeDocuments.translate"
    const { fileName, folder, overwrite = false, rescueFolder, source: given, target: file, ...fields } = options
    const source = yield* files.check(given)
    const target = targets.absolute(
      (yield* Target.of({ target: file, folder }, overwrite)) ?? { path: files.beside(source, options), overwrite }
    )
    yield* targets.check(use(operation), target)
    yield* targets.checkRescue(use(operation), rescueFolder)
    const issued = yield* files.upload(source, fields, fileName, target)
    return yield* saveUploaded(operation, issued, target, rescueFolder)
  })

  const resume = Effect.fnUntraced(function*({ entryId: id, ...options }: ResumeOptions) {
    const operation = "NodeDocuments.resume"
    // A caller without types may give no id.
    if (typeof id !== "string") {
      return yield* new InvalidInput({ parameter: "entryId", given: "no id", allowed: "that of an entry" })
    }
    const notResumable = (description: string) => new NotResumable({ id, description })
    yield* journal.claim(id)
    const entry = yield* journal.get(id)
    if (entry === undefined) return yield* notResumable("The journal does not know it")
    yield* Journal.checkOwner(documents.owner, entry)
    const given = yield* Target.of(options, options.overwrite ?? entry.target?.overwrite ?? false)
    const target = given ??
      (entry.target === undefined
        ? undefined
        : { ...entry.target, overwrite: options.overwrite ?? entry.target.overwrite })
    if (target === undefined) {
      return yield* notResumable("The journal does not say where it goes; name a file or a folder")
    }
    const { rescueFolder } = options
    if (entry._tag === "Uploading") {
      const absolute = targets.absolute(target)
      // A program that ended right after the answer has left both.
      const answered = (yield* documents.pending()).find((one) => one._tag !== "Uploading" && one.uploadId === id)
      if (answered !== undefined && answered._tag !== "Uploading") {
        const { documentId, documentKey } = answered
        return yield* saveUploaded(operation, { documentId, documentKey }, absolute, rescueFolder)
      }
      const uploadAgain = yield* files.prepareAgain(entry)
      yield* targets.check(use(operation), absolute)
      yield* targets.checkRescue(use(operation), rescueFolder)
      const issued = yield* uploadAgain(absolute)
      return yield* saveUploaded(operation, issued, absolute, rescueFolder)
    }
    const { documentId, documentKey } = entry
    return yield* saved({
      operation,
      issued: { ...Journal.factsOf(entry), documentId, documentKey },
      target,
      before: entry,
      rescueFolder
    })
  }, Effect.scoped)

  return {
    /**
     * Waits until a document is translated, downloads it and saves it.
     *
     * **Details**
     *
     * The target is checked and a temporary file beside it opened before the document is asked for. The bytes are
     * written there, synced, and the file put in its place when its length is right; an existing file is not touched
     * before, and keeps its mode when it is replaced. A link is followed. When the disk fails in the middle, the rest goes
     * to another folder. The journal knows at each moment what is where, so that {@link resume} goes on from it.
     *
     * Fails with `TargetUnusable` or `TargetExists` before anything is asked for; with the errors of `Documents.wait` and
     * `Documents.download`; with `Busy` when another process has claimed it; with `DownloadInterrupted` when
     * the bytes stop early and `SaveFailed` when the disk fails: what arrived is kept and both name the files. An
     * interruption keeps what arrived too, and logs where.
     */
    downloadToFile: (options: DownloadToFileOptions): Effect.Effect<SavedDocument, DownloadError> =>
      Operation.run("NodeDocuments.downloadToFile", downloadToFile(options)),
    /**
     * Uploads a file for its translation and gives its id and key, which the journal keeps.
     *
     * **Details**
     *
     * The file is read as it is sent. Fails with `SourceUnusable` when it cannot be read or is empty, before anything is
     * sent; with `SourceFailed` when it changes while it is read; else like `Documents.upload`.
     */
    upload: (options: UploadFileOptions): Effect.Effect<IssuedDocument, UploadError> =>
      Operation.run("NodeDocuments.upload", upload(options)),
    /**
     * Translates a file into a file: uploads it, waits, and saves the translation.
     *
     * **Details**
     *
     * Source and target are checked before anything is sent, so that nothing is billed for a target that cannot be
     * written. Without a target the translation goes beside the source, with the language in its name; when a file has
     * that name this fails with `TargetExists`. The errors are those of {@link upload} and {@link downloadToFile}; after
     * any of them {@link resume} goes on, as long as the journal has the document.
     */
    translate: (options: TranslateFileOptions): Effect.Effect<SavedDocument, TranslateError> =>
      Operation.run("NodeDocuments.translate", translate(options)),
    /**
     * Resumes a document of the journal, whatever stopped it, and saves it to its target, or another.
     *
     * **Details**
     *
     * An upload whose answer was not seen is made again, if its file can be read: the service may have the first one, which is never
     * downloaded and so never billed. A document that was asked for is asked for again;
     * when the service has deleted it, it is put in its place if all of it is here, and is lost if not. A document that
     * was received is put in its place.
     *
     * Fails with `NotResumable` when the journal does not know the id, or knows too little; with `Busy` when
     * another process has claimed it; with `DownloadInterrupted`, with `available: false`, when the document is lost:
     * it says how many bytes there are, and where; else like {@link downloadToFile} and {@link upload}.
     */
    resume: (options: ResumeOptions): Effect.Effect<SavedDocument, TranslateError> =>
      Operation.run("NodeDocuments.resume", resume(options))
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
 * The service over `Documents` and the file system of Node.js. The journal has to be the one that `Documents` has.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<NodeDocuments, never, Documents | Journal.Journal> = Layer.effect(
  NodeDocuments,
  make
).pipe(Layer.provide(platform))
