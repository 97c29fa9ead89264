/** Claims about documents (spec, Document download; reference B1 and C1). */
import { type DocumentRef, Documents } from "@effect-lingua/core/Documents"
import { DocumentId } from "@effect-lingua/core/DocumentsApi"
import * as ResiliencePolicy from "@effect-lingua/core/ResiliencePolicy"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { check, present, refused, that } from "./check.ts"
import { refusal, send, status } from "./host.ts"
import type { Check } from "./model.ts"

const wrongKey = Redacted.make("0".repeat(64))

const unknown: DocumentRef = { documentId: DocumentId.make("0".repeat(32)), documentKey: wrongKey }

const pathOf = ({ documentId }: DocumentRef): string => `/v2/document/${encodeURIComponent(documentId)}/result`

/** A document that is not ready is not waited for. */
const download = (document: DocumentRef) =>
  Effect.flatMap(Documents, (documents) => documents.download(document)).pipe(
    Effect.provideService(ResiliencePolicy.Override, { polling: false })
  )

const sameBytes = (bytes: Uint8Array, content: Uint8Array | undefined) =>
  that(
    content === undefined || (bytes.length === content.length && bytes.every((byte, index) => byte === content[index])),
    `the ${content?.length} bytes of the document`,
    `${bytes.length} bytes`
  )

/** Downloads a document to its end, and looks at what comes with it. */
const take = Effect.fnUntraced(function*(document: DocumentRef & { readonly content?: Uint8Array | undefined }) {
  const { contentLength, contentType, stream, traceId } = yield* download(document)
  const bytes = yield* Stream.mkUint8Array(stream)
  yield* sameBytes(bytes, document.content)
  yield* present("a content type", contentType)
  yield* present("the header X-Trace-ID", traceId)
  yield* that(
    contentLength === undefined || contentLength === bytes.length,
    "as many bytes as promised",
    `${bytes.length} of ${contentLength}`
  )
})

export const documents: ReadonlyArray<Check> = [
  check({
    name: "Documents: an unknown document is refused with 404",
    operations: ["Documents.download"],
    source: "spec, Errors",
    run: () => refused(download(unknown), "DocumentNotFound")
  }),
  check({
    name: "Documents: a request without a document key is refused, and so is a GET",
    operations: ["Documents.download"],
    source: "spec, Document download; spec, Errors; reference B20-21",
    run: () =>
      Effect.gen(function*() {
        // The id is unknown too, so that 404 is right as well.
        yield* refusal(yield* send("POST", pathOf(unknown), { body: {} }), 400, 404)
        yield* status(yield* send("GET", pathOf(unknown)), 404, 405)
      })
  }),
  check({
    name: "Documents: whoever has the key of another document is refused with 404",
    operations: ["Documents.download"],
    source: "spec, Errors",
    needs: ["document"],
    run: ({ document }) =>
      Effect.flatMap(
        document,
        ({ documentId }) => refused(download({ documentId, documentKey: wrongKey }), "DocumentNotFound")
      )
  }),
  check({
    name: "Documents: a document in translation is not ready",
    operations: ["Documents.download"],
    source: "spec, Errors",
    needs: ["unfinishedDocument"],
    run: ({ unfinishedDocument }) =>
      Effect.flatMap(unfinishedDocument, (document) => refused(download(document), "DocumentNotReady"))
  }),
  check({
    name: "Documents: a document whose translation failed is never given",
    operations: ["Documents.download"],
    source: "reference C1 and D10",
    needs: ["failedDocument"],
    run: ({ failedDocument }) =>
      Effect.flatMap(
        failedDocument,
        (document) =>
          refused(download(document), "DocumentNotReady", "DocumentNotFound", "BadRequest", "ServiceUnavailable")
      )
  }),
  check({
    name: "Documents: a document that is ready is given once, byte by byte, and is gone then",
    operations: ["Documents.download"],
    source: "spec, States and transitions; spec, Errors; reference B20-2",
    needs: ["finishedDocument"],
    run: ({ finishedDocument }) =>
      Effect.gen(function*() {
        const document = yield* finishedDocument
        yield* take(document)
        yield* refused(download(document), "DocumentAlreadyDownloaded", "DocumentNotFound")
      })
  }),
  check({
    name: "Documents: the key may come in a form",
    operations: ["Documents.download"],
    source: "spec, Document download",
    needs: ["finishedDocument"],
    run: ({ finishedDocument }) =>
      Effect.gen(function*() {
        const document = yield* finishedDocument
        const answer = yield* send("POST", pathOf(document), {
          body: `${new URLSearchParams({ document_key: Redacted.value(document.documentKey) })}`,
          contentType: "application/x-www-form-urlencoded"
        })
        yield* status(answer, 200)
        yield* sameBytes(new TextEncoder().encode(answer.text), document.content)
      })
  }),
  check({
    name: "Documents: a document becomes ready as time passes",
    operations: ["Documents.download"],
    source: "spec, States and transitions; reference C1",
    needs: ["fake", "advance"],
    run: ({ advance, fake }) =>
      Effect.gen(function*() {
        const document = yield* fake.addDocument({ content: "Hallo Welt", readyAfter: "200 millis", characters: 0 })
        yield* refused(download(document), "DocumentNotReady")
        yield* advance("200 millis")
        yield* take(document)
      })
  }),
  check({
    name: "Documents: a document that the quota does not cover stays until it does",
    operations: ["Documents.download"],
    source: "spec, Errors; reference A9 and B1",
    needs: ["fake"],
    run: ({ fake }) =>
      Effect.gen(function*() {
        const { characters, used } = yield* fake.quota
        const document = yield* fake.addDocument({ content: "Hallo Welt", readyAfter: 0, characters: 10 })
        yield* fake.setQuota({ characters: used }).pipe(
          Effect.andThen(refused(download(document), "QuotaExceeded")),
          Effect.ensuring(fake.setQuota({ characters }))
        )
        yield* take(document)
        yield* fake.setQuota({ used })
      })
  })
]
