import { Effect } from "effect"
import { connect, createServer, type Server, type Socket } from "node:net"
import type { Duplex } from "node:stream"

/** A server at a free port of loopback. */
export interface Listening {
  readonly port: number
  /** Its address as an HTTP server. */
  readonly url: string
  /** The number of open connections. */
  readonly open: () => number
  /** The highest number of connections that were open at once. */
  readonly most: () => number
  /** The number of all connections so far. */
  readonly opened: () => number
  /** Closes the server and its connections, as the end of the scope does. */
  readonly close: () => void
}

/** Starts a server at a free port of loopback, for the time of its scope. */
export const serve = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<Listening>((resume) => {
      const sockets = new Set<Socket>()
      let [most, opened] = [0, 0]
      server.on("connection", (socket: Socket) => {
        opened++
        most = Math.max(most, sockets.add(socket).size)
        socket.on("close", () => sockets.delete(socket)).on("error", () => undefined)
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({
          port,
          url: `http://127.0.0.1:${port}`,
          open: () => sockets.size,
          most: () => most,
          opened: () => opened,
          close: () => {
            server.close()
            for (const socket of sockets) socket.destroy()
          }
        }))
      })
    }),
    (server) => Effect.sync(server.close)
  )

/** A TCP server on loopback that passes each connection to `onSocket`. */
export const listen = (onSocket: (socket: Socket) => void) => Effect.suspend(() => serve(createServer(onSocket)))

/** A port without a server. */
export const freePort = Effect.scoped(Effect.map(listen(() => undefined), ({ port }) => port))

/** A connection to a port of loopback for as long as a socket, which fails with it. */
export const upstreamOf = (socket: Duplex, port: number): Socket => {
  const upstream = connect(port, "127.0.0.1").on("error", () => socket.destroy())
  socket.on("error", () => upstream.destroy()).on("close", () => upstream.destroy())
  return upstream
}
