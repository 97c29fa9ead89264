/**
 * The last steps of a completely received document: a temporary file in the folder of the target gets the final name.
 *
 * The state after a kill between two steps, from which the same steps continue:
 *
 * - The journal says `Received` with the parts and the final path before the file gets its name. From then on nothing is
 *   requested from the service.
 * - A second part is appended to the first: a kill in the middle leaves the first too long, and it is truncated to the
 *   journal says before the second is appended again. When the second is gone the first is whole.
 * - Parts in other folders are copied into one file, and removed once the journal has that file and lists them as `obsolete`.
 * - The link to the final name is made, and the part is not yet removed: both are the same file.
 * - The part is gone: the file with the final name and the correct length is the document.
 * - The file has its final name and the entry is not yet removed: the same.
 */
import { errorFields } from "@effect-lingua/core/call/Call"
import type { DocumentRef, Download, Notes } from "@effect-lingua/core/documents/Documents"
import { DocumentId } from "@effect-lingua/core/documents/DocumentsApi"
import { type Entry, Part, type Target } from "@effect-lingua/core/documents/Journal"
import type { Attempt } from "@effect-lingua/core/errors/Attempt"
import { Progress, report } from "@effect-lingua/core/jobs/Progress"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { messageFirst } from "../../internal/messageFirst.ts"
import { describe, isSameFile, removeDurably, syncFolder } from "./files.ts"
import * as PartFile from "./partFile.ts"
import { type Checked, partName, type Targets } from "./target.ts"

const bytesOf = (count: number) => `${count} ${count === 1 ? "byte" : "bytes"}`

/**
 * The document was downloaded but could not be written completely, or not be moved to its target. `parts` are the files with the
 * received bytes, in their order: the whole document if `complete`, which `resume` moves to its target. Otherwise `available` is true
 * if the service still has it, and absent if that could not be determined.
 *
 * @category errors
 * @since 0.1.0
 */
export class SaveFailed extends messageFirst(
  Schema.TaggedError<SaveFailed>()("SaveFailed", {
    ...errorFields,
    documentId: DocumentId,
    path: Schema.String,
    parts: Schema.Array(Part),
    complete: Schema.Boolean,
    available: Schema.optionalKey(Schema.Boolean),
    traceId: Schema.optionalKey(Schema.String)
  })
) {
  readonly category = "local"
  readonly outcome = "unknown"
  readonly isTransient = false
  override get message(): string {
    const kept = this.parts.map(({ bytes, path }) => `${bytesOf(bytes)} in ${path}`).join(", then ")
    const advice = this.complete
      ? `All of it is kept: ${kept}. Make room or choose another target, then resume it`
      : [
        this.parts.length === 0 ? "Nothing could be kept" : `Not all of it is kept: ${kept}`,
        this.available === undefined
          ? "whether the service still has it is not known: resume it, or else upload it again"
          : this.available
          ? "the service still has it: make room, then resume it"
          : "the service has deleted it: upload it again"
      ].join("; ")
    return `${this.operation}: cannot save document ${this.documentId} as ${this.path}: ${this.description}. ${advice}`
  }
}

export interface Job {
  readonly operation: string
  readonly ref: DocumentRef
  readonly target: Target
  /** The current entry of the document. */
  readonly before: Exclude<Entry, { readonly _tag: "Uploading" }> | undefined
  /** The folder for the rest of a document when the disk fails. Default: that of the system. */
  readonly rescueFolder: string | undefined
  /** The attempts of its operation so far. */
  readonly attempts: () => ReadonlyArray<Attempt>
}

/** The shared fields of errors about a document. */
export const aboutOf = ({ attempts, operation, ref: { documentId, documentKey } }: Job) => ({
  operation,
  documentId,
  document: { documentId, documentKey },
  attempts: attempts()
})

/** Facts about a document besides its file. */
export interface Details extends Omit<Download, "stream"> {
  readonly billedCharacters?: number
}

/** The field of a journal entry whose bytes may not be the whole document. */
export const completenessOf = ({ completeness }: Pick<Details, "completeness">) =>
  completeness === "unknown" ? { completeness } : undefined

/** A document that was saved. */
export interface SavedDocument extends Details {
  readonly documentId: DocumentId
  /** The absolute path of the file. */
  readonly path: string
  /** Its length in bytes. */
  readonly bytes: number
}

/** The sum of the bytes of files. */
export const total = (parts: ReadonlyArray<Part>): number => parts.reduce((sum, { bytes }) => sum + bytes, 0)

const asText = (target: Target): string => "path" in target ? target.path : target.folder

/** The error of a document that was received but not saved at its target. */
export const saveFailed = (
  job: Job,
  cause: PlatformError | string,
  fields: {
    readonly parts: ReadonlyArray<Part>
    readonly complete: boolean
    readonly available?: boolean | undefined
    readonly path?: string | undefined
    readonly traceId?: string | undefined
  }
): SaveFailed => {
  const { available, complete, parts, path = asText(job.target), traceId } = fields
  return new SaveFailed({
    ...aboutOf(job),
    path,
    description: typeof cause === "string" ? cause : describe(cause),
    parts,
    complete,
    ...(available === undefined ? undefined : { available }),
    ...(traceId === undefined ? undefined : { traceId })
  })
}

type Received = Extract<Entry, { readonly _tag: "Received" }>

export const make = Effect.fnUntraced(function*(targets: Targets) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  const done = Effect.fnUntraced(function*(job: Job, file: string, bytes: number, details: Details) {
    const { documentId } = job.ref
    if (details.completeness === "unknown") {
      yield* Effect.logWarning(
        `${job.operation}: whether ${file} has all of document ${documentId} is not known, as the response ` +
          (details.contentEncoding === undefined
            ? "had neither a length nor chunks, or encoded bytes"
            : `declares the encoding ${details.contentEncoding}, which nobody asked for`) +
          "; look at the file, as the service has deleted the document"
      )
    }
    yield* report(() => Progress.Saved({ id: documentId, path: file, bytes }))
    const saved: SavedDocument = { ...details, documentId, path: file, bytes }
    return saved
  })

  /** Fails with the bytes that files have now: the document if they are all `bytes`, and else the noted rest of it. */
  const fail = Effect.fnUntraced(function*(
    job: Job,
    cause: PlatformError | string,
    parts: ReadonlyArray<Part>,
    bytes: number | undefined,
    { path, traceId }: { readonly path?: string | undefined; readonly traceId?: string | undefined },
    notes: Notes
  ) {
    const complete = total(parts) === bytes
    const available = complete
      ? undefined
      : yield* notes.stopped(typeof cause === "string" ? cause : describe(cause), parts)
    return yield* saveFailed(job, cause, { parts, complete, available, path, traceId })
  })

  /** Renames a complete file in the folder of the target to its final name. */
  const publish = Effect.fnUntraced(function*(
    job: Job,
    checked: Checked,
    whole: Part,
    details: Details,
    notes: Notes
  ) {
    const { before, ref: { documentId } } = job
    const { failure, file } = yield* targets.publish(
      checked,
      whole.path,
      [details.fileName, before?.fileName, documentId],
      (file) =>
        notes.received({
          target: { path: file, overwrite: checked.overwrite },
          parts: [whole],
          ...completenessOf(details)
        })
    )
    if (failure === undefined) return yield* done(job, file, whole.bytes, details)
    const kept = yield* targets.kept([whole])
    return yield* fail(job, failure, kept, whole.bytes, { path: file, traceId: details.traceId }, notes)
  })

  /** The bytes of parts, one after the other. */
  const bytesOf = (parts: ReadonlyArray<Part>) =>
    Stream.flatMap(Stream.fromIterable(parts), ({ bytes, path }) => fs.stream(path, { bytesToRead: bytes }))

  /** Joins the parts to one file in the folder of the target. */
  const join = Effect.fnUntraced(function*(
    job: Job,
    checked: Checked,
    [first, ...others]: Received["parts"],
    details: Details,
    notes: Notes
  ) {
    const bytes = total([first, ...others])
    const size = yield* targets.sizeOf(first.path)
    if (path.dirname(first.path) === checked.directory) {
      const restBytes = yield* Effect.forEach(others, (part) => targets.sizeOf(part.path))
      const isWhole = size === bytes && restBytes.every((rest) => rest === undefined)
      const file = yield* PartFile.open(fs, first.path, { bytes: isWhole ? bytes : first.bytes })
      if (isWhole) {
        // Its writer may have ended before it was synced.
        yield* file.sync
        return { path: first.path, bytes }
      }
      yield* Effect.onError(
        Effect.andThen(file.truncate(first.bytes), PartFile.appendAll(file, bytesOf(others))),
        () => Effect.ignore(file.truncate(first.bytes))
      )
      yield* removeDurably(fs, others.map((part) => part.path))
      return { path: first.path, bytes }
    }
    // The parts are in other folders. The name is deterministic, so that a file left by a kill is found and overwritten.
    const mark = createHash("sha256").update(job.ref.documentId).digest("hex").slice(0, 16)
    const whole = path.join(checked.directory, partName(checked.name ?? "document", mark))
    yield* fs.remove(whole, { force: true })
    const file = yield* PartFile.open(fs, whole, checked.mode === undefined ? {} : { mode: checked.mode })
    yield* Effect.onError(PartFile.appendAll(file, bytesOf([first, ...others])), () => Effect.ignore(fs.remove(whole)))
    yield* syncFolder(fs, checked.directory)
    const joined = { path: whole, bytes }
    const obsolete = [first, ...others].map((part) => part.path)
    yield* notes.received({ target: job.target, parts: [joined], obsolete, ...completenessOf(details) })
    yield* removeDurably(fs, obsolete)
    return joined
  }, Effect.scoped)

  /** True if the files still have all bytes of the parts. */
  const intact = Effect.fnUntraced(function*([first, ...others]: Received["parts"]) {
    const size = yield* targets.sizeOf(first.path)
    if (size === undefined || size < first.bytes) return false
    const rests = yield* Effect.forEach(others, (part) => targets.sizeOf(part.path))
    if (size === total([first, ...others]) && rests.every((rest) => rest === undefined)) return true
    return rests.every((rest, index) => rest === others[index]?.bytes)
  })

  /** The last step of a received document, which moves it to its target or has found it there; `undefined` if its bytes are gone. */
  const recover = Effect.fnUntraced(function*(job: Job, received: Received, notes: Notes) {
    const { obsolete = [], parts, target } = received
    const bytes = total(parts)
    const details: Details = { completeness: received.completeness ?? "verified" }
    yield* removeDurably(fs, obsolete)
    if (target !== undefined && "path" in target) {
      const isThere = (yield* isSameFile(fs, parts[0].path, target.path)) ||
        ((yield* targets.sizeOf(parts[0].path)) === undefined && (yield* targets.sizeOf(target.path)) === bytes)
      if (isThere) {
        // Its writer may have ended before the name was on the disk.
        yield* syncFolder(fs, path.dirname(target.path))
        yield* removeDurably(fs, parts.map((part) => part.path))
        return done(job, target.path, bytes, details)
      }
      // Without hard links an empty file reserved the name before the document replaced it.
      const isTaken = bytes > 0 && (yield* targets.sizeOf(target.path)) === 0 && "path" in job.target &&
        job.target.path === target.path
      if (isTaken && (yield* intact(parts))) yield* Effect.ignore(fs.remove(target.path))
    }
    if (!(yield* intact(parts))) return undefined
    const checked = yield* targets.check(() => aboutOf(job), job.target)
    const whole = yield* Effect.catchTag(
      join(job, checked, parts, details, notes),
      "PlatformError",
      (error) => Effect.flatMap(targets.kept(parts), (kept) => fail(job, error, kept, bytes, {}, notes))
    )
    return publish(job, checked, whole, details, notes)
  })

  return { fail, publish, recover }
})

/** The last steps of a document. */
export type Finishing = Effect.Success<ReturnType<typeof make>>
