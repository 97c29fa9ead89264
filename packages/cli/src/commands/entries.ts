/** Entries of the journal: how they are listed, adopted and forgotten. */
import * as Attempt from "@effect-lingua/core/client/Attempt"
import * as DocumentJournal from "@effect-lingua/core/documents/Journal"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Journal from "../client/journal.ts"
import * as Output from "../files/output.ts"
import { advised } from "../screen/advised.ts"
import { tell } from "../screen/screen.ts"
import { type Columns, table } from "../screen/table.ts"
import { NoSuchDocument } from "../settings/errors.ts"

/** Lists the entries of this key, and names those of other keys. */
export const list = Effect.fnUntraced(function*<E extends Journal.Entry>(options: {
  /** The command that the entries belong to. */
  readonly group: string
  /** The kind of an entry, in the singular. */
  readonly thing: string
  readonly owner: DocumentJournal.Owner
  readonly entries: ReadonlyArray<E>
  /** The entry for programs, without keys. */
  readonly described: (entry: E) => object
  readonly stateOf: (entry: E) => string
  /** Columns besides those of all entries. */
  readonly columns: Columns<E>
  /** Next steps, as sentences with a command. */
  readonly next: (here: ReadonlyArray<E>, commandOf: (args: string) => string) => ReadonlyArray<string>
}) {
  const { described, entries, group, owner } = options
  const here = entries.filter((entry) => DocumentJournal.foreignTo(owner, entry) === undefined)
  const now = yield* Clock.currentTimeMillis
  const columns: Columns<E> = {
    ID: DocumentJournal.idOf,
    STATE: options.stateOf,
    AGE: ({ startedAt }) => {
      const seconds = Math.round((now - DateTime.toEpochMillis(startedAt)) / 1000)
      return Attempt.formatDuration(Duration.seconds(Math.max(0, seconds)))
    },
    ...options.columns
  }
  yield* Output.print({
    json: here.map(described),
    human: (style) => here.length === 0 ? "" : table(style, columns, here)
  })
  const commandOf = yield* advised
  if (here.length === 0) yield* tell("pending", `no ${options.thing} is pending`, { pending: 0 })
  for (const message of options.next(here, commandOf)) yield* tell("next", message)
  yield* Journal.tellOthers(owner, entries, commandOf(`${group} adopt <id>`))
})

/** Adopts entries one after the other. */
export const adopt = <E, R>(ids: ReadonlyArray<string>, adoptOne: (id: string) => Effect.Effect<unknown, E, R>) =>
  Effect.forEach(
    ids,
    (id) => Effect.andThen(adoptOne(id), Output.print(Output.done("adopted", `${id} belongs to this key now`, { id }))),
    { discard: true }
  )

/** Forgets an entry that the journal has. */
export const forget = Effect.fnUntraced(function*<E extends Journal.Entry, E1, R1, E2, R2>(
  id: string,
  look: Effect.Effect<E | undefined, E1, R1>,
  forgetting: Effect.Effect<unknown, E2, R2>,
  message: (entry: E) => string
) {
  const entry = yield* look
  if (entry === undefined) return yield* new NoSuchDocument({ message: `the journal does not have ${id}` })
  yield* forgetting
  yield* Output.print(Output.done("forgotten", message(entry), { id }))
})
