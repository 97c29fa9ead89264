/**
 * The entries of documents in the journal. Each write is an event, and nothing else writes them:
 *
 * | event | entry |
 * | --- | --- |
 * | upload begins | `Uploading` |
 * | upload refused, changed nothing | none, if it was new |
 * | `Issued` | `Uploaded` |
 * | `Targeted` | the same with its target, `Uploaded` if there is none |
 * | `Requested` | `Downloading`, with the files for the bytes if there are any |
 * | `Refused`, changed nothing | as before `Requested` |
 * | `Answered` | `Downloading`, with the promised length |
 * | `Ended` at the regular end | `Downloading`, with the number of bytes if none was promised |
 * | `Stopped`, the service has it and no byte is kept | `Uploaded` |
 * | `Stopped`, the service has it or does not say | the same |
 * | `Stopped`, the service has deleted it | `Lost`, with the parts that are kept |
 * | `Received` | `Received`, with the parts, before they get their name |
 * | `Closed`: saved, failed at the service, or forgotten | none |
 * | adopted by another key | the same, of the other |
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import { defined } from "../../contract/internal/optional.ts"
import type { DocumentRef, ReceivedBytes } from "../Documents.ts"
import * as Journal from "../Journal.ts"

/** An entry of a document that has an id. */
export type Known = Exclude<Journal.Entry, { readonly _tag: "Uploading" }>

/** A file with bytes of a document. */
export type Part = Journal.Part

/** An event in the life of a document that has an id. */
export type Event =
  | { readonly _tag: "Targeted"; readonly target: Journal.Target }
  | { readonly _tag: "Requested"; readonly temporary?: string; readonly rescue?: string }
  | { readonly _tag: "Refused" | "Closed" }
  | { readonly _tag: "Answered"; readonly bytesExpected?: number; readonly completeness?: "unknown" }
  | { readonly _tag: "Ended"; readonly bytes: number }
  | {
    readonly _tag: "Stopped"
    readonly available: boolean | undefined
    readonly reason: string
    readonly bytesReceived: number
    readonly parts: ReadonlyArray<Part>
  }
  | { readonly _tag: "Received" } & ReceivedBytes

/** The entry of one document. */
export interface Record {
  /** The entry when the record was opened, if it may be changed. */
  readonly before: Known | undefined
  /** The entry after the last event. */
  readonly latest: () => Known | undefined
  /** The entry in the journal, which another program may have changed, if it may be changed. */
  readonly current: Effect.Effect<Known | undefined>
  /** Writes an event, and returns the entry after it. */
  readonly note: (event: Event) => Effect.Effect<Known | undefined>
}

/** The sum of the bytes of files. */
export const total = (parts: ReadonlyArray<Part>): number => parts.reduce((sum, { bytes }) => sum + bytes, 0)

const withLength = (entry: Known | undefined) =>
  entry?._tag === "Downloading" || entry?._tag === "Lost"
    ? defined({ bytesExpected: entry.bytesExpected, completeness: entry.completeness })
    : entry?._tag === "Received"
    ? { bytesExpected: total(entry.parts), ...defined({ completeness: entry.completeness }) }
    : undefined

const filesOf = (entry: Known | undefined) =>
  entry?._tag === "Downloading" ? defined({ temporary: entry.temporary, rescue: entry.rescue }) : undefined

/** The records of a journal that belong to an owner. */
export const make = (journal: Journal.Journal["Service"], owner: Journal.Owner) => {
  /**
   * Opens the record of a document. With `verify` it may replace the key in the journal, if the effect shows that the new one is right, and
   * change the entry of a program that writes files. `read` is the entry that the caller has read: a store that fails now hides none.
   */
  const of = Effect.fnUntraced(
    function*<E = never, R = never>(ref: DocumentRef, verify?: Effect.Effect<unknown, E, R>, read?: Journal.Entry) {
      const { documentId, documentKey } = ref
      const isOwn = (entry: Journal.Entry | undefined): entry is Known =>
        // Another service may have issued the same id, and a document unknown to this account is not lost for another.
        entry !== undefined && entry._tag !== "Uploading" && Journal.foreignTo(owner, entry) === undefined
      const found = read ?? (yield* journal.get(documentId))
      const hasKey = isOwn(found) && Equal.equals(found.documentKey, documentKey)
      // A wrong key must not replace the correct one.
      if (verify !== undefined && isOwn(found) && !hasKey) yield* verify
      const isWritten = found?._tag === "Downloading" && found.temporary !== undefined
      const isOurs = found === undefined || (isOwn(found) && (verify !== undefined || (hasKey && !isWritten)))
      const before = isOurs && isOwn(found) ? found : undefined
      const facts = before === undefined
        ? { ...owner, startedAt: yield* DateTime.now }
        : Journal.factsOf(before)
      // The entry as a request that changes nothing leaves it.
      let settled = before
      let entry = before

      const next = (event: Event): Known | undefined => {
        const issued = { ...(entry === undefined ? facts : Journal.factsOf(entry)), documentId, documentKey }
        switch (event._tag) {
          case "Targeted":
            return settled = { ...(entry ?? { _tag: "Uploaded", ...issued }), target: event.target }
          case "Requested": {
            const { temporary, rescue } = event
            return {
              _tag: "Downloading",
              ...issued,
              ...withLength(entry),
              ...filesOf(entry),
              ...defined({ temporary, rescue })
            }
          }
          case "Refused":
            return settled
          case "Answered": {
            const { bytesExpected, completeness } = event
            return { _tag: "Downloading", ...issued, ...filesOf(entry), ...defined({ bytesExpected, completeness }) }
          }
          case "Ended":
            return entry?._tag === "Downloading" ? { ...entry, bytesExpected: event.bytes } : entry
          case "Stopped": {
            const { available, bytesReceived, parts, reason } = event
            return available === false
              ? { _tag: "Lost", ...issued, ...withLength(entry), reason, bytesReceived, parts }
              : available === true && parts.length === 0
              ? { _tag: "Uploaded", ...issued }
              : entry
          }
          case "Received":
            return { ...issued, ...event }
          case "Closed":
            return undefined
        }
      }

      const record: Record = {
        before,
        latest: () => entry,
        current: Effect.map(journal.get(documentId), (current) => isOurs && isOwn(current) ? current : undefined),
        note: Effect.fnUntraced(function*(event) {
          if (!isOurs) return undefined
          // Another program may have completed it meanwhile.
          if (event._tag === "Stopped" && (yield* journal.get(documentId)) === undefined) return undefined
          const last = entry
          entry = next(event)
          if (entry === undefined) yield* journal.remove(documentId)
          else if (!Equal.equals(entry, last)) yield* journal.put(entry)
          return entry
        })
      }
      return record
    }
  )

  return {
    of,
    /** Begins an upload. The first function ends it after a failure that changed nothing, the second with the document that was issued. */
    begin: (facts: Journal.Facts, uploadId: string) =>
      Effect.as(journal.put({ _tag: "Uploading", ...facts, uploadId }), {
        refused: journal.remove(uploadId),
        issued: ({ documentId, documentKey }: DocumentRef, contentHash: string | undefined) =>
          journal.put({ _tag: "Uploaded", ...facts, documentId, documentKey, uploadId, ...defined({ contentHash }) })
      }),
    forget: journal.remove,
    /** Gives an entry to another owner. */
    adopt: (entry: Journal.Entry) => journal.put(entry)
  }
}

/** The records of a journal. */
export type Records = ReturnType<typeof make>
