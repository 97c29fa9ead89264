import { Effect } from "effect"
import { createServer, type IncomingMessage, request } from "node:http"
import { serve, upstreamOf } from "./listen.ts"

type Refusal = number | "silence" | "reset"

/** The behaviour of a proxy. */
export interface Behaviour {
  /** The required value of the header `Proxy-Authorization`. */
  readonly authorization?: string
  /** The response to each request instead of a connection: a status, none at all, or the end of the connection. */
  readonly instead?: Refusal
}

/**
 * A proxy on loopback, for tunnels and for whole requests, which connects every host to the server at a port. `asked` are the
 * methods and targets of the requests.
 */
export const proxyServer = Effect.fnUntraced(function*(port: number, { authorization, instead }: Behaviour = {}) {
  const asked: Array<string> = []
  const refusalOf = (incoming: IncomingMessage): Refusal | undefined => {
    asked.push(`${incoming.method} ${incoming.url}`)
    return instead ?? (incoming.headers["proxy-authorization"] === authorization ? undefined : 407)
  }
  const http = createServer((incoming, outgoing) => {
    const refusal = refusalOf(incoming)
    if (typeof refusal === "number") return outgoing.writeHead(refusal).end("words of the proxy")
    if (refusal !== undefined) return refusal === "reset" && incoming.socket.resetAndDestroy()
    const { pathname } = new URL(incoming.url ?? "")
    const { "proxy-authorization": _, ...headers } = incoming.headers
    incoming.pipe(
      request({ port, path: pathname, method: incoming.method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 0, response.headers)
        response.pipe(outgoing)
      })
    )
  })
  http.on("connect", (incoming, socket) => {
    const refusal = refusalOf(incoming)
    if (typeof refusal === "number") return socket.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`)
    if (refusal !== undefined) return refusal === "reset" && socket.destroy()
    const target = upstreamOf(socket, port).on("connect", () => {
      socket.write("HTTP/1.1 200 Connected\r\n\r\n")
      socket.pipe(target).pipe(socket)
    })
  })
  const server = yield* serve(http)
  return { ...server, host: new URL(server.url).host, asked }
})
