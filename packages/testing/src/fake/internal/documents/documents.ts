/** Documents: translated as time passes, and removed by the first download. */
import { DocumentId } from "@effect-lingua/core/contract/Ids"
import { documentTypes } from "@effect-lingua/core/documents/Documents"
import {
  type BadRequest,
  DocumentAlreadyDownloaded,
  DocumentNotFound,
  DocumentNotReady,
  TooManyDocuments
} from "@effect-lingua/core/errors/ServiceError"
import { resultFn } from "@effect-lingua/core/extension/Service"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Dialect } from "../../Dialect.ts"
import { badRequest, notSupported } from "../answers.ts"
import * as Exchange from "../exchange.ts"
import { group } from "../group.ts"
import type { DocumentState, IssuedDocument, NewDocument } from "../model.ts"
import * as Quota from "../quota.ts"
import { chunks } from "../signedFiles.ts"
import type { Fake, StoredDocument } from "../state.ts"
import { step, tookEffect } from "../steps.ts"
import { countCharacters, rootOf } from "../text.ts"
import { detect } from "../texts/detection.ts"
import * as References from "../texts/references.ts"
import { translator } from "../texts/terminology.ts"
import * as Uploads from "./uploads.ts"

const contentTypes: ReadonlyMap<string, string> = new Map(Object.entries({
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  doc: "application/msword",
  pdf: "application/pdf",
  htm: "text/html",
  html: "text/html",
  txt: "text/plain",
  xlf: "application/xliff+xml",
  xliff: "application/xliff+xml",
  srt: "application/x-subrip",
  idml: "application/vnd.adobe.indesign-idml-package",
  mif: "application/vnd.mif",
  dita: "application/dita+xml",
  xml: "application/xml",
  json: "application/json",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  png: "image/png"
}))

const office = new Set(["docx", "doc", "pptx", "xlsx", "pdf"])

/** Extensions of images, whose characters are not counted while image translation is beta. */
const images = new Set(["jpeg", "jpg", "png"])

const extensionOf = (fileName: string): string => /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ""

const charactersOf = (content: Uint8Array, extension: string): number => {
  const counted = countCharacters(new TextDecoder().decode(content))
  return office.has(extension) ? Math.max(50_000, counted) : images.has(extension) ? 0 : counted
}

export const hold = (
  fake: Fake,
  account: string,
  document: NewDocument & Pick<DocumentState, "targetLanguage">,
  now: number
): IssuedDocument => {
  const content = typeof document.content === "string" ? new TextEncoder().encode(document.content) : document.content
  const fileName = document.fileName ?? "document.txt"
  const extension = extensionOf(fileName)
  const issued = {
    documentId: document.documentId ?? DocumentId.make(fake.store.ids.hex(32).toUpperCase()),
    documentKey: document.documentKey ?? Redacted.make(fake.store.ids.hex(64).toUpperCase())
  }
  const ready = now + Duration.toMillis(document.readyAfter ?? fake.settings.readyAfter)
  fake.store.documents.add(account, issued.documentId, {
    id: issued.documentId,
    key: Redacted.value(issued.documentKey),
    content,
    contentType: document.contentType ?? contentTypes.get(extension) ?? "application/octet-stream",
    fileName,
    targetLanguage: document.targetLanguage,
    characters: document.characters ?? charactersOf(content, extension),
    created: now,
    ready,
    expires: ready + Duration.toMillis(document.expiresAfter ?? fake.settings.expiresAfter),
    fails: document.fails,
    taken: false
  })
  return issued
}

/** A document's state; `queued` during the first tenth of the translation time. */
const statusAt = (document: StoredDocument, now: number): DocumentState["status"] => {
  if (document.taken) return "gone"
  if (now >= document.ready && document.fails !== undefined) return "error"
  if (now >= document.expires) return "gone"
  if (now >= document.ready) return "done"
  return now - document.created < (document.ready - document.created) / 10 ? "queued" : "translating"
}

export const states = (fake: Fake): Effect.Effect<ReadonlyArray<DocumentState>> =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    Array.from(fake.store.documents.values(), (document) => ({
      documentId: document.id,
      documentKey: Redacted.make(document.key),
      fileName: document.fileName,
      ...(document.targetLanguage === undefined ? undefined : { targetLanguage: document.targetLanguage }),
      status: statusAt(document, now),
      taken: document.taken,
      billedCharacters: document.taken ? document.characters : 0,
      age: Duration.millis(now - document.created)
    })))

export const isUndownloaded = ({ status, taken }: DocumentState): boolean =>
  !taken && (status === "done" || status === "gone")

/** Quotes a file name, with `_` for quotes, backslashes and characters other than printable ASCII. */
const quoted = (fileName: string): string => `"${fileName.replace(/[^\x20-\x7e]|["\\]/g, "_")}"`

const find = (
  fake: Fake,
  account: string,
  id: string,
  key: string,
  now: number
): Result.Result<
  { readonly document: StoredDocument; readonly status: Exclude<DocumentState["status"], "gone"> },
  DocumentNotFound | DocumentAlreadyDownloaded
> => {
  const document = fake.store.documents.lookUp(account, id)
  const absent = new DocumentNotFound({ description: "Document not found" })
  if (document === undefined || document.key !== key) return Result.fail(absent)
  const status = statusAt(document, now)
  return status !== "gone"
    ? Result.succeed({ document, status })
    : Result.fail(
      document.taken ? new DocumentAlreadyDownloaded({ description: "Document already downloaded" }) : absent
    )
}

const take = resultFn(function*(fake: Fake, exchange: Exchange.Exchange, id: string, key: string, now: number) {
  const { document, status } = yield* find(fake, exchange.account, id, key, now)
  if (status === "error" && fake.settings.dialect.failedDocument !== "notReady") {
    return yield* Result.fail(
      new DocumentNotReady({
        description: `Document is not ready, its translation failed: ${document.fails ?? ""}`
      })
    )
  }
  if (status !== "done") return yield* Result.fail(new DocumentNotReady({ description: "Document is not ready" }))
  yield* Quota.charge(fake, exchange, "document", now, document.characters)
  const { content, contentType, fileName } = document
  document.taken = true
  document.content = new Uint8Array()
  tookEffect(fake, exchange.note, document.id)
  return { content, contentType, fileName }
})

const types: ReadonlySet<string> = new Set(documentTypes)

/** Translates a text file line by line; returns other files unchanged. */
const translated = (
  fake: Fake,
  account: string,
  { content, form }: Uploads.Upload,
  extension: string
): Uint8Array | string =>
  extension === "txt"
    ? new TextDecoder().decode(content).replace(/^.*\S.*$/gm, translator(fake, account, form))
    : content

/** A text file's language, if detection is certain. */
const detectedIn = (fake: Fake, content: Uint8Array): string | undefined => {
  const found = detect(fake, new TextDecoder().decode(content))
  return found._tag === "Detected" ? found.language : undefined
}

const textual = new Set(["txt", "htm", "html"])

/**
 * The translated file's extension. Differs from the upload's for doc, and on request for PDF and (with the dialect
 * `outputFormats`) text files.
 */
const outputOf = (
  extension: string,
  requested: string | undefined,
  { outputFormats }: Dialect
): Result.Result<string, BadRequest> => {
  const defaultOutput = extension === "doc" ? "docx" : extension
  const wanted = requested?.toLowerCase() ?? defaultOutput
  return wanted === defaultOutput || (extension === "pdf" && wanted === "docx") ||
      (outputFormats === "texts" && textual.has(extension) && textual.has(wanted))
    ? Result.succeed(wanted)
    : notSupported("output_format")
}

const counts = new Set<DocumentState["status"]>(["queued", "translating", "done"])

const checkNumber = (fake: Fake, account: string, now: number): Result.Result<void, TooManyDocuments> => {
  const { maxDocuments } = fake.settings
  if (maxDocuments === Infinity) return Result.succeed(undefined)
  const pending = fake.store.documents.owned(account).filter((document) => counts.has(statusAt(document, now)))
  return pending.length < maxDocuments ? Result.succeed(undefined) : Result.fail(
    new TooManyDocuments({
      description: `Too many documents are in translation or not downloaded, ${maxDocuments} at most`
    })
  )
}

const sameLanguage = "Source and target language are equal."

/** Starts a translation. The document's characters are charged at the download. */
const accept = resultFn(function*(fake: Fake, exchange: Exchange.Exchange, upload: Uploads.Upload, now: number) {
  const { account, note } = exchange
  const { content, fileName, form } = upload
  const extension = extensionOf(fileName)
  if (!types.has(extension)) yield* badRequest(`Invalid file data. The type of "${extension}" is not supported.`)
  if (content.byteLength === 0) yield* badRequest("Bad request. Reason: the file is empty.")
  const output = yield* outputOf(extension, form.outputFormat, fake.settings.dialect)
  const source = form.sourceLanguage ?? (extension === "txt" ? detectedIn(fake, content) : undefined)
  const isSame = source !== undefined && rootOf(source) === rootOf(form.targetLanguage)
  if (isSame && form.sourceLanguage !== undefined && fake.settings.dialect.sameLanguage !== "error") {
    yield* badRequest(sameLanguage)
  }
  yield* References.check("translate_document", form, fake, account)
  yield* checkNumber(fake, account, now)
  const characters = charactersOf(content, extension)
  yield* Quota.upload(fake, exchange, now, characters)
  const issued = hold(fake, account, {
    content: translated(fake, account, upload, extension),
    fileName: `${fileName.slice(0, fileName.length - extension.length)}${output}`,
    targetLanguage: form.targetLanguage,
    characters,
    fails: isSame ? sameLanguage : exchange.jobFails
  }, now)
  tookEffect(fake, note, issued.documentId)
  return issued
})

const estimateOf = (remainingMillis: number, { secondsRemaining }: Dialect): number =>
  secondsRemaining === "huge" ? 2 ** 27 : secondsRemaining === "zero" ? 0 : Math.ceil(remainingMillis / 1000)

const statusOf = (
  { characters, fails, id, ready }: StoredDocument,
  status: DocumentState["status"],
  now: number,
  dialect: Dialect
) => ({
  documentId: id,
  status,
  ...(status === "translating" && dialect.secondsRemaining !== "absent"
    ? { secondsRemaining: estimateOf(ready - now, dialect) }
    : undefined),
  ...(status === "done"
    ? {
      billedCharacters: characters,
      ...(dialect.secondsRemaining === "untilDone" ? { secondsRemaining: 0 } : undefined)
    }
    : undefined),
  ...(status === "error" && fails !== undefined ? { errorMessage: fails } : undefined)
})

export const layer = group("Documents", (handlers) =>
  handlers.handleAll({
    upload: Effect.fnUntraced(function*({ payload }) {
      const { fake, note } = yield* Exchange.Current
      const upload = yield* Uploads.read(payload, fake.settings.maxDocumentBytes)
      note.payload = upload.wire
      return yield* step((now, exchange) => accept(exchange.fake, exchange, upload, DateTime.toEpochMillis(now)))
    }),
    status: ({ params, payload }) =>
      step((time, { account, fake }) => {
        const now = DateTime.toEpochMillis(time)
        return Result.map(
          find(fake, account, params.documentId, Redacted.value(payload.documentKey), now),
          ({ document, status }) => statusOf(document, status, now, fake.settings.dialect)
        )
      }),
    download: Effect.fnUntraced(function*({ params, payload }) {
      const { note: { traceId } } = yield* Exchange.Current
      const { content, contentType, fileName } = yield* step((now, exchange) =>
        take(
          exchange.fake,
          exchange,
          params.documentId,
          Redacted.value(payload.documentKey),
          DateTime.toEpochMillis(now)
        )
      )
      return HttpApiSchema.withHeaders({
        body: chunks(content),
        headers: {
          "x-trace-id": traceId,
          "content-type": contentType,
          "content-length": String(content.byteLength),
          "content-disposition": `attachment; filename=${quoted(fileName)}`
        }
      })
    })
  }))
