/** A server on loopback that reads whole requests and responds to each with bytes of the test's choice. */
import { Effect } from "effect"
import { createServer, type Server, type Socket } from "node:net"
import { serve } from "../support/listen.ts"
import type { Answer } from "../support/rawServer.ts"

/** Creates a server. */
export type Listen = (onSocket: (socket: Socket) => void) => Server

/** The responses of a server and their time. */
export interface Behaviour {
  /** One response per request; the last of them from then on. */
  readonly answers: ReadonlyArray<Answer>
  /** The request lines that get them. By default those equal to the first one. */
  readonly asked?: RegExp
  /** The responses to all other requests. */
  readonly elsewhere: ReadonlyArray<Answer>
  /** Responds after the headers of a request, and ignores the rest of the connection. */
  readonly early?: boolean
  /** Creates the server, which calls `onSocket` for each stream of requests. By default a TCP server, with each connection. */
  readonly listen?: Listen
}

const headersEnd = "\r\n\r\n"
const lastChunk = Buffer.from("\r\n0\r\n\r\n")

/** Parses the requests of a connection. Calls `onHead` and `onEnd` with the request line after the headers and after the body. */
const reader = (onHead: (line: string) => void, onEnd: (line: string) => void) => {
  let head = ""
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
      onHead(head.slice(0, head.indexOf("\r\n")))
      return read(rest)
    }
    const last = typeof left === "number" ? undefined : Buffer.concat([left, bytes])
    const end = last === undefined ? Number(left) : last.indexOf(lastChunk) + lastChunk.length
    if (last === undefined ? bytes.length < end : end < lastChunk.length) {
      left = last === undefined ? end - bytes.length : last.subarray(-lastChunk.length + 1)
      return
    }
    const rest = (last ?? bytes).subarray(end)
    const line = head.slice(0, head.indexOf("\r\n"))
    ;[head, left] = ["", undefined]
    onEnd(line)
    if (rest.length > 0) read(rest)
  }
  return read
}

const ignore = () => undefined

/** Starts the server, for the time of its scope. */
export const make = Effect.fnUntraced(function*(behaviour: Behaviour) {
  const { answers, asked, early = false, elsewhere, listen = createServer } = behaviour
  let [requests, others] = [0, 0]
  let first: string | undefined
  const answer = (line: string): Answer | undefined => {
    first ??= line
    return (asked === undefined ? line === first : asked.test(line))
      ? answers[Math.min(requests++, answers.length - 1)]
      : elsewhere[Math.min(others++, elsewhere.length - 1)]
  }
  const server = yield* serve(listen((socket) => {
    const respond = (line: string) => answer(line)?.(socket)
    socket.on("error", ignore).on("data", early ? reader(respond, ignore) : reader(ignore, respond))
  }))
  return {
    ...server,
    /** The number of requests that `answers` responded to. */
    requests: () => requests,
    /** The number of the other requests. */
    others: () => others
  }
})
