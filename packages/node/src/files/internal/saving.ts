/**
 * Downloads a document and writes it to a file.
 *
 * The order of writes, and what a kill after each leaves:
 *
 * 1. `Uploaded`, with the target: the service has the document.
 * 2. `Downloading`, with the temporary file and the one for the rest if the disk fails: the same.
 * 3. The temporary file is opened: the same, and an empty file that the journal names.
 * 4. The document is requested: from here on it may be gone, and then is lost at byte 0.
 * 5. `Downloading`, with the promised length, before the first byte is read.
 * 6. The bytes are written to one file or both: it is lost at the byte at which they end, or complete if that is the last.
 * 7. They are synced.
 * 8. The steps of `finishing.ts`.
 */
import "../../internal/supported.ts"

import { DownloadInterrupted } from "@effect-lingua/core/client/CallError"
import { Documents } from "@effect-lingua/core/documents/Documents"
import * as Journal from "@effect-lingua/core/documents/Journal"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { tmpdir } from "node:os"
import { type Part, TargetUnusable } from "./documentErrors.ts"
import { describe, unique } from "./files.ts"
import type { Finishing } from "./finishing.ts"
import { aboutOf, completenessOf, type Details, type Issued, type Job, lost, saveFailed, total } from "./job.ts"
import * as PartFile from "./partFile.ts"
import * as Rescue from "./rescue.ts"
import { partName, safeName } from "./safeName.ts"
import type { Checked, Targets } from "./target.ts"

/** The bytes of a body that are buffered during a write. Each write has a fixed cost, so fewer and larger ones are faster. */
const highWaterMark = 512 * 1024

const keptIn = (error: DownloadInterrupted, path: string | undefined, operation: string) =>
  // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
  new DownloadInterrupted({ ...error, operation, ...(path === undefined ? undefined : { path }) })

const uploaded = (issued: Issued): Journal.Entry => ({ _tag: "Uploaded", ...issued })

export const make = Effect.fnUntraced(function*(targets: Targets, finishing: Finishing) {
  const documents = yield* Documents
  const journal = yield* Journal.Journal
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  /** The files of an earlier download that ended early, in their order. */
  const leftOf = Effect.fnUntraced(function*(before: Extract<Journal.Entry, { readonly _tag: "Downloading" }>) {
    const left: Array<Part> = []
    for (const path of [before.temporary, before.rescue]) {
      const bytes = path === undefined ? undefined : yield* targets.sizeOf(path)
      if (path !== undefined && bytes !== undefined) left.push({ path, bytes })
    }
    return left
  })

  /** Ends a document that the service has deleted: only the files of an earlier download remain. */
  const gone = Effect.fnUntraced(function*<E>(job: Job, error: E & { readonly description: string }) {
    const { before, issued } = job
    const { documentId } = issued
    if (before === undefined) {
      yield* journal.remove(documentId)
      return yield* Effect.fail(error)
    }
    if (before._tag === "Lost") {
      yield* journal.put(before)
      return yield* lost(job, before.reason, before.parts)
    }
    if (before._tag !== "Downloading") {
      yield* journal.put({ _tag: "Lost", ...issued, reason: error.description, bytesReceived: 0, parts: [] })
      return yield* Effect.fail(error)
    }
    const left = yield* leftOf(before)
    const { bytesExpected } = before
    const filled = left.filter(({ bytes }) => bytes > 0)
    const isWhole = total(left) === bytesExpected
    const [first, ...others] = isWhole && filled.length === 0 ? left : filled
    const parts: ReadonlyArray<Part> = first === undefined ? [] : [first, ...others]
    for (const file of left) if (!parts.includes(file)) yield* Effect.ignore(fs.remove(file.path))
    if (isWhole && first !== undefined) {
      const received = { _tag: "Received" as const, ...issued, parts: [first, ...others] as const }
      yield* journal.put(received)
      return yield* finishing.assemble(job, received)
    }
    const reason = "An earlier download consumed the document and did not complete"
    yield* journal.put({ _tag: "Lost", ...issued, reason, bytesReceived: total(parts), parts })
    return yield* lost(job, reason, parts, bytesExpected)
  })

  /** Opens the file for the bytes: that of an earlier download, or a new one next to the target. */
  const openPart = Effect.fnUntraced(function*(job: Job, checked: Checked, rescue: string) {
    const { issued } = job
    const earlier = job.before?._tag === "Downloading" ? job.before.temporary : undefined
    const bytes = earlier === undefined || path.dirname(earlier) !== checked.directory
      ? undefined
      : yield* targets.sizeOf(earlier)
    const name = partName(checked.name ?? safeName(issued.fileName ?? "") ?? "document", yield* unique)
    const temporary = earlier !== undefined && bytes !== undefined ? earlier : path.join(checked.directory, name)
    yield* journal.put({ _tag: "Downloading", ...issued, temporary, rescue })
    const mode = checked.mode === undefined ? undefined : { mode: checked.mode }
    return yield* PartFile.open(fs, temporary, { ...mode, ...(bytes === undefined ? undefined : { bytes }) }).pipe(
      Effect.mapError((error) =>
        new TargetUnusable({
          ...aboutOf(job),
          path: path.join(checked.directory, checked.name ?? ""),
          description: describe(error)
        })
      ),
      Effect.tapError(() => journal.put(job.before ?? uploaded(issued)))
    )
  })

  /** Downloads a document that is ready. */
  const transfer = Effect.fnUntraced(
    function*(job: Job, checked: Checked, known: Pick<Details, "billedCharacters">, scope: Scope.Scope) {
      const { issued, operation } = job
      const rescue = path.resolve(job.rescueFolder ?? tmpdir(), partName("document", yield* unique))
      const part = yield* Effect.uninterruptible(Scope.provide(openPart(job, checked, rescue), scope))
      const out = Rescue.make(fs, part, rescue, scope)
      const downloading = { _tag: "Downloading" as const, ...issued, temporary: part.path, rescue }

      /** Updates the journal after a failure, by the state of the service and the received bytes. */
      const note = (available: boolean | undefined, reason: string) => {
        const parts = out.parts()
        return available === false
          ? journal.put({ _tag: "Lost", ...issued, reason, bytesReceived: total(parts), parts })
          : available === true && parts.length === 0
          ? journal.put(uploaded(issued))
          : Effect.void
      }

      const receive = Effect.gen(function*() {
        const { stream, ...about } = yield* documents.download(issued).pipe(
          Effect.updateService(NodeHttpClient.UndiciOptions, (options) => ({ highWaterMark, ...options })),
          Effect.tapError((error) =>
            error._tag === "DownloadInterrupted"
              ? note(error.available, error.description)
              : part.bytes() > 0 || ("outcome" in error && error.outcome === "unknown")
              ? Effect.void
              : journal.put(uploaded(issued))
          )
        )
        const details: Details = { ...known, ...about }
        const trace = details.traceId === undefined ? undefined : { traceId: details.traceId }
        // The files of an earlier download are obsolete.
        if (part.bytes() > 0) yield* Effect.ignore(part.truncate(0))
        for (const file of job.before?._tag === "Downloading" ? yield* leftOf(job.before) : []) {
          if (file.path !== part.path) yield* Effect.ignore(fs.remove(file.path))
        }
        if (details.contentLength !== undefined) {
          yield* journal.put({ ...downloading, bytesExpected: details.contentLength })
        }
        yield* Stream.runForEach(stream, out.write).pipe(
          Effect.catchTags({
            DownloadInterrupted: (error) =>
              Effect.gen(function*() {
                const parts = out.parts()
                const failure = out.failure()
                yield* note(error.available, error.description)
                if (failure === undefined) return yield* keptIn(error, parts[0]?.path, operation)
                return yield* saveFailed(job, `${describe(failure)}; then the download ended: ${error.description}`, {
                  parts,
                  complete: false,
                  ...(error.available === undefined ? undefined : { available: error.available }),
                  ...trace
                })
              }),
            NoRoom: ({ description }) =>
              Effect.gen(function*() {
                const available = yield* documents.isAvailable(issued)
                yield* note(available, description)
                return yield* saveFailed(job, description, {
                  parts: out.parts(),
                  complete: false,
                  ...(available === undefined ? undefined : { available }),
                  ...trace
                })
              })
          })
        )
        return details
      })

      return yield* Effect.uninterruptibleMask((restore) =>
        Effect.gen(function*() {
          const details = yield* restore(receive).pipe(
            Effect.onExit((exit) => {
              if (Exit.isSuccess(exit)) return Effect.void
              const parts = out.parts()
              return parts.length > 0 && Exit.hasInterrupts(exit)
                ? Effect.logWarning(
                  `${operation}: interrupted; ${total(parts)} bytes of the document are kept in ${
                    parts.map((part) => part.path).join(", ")
                  }`
                )
                : out.clear
            })
          )
          // The steps after the last byte are uninterruptible.
          const trace = details.traceId === undefined ? undefined : { traceId: details.traceId }
          const failure = out.failure()
          const synced = yield* Effect.result(out.sync)
          const whole: Part = { path: part.path, bytes: part.bytes() }
          if (failure === undefined && synced._tag === "Success") {
            return yield* finishing.publish(job, checked, whole, details)
          }
          const [first = whole, ...others] = out.parts()
          // Before the journal removes it.
          yield* out.clear
          yield* journal.put({ _tag: "Received", ...issued, parts: [first, ...others], ...completenessOf(details) })
          const cause = failure ?? (synced._tag === "Failure" ? synced.failure : "unknown")
          return yield* saveFailed(job, cause, { parts: [first, ...others], complete: true, ...trace })
        })
      )
    }
  )

  /** Saves a document from any state. The caller holds its claim. */
  const save = Effect.fnUntraced(function*(given: Job, scope: Scope.Scope) {
    const target = targets.absolute(given.target)
    const job: Job = { ...given, target, issued: { ...given.issued, target } }
    const { before, issued } = job
    // A document that was reported as deleted, by mistake or to another account, can still be available.
    if (before?._tag === "Lost" && (yield* documents.isAvailable(issued)) !== true) {
      return yield* lost(job, before.reason, before.parts)
    }
    if (before?._tag === "Received") return yield* finishing.assemble(job, before)
    const use = () => aboutOf(job)
    yield* targets.check(use, target)
    yield* targets.checkRescue(use, job.rescueFolder)
    if (before === undefined) yield* journal.put(uploaded(issued))
    else if (!Equal.equals(before.target, target)) yield* journal.put({ ...before, target })
    const waited = yield* Effect.result(documents.wait(issued))
    if (waited._tag === "Failure") {
      const error = waited.failure
      if (error._tag === "DocumentNotFound" || error._tag === "DocumentAlreadyDownloaded") {
        return yield* gone(job, error)
      }
      if (before === undefined && error._tag === "InvalidInput") yield* journal.remove(issued.documentId)
      return yield* error
    }
    const { billedCharacters } = waited.success
    // The wait can be long, and the target may have changed meanwhile.
    const checked = yield* targets.check(use, target)
    const known = billedCharacters === undefined ? {} : { billedCharacters }
    return yield* transfer(job, checked, known, scope).pipe(
      Effect.catchTag(["DocumentNotFound", "DocumentAlreadyDownloaded"], (error) => gone(job, error))
    )
  })

  return save
})
