/** Journals in a folder, and their entries. */
import { DocumentId } from "@effect-lingua/core/contract/Ids"
import { Journal } from "@effect-lingua/core/documents/Journal"
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import { DateTime, Effect, Layer, Logger, Redacted } from "effect"
import { logged } from "../../../../test/support/logs.ts"
import { ownerOf } from "./documents.ts"

export const entryOf = (id: string, fileName = "letter.txt"): Journal.Entry => ({
  _tag: "Uploaded",
  documentId: DocumentId.make(id),
  documentKey: Redacted.make(`key of ${id}`),
  ...ownerOf("https://service.test"),
  startedAt: DateTime.makeUnsafe(0),
  fileName
})

export const journalOf = (directory: string) =>
  Effect.map(
    Effect.flatMap(Effect.scope, (scope) => Layer.buildWithScope(NodeJournal.layer({ folder: directory }), scope)),
    (context) => Journal.pipe(Effect.provide(context))
  ).pipe(Effect.flatten)

/** The lines that an effect logs. */
export const warningsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(logged(effect, Logger.formatLogFmt), ({ lines }) => lines)
