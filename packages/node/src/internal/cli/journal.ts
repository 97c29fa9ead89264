/** The journal as the commands look into it: one that cannot be read is not an empty one. */
import * as DocumentJournal from "@effect-lingua/core/DocumentJournal"
import * as Effect from "effect/Effect"
import { FileUnusable } from "./errors.ts"

/** Looks into the journal, and fails where that found nothing because it cannot be read. */
export const looked = Effect.fnUntraced(function*<A, E, R>(look: Effect.Effect<A, E, R>) {
  const journal = yield* DocumentJournal.DocumentJournal
  const found = yield* look
  const reason = yield* journal.unreadable
  return reason === undefined
    ? found
    : yield* new FileUnusable({ message: `the journal of documents cannot be read: ${reason}` })
})

/** All entries. */
export const entries = looked(DocumentJournal.DocumentJournal.use((journal) => journal.entries))

/** The entry of a document or upload. */
export const get = (id: string) => looked(DocumentJournal.DocumentJournal.use((journal) => journal.get(id)))

/** All imports and exports of translation memories. */
export const jobs = looked(DocumentJournal.DocumentJournal.use((journal) => journal.jobs))

/** The entry of an import or export. */
export const getJob = (id: string) => looked(DocumentJournal.DocumentJournal.use((journal) => journal.getJob(id)))
