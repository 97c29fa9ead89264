import { Effect } from "effect"
import { createServer, type Server, type Socket } from "node:net"
import { dripping, ending, http, raw } from "./bytes.ts"
import { serve } from "./listen.ts"

/** Responds to one request on its socket: writes bytes, and leaves the connection open, ends or resets it. */
export type Answer = (socket: Socket) => void

/** Creates a server, which calls `onSocket` for each stream of requests. */
export type Listen = (onSocket: (socket: Socket) => void) => Server

export interface ServerOptions {
  /** Whether a request with this line gets one of `answers`. By default those for the bytes of a document. */
  readonly isAsked?: (line: string) => boolean
  /** Responds after the headers of a request, and ignores the rest of the connection. */
  readonly early?: boolean | undefined
  /** Creates the server. By default a TCP server. */
  readonly listen?: Listen | undefined
}

const headersEnd = "\r\n\r\n"
const lastChunk = Buffer.from("\r\n0\r\n\r\n")

/** Parses the requests of a connection. Calls `onHead` with each request's headers, and `onEnd` with all of its text. */
const reader = (onHead: (text: string) => void, onEnd: (text: string) => void) => {
  let head = ""
  let body: Array<Buffer> = []
  /** The remaining bytes of the body, or, if it is chunked, its last bytes so far. */
  let left: number | Buffer | undefined
  const read = (bytes: Buffer): void => {
    if (left === undefined) {
      head += bytes.toString("latin1")
      const end = head.indexOf(headersEnd) + headersEnd.length
      if (end < headersEnd.length) return
      const rest = Buffer.from(head.slice(end), "latin1")
      head = head.slice(0, end)
      left = /\r\ntransfer-encoding: *chunked\r\n/i.test(head)
        ? Buffer.from("\r\n")
        : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
      onHead(head)
      return read(rest)
    }
    const before = typeof left === "number" ? 0 : left.length
    const last = typeof left === "number" ? undefined : Buffer.concat([left, bytes])
    const end = last === undefined ? Number(left) : last.indexOf(lastChunk) + lastChunk.length
    if (last === undefined ? bytes.length < end : end < lastChunk.length) {
      left = last === undefined ? end - bytes.length : last.subarray(-lastChunk.length + 1)
      body.push(bytes)
      return
    }
    const rest = bytes.subarray(end - before)
    const text = head + Buffer.concat([...body, bytes.subarray(0, end - before)]).toString("latin1")
    ;[head, body, left] = ["", [], undefined]
    onEnd(text)
    if (rest.length > 0) read(rest)
  }
  return read
}

const ignore = () => undefined

/**
 * A server on loopback that answers each whole request for the bytes of a document with the next of `answers` (the last one from
 * then on), and each other request with the next of `statuses`. `requests` and `questions` are the texts of the two.
 */
export const rawServer = Effect.fnUntraced(function*(
  answers: ReadonlyArray<Answer>,
  statuses: ReadonlyArray<Answer> = [done],
  { early = false, isAsked = (line) => /^POST \S*\/result /.test(line), listen = createServer }: ServerOptions = {}
) {
  const requests: Array<string> = []
  const questions: Array<string> = []
  const server = yield* serve(listen((socket) => {
    const respond = (text: string) => {
      const isOne = isAsked(text.slice(0, text.indexOf("\r\n")))
      const [received, all] = isOne ? [requests, answers] : [questions, statuses]
      all[Math.min(received.push(text), all.length) - 1]?.(socket)
    }
    socket.on("error", ignore).on("data", early ? reader(respond, ignore) : reader(ignore, respond))
  }))
  return { ...server, requests, questions }
})

type Fields = Readonly<Record<string, string>>

const sized = (length: number, fields: Fields = {}) =>
  Object.entries({ "content-length": length, ...fields }).map(([name, value]) => `${name}: ${value}`).join("\r\n")

/** A whole response. */
export const whole = (status: string, body: string, headers?: Fields): Answer =>
  raw(http(sized(Buffer.byteLength(body), headers), "", status), Buffer.from(body))

/** A response whose connection ends after a part of the body. */
export const cut = (part: string, length: number): Answer =>
  ending(http(sized(length, { "x-trace-id": "trace-cut" }), part))

/** A chunked response whose connection ends before the last chunk. */
export const cutChunked = (part: string): Answer =>
  ending(http("transfer-encoding: chunked", `${part.length.toString(16)}\r\n${part}\r\n`))

/** A response without a length, which ends with its connection. */
export const unframed = (body: string): Answer => ending(http("connection: close", body))

/** A response that stops in the middle and leaves the connection open. */
export const stall = (part: string, length: number, headers?: Fields): Answer => raw(http(sized(length, headers), part))

/** A response in small pieces, as over a slow line, until the connection is closed. */
export const slowly = (piece: number, length: number): Answer =>
  dripping(http(sized(length)), "x".repeat(piece), "100 millis")

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
