/**
 * A document's state machine. States are journal entries; only these events write entries.
 *
 * | state | the service has the document | files | a restart |
 * | --- | --- | --- | --- |
 * | none | no | none | uploads |
 * | `Uploading` | perhaps | none | `upload`, if the file can be read |
 * | `Uploaded` | yes | none | `download` |
 * | `Downloading` | until its response | `temporary`, `rescue` | `download`; if deleted, `publish` or `Lost` |
 * | `Received` | no | all bytes | `publish` |
 * | `Lost` | no, unless the service's report was wrong | some bytes | `ask` for the status, then `download` or fail |
 *
 * | event | next state |
 * | --- | --- |
 * | upload begins | `Uploading` |
 * | upload refused | none, if it was new |
 * | upload accepted | `Uploaded` |
 * | `Targeted`: target checked | the same with the target; without a state, `Uploaded` |
 * | `Requested`, before files are opened and the request is sent | `Downloading`, with the files |
 * | `Refused` | the state before `Requested` |
 * | `Answered`: headers received, before the first byte | `Downloading`, with the promised length |
 * | `Ended` without a promised length | `Downloading`, with the counted length |
 * | `Stopped`, still at the service, no byte kept | `Uploaded` |
 * | `Stopped`, still at the service, or unknown | the same |
 * | `Stopped`, deleted | `Lost` |
 * | `Received`, before each move of the synced bytes | `Received`, with the parts |
 * | `Closed`: published, failed at the service, or forgotten | none |
 * | adopted | the same, with the new owner |
 *
 * After a crash between two events, a restart continues from the earlier state.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type { DocumentId, DocumentKey } from "../../contract/Ids.ts"
import { defined } from "../../contract/internal/values.ts"
import { factsOf, foreignTo, type Journal } from "../Journal.ts"

/**
 * A document's id and key. The service returns the key only from the upload.
 *
 * @category options
 * @since 0.1.0
 */
export interface DocumentRef {
  readonly documentId: DocumentId
  readonly documentKey: DocumentKey
}

/** An entry with the id of its document. */
export type Known = Exclude<Journal.Entry, { readonly _tag: "Uploading" }>

const restarts = {
  Uploading: "upload",
  Uploaded: "download",
  Downloading: "download",
  Received: "publish",
  Lost: "ask"
} as const

/** The first step of a restarted program for an entry. */
export const restartOf = ({ _tag }: Journal.Entry): typeof restarts[keyof typeof restarts] => restarts[_tag]

/** The paths of files with the document's bytes, in byte order. */
export const filesOf = (entry: Journal.Entry): ReadonlyArray<string> =>
  entry._tag === "Downloading"
    ? [entry.temporary, entry.rescue].filter((path) => path !== undefined)
    : entry._tag === "Received" || entry._tag === "Lost"
    ? entry.parts.map(({ path }) => path)
    : []

export const total = (parts: ReadonlyArray<Journal.Part>): number => parts.reduce((sum, { bytes }) => sum + bytes, 0)

/**
 * All bytes of a document, in one or two consecutive parts. `target` is present if it differs from the entry's target. `obsolete` lists superseded
 * copies.
 *
 * @category models
 * @since 0.3.0
 */
export interface ReceivedBytes
  extends Pick<Extract<Known, { readonly _tag: "Received" }>, "parts" | "obsolete" | "completeness">
{
  readonly target?: Journal.Target
}

type Event =
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
    readonly parts: ReadonlyArray<Journal.Part>
  }
  | { readonly _tag: "Received" } & ReceivedBytes

const lengthOf = (entry: Known | undefined) =>
  entry?._tag === "Downloading" || entry?._tag === "Lost"
    ? defined({ bytesExpected: entry.bytesExpected, completeness: entry.completeness })
    : entry?._tag === "Received"
    ? { bytesExpected: total(entry.parts), ...defined({ completeness: entry.completeness }) }
    : undefined

const openedFiles = (entry: Known | undefined) =>
  entry?._tag === "Downloading" ? defined({ temporary: entry.temporary, rescue: entry.rescue }) : undefined

/** The state after an event. `settled` is the entry to restore if the download is refused; `issued` has the fields that all entries share. */
const next = (
  event: Event,
  entry: Known | undefined,
  settled: Known | undefined,
  issued: Journal.Facts & DocumentRef
): Known | undefined => {
  switch (event._tag) {
    case "Targeted":
      return { ...(entry ?? { _tag: "Uploaded", ...issued }), target: event.target }
    case "Requested": {
      const { temporary, rescue } = event
      const files = { ...openedFiles(entry), ...defined({ temporary, rescue }) }
      return { _tag: "Downloading", ...issued, ...lengthOf(entry), ...files }
    }
    case "Refused":
      return settled
    case "Answered": {
      const { bytesExpected, completeness } = event
      return { _tag: "Downloading", ...issued, ...openedFiles(entry), ...defined({ bytesExpected, completeness }) }
    }
    case "Ended":
      return entry?._tag === "Downloading" ? { ...entry, bytesExpected: event.bytes } : entry
    case "Stopped": {
      const { available, bytesReceived, parts, reason } = event
      return available === false
        ? { _tag: "Lost", ...issued, ...lengthOf(entry), reason, bytesReceived, parts }
        : available === true && parts.length === 0
        ? { _tag: "Uploaded", ...issued }
        : entry
    }
    case "Received":
      return { ...issued, ...defined({ completeness: lengthOf(entry)?.completeness }), ...event }
    case "Closed":
      return undefined
  }
}

export const make = (journal: Journal["Service"], owner: Journal.Owner) => {
  const isOwn = (entry: Journal.Entry | undefined): entry is Known =>
    // Another service can issue the same id, and another account can have the document.
    entry !== undefined && entry._tag !== "Uploading" && foreignTo(owner, entry) === undefined

  /**
   * Opens a document's record. Without `verify`, the record changes no entry that has another document key, or that another program downloads to a
   * file. `read` is the entry, if already read.
   */
  const of = Effect.fnUntraced(
    function*<E = never, R = never>(
      { documentId, documentKey }: DocumentRef,
      verify?: Effect.Effect<unknown, E, R>,
      read?: Journal.Entry
    ) {
      const found = read ?? (yield* journal.get(documentId))
      const hasKey = isOwn(found) && Equal.equals(found.documentKey, documentKey)
      // A wrong key must not replace the correct key.
      if (verify !== undefined && isOwn(found) && !hasKey) yield* verify
      const isWritten = found?._tag === "Downloading" && found.temporary !== undefined
      const isOurs = found === undefined || (isOwn(found) && (verify !== undefined || (hasKey && !isWritten)))
      const before = isOurs && isOwn(found) ? found : undefined
      const startedAt = yield* DateTime.now
      let settled = before
      let entry = before
      return {
        before,
        latest: () => entry,
        /** The entry in the journal, if this client may change it. */
        current: Effect.map(journal.get(documentId), (current) => isOurs && isOwn(current) ? current : undefined),
        note: Effect.fnUntraced(function*(event: Event) {
          if (!isOurs) return
          // Another program has completed the document and removed the entry.
          if (event._tag === "Stopped" && (yield* journal.get(documentId)) === undefined) return
          const facts = entry ?? before
          const shared = facts === undefined ? { ...owner, startedAt } : factsOf(facts)
          const last = entry
          entry = next(event, entry, settled, { ...shared, documentId, documentKey })
          if (event._tag === "Targeted") settled = entry
          if (entry === undefined) yield* journal.remove(documentId)
          else if (!Equal.equals(entry, last)) yield* journal.put(entry)
        })
      }
    }
  )

  return {
    of,
    /** Records the start of an upload; `refused` or `issued` records its end. */
    begin: (facts: Journal.Facts, uploadId: string) =>
      Effect.as(journal.put({ _tag: "Uploading", ...facts, uploadId }), {
        refused: journal.remove(uploadId),
        issued: ({ documentId, documentKey }: DocumentRef, contentHash: string | undefined) =>
          journal.put({ _tag: "Uploaded", ...facts, documentId, documentKey, uploadId, ...defined({ contentHash }) })
      }),
    forget: journal.remove,
    adopt: journal.put
  }
}

export type Record = Effect.Success<ReturnType<ReturnType<typeof make>["of"]>>
