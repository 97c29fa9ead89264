import { Effect } from "effect"
import { createServer, type Socket } from "node:net"

/** What the server does with one request: writes bytes and ends, cuts or leaves the connection as it likes. */
export type Answer = (socket: Socket) => void

/** True if the body of a request has come too: a success that is sent before it refers to a part of the request. */
const isWhole = (text: string): boolean => {
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return false
  const head = text.slice(0, end).toLowerCase()
  if (head.includes("\r\ntransfer-encoding: chunked")) return text.endsWith("\r\n0\r\n\r\n")
  return text.length >= end + 4 + Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0)
}

/**
 * A server on loopback that answers each whole request for bytes by the next of `answers` (the last one from then on), byte by
 * byte, and each other request, which asks for a status, by the next of `statuses`.
 */
export const rawServer = (answers: ReadonlyArray<Answer>, statuses: ReadonlyArray<Answer> = [done]) =>
  Effect.acquireRelease(
    Effect.callback<
      {
        readonly url: string
        readonly requests: Array<string>
        readonly questions: Array<string>
        readonly open: () => number
        readonly close: () => void
      }
    >((resume) => {
      const requests: Array<string> = []
      const questions: Array<string> = []
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
        socket.on("error", () => undefined)
        let text = ""
        socket.on("data", (data) => {
          text += data.toString("latin1")
          if (!isWhole(text)) return
          const [came, all] = /^POST \S*\/result /.test(text) ? [requests, answers] : [questions, statuses]
          came.push(text)
          text = ""
          all[Math.min(came.length, all.length) - 1]?.(socket)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({
          url: `http://127.0.0.1:${port}`,
          requests,
          questions,
          open: () => sockets.size,
          close: () => {
            server.close()
            for (const socket of sockets) socket.destroy()
          }
        }))
      })
    }),
    (server) => Effect.sync(server.close)
  )

const head = (status: string, headers: Readonly<Record<string, string>>) =>
  `HTTP/1.1 ${status}\r\n${Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`

/** A whole answer. */
export const whole =
  (status: string, body: string, headers: Readonly<Record<string, string>> = {}): Answer => (socket) => {
    socket.write(head(status, { "content-length": String(Buffer.byteLength(body)), ...headers }) + body)
  }

/** An answer whose connection breaks after the part of the body that is given. */
export const cut = (part: string, length: number): Answer => (socket) => {
  socket.end(head("200 OK", { "content-length": String(length), "x-trace-id": "trace-cut" }) + part)
}

/** A chunked answer whose connection breaks before its last chunk. */
export const cutChunked = (part: string): Answer => (socket) => {
  socket.end(
    `${head("200 OK", { "transfer-encoding": "chunked" })}${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`
  )
}

/** An answer that says nothing of its length, and ends with its connection. */
export const unframed = (body: string): Answer => (socket) => {
  socket.end(head("200 OK", { connection: "close" }) + body)
}

/** An answer that stops in the middle and leaves the connection open. */
export const stall =
  (part: string, length: number, headers: Readonly<Record<string, string>> = {}): Answer => (socket) => {
    socket.write(head("200 OK", { "content-length": String(length), ...headers }) + part)
  }

/** An answer that comes in small pieces, as over a slow line. It ends with the connection, long before the last of them. */
export const slowly = (piece: number, length: number): Answer => (socket) => {
  socket.write(head("200 OK", { "content-length": String(length) }))
  const send = Effect.sync(() => socket.write("x".repeat(piece)))
  Effect.runFork(Effect.repeat(Effect.delay(send, "100 millis"), { while: () => !socket.destroyed }))
}

/** No answer: the connection is reset. */
export const reset: Answer = (socket) => {
  socket.resetAndDestroy()
}

/** The document has this status. */
export const status = (state: string, more: Readonly<Record<string, unknown>> = {}): Answer =>
  whole("200 OK", JSON.stringify({ document_id: "doc-1", status: state, ...more }), {
    "content-type": "application/json"
  })

/** The document is ready. */
export const done: Answer = (socket) => status("done")(socket)

/** The document is not there. */
export const gone: Answer = (socket) => whole("404 Not Found", "{\"message\":\"Document not found\"}")(socket)
