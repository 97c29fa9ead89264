/** Documents: translated as time passes, and taken by the first download (reference C1). */
import { DocumentId } from "@effect-lingua/core/DocumentsApi"
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import { DocumentAlreadyDownloaded, DocumentNotFound, DocumentNotReady } from "@effect-lingua/core/ServiceError"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Exchange from "./exchange.ts"
import type { DocumentState, IssuedDocument, NewDocument } from "./model.ts"
import * as Options from "./options.ts"
import * as Quota from "./quota.ts"
import { FakeState, lookUp, ownerOf, step, type StoredDocument, tookEffect } from "./state.ts"
import { countCharacters } from "./text.ts"

type Fake = FakeState["Service"]

const contentTypes: Readonly<Record<string, string>> = {
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
}

const office = new Set(["docx", "doc", "pptx", "xlsx", "pdf"])

const extensionOf = (fileName: string): string => /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ""

const charactersOf = (content: Uint8Array, extension: string): number => {
  const counted = countCharacters(new TextDecoder().decode(content))
  return office.has(extension) ? Math.max(50_000, counted) : counted
}

export const add = (fake: Fake, document: NewDocument): Effect.Effect<IssuedDocument> =>
  Effect.map(
    Effect.andThen(Options.check(Options.document(fake.settings.keys, document)), Clock.currentTimeMillis),
    (now) => {
      const content = typeof document.content === "string"
        ? new TextEncoder().encode(document.content)
        : document.content
      const fileName = document.fileName ?? "document.txt"
      const extension = extensionOf(fileName)
      const issued = {
        documentId: DocumentId.make(fake.store.ids.hex(32).toUpperCase()),
        documentKey: Redacted.make(fake.store.ids.hex(64).toUpperCase())
      }
      const ready = now + Duration.toMillis(document.readyAfter ?? fake.settings.readyAfter)
      fake.store.owners.set(issued.documentId, ownerOf(fake.settings, document.account))
      fake.store.documents.set(issued.documentId, {
        id: issued.documentId,
        key: Redacted.value(issued.documentKey),
        content,
        contentType: document.contentType ?? contentTypes[extension] ?? "application/octet-stream",
        fileName,
        characters: document.characters ?? charactersOf(content, extension),
        created: now,
        ready,
        expires: ready + Duration.toMillis(document.expiresAfter ?? fake.settings.expiresAfter),
        fails: document.fails,
        taken: false
      })
      return issued
    }
  )

/** A document waits for a worker in the first tenth of its time. */
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
      status: statusAt(document, now),
      taken: document.taken,
      billedCharacters: document.taken ? document.characters : 0,
      age: Duration.millis(now - document.created)
    })))

export const isUntaken = ({ status, taken }: DocumentState): boolean =>
  !taken && (status === "done" || status === "gone")

export const untaken = (fake: Fake): Effect.Effect<ReadonlyArray<DocumentState>> =>
  Effect.map(states(fake), (documents) => documents.filter(isUntaken))

const chunkBytes = 16 * 1024

const chunks = function*(content: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < content.length; start += chunkBytes) yield content.subarray(start, start + chunkBytes)
}

/** A file name as a quoted string, in the characters that every client reads. */
const quoted = (fileName: string): string => `"${fileName.replace(/[^\x20-\x7e]|["\\]/g, "_")}"`

/** Gives a document away, once. */
const take = (fake: Fake, { account, note }: Exchange.Exchange, id: string, key: string, now: number) =>
  Result.gen(function*() {
    const document = lookUp(fake, fake.store.documents, account, id)
    const absent = new DocumentNotFound({ description: "Document not found" })
    if (document === undefined || document.key !== key) return yield* Result.fail(absent)
    switch (statusAt(document, now)) {
      case "gone":
        return yield* Result.fail(
          document.taken ? new DocumentAlreadyDownloaded({ description: "Document already downloaded" }) : absent
        )
      case "queued":
      case "translating":
        return yield* Result.fail(new DocumentNotReady({ description: "Document is not ready" }))
      case "error":
        return yield* Result.fail(
          new DocumentNotReady({
            description: fake.settings.dialect.failedDocument === "notReady"
              ? "Document is not ready"
              : `Document is not ready, its translation failed: ${document.fails ?? ""}`
          })
        )
      case "done":
    }
    yield* Quota.charge(fake, now, document.characters)
    const { content, contentType, fileName } = document
    document.taken = true
    document.content = new Uint8Array()
    tookEffect(fake, note, "Documents.download", document.id)
    return { content, contentType, fileName }
  })

export const layer = HttpApiBuilder.group(
  LanguageServiceApi,
  "Documents",
  Effect.fnUntraced(function*(handlers) {
    const fake = yield* FakeState
    return handlers.handleAll({
      download: Effect.fnUntraced(function*({ params, payload }) {
        const { note: { traceId } } = yield* Exchange.Current
        const { content, contentType, fileName } = yield* step((now, exchange) =>
          take(fake, exchange, params.documentId, Redacted.value(payload.documentKey), DateTime.toEpochMillis(now))
        )
        return HttpApiSchema.withHeaders({
          body: Stream.fromIterable(chunks(content), { chunkSize: 1 }),
          headers: {
            "x-trace-id": traceId,
            "content-type": contentType,
            "content-length": String(content.byteLength),
            "content-disposition": `attachment; filename=${quoted(fileName)}`
          }
        })
      })
    })
  })
)
