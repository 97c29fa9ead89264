/**
 * The place of documents in files. The journal after each step, and what a kill then leaves:
 *
 * 1. `Uploaded`, with the target: the service has the document.
 * 2. `Downloading`, with the temporary file and the one for the rest if the disk fails: the same.
 * 3. The temporary file is opened: the same, and an empty file that the journal names.
 * 4. The document is requested: from here on it may be gone, and then is lost at byte 0.
 * 5. `Downloading`, with the promised length, before the first byte is read.
 * 6. The bytes are written to one file or both: it is lost at the byte at which they end, or complete if that is the last.
 * 7. `Downloading`, with the number of bytes, if none was promised.
 * 8. They are synced.
 * 9. The steps of `finishing.ts`.
 */
import "../../internal/supported.ts"

import { Documents, type Download, type DownloadError, type Notes } from "@effect-lingua/core/documents/Documents"
import type { Entry, Part } from "@effect-lingua/core/documents/Journal"
import { DownloadInterrupted } from "@effect-lingua/core/errors/CallError"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { tmpdir } from "node:os"
import { describe, removeAll, unique } from "./files.ts"
import { aboutOf, completenessOf, type Details, type Finishing, type Job, saveFailed, total } from "./finishing.ts"
import * as PartFile from "./partFile.ts"
import { type Checked, partName, safeName, type Targets, TargetUnusable } from "./target.ts"

/** The bytes of a body that are buffered during a write. Each write has a fixed cost, so fewer and larger ones are faster. */
const highWaterMark = 512 * 1024

export const make = Effect.fnUntraced(function*(targets: Targets, finishing: Finishing) {
  const documents = yield* Documents
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  /** The files of an earlier download, in their order. */
  const leftOf = Effect.fnUntraced(function*(before: Entry | undefined) {
    const paths = before?._tag === "Downloading"
      ? [before.temporary, before.rescue]
      : before?._tag === "Received" || before?._tag === "Lost"
      ? before.parts.map(({ path }) => path)
      : []
    return yield* targets.kept(paths.flatMap((path) => path === undefined ? [] : [{ path, bytes: Infinity }]))
  })

  /** Opens the file for the bytes: that of an earlier download, or a new one next to the target. */
  const openPart = Effect.fnUntraced(function*(job: Job, checked: Checked, rescue: string, notes: Notes) {
    const earlier = job.before?._tag === "Downloading" ? job.before.temporary : undefined
    const bytes = earlier === undefined || path.dirname(earlier) !== checked.directory
      ? undefined
      : yield* targets.sizeOf(earlier)
    const name = partName(checked.name ?? safeName(job.before?.fileName ?? "") ?? "document", yield* unique)
    const temporary = earlier !== undefined && bytes !== undefined ? earlier : path.join(checked.directory, name)
    yield* notes.opening({ temporary, rescue })
    const mode = checked.mode === undefined ? undefined : { mode: checked.mode }
    return yield* Effect.mapError(
      PartFile.open(fs, temporary, { ...mode, ...(bytes === undefined ? undefined : { bytes }) }),
      (error) =>
        new TargetUnusable({
          ...aboutOf(job),
          path: path.join(checked.directory, checked.name ?? ""),
          description: describe(error)
        })
    )
  })

  /** Downloads a document when it is ready, and returns its last step. */
  const receive = Effect.fnUntraced(
    function*(job: Job, scope: Scope.Scope, download: Effect.Effect<Download, DownloadError>, notes: Notes) {
      const { before, operation, ref } = job
      const { billedCharacters } = yield* documents.wait(ref)
      // The wait can be long, and the target may have changed meanwhile.
      const checked = yield* targets.check(() => aboutOf(job), job.target)
      const rescue = path.resolve(job.rescueFolder ?? tmpdir(), partName("document", yield* unique))
      const part = yield* Effect.uninterruptible(Scope.provide(openPart(job, checked, rescue, notes), scope))
      const out = PartFile.withRescue(fs, part, rescue, scope)

      const written = Effect.gen(function*() {
        const { stream, ...about } = yield* Effect.updateService(
          download,
          NodeHttpClient.UndiciOptions,
          (options) => ({ highWaterMark, ...options })
        )
        const details: Details = { ...about, ...(billedCharacters === undefined ? undefined : { billedCharacters }) }
        // The files of an earlier download are obsolete.
        if (part.bytes() > 0) yield* Effect.ignore(part.truncate(0))
        const obsolete = before?._tag === "Downloading" ? yield* leftOf(before) : []
        yield* removeAll(fs, obsolete.map(({ path }) => path).filter((path) => path !== part.path))
        yield* Stream.runForEach(stream, out.write).pipe(
          Effect.catchTags({
            DownloadInterrupted: (error) => {
              const failure = out.failure()
              return failure === undefined
                ? Effect.fail(error)
                : Effect.flatMap(
                  out.parts,
                  (parts) =>
                    Effect.fail(saveFailed(job, `${describe(failure)}; then the download ended: ${error.description}`, {
                      parts,
                      complete: false,
                      available: error.available,
                      traceId: details.traceId
                    }))
                )
            },
            NoRoom: ({ description }) =>
              Effect.flatMap(out.parts, (parts) => finishing.fail(job, description, parts, undefined, details, notes))
          })
        )
        return details
      })

      const details = yield* Effect.onExit(written, (exit) => {
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
        const failure = out.failure()
        const synced = yield* Effect.result(out.sync)
        const whole: Part = { path: part.path, bytes: part.bytes() }
        if (failure === undefined && synced._tag === "Success") {
          return yield* finishing.publish(job, checked, whole, details, notes)
        }
        const parts = yield* out.parts
        const [first = whole, ...others] = parts
        // Before the journal removes it.
        yield* out.clear
        if (total(parts) === out.bytes()) {
          yield* notes.received({ parts: [first, ...others], ...completenessOf(details) })
        }
        const cause = failure ?? (synced._tag === "Failure" ? synced.failure : "unknown")
        return yield* finishing.fail(job, cause, parts, out.bytes(), details, notes)
      })
    }
  )

  /** Saves a document from any state. The caller holds its claim. */
  return (given: Job, scope: Scope.Scope) => {
    const target = targets.absolute(given.target)
    const job: Job = { ...given, target }
    const use = () => aboutOf(job)
    /** Files that were opened and got no byte. */
    const removeEmpty = Effect.flatMap(
      leftOf(job.before),
      (left) => removeAll(fs, left.filter(({ bytes }) => bytes === 0).map(({ path }) => path))
    )
    return documents.saveTo(job.ref, {
      entry: job.before,
      target,
      check: Effect.andThen(targets.check(use, target), targets.checkRescue(use, job.rescueFolder)),
      receive: (download, notes) => receive(job, scope, download, notes),
      left: leftOf,
      recover: (received, notes) => finishing.recover(job, received, notes)
    }).pipe(
      Effect.tap(() => removeEmpty),
      Effect.catchTag("DownloadInterrupted", (error) => {
        const { attempts, document, operation } = use()
        const known = {
          // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
          ...error,
          operation,
          document,
          attempts: error.attempts.length === 0 ? attempts : error.attempts
        }
        return Effect.andThen(removeEmpty, new DownloadInterrupted(known))
      })
    )
  }
})
