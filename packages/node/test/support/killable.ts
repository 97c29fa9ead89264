// Run as a process of its own: works on a document or exports a translation memory until that is done or it is killed at a step.
import { DocumentId, TranslationMemoryId } from "@effect-lingua/core/contract/Ids"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import { NodeTranslationMemories } from "@effect-lingua/node/files/NodeTranslationMemories"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { writeSync } from "node:fs"
import { clientOf, resumeAll } from "./resuming.ts"

/** What the process is to do, and where it ends. */
export interface Order {
  /** Default: that of the fake. */
  readonly key?: string
  readonly url: string
  readonly journal: string
  readonly trace: string
  readonly kill: { readonly step: number; readonly when: "before" | "after" | "torn" } | undefined
  readonly source: string
  readonly target: string
  readonly overwrite: boolean
  readonly rescueFolder: string | undefined
  /** A document that is only saved. */
  readonly document: { readonly documentId: string; readonly documentKey: string } | undefined
  /** A memory that is exported to the target. */
  readonly translationMemoryId?: string
  /** `move` goes on with what is pending, to the target. */
  readonly work: "translate" | "download" | "resume" | "move" | "export"
}

const order: Order = JSON.parse(process.argv[2] ?? "")
const { document, overwrite, rescueFolder, source, target, translationMemoryId = "", work } = order

const save = NodeDocuments.use((documents) =>
  document === undefined
    ? documents.translate({ source, target, overwrite, rescueFolder, targetLanguage: "de" })
    : documents.downloadToFile({
      documentId: DocumentId.make(document.documentId),
      documentKey: Redacted.make(document.documentKey),
      target,
      overwrite,
      rescueFolder
    })
)

const exporting = NodeTranslationMemories.use((memories) =>
  memories.exportToFile({ translationMemoryId: TranslationMemoryId.make(translationMemoryId), target, overwrite })
)

const failuresOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onSuccess: () => [], onFailure: (error) => [error] })

const worked = Effect.gen(function*() {
  switch (work) {
    case "translate":
    case "download":
      return yield* failuresOf(save)
    case "resume":
    case "move":
      return yield* resumeAll({ rescueFolder, target: work === "move" ? target : undefined })
    case "export":
      return yield* failuresOf(exporting)
  }
})

const failures = await worked.pipe(Effect.provide(clientOf(order)), Effect.runPromise)
writeSync(1, failures.map(({ _tag, message }) => `${_tag}: ${message}\n`).join(""))
