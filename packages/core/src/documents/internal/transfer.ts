/** The one way in which a document gets from the service into a store: received, recovered after a kill, published and forgotten. */
import * as Effect from "effect/Effect"
import { isTagged } from "effect/Predicate"
import { defined } from "../../contract/internal/optional.ts"
import { DownloadInterrupted } from "../../errors/CallError.ts"
import { checkId } from "../../errors/internal/checks.ts"
import type { DocumentAlreadyDownloaded, DocumentNotFound } from "../../errors/ServiceError.ts"
import type { DocumentRef, Download, DownloadError, Notes, Saving, StatusError } from "../Documents.ts"
import type * as Journal from "../Journal.ts"
import { type Known, type Part, type Record, type Records, total } from "./journalEntries.ts"

/** True for the error of a document that the service does not have, or no longer. */
const isGone = <E>(error: E): error is E & (DocumentNotFound | DocumentAlreadyDownloaded) =>
  isTagged(error, "DocumentNotFound") || isTagged(error, "DocumentAlreadyDownloaded")

/** The parts that are kept of a document whose download stopped, and its entry with them. */
export type Stopped = (
  available: boolean | undefined,
  reason: string,
  kept?: ReadonlyArray<Part>
) => Effect.Effect<ReadonlyArray<Part>>

/** The calls about one document. */
export interface Calls {
  readonly records: Records
  readonly isAvailable: (ref: DocumentRef) => Effect.Effect<boolean | undefined>
  readonly status: (ref: DocumentRef) => Effect.Effect<unknown, StatusError>
  readonly download: (
    ref: DocumentRef,
    transfer: { readonly record: Record; readonly stopped: Stopped }
  ) => Effect.Effect<Download, DownloadError>
}

/** The error of a document that the service has deleted and of which only parts are left. */
export const lost = (
  documentId: DocumentRef["documentId"],
  reason: string,
  parts: ReadonlyArray<Part>,
  bytesExpected?: number,
  bytesReceived = total(parts)
): DownloadInterrupted => {
  const [first, ...others] = parts
  const rest = others.length === 0 ? "" : `. The rest is in ${others.map(({ path }) => path).join(", ")}`
  return new DownloadInterrupted({
    documentId,
    description: `${reason}${rest}`,
    bytesReceived,
    available: false,
    ...defined({ path: first?.path, bytesExpected })
  })
}

export const make = ({ download, isAvailable, records, status }: Calls) => {
  const begin = Effect.fnUntraced(function*<A, E>(ref: DocumentRef, saving: Saving<A, E>) {
    const { documentId } = ref
    yield* checkId("documentId", documentId)
    const record = yield* records.of(ref, status(ref), saving.entry)
    const { before, note } = record

    const stopped: Stopped = Effect.fnUntraced(function*(available, reason, kept) {
      const latest = record.latest()
      const left = kept ?? (latest === undefined ? [] : yield* Effect.orElseSucceed(saving.left(latest), () => []))
      const parts = left.filter(({ bytes }) => bytes > 0)
      yield* note({ _tag: "Stopped", available, reason, bytesReceived: total(parts), parts })
      return parts
    })

    const notes: Notes = {
      opening: (files) => Effect.asVoid(note({ _tag: "Requested", ...files })),
      stopped: (reason, kept) => Effect.tap(isAvailable(ref), (available) => stopped(available, reason, kept)),
      received: (bytes) => Effect.asVoid(note({ _tag: "Received", ...bytes }))
    }

    const noteLost = (reason: string, parts: ReadonlyArray<Part>) =>
      note({ _tag: "Stopped", available: false, reason, bytesReceived: total(parts), parts })

    const complete = Effect.fnUntraced(function*(received: Extract<Journal.Entry, { readonly _tag: "Received" }>) {
      const last = yield* saving.recover(received, notes)
      if (last !== undefined) return last
      const reason = "The files with its bytes are gone or changed"
      const { parts } = received
      // Their names stay: a disk may be back later.
      yield* noteLost(reason, parts)
      return yield* lost(documentId, reason, yield* saving.left(received), total(parts))
    })

    /** What earlier runs left: the last step if that is all bytes, and the parts. */
    const leftOf = Effect.fnUntraced(function*(entry: Known | undefined) {
      if (entry === undefined || entry._tag === "Uploaded") return { parts: [], last: undefined }
      if (entry._tag === "Received") return { parts: entry.parts, last: yield* complete(entry) }
      const left = yield* saving.left(entry)
      const filled = left.filter(({ bytes }) => bytes > 0)
      const isWhole = total(left) === entry.bytesExpected
      const [first, ...others] = isWhole && filled.length === 0 ? left : filled
      if (!isWhole || first === undefined) {
        return { parts: entry._tag === "Lost" ? entry.parts : filled, last: undefined }
      }
      const { completeness } = entry
      const parts = [first, ...others] as const
      const received = yield* note({ _tag: "Received", parts, ...defined({ completeness }) })
      return { parts, last: received?._tag === "Received" ? yield* complete(received) : undefined }
    })

    /** What earlier runs left of a document that the service has deleted, if that is all of it. */
    const gone = Effect.fnUntraced(function*<F extends { readonly description: string }>(error: F) {
      // Files are of one program. A store can have been written by another one meanwhile.
      const entry = before?._tag === "Downloading" && before.temporary !== undefined ? before : yield* record.current
      const { last, parts } = yield* leftOf(entry)
      if (last !== undefined) return last
      if (entry?._tag === "Lost") {
        return yield* lost(documentId, entry.reason, parts, entry.bytesExpected, entry.bytesReceived)
      }
      if (entry?._tag === "Downloading") {
        const reason = "An earlier download consumed the document and did not complete"
        yield* noteLost(reason, parts)
        return yield* lost(documentId, reason, parts, entry.bytesExpected)
      }
      yield* before === undefined ? note({ _tag: "Closed" }) : noteLost(error.description, [])
      return yield* Effect.fail(error)
    })

    let isRequested = false
    const downloading = Effect.suspend(() => {
      isRequested = true
      return download(ref, { record, stopped })
    })

    const found = Effect.gen(function*() {
      const saved = saving.find === undefined ? undefined : yield* saving.find
      return saved === undefined ? undefined : Effect.succeed(saved)
    })

    /** The last step of the document: found, recovered or received. */
    const obtain = Effect.gen(function*() {
      const last = yield* found
      if (last !== undefined) return last
      if (before?._tag === "Received") return yield* complete(before)
      // A document that was reported as deleted, by mistake or to another account, can still be available.
      if (before?._tag === "Lost" && (yield* isAvailable(ref)) !== true) {
        const { last, parts } = yield* leftOf(before)
        return last ?? (yield* lost(documentId, before.reason, parts, before.bytesExpected, before.bytesReceived))
      }
      if (saving.check !== undefined) yield* saving.check
      if (saving.target !== undefined) yield* note({ _tag: "Targeted", target: saving.target })
      return yield* saving.receive(downloading, notes).pipe(
        Effect.tapError((error) =>
          isTagged(error, "DocumentFailed")
            ? note({ _tag: "Closed" })
            : isRequested
            ? Effect.void
            : note({ _tag: "Refused" })
        ),
        Effect.catchIf(isGone, gone)
      )
    })

    return {
      obtain,
      /** The last step of the document, if an earlier run has received all bytes. */
      recover: Effect.gen(function*() {
        return (yield* found) ?? (yield* leftOf(yield* record.current)).last
      }),
      /** Runs the last step. */
      end: (last: Effect.Effect<A, E>) => Effect.tap(last, () => note({ _tag: "Closed" }))
    }
  })

  return {
    saveTo: <A, E>(ref: DocumentRef, saving: Saving<A, E>) =>
      Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
        const { end, obtain } = yield* restore(begin(ref, saving))
        return yield* end(yield* restore(obtain))
      })),
    recover: <A, E>(ref: DocumentRef, saving: Saving<A, E>) =>
      Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
        const { end, recover } = yield* restore(begin(ref, saving))
        const last = yield* restore(recover)
        return last === undefined ? undefined : yield* end(last)
      }))
  }
}
