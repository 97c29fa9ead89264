/** A server on loopback that reads whole requests and answers each of them with bytes of the test's choice. */
import { Effect, type Scope } from "effect"
import { createServer, type Server, type Socket } from "node:net"
import type { Answer } from "../support/rawServer.ts"

/** What came in so far. */
export interface HostileServer {
  readonly port: number
  /** Connections that were accepted. */
  readonly connections: () => number
  /** Sockets that are open now. */
  readonly open: () => number
  /** Requests that were answered by `answers`, and the others. */
  readonly requests: () => number
  readonly others: () => number
}

/** Makes a server. */
export type Listen = (onSocket: (socket: Socket) => void) => Server

/** How a server listens, and when it answers. */
export interface Behaviour {
  /** The first for the first request, and so on; the last of them from then on. */
  readonly answers: ReadonlyArray<Answer>
  /** The requests that they answer, by the request line. By default those for the address of the first. */
  readonly asked?: RegExp
  /** The same for the others. */
  readonly elsewhere: ReadonlyArray<Answer>
  /** Answers when it has the headers of a request, and ignores what follows on that connection. */
  readonly early?: boolean
  /** Makes the server, which calls `onSocket` for what takes requests. By default each of its connections does. */
  readonly listen?: Listen
}

const headersEnd = "\r\n\r\n"
const lastChunk = Buffer.from("\r\n0\r\n\r\n")

/** Tells whole requests from the bytes of a connection. `onHead` and `onEnd` are given the request line. */
const reader = (onHead: (line: string) => void, onEnd: (line: string) => void) => {
  let head = ""
  /** Bytes of the body that are to come, or the end of the last chunk so far. */
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

/** The server, for as long as its scope. */
export const make = (behaviour: Behaviour): Effect.Effect<HostileServer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<HostileServer & { readonly close: () => void }>((resume) => {
      const { answers, asked, early = false, elsewhere, listen = createServer } = behaviour
      const sockets = new Set<Socket>()
      let [connections, requests, others] = [0, 0, 0]
      let first: string | undefined
      const answer = (line: string): Answer | undefined => {
        first ??= line
        return (asked === undefined ? line === first : asked.test(line))
          ? answers[Math.min(requests++, answers.length - 1)]
          : elsewhere[Math.min(others++, elsewhere.length - 1)]
      }
      const server = listen((socket) => {
        const respond = (line: string) => answer(line)?.(socket)
        socket.on("error", ignore).on("data", early ? reader(respond, ignore) : reader(ignore, respond))
      })
      server.on("connection", (socket: Socket) => {
        connections++
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket)).on("error", ignore)
      })
      server.listen(0, "127.0.0.1", () => {
        const at = server.address()
        resume(Effect.succeed({
          port: typeof at === "object" && at !== null ? at.port : 0,
          connections: () => connections,
          open: () => sockets.size,
          requests: () => requests,
          others: () => others,
          close: () => {
            server.close()
            for (const socket of sockets) socket.destroy()
          }
        }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
