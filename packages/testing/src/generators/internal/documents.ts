/** Documents. */
import type { UploadOptions } from "@effect-lingua/core/documents/Documents"
import { UploadFields } from "@effect-lingua/core/documents/DocumentsApi"
import * as Arbitrary from "effect/Arbitrary"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { findLanguage } from "../../fake/internal/languages/languages.ts"
import type { DocumentState, ServiceState } from "../../fake/internal/model.ts"
import { rootOf } from "../../fake/internal/text.ts"
import type { Response } from "./contract.ts"
import { derive } from "./derive.ts"
import * as Leaves from "./leaves.ts"
import type { Records } from "./record.ts"
import { ofReferences, referencesIn, withFormality, withoutReferences } from "./texts.ts"

const encode = (text: string) => new TextEncoder().encode(text)

/** The content of an upload in each form: bytes, a file, a stream. */
const contents = (text: string): ReadonlyArray<UploadOptions["content"]> => {
  const bytes = encode(text)
  return [bytes, new Blob([bytes]), Stream.make(bytes)]
}

/** Not all languages of texts are languages of documents. */
const ofDocuments = (code: string): string => findLanguage("translate_document", code) === undefined ? "de" : code

/** A formality that the target has, and a source that is another language than the target. */
const fittingUpload = ({ sourceLanguage, ...request }: UploadOptions): UploadOptions =>
  withFormality("translate_document", {
    ...request,
    ...(sourceLanguage === undefined || rootOf(sourceLanguage) === rootOf(request.targetLanguage)
      ? undefined
      : { sourceLanguage })
  })

const upload: Arbitrary.Arbitrary<UploadOptions> = Arbitrary.map(
  Arbitrary.all({
    body: derive(UploadFields),
    text: Arbitrary.schema(Leaves.text),
    file: Arbitrary.schema(Schema.Struct({
      kind: Leaves.int(0, 2),
      name: Leaves.pick(["document.txt", "Übersicht 2026.txt", "page.html", "strings.json"])
    }))
  }),
  ({ body: { outputFormat, sourceLanguage, targetLanguage, ...body }, file: { kind, name }, text }) =>
    fittingUpload({
      ...withoutReferences(body),
      ...(sourceLanguage === undefined ? undefined : { sourceLanguage: ofDocuments(sourceLanguage) }),
      targetLanguage: ofDocuments(targetLanguage),
      ...(outputFormat === undefined ? undefined : { outputFormat: name.slice(name.lastIndexOf(".") + 1) }),
      content: contents(`${text}.`)[kind] ?? encode(text),
      fileName: name
    })
)

const download = Arbitrary.map(
  Arbitrary.all({
    chunks: Arbitrary.array(Arbitrary.schema(Schema.Uint8Array), { maxLength: 5 }),
    headers: Arbitrary.schema(Schema.Struct({
      traceId: Leaves.hexDigits(32),
      contentType: Leaves.pick(["text/plain", "application/pdf", "application/octet-stream"]),
      fileName: Leaves.pick(["document.txt", "report (final).pdf", "a"])
    }))
  }),
  ({ chunks, headers: { contentType, fileName, traceId } }): Response<"Documents.download"> =>
    HttpApiSchema.withHeaders({
      body: Stream.fromIterable(chunks),
      headers: {
        "x-trace-id": traceId,
        "content-type": contentType,
        "content-length": String(chunks.reduce((sum, chunk) => sum + chunk.length, 0)),
        "content-disposition": `attachment; filename="${fileName}"`
      }
    })
)

const inState = (isAccepted: (status: DocumentState["status"]) => boolean) => ({ documents }: ServiceState) =>
  documents.flatMap(({ documentId, documentKey, status }) => isAccepted(status) ? [{ documentId, documentKey }] : [])

export const documents = {
  "Documents.download": {
    existing: inState((status) => status === "done"),
    response: download,
    errors: { DownloadInterrupted: true }
  },
  "Documents.status": { existing: inState((status) => status !== "gone") },
  "Documents.upload": {
    request: upload,
    existing: referencesIn("translate_document"),
    fitting: fittingUpload,
    breaches: [
      ["a file has a name", "InvalidInput", { fileName: " " }],
      ["the name of a file has no folder", "InvalidInput", { fileName: "a/b.txt" }],
      ["a file is not empty", "InvalidInput", { content: new Uint8Array() }],
      ...ofReferences
    ],
    errors: { BudgetExceeded: true, Busy: true, SourceFailed: true }
  }
} satisfies Records<"Documents">
