// Run as a process of its own: saves a document, given as a JSON object, and says how that ended.
import { DocumentId } from "@effect-lingua/core/contract/Ids"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { Effect, Redacted } from "effect"

const given: {
  readonly url: string
  readonly documentId: string
  readonly documentKey: string
  readonly journal: string
  readonly path: string
} = JSON.parse(process.argv[2] ?? "")

const layer = NodeLanguageService.layer({
  key: Redacted.make("key"),
  baseUrl: given.url,
  journal: { folder: given.journal }
})

await NodeDocuments.use((documents) =>
  documents.downloadToFile({
    documentId: DocumentId.make(given.documentId),
    documentKey: Redacted.make(given.documentKey),
    target: given.path
  })
).pipe(
  Effect.matchEffect({
    onSuccess: () => Effect.sync(() => process.stdout.write("saved")),
    onFailure: (error) => Effect.sync(() => process.stdout.write(error.message))
  }),
  Effect.provide(layer),
  Effect.runPromise
)
