/**
 * A process that transfers consecutive documents in one of the ways, and samples its memory. Argument: `DocumentOrder`, as JSON.
 */
import { DocumentId } from "@effect-lingua/core/contract/Ids"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import Undici from "@effect/platform-node/Undici"
import { Duration, Effect, FileSystem, Layer, ManagedRuntime, Redacted } from "effect"
import { createReadStream, createWriteStream, openAsBlob } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { DocumentOrder, Way } from "./protocol.ts"
import { answerRuns } from "./running.ts"

const order: DocumentOrder = JSON.parse(process.argv[2] ?? "{}")

/** The downloaded file, separate for each process. */
const target = join(order.folder, `downloaded-${process.pid}`)

/** The file to upload, which the parent process has written. */
const sourceOf = (bytes: number): string => join(order.folder, `${bytes}.txt`)

/** Transfers a document and returns the number of bytes; for an upload, including the form. */
type Run = (bytes: number) => Promise<number>

const services = Layer.merge(
  NodeLanguageService.layer({
    key: Redacted.make("key"),
    baseUrl: order.url,
    journal: { folder: join(order.folder, `journal-${process.pid}`) },
    resilience: { attempts: 1, documentTimeout: Duration.hours(1), jobDeadline: Duration.hours(1) }
  }),
  NodeFileSystem.layer
)

const ours = <E>(run: (bytes: number) => Effect.Effect<number, E, Layer.Success<typeof services>>): Run => {
  const runtime = ManagedRuntime.make(services)
  return (bytes) => runtime.runPromise(run(bytes))
}

const upload = Effect.fnUntraced(
  function*(content: Parameters<Documents["Service"]["upload"]>[0]["content"], size: number) {
    const documents = yield* Documents
    const { documentId } = yield* documents.upload({ fileName: "a.txt", content, size, targetLanguage: "de" })
    return parseInt(documentId, 10)
  }
)

const dispatcher = new Undici.Agent()

const downloadWithUndici = (flush: boolean): Run => async (bytes) => {
  const { body } = await Undici.request(`${order.url}/v2/document/${bytes}/result`, {
    dispatcher,
    method: "POST",
    headers: { authorization: "Key key", "content-type": "application/json" },
    body: JSON.stringify({ document_key: "key-of-the-document" })
  })
  const file = createWriteStream(target, { flush })
  await pipeline(body, file)
  return file.bytesWritten
}

const uploadWithUndici = async (body: Undici.FormData | Readable, headers: Record<string, string>) => {
  const response = await Undici.request(`${order.url}/v2/document`, {
    dispatcher,
    method: "POST",
    headers: { authorization: "Key key", ...headers },
    body
  })
  const answer = await response.body.json()
  return typeof answer === "object" && answer !== null && "document_id" in answer
    ? parseInt(String(answer.document_id), 10)
    : 0
}

/** Uploads a file as a stream inside a hand-written form. */
const formStream = async (bytes: number): Promise<number> => {
  const boundary = "form-1b0c4ae8f2d9"
  const part = `--${boundary}\r\nContent-Disposition: form-data; name=`
  const head = `${part}"target_lang"\r\n\r\nDE\r\n${part}"file"; filename="a.txt"\r\n` +
    "Content-Type: application/octet-stream\r\n\r\n"
  const tail = `\r\n--${boundary}--\r\n`
  const form = async function*() {
    yield head
    yield* createReadStream(sourceOf(bytes))
    yield tail
  }
  return uploadWithUndici(Readable.from(form(), { objectMode: false }), {
    "content-type": `multipart/form-data; boundary=${boundary}`,
    "content-length": String(head.length + bytes + tail.length)
  })
}

const runs: Readonly<Record<Way, () => Run>> = {
  "download": () =>
    ours(Effect.fnUntraced(function*(bytes) {
      const documents = yield* NodeDocuments
      const saved = yield* documents.downloadToFile({
        documentId: DocumentId.make(String(bytes)),
        documentKey: Redacted.make("key-of-the-document"),
        target
      })
      return saved.bytes
    })),
  "download, undici": () => downloadWithUndici(false),
  "download, undici, synced": () => downloadWithUndici(true),
  "upload a file": () =>
    ours(Effect.fnUntraced(function*(bytes) {
      const documents = yield* NodeDocuments
      const { documentId } = yield* documents.upload({ source: sourceOf(bytes), targetLanguage: "de" })
      return parseInt(documentId, 10)
    })),
  "upload a stream": () =>
    ours((bytes) => Effect.flatMap(FileSystem.FileSystem, (fs) => upload(fs.stream(sourceOf(bytes)), bytes))),
  "upload a blob": () =>
    ours((bytes) => Effect.flatMap(Effect.promise(() => openAsBlob(sourceOf(bytes))), (blob) => upload(blob, bytes))),
  "upload a stream, undici": () => formStream,
  "upload a blob, undici": () => async (bytes) => {
    const form = new Undici.FormData()
    form.append("target_lang", "DE")
    form.append("file", await openAsBlob(sourceOf(bytes)), "a.txt")
    return uploadWithUndici(form, {})
  }
}

answerRuns(runs[order.way](), () => rm(target, { force: true }))
