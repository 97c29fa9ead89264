/**
 * Saves documents to files. Part: a file with received bytes. Rescue file: a second part, in another folder.
 *
 * The journal entry after each step, and the document's state after a kill:
 *
 * | step | journal entry | state after a kill |
 * | --- | --- | --- |
 * | target checked | `Uploaded`, with the target | on the service |
 * | files chosen, then opened | `Downloading`, with both files | on the service; an empty file |
 * | requested | unchanged | on the service, or lost |
 * | response started | `Downloading`, with the `Content-Length` | on the service, or lost |
 * | bytes written | unchanged | lost after the written bytes, or complete |
 * | end without `Content-Length` | `Downloading`, with the number of bytes | complete |
 * | files synced | `Received`, with the part and the final path | complete: no more requests |
 * | rescue file appended | unchanged | complete, but the first part may be too long |
 * | parts copied from other folders | `Received`, with the copy and `obsolete` parts | complete, twice |
 * | linked to the final path | unchanged | two names of one file |
 * | part removed | unchanged | complete final file |
 * | entry removed | no entry | saved |
 */
import "../../internal/supported.ts"

import { errorFields } from "@effect-lingua/core/call/Call"
import { DocumentId } from "@effect-lingua/core/contract/Ids"
import { Documents, NotSaved } from "@effect-lingua/core/documents/Documents"
import { type Entry, Part, type Target } from "@effect-lingua/core/documents/Journal"
import type { ErrorOf, InvalidInput, TargetExists } from "@effect-lingua/core/errors/CallError"
import { Failure, filesOf, Optional, total } from "@effect-lingua/core/extension/DocumentTools"
import { Progress, report } from "@effect-lingua/core/jobs/Progress"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { tmpdir } from "node:os"
import { describe, isSameFile, removeAll, removeDurably, syncFolder, unique } from "./files.ts"
import * as PartFile from "./partFile.ts"
import { type Checked, partName, recorded, safeName, type Targets, TargetUnusable } from "./target.ts"

type DownloadError = ErrorOf<typeof Documents, "download">

const countOf = (count: number) => `${count} ${count === 1 ? "byte" : "bytes"}`

/**
 * A downloaded document could not be written completely, or not moved to its target. `parts` are the files with the
 * received bytes, in order. If `complete`, `resume` moves the parts to the target. Otherwise `available` tells whether the
 * service still has the document.
 *
 * @category errors
 * @since 0.1.0
 */
export class SaveFailed extends Failure.messageFirst(
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
    const kept = this.parts.map(({ bytes, path }) => `${countOf(bytes)} in ${path}`).join(", then ")
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
  readonly ref: Documents.DocumentRef
  readonly target: Target
  readonly before: Exclude<Entry, { readonly _tag: "Uploading" }> | undefined
  readonly rescueFolder: string | undefined
}

interface Details extends Omit<Documents.Download, "stream"> {
  readonly billedCharacters?: number
}

/**
 * A saved document. With `completeness: "unknown"` the file may be truncated, because the response had neither a length
 * nor chunks.
 */
export interface SavedDocument extends Details {
  readonly documentId: DocumentId
  /** The absolute path. */
  readonly path: string
  readonly bytes: number
}

type Step = Documents.ReceivedBytes | { readonly saved: SavedDocument }

/** Bytes per write; large, because each write has a fixed cost. */
const highWaterMark = 512 * 1024

const notSaved = (description: string, parts: ReadonlyArray<Part>, length?: number, path?: string) =>
  new NotSaved({ description, parts, complete: total(parts) === length, path })

export const make = Effect.fnUntraced(function*(targets: Targets) {
  const documents = yield* Documents
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  const leftOf = (entry: Entry) => targets.kept(filesOf(entry).map((path) => ({ path, bytes: Infinity })))

  const bytesOf = (parts: ReadonlyArray<Part>) =>
    Stream.flatMap(Stream.fromIterable(parts), ({ bytes, path }) => fs.stream(path, { bytesToRead: bytes }))

  /** `joined`: the first file has all bytes. `apart`: each part has its bytes. `undefined`: bytes are missing. */
  const stateOf = Effect.fnUntraced(function*(parts: Documents.ReceivedBytes["parts"]) {
    const [first, ...others] = parts
    const [size = -1, ...rests] = yield* Effect.forEach(parts, (part) => targets.sizeOf(part.path))
    if (size === total(parts) && rests.every((rest) => rest === undefined)) return "joined"
    return size >= first.bytes && rests.every((rest, index) => rest === others[index]?.bytes) ? "apart" : undefined
  })

  const append = Effect.fnUntraced(function*(parts: Documents.ReceivedBytes["parts"]) {
    const [first, ...others] = parts
    const bytes = total(parts)
    const isJoined = (yield* stateOf(parts)) === "joined"
    const file = yield* PartFile.open(fs, first.path, { bytes: isJoined ? bytes : first.bytes })
    // An earlier program may not have synced the joined file.
    yield* isJoined ? file.sync : Effect.onError(
      Effect.andThen(file.truncate(first.bytes), PartFile.appendAll(file, bytesOf(others))),
      () => Effect.ignore(file.truncate(first.bytes))
    )
    yield* removeDurably(fs, others.map((part) => part.path))
    return { parts: [{ path: first.path, bytes }] as const }
  }, Effect.scoped)

  /** Copies the parts to one file. The name is deterministic, so that a killed process's copy is replaced. */
  const copy = Effect.fnUntraced(
    function*(parts: Documents.ReceivedBytes["parts"], checked: Checked, documentId: DocumentId) {
      const mark = createHash("sha256").update(documentId).digest("hex").slice(0, 16)
      const whole = path.join(checked.directory, partName(checked.name ?? "document", mark))
      yield* fs.remove(whole, { force: true })
      const file = yield* PartFile.open(fs, whole, { mode: checked.mode })
      yield* Effect.onError(PartFile.appendAll(file, bytesOf(parts)), () => Effect.ignore(fs.remove(whole)))
      yield* syncFolder(fs, checked.directory)
      return { parts: [{ path: whole, bytes: total(parts) }] as const, obsolete: parts.map((part) => part.path) }
    },
    Effect.scoped
  )

  const save = ({ before, operation, ref, rescueFolder, target }: Job, scope: Scope.Scope) => {
    const { documentId } = ref
    let response: Details | undefined
    /** Set once this program has chosen a complete file's final path. */
    let ready: Checked | undefined

    const saveFailed = ({ available, complete, description, parts, path }: NotSaved) =>
      new SaveFailed({
        documentId,
        path: path ?? ("path" in target ? target.path : target.folder),
        description,
        parts,
        complete,
        ...Optional.defined({ available, traceId: response?.traceId })
      })

    const named = (checked: Checked, received: Documents.ReceivedBytes) =>
      Effect.map(
        targets.fileOf(checked, [response?.fileName, before?.fileName, documentId]),
        (file): Step => {
          ready = checked
          return { ...received, target: { path: file, overwrite: checked.overwrite } }
        }
      )

    const prepare = Effect.gen(function*() {
      const { billedCharacters } = yield* documents.wait(ref)
      // The target may have changed during the wait.
      const checked = yield* targets.check(target)
      const rescue = path.resolve(rescueFolder ?? tmpdir(), partName("document", yield* unique))
      const earlier = before?._tag === "Downloading" ? before.temporary : undefined
      const bytes = earlier === undefined || path.dirname(earlier) !== checked.directory
        ? undefined
        : yield* targets.sizeOf(earlier)
      const name = partName(checked.name ?? safeName(before?.fileName ?? "") ?? "document", yield* unique)
      const temporary = earlier !== undefined && bytes !== undefined ? earlier : path.join(checked.directory, name)

      const receive = Effect.fnUntraced(function*(download: Effect.Effect<Documents.Download, DownloadError>) {
        const file = path.join(checked.directory, checked.name ?? "")
        const part = yield* PartFile.open(fs, temporary, { mode: checked.mode, bytes }).pipe(
          Scope.provide(scope),
          Effect.mapError((error) => new TargetUnusable({ path: file, description: describe(error) })),
          Effect.uninterruptible
        )
        const out = PartFile.withRescue(fs, part, rescue, scope)

        const written = Effect.gen(function*() {
          const { stream, ...about } = yield* Effect.updateService(
            download,
            NodeHttpClient.UndiciOptions,
            (options) => ({ highWaterMark, ...options })
          )
          response = { ...about, ...Optional.defined({ billedCharacters }) }
          if (part.bytes() > 0) yield* Effect.ignore(part.truncate(0))
          const obsolete = before?._tag === "Downloading" ? yield* leftOf(before) : []
          yield* removeAll(fs, obsolete.map(({ path }) => path).filter((path) => path !== part.path))
          yield* Effect.catch(
            Stream.runForEach(stream, out.write),
            Effect.fnUntraced(function*(error) {
              const failure = out.failure()
              if (error._tag === "NoRoom") return yield* notSaved(error.description, yield* out.parts)
              if (failure === undefined) return yield* error
              const description = `${describe(failure)}; then the download ended: ${error.description}`
              const { available } = error
              return yield* saveFailed(
                new NotSaved({ description, parts: yield* out.parts, complete: false, available })
              )
            })
          )
          return about.completeness === "unknown" ? { completeness: about.completeness } : undefined
        })

        const unknown = yield* Effect.onExit(written, (exit) => {
          if (Exit.isSuccess(exit)) return Effect.void
          return Effect.flatMap(out.parts, (parts) =>
            parts.length > 0 && Exit.hasInterrupts(exit)
              ? Effect.logWarning(
                `${operation}: interrupted; ${total(parts)} bytes of the document are kept in ${
                  parts.map((part) => part.path).join(", ")
                }`
              )
              : out.clear)
        })

        return Effect.gen(function*() {
          const synced = yield* Effect.result(out.sync)
          const failure = out.failure() ?? (Result.isFailure(synced) ? synced.failure : undefined)
          if (failure === undefined) {
            return yield* named(checked, { parts: [{ path: part.path, bytes: part.bytes() }], ...unknown })
          }
          const parts = yield* out.parts
          // Empty files are removed first, while the journal still lists them.
          yield* out.clear
          return yield* notSaved(describe(failure), parts, out.bytes())
        })
      })

      return { files: { temporary, rescue }, receive }
    })

    const saved = Effect.fnUntraced(function*(file: string, bytes: number, details: Details) {
      const { completeness, contentEncoding } = details
      if (completeness === "unknown") {
        yield* Effect.logWarning(
          `${operation}: whether ${file} has all of document ${documentId} is not known, because the response ` +
            (contentEncoding === undefined
              ? "had neither a length nor chunks, or encoded bytes"
              : `declares the encoding ${contentEncoding}, which the client did not request`) +
            "; check the file, because the service has deleted the document"
        )
      }
      yield* report(() => Progress.Saved({ id: documentId, path: file, bytes }))
      const step: Step = { saved: { ...details, documentId, path: file, bytes } }
      return step
    })

    const isPublished = Effect.fnUntraced(
      function*([first, ...others]: Documents.ReceivedBytes["parts"], file: string) {
        if (yield* isSameFile(fs, first.path, file)) return true
        return (yield* targets.sizeOf(first.path)) === undefined &&
          (yield* targets.sizeOf(file)) === total([first, ...others])
      }
    )

    const publish = Effect.fnUntraced(function*(received: Documents.ReceivedBytes) {
      const { completeness, obsolete = [], parts } = received
      const details = response ?? { completeness: completeness ?? "verified" }
      const file = received.target !== undefined && "path" in received.target ? received.target.path : undefined
      const bytes = total(parts)
      yield* removeDurably(fs, obsolete)
      const failed = (error: PlatformError, file?: string) =>
        Effect.flatMap(targets.kept(parts), (kept) => Effect.fail(notSaved(describe(error), kept, bytes, file)))
      if (ready !== undefined && file !== undefined) {
        const checked = ready
        return targets.publish(checked, parts[0].path, file).pipe(
          Effect.flatMap((isMoved) => isMoved ? saved(file, bytes, details) : named(checked, received)),
          Effect.catchTag("PlatformError", (error) => failed(error, file))
        )
      }
      if (file !== undefined) {
        if (yield* isPublished(parts, file)) {
          // The earlier program may not have synced the folder.
          yield* syncFolder(fs, path.dirname(file))
          yield* removeDurably(fs, parts.map((part) => part.path))
          return saved(file, bytes, details)
        }
        // Without hard links, an empty file reserves the final name.
        const isReserved = bytes > 0 && (yield* targets.sizeOf(file)) === 0 && "path" in target && target.path === file
        if (isReserved && (yield* stateOf(parts)) !== undefined) yield* Effect.ignore(fs.remove(file))
      }
      if ((yield* stateOf(parts)) === undefined) return undefined
      const checked = yield* targets.check(target)
      const isNear = path.dirname(parts[0].path) === checked.directory
      const joined = yield* Effect.catchTag(
        isNear ? append(parts) : copy(parts, checked, documentId),
        "PlatformError",
        (error) => failed(error)
      )
      return named(checked, { ...joined, ...Optional.defined({ completeness }) })
    })

    const removeEmpty = before === undefined ? Effect.void : Effect.flatMap(
      leftOf(before),
      (left) => removeAll(fs, left.filter(({ bytes }) => bytes === 0).map(({ path }) => path))
    )
    const files: Documents.Saving<
      SavedDocument,
      DownloadError | InvalidInput | NotSaved | SaveFailed | TargetExists | TargetUnusable
    > = {
      entry: before,
      target,
      check: targets.check(target, rescueFolder),
      prepare,
      left: leftOf,
      publish
    }
    return documents.saveTo(ref, files).pipe(
      Effect.catchTag("NotSaved", (error) => Effect.fail(saveFailed(error))),
      Effect.tap(() => removeEmpty),
      Effect.tapError((error) => error._tag === "DownloadInterrupted" ? removeEmpty : Effect.void)
    )
  }

  /** Saves a claimed document from any state. */
  return ({ ref: { documentId, documentKey }, ...job }: Job) => {
    const ref = { documentId, documentKey }
    return recorded(
      { operation: job.operation, document: ref },
      Effect.scopedWith((scope) => save({ ...job, ref }, scope))
    )
  }
})
