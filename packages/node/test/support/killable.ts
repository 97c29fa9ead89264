// Run as a process of its own: translates, saves or goes on with documents until it is done or is killed at a step.
import { DocumentId } from "@effect-lingua/core/DocumentsApi"
import { NodeDocuments } from "@effect-lingua/node/NodeDocuments"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { writeSync } from "node:fs"
import { clientOf, resumeAll } from "./resuming.ts"

/** What the process is to do, and where it ends. */
export interface Order {
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
  /** `move` goes on with what is pending, to the target. */
  readonly work: "translate" | "download" | "resume" | "move"
}

const order: Order = JSON.parse(process.argv[2] ?? "")
const { document, overwrite, rescueFolder, source, target, work } = order

const save = NodeDocuments.use((documents) =>
  document === undefined
    ? documents.translate({ path: source, target, overwrite, rescueFolder, targetLanguage: "de" })
    : documents.downloadToFile({
      documentId: DocumentId.make(document.documentId),
      documentKey: Redacted.make(document.documentKey),
      path: target,
      overwrite,
      rescueFolder
    })
)

writeSync(1, "ready\n")

const failures = await (work === "resume" || work === "move"
  ? resumeAll({ rescueFolder, path: work === "move" ? target : undefined })
  : Effect.match(save, { onSuccess: () => [], onFailure: (error) => [error] })).pipe(
    Effect.provide(clientOf(order)),
    Effect.runPromise
  )
writeSync(1, failures.map(({ _tag, message }) => `${_tag}: ${message}\n`).join(""))
