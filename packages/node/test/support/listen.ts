import { Effect } from "effect"
import { createServer, type Socket } from "node:net"

/** A TCP server on loopback that gives each connection to `onSocket`. */
export const listen = (onSocket: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => undefined)
        onSocket(socket)
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed({
          port: typeof address === "object" && address !== null ? address.port : 0,
          close: () => {
            server.close()
            for (const socket of sockets) socket.destroy()
          }
        }))
      })
    }),
    (server) => Effect.sync(server.close)
  )
