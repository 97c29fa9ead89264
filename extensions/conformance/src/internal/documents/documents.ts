import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { DocumentId, StyleId } from "@effect-lingua/core/contract/Ids"
import { Documents, type UploadOptions } from "@effect-lingua/core/documents/Documents"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { charactersOf, check, fakeCheck, nothing, present, refused, same, that } from "../check.ts"
import { refusal, send, sendForm, status } from "../host.ts"
import type { Check } from "../model.ts"

const wrongKey = Redacted.make("0".repeat(64))

const unknown: Documents.DocumentRef = { documentId: DocumentId.make("0".repeat(32)), documentKey: wrongKey }

const statusPath = ({ documentId }: Documents.DocumentRef): string => `/v2/document/${encodeURIComponent(documentId)}`

/** Sends the key of a document in a form. */
const sendKey = (path: string, { documentKey }: Documents.DocumentRef) =>
  sendForm(path, { document_key: Redacted.value(documentKey) })

const statusOf = (document: Documents.DocumentRef) => Documents.use((documents) => documents.status(document))

const text = "Guten Tag"

const upload = (options: Partial<UploadOptions> = {}) =>
  Documents.use((documents) =>
    documents.upload({
      content: new TextEncoder().encode(text),
      fileName: "conformance.txt",
      targetLanguage: "en-US",
      ...options
    })
  )

/** Encodes text fields, possibly with a file, as `multipart/form-data`. */
const form = (fields: ReadonlyArray<readonly [disposition: string, value: string]>) => {
  const boundary = "effect-lingua-conformance"
  const parts = fields.map(([name, value]) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`
  )
  return {
    body: `${parts.join("")}--${boundary}--\r\n`,
    contentType: `multipart/form-data; boundary=${boundary}`
  }
}

const pathOf = (document: Documents.DocumentRef): string => `${statusPath(document)}/result`

/** Downloads a document; fails at once if the document is not ready. */
const download = (document: Documents.DocumentRef) =>
  Documents.use((documents) => documents.download(document)).pipe(
    ResiliencePolicy.within({ polling: false })
  )

const sameBytes = (bytes: Uint8Array, content: Uint8Array | undefined) =>
  that(
    content === undefined || (bytes.length === content.length && bytes.every((byte, index) => byte === content[index])),
    `the ${content?.length} bytes of the document`,
    `${bytes.length} bytes`
  )

/** Downloads a document to its end, and checks the headers of the response. */
const take = Effect.fnUntraced(
  function*(document: Documents.DocumentRef & { readonly content?: Uint8Array | undefined }) {
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
  }
)

export const documents: ReadonlyArray<Check> = [
  check(
    "Documents: an unknown document is refused with 404, and so is its status",
    { source: "Errors" },
    () => Effect.andThen(refused(download(unknown), "DocumentNotFound"), refused(statusOf(unknown), "DocumentNotFound"))
  ),
  check("Documents: a request without a document key is refused, and so is a GET", {
    source: "Document download; Errors"
  }, function*() {
    // A 404 is correct too, because the id is unknown.
    yield* refusal(yield* send("POST", pathOf(unknown), { body: {} }), 400, 404)
    yield* status(yield* send("GET", pathOf(unknown)), 404, 405)
  }),
  check("Documents: the key of another document is refused with 404", {
    source: "Errors",
    needs: ["document"]
  }, ({ document }) =>
    Effect.flatMap(
      document,
      ({ documentId }) => refused(download({ documentId, documentKey: wrongKey }), "DocumentNotFound")
    )),
  check("Documents: reading the status does not consume a document, and its key may be sent in a form", {
    source: "States and transitions",
    needs: ["document"]
  }, function*({ document }) {
    const ref = yield* document
    const first = yield* statusOf(ref)
    yield* same("the id", first.documentId, ref.documentId)
    yield* status(yield* sendKey(statusPath(ref), ref), 200)
  }),
  check(
    "Documents: a document in translation is not ready",
    { source: "Errors", needs: ["unfinishedDocument"] },
    ({ unfinishedDocument }) =>
      Effect.flatMap(unfinishedDocument, (document) => refused(download(document), "DocumentNotReady"))
  ),
  check("Documents: a document whose translation failed cannot be downloaded", {
    needs: ["failedDocument"]
  }, ({ failedDocument }) =>
    Effect.flatMap(
      failedDocument,
      (document) =>
        refused(download(document), "DocumentNotReady", "DocumentNotFound", "BadRequest", "ServiceUnavailable")
    )),
  check("Documents: a ready document is downloaded once, byte by byte, and is then gone", {
    source: "States and transitions; Errors",
    needs: ["finishedDocument"]
  }, function*({ finishedDocument }) {
    const document = yield* finishedDocument
    yield* take(document)
    yield* refused(download(document), "DocumentAlreadyDownloaded", "DocumentNotFound")
  }),
  check("Documents: the key may be sent in a form", {
    source: "Document download",
    needs: ["finishedDocument"]
  }, function*({ finishedDocument }) {
    const document = yield* finishedDocument
    const answer = yield* sendKey(pathOf(document), document)
    yield* status(answer, 200)
    yield* sameBytes(new TextEncoder().encode(answer.text), document.content)
  }),
  check("Documents: a document becomes ready as time passes", {
    source: "States and transitions",
    needs: ["fake", "advance"]
  }, function*({ advance, fake }) {
    const document = yield* fake.addDocument({ content: "Hallo Welt", readyAfter: "200 millis", characters: 0 })
    yield* refused(download(document), "DocumentNotReady")
    yield* advance("200 millis")
    yield* take(document)
  }),
  fakeCheck("Documents: a document beyond the quota stays at the service until the quota covers it", {
    source: "Errors"
  }, function*({ fake }) {
    const { characters, used } = yield* fake.quota()
    const document = yield* fake.addDocument({ content: "Hallo Welt", readyAfter: 0, characters: 10 })
    yield* fake.setQuota({ characters: used }).pipe(
      Effect.andThen(refused(download(document), "QuotaExceeded")),
      Effect.ensuring(fake.setQuota({ characters }))
    )
    yield* take(document)
    yield* fake.setQuota({ used })
  }),
  check("Documents: an upload without a file, of an unknown type or in no language is refused", {
    source: "Supported document types"
  }, function*() {
    const target = [`name="target_lang"`, "en-US"] as const
    yield* refusal(yield* send("POST", "/v2/document", form([target])), 400)
    yield* refusal(yield* send("POST", "/v2/document", { body: { target_lang: "en-US" } }), 400, 415)
    yield* refused(upload({ anyType: true, fileName: "conformance.unknown" }), "BadRequest")
    yield* refused(upload({ targetLanguage: "xx-unknown" }), "BadRequest")
  }),
  check("Documents: an upload with an unknown style rule list is refused", {
    source: "Translation requests",
    needs: ["paidTier"]
  }, () => refused(upload({ styleId: StyleId.make(nothing) }), "NotFound", "BadRequest")),
  check("Documents: an upload returns an id and a key, and its status reports the progress", {
    source: "Document key",
    // Needs permission: the uploaded document can be removed only by a download, which counts characters.
    needs: ["characters"]
  }, function*() {
    const document = yield* upload()
    yield* that(document.documentId !== "", "an id", document.documentId)
    yield* that(Redacted.value(document.documentKey) !== "", "a key", "none")
    const { documentId, status } = yield* statusOf(document)
    yield* same("the id", documentId, document.documentId)
    yield* that(["queued", "translating", "done"].includes(status), "a document that is on its way", status)
    yield* refused(statusOf({ documentId: document.documentId, documentKey: wrongKey }), "DocumentNotFound")
  }),
  check("Documents: a document in translation is not done", {
    needs: ["unfinishedDocument"]
  }, function*({ unfinishedDocument }) {
    const { billedCharacters, status } = yield* Effect.flatMap(unfinishedDocument, statusOf)
    yield* that(status !== "done" && status !== "error", "a status other than done and error", status)
    yield* same("the characters billed", billedCharacters, undefined)
  }),
  check("Documents: a failed translation is a status, not an error", {
    needs: ["failedDocument"]
  }, function*({ failedDocument }) {
    const document = yield* failedDocument
    yield* same("the status", (yield* statusOf(document)).status, "error")
    yield* refused(Documents.use((documents) => documents.wait(document)), "DocumentFailed")
  }),
  fakeCheck(
    "Documents: an upload in its target language is refused, or its translation fails and counts nothing",
    {},
    function*({ fake }) {
      const { used } = yield* fake.quota()
      const document = yield* upload({ sourceLanguage: "en" }).pipe(
        Effect.catchTag("BadRequest", () => Effect.undefined)
      )
      if (document === undefined) return
      yield* fake.advance("1 minute")
      const error = yield* refused(Documents.use((documents) => documents.wait(document)), "DocumentFailed")
      yield* that(error.message.includes("Source and target language are equal."), "the reason", error.message)
      yield* same("the characters used", (yield* fake.quota()).used, used)
    }
  ),
  fakeCheck("Documents: the translation of an upload fails on demand", {}, function*({ fake }) {
    yield* fake.script({ operation: "Documents.upload", fault: { jobFails: "File is damaged" } })
    const document = yield* upload()
    yield* fake.advance("1 minute")
    const error = yield* refused(Documents.use((documents) => documents.wait(document)), "DocumentFailed")
    yield* that(error.message.includes("File is damaged"), "the reason", error.message)
  }),
  fakeCheck("Documents: a file part without a name gets the name of the field filename", {}, function*({ fake }) {
    const named = form([
      [`name="file"`, text],
      [`name="filename"`, "conformance.txt"],
      [`name="target_lang"`, "en-US"],
      [`name="enable_beta_languages"`, "1"]
    ])
    yield* status(yield* send("POST", "/v2/document", named), 200)
    const uploaded = (yield* fake.documents).at(-1)
    yield* same("the name", uploaded?.fileName, "conformance.txt")
  }),
  fakeCheck(
    "Documents: an upload is translated as time passes, counted when it is downloaded, and has no status then",
    { source: "States and transitions", characters: charactersOf(text) },
    function*({ fake }) {
      const before = yield* fake.quota()
      const document = yield* upload()
      yield* fake.advance("1 minute")
      const { billedCharacters, status } = yield* statusOf(document)
      yield* same("the status", status, "done")
      yield* same("the characters billed", billedCharacters, charactersOf(text))
      yield* same("the characters used before the download", (yield* fake.quota()).used, before.used)
      yield* take(document)
      yield* same("the characters used", (yield* fake.quota()).used, before.used + charactersOf(text))
      yield* refused(statusOf(document), "DocumentAlreadyDownloaded", "DocumentNotFound")
    }
  )
]
