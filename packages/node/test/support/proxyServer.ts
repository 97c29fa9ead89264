import { Effect } from "effect"
import { createServer, type IncomingMessage, request } from "node:http"
import { connect, type Socket } from "node:net"
import type { Duplex } from "node:stream"

/** What a proxy does. */
export interface Behaviour {
  /** The header `Proxy-Authorization` that it asks for. */
  readonly authorization?: string
  /** What it answers instead of connecting: a status, nothing at all, or the end of the connection. */
  readonly instead?: number | "silence" | "reset"
}

/** A proxy on loopback, for tunnels and for whole requests, which takes every host for the server at a port. */
export const proxyServer = (port: number, { authorization, instead }: Behaviour = {}) =>
  Effect.acquireRelease(
    Effect.callback<
      { readonly url: string; readonly host: string; readonly asked: Array<string>; readonly close: () => void }
    >((resume) => {
      const asked: Array<string> = []
      const sockets = new Set<Duplex>()
      const note = (incoming: IncomingMessage): number | "silence" | "reset" | undefined => {
        asked.push(`${incoming.method} ${incoming.url}`)
        return instead ?? (incoming.headers["proxy-authorization"] === authorization ? undefined : 407)
      }
      const server = createServer((incoming, outgoing) => {
        const refusal = note(incoming)
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
      server.on("connection", (socket: Socket) => {
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
        socket.on("error", () => undefined)
      })
      server.on("connect", (incoming, socket) => {
        const refusal = note(incoming)
        if (typeof refusal === "number") return socket.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`)
        if (refusal !== undefined) return refusal === "reset" && socket.destroy()
        const target = connect(port, "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 Connected\r\n\r\n")
          socket.pipe(target).pipe(socket)
        })
        sockets.add(target)
        target.on("error", () => undefined)
        socket.on("close", () => target.destroy())
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const host = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
        resume(Effect.succeed({
          url: `http://${host}`,
          host,
          asked,
          close: () => {
            server.close()
            for (const socket of sockets) socket.destroy()
          }
        }))
      })
    }),
    (proxy) => Effect.sync(proxy.close)
  )
