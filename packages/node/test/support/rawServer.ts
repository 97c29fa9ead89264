import { Effect } from "effect"
import type { Socket } from "node:net"
import { listen } from "./listen.ts"

/** Responds to one request on its socket: writes bytes, and leaves the connection open, ends or resets it. */
export type Answer = (socket: Socket) => void

/** True if the body of a request is complete: a success before its end would refer to a part of the request. */
const isWhole = (text: string): boolean => {
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return false
  const head = text.slice(0, end).toLowerCase()
  if (head.includes("\r\ntransfer-encoding: chunked")) return text.endsWith("\r\n0\r\n\r\n")
  return text.length >= end + 4 + Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0)
}

/**
 * A server on loopback that answers each whole request for the bytes of a document with the next of `answers` (the last one from
 * then on), and each other request with the next of `statuses`. `requests` and `questions` are the texts of the two.
 */
export const rawServer = Effect.fnUntraced(
  function*(answers: ReadonlyArray<Answer>, statuses: ReadonlyArray<Answer> = [done]) {
    const requests: Array<string> = []
    const questions: Array<string> = []
    const server = yield* listen((socket) => {
      let text = ""
      socket.on("data", (data) => {
        text += data.toString("latin1")
        if (!isWhole(text)) return
        const [received, all] = /^POST \S*\/result /.test(text) ? [requests, answers] : [questions, statuses]
        received.push(text)
        text = ""
        all[Math.min(received.length, all.length) - 1]?.(socket)
      })
    })
    return { ...server, requests, questions }
  }
)

const head = (status: string, headers: Readonly<Record<string, string>>) =>
  `HTTP/1.1 ${status}\r\n${Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`

/** A whole response. */
export const whole =
  (status: string, body: string, headers: Readonly<Record<string, string>> = {}): Answer => (socket) => {
    socket.write(head(status, { "content-length": String(Buffer.byteLength(body)), ...headers }) + body)
  }

/** A response whose connection ends after a part of the body. */
export const cut = (part: string, length: number): Answer => (socket) => {
  socket.end(head("200 OK", { "content-length": String(length), "x-trace-id": "trace-cut" }) + part)
}

/** A chunked response whose connection ends before the last chunk. */
export const cutChunked = (part: string): Answer => (socket) => {
  socket.end(
    `${head("200 OK", { "transfer-encoding": "chunked" })}${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`
  )
}

/** A response without a length, which ends with its connection. */
export const unframed = (body: string): Answer => (socket) => {
  socket.end(head("200 OK", { connection: "close" }) + body)
}

/** A response that stops in the middle and leaves the connection open. */
export const stall =
  (part: string, length: number, headers: Readonly<Record<string, string>> = {}): Answer => (socket) => {
    socket.write(head("200 OK", { "content-length": String(length), ...headers }) + part)
  }

/** A response in small pieces, as over a slow line, until the connection is closed. */
export const slowly = (piece: number, length: number): Answer => (socket) => {
  socket.write(head("200 OK", { "content-length": String(length) }))
  const send = Effect.sync(() => socket.write("x".repeat(piece)))
  Effect.runFork(Effect.repeat(Effect.delay(send, "100 millis"), { while: () => !socket.destroyed }))
}

/** Resets the connection without a response. */
export const reset: Answer = (socket) => void socket.resetAndDestroy()

/** Responds with a status of the document. */
export const status = (state: string, more: Readonly<Record<string, unknown>> = {}): Answer =>
  whole("200 OK", JSON.stringify({ document_id: "doc-1", status: state, ...more }), {
    "content-type": "application/json"
  })

/** Responds that the document is ready. */
export const done: Answer = (socket) => status("done")(socket)

/** Responds that the document does not exist. */
export const gone: Answer = (socket) => whole("404 Not Found", "{\"message\":\"Document not found\"}")(socket)
