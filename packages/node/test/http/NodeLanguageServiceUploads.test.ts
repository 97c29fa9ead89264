import { Documents, type UploadOptions } from "@effect-lingua/core/documents/Documents"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { assert, describe } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import type { Socket } from "node:net"
import { sampled, scaled } from "../../../../test/support/scale.ts"
import { live } from "../../../../test/support/tests.ts"
import { authority } from "../support/certificates.ts"
import { listen } from "../support/listen.ts"
import { tlsServer } from "../support/tlsServer.ts"

/** A file of which the service reads little before it responds, larger than all buffers on the way: of 10 or 26 MB. */
const piece = new Uint8Array(64 * 1024).fill(120)
const pieces = scaled(160, 400)
const size = piece.length * pieces
const file = new Uint8Array(size).fill(120)
const few = 200_000
const streamed = (size: number) => Stream.take(Stream.forever(Stream.make(piece)), size / piece.length)

const contents: Readonly<Record<string, (size: number) => Pick<UploadOptions, "content" | "size">>> = {
  "a stream": (size) => ({ content: streamed(size) }),
  "a stream of a known size": (size) => ({ content: streamed(size), size }),
  "bytes": (size) => ({ content: file.subarray(0, size) }),
  "a Blob": (size) => ({ content: new Blob([file.subarray(0, size)]) })
}

const response = (status: string, body: unknown): string => {
  const text = JSON.stringify(body)
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`
}

const uploaded = response("200 OK", { document_id: "doc-1", document_key: "document-key" })

/** A service that responds after a number of bytes, and pauses the connection unless `readsOn`. */
const service = Effect.fnUntraced(function*(bytes: number, answer: (socket: Socket) => void, readsOn = false) {
  let requests = 0
  const server = yield* listen((socket) => {
    let received = 0
    socket.on("data", (data) => {
      if (received === 0) requests++
      received += data.length
      if (received < bytes || received - data.length >= bytes) return
      if (!readsOn) socket.pause()
      answer(socket)
    })
  })
  return { ...server, requests: () => requests }
})

const upload = (baseUrl: string, content: Pick<UploadOptions, "content" | "size">) =>
  Documents.use((documents) => documents.upload({ ...content, fileName: "a.txt", targetLanguage: "de" })).pipe(
    Effect.provide(NodeLanguageService.layer({
      key: Redacted.make("key"),
      baseUrl,
      journal: "memory",
      pool: { tls: { ca: authority } }
    }))
  )

/** A service and the same behind TLS. */
const both = Effect.fnUntraced(function*(...given: Parameters<typeof service>) {
  const { port, requests, url } = yield* service(...given)
  return { requests, urls: [url, `https://localhost:${(yield* tlsServer(port)).port}`] }
})

describe.each(sampled(Object.entries(contents), 2))("an upload of %s", (_, contentOf) => {
  const content = contentOf(size)
  live("fails on a success response that arrives before the service has the file", function*() {
    const { requests, urls } = yield* both(few, (socket) => socket.write(uploaded))
    for (const url of urls) {
      const error = yield* Effect.flip(upload(url, content))
      assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", outcome: "unknown" })
      assert.include(error.message, "before the whole request was sent")
    }
    assert.strictEqual(requests(), 2)
  })

  live("fails with the error response that arrives before the service has the file", function*() {
    const { urls } = yield* both(few, (socket) => {
      socket.write(response("413 Content Too Large", { message: "Too large" }))
    })
    for (const url of urls) {
      const error = yield* Effect.flip(upload(url, content))
      assert.strictEqual(error._tag, "PayloadTooLarge")
      assert.include(error.message, "Too large")
    }
  })

  live("succeeds once the service has the file", function*() {
    const all = piece.length * scaled(20, pieces)
    const { urls } = yield* both(all, (socket) => socket.write(uploaded), true)
    for (const url of urls) assert.strictEqual((yield* upload(url, contentOf(all))).documentId, "doc-1")
  })
})
