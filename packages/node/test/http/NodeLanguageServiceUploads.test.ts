import { Documents, type UploadOptions } from "@effect-lingua/core/documents/Documents"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import { createServer, type Socket } from "node:net"
import { authority } from "../support/authority.ts"
import { tlsServer } from "../support/tlsServer.ts"

/** A file of 26 MB, of which the service reads little before it answers. */
const piece = new Uint8Array(64 * 1024).fill(120)
const pieces = 400
const size = piece.length * pieces
const file = new Uint8Array(size).fill(120)
const few = 200_000

const contents: Readonly<Record<string, Pick<UploadOptions, "content" | "size">>> = {
  "a stream": { content: Stream.take(Stream.forever(Stream.make(piece)), pieces) },
  "a stream of a known size": { content: Stream.take(Stream.forever(Stream.make(piece)), pieces), size },
  "bytes": { content: file },
  "a Blob": { content: new Blob([file]) }
}

const response = (status: string, body: unknown): string => {
  const text = JSON.stringify(body)
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`
}

const uploaded = response("200 OK", { document_id: "doc-1", document_key: "document-key" })

/** A service that answers when it has so many bytes, and reads on where `goesOn`. */
const service = (bytes: number, answer: (socket: Socket) => void, goesOn = false) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly came: () => number; readonly close: () => void }>((resume) => {
      let requests = 0
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        let came = 0
        socket.on("error", () => undefined)
        socket.on("data", (data) => {
          if (came === 0) requests++
          came += data.length
          if (came < bytes || came - data.length >= bytes) return
          if (!goesOn) socket.pause()
          answer(socket)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed({
          port: typeof address === "object" && address !== null ? address.port : 0,
          came: () => requests,
          close: () => {
            server.close()
            for (const socket of sockets) socket.destroy()
          }
        }))
      })
    }),
    (server) => Effect.sync(server.close)
  )

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
  const { came, port } = yield* service(...given)
  return { came, urls: [`http://127.0.0.1:${port}`, `https://localhost:${(yield* tlsServer(port)).port}`] }
})

describe.each(Object.entries(contents))("an upload of %s", (_, content) => {
  it.live("is not done when the service says so before it has the file", () =>
    Effect.gen(function*() {
      const { came, urls } = yield* both(few, (socket) => socket.write(uploaded))
      for (const url of urls) {
        const error = yield* Effect.flip(upload(url, content))
        assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", outcome: "unknown" })
        assert.include(error.message, "before the whole request was sent")
      }
      assert.strictEqual(came(), 2)
    }).pipe(Effect.scoped))

  it.live("fails with the error that the service answers with before it has the file", () =>
    Effect.gen(function*() {
      const { urls } = yield* both(few, (socket) => {
        socket.write(response("413 Content Too Large", { message: "Too large" }))
      })
      for (const url of urls) {
        const error = yield* Effect.flip(upload(url, content))
        assert.strictEqual(error._tag, "PayloadTooLarge")
        assert.include(error.message, "Too large")
      }
    }).pipe(Effect.scoped))

  it.live("is done when the service has the file", () =>
    Effect.gen(function*() {
      const { urls } = yield* both(size, (socket) => socket.write(uploaded), true)
      for (const url of urls) assert.strictEqual((yield* upload(url, content)).documentId, "doc-1")
    }).pipe(Effect.scoped))
})
