/** The entries of the journal. A journal that cannot be read is an error, not an empty journal. */
import * as Journal from "@effect-lingua/core/documents/Journal"
import * as Effect from "effect/Effect"
import { tell } from "../screen/screen.ts"
import { FileUnusable, NoSuchDocument } from "../settings/errors.ts"

/** Reads from the journal, and fails if it cannot be read. */
export const looked = Effect.fnUntraced(function*<A, E, R>(look: Effect.Effect<A, E, R>) {
  const journal = yield* Journal.Journal
  const found = yield* look
  const reason = yield* journal.unreadable()
  return reason === undefined
    ? found
    : yield* new FileUnusable({ message: `the journal of documents cannot be read: ${reason}` })
})

/** All entries. */
export const all = looked(Journal.Journal.use((journal) => journal.entries()))

/** The entry of a document or upload. */
export const get = (id: string) => looked(Journal.Journal.use((journal) => journal.get(id)))

/** Fails for an entry of another service or key. */
export const checkOwner = (owner: Journal.Owner, entry: Journal.Entry) => {
  const why = Journal.foreignTo(owner, entry)
  return why === undefined
    ? Effect.void
    : Effect.fail(new NoSuchDocument({ message: why.replace(/^It/, () => Journal.idOf(entry)) }))
}

/** Reports the entries of others: the hosts of other services, and the ids of other keys. */
export const tellOthers = Effect.fnUntraced(function*(
  owner: Journal.Owner,
  entries: ReadonlyArray<Journal.Entry>,
  adopting: string
) {
  const hosts = [...new Set(entries.map(({ host }) => host))].filter((host) => host !== owner.host)
  if (hosts.length > 0) yield* tell("pending", `there are more at ${hosts.join(", ")}`, { hosts })
  const ids = entries.filter(({ account, host }) => host === owner.host && account !== owner.account)
    .map((entry) => Journal.idOf(entry))
  if (ids.length > 0) {
    yield* tell("pending", `there are more of another key: ${ids.join(", ")}; to take one over: ${adopting}`, { ids })
  }
})
