import { Effect } from "effect"
import { connect, type Socket } from "node:net"
import { createServer, type TlsOptions } from "node:tls"
import { serverCertificate, serverKey } from "./authority.ts"

/** TLS on loopback before the server at a port. It prefers HTTP/2 of what it is offered, and notes the offers. */
export const tlsServer = (port: number, options: TlsOptions = { cert: serverCertificate, key: serverKey }) =>
  Effect.acquireRelease(
    Effect.callback<
      { readonly port: number; readonly offers: Array<ReadonlyArray<string>>; readonly close: () => void }
    >((resume) => {
      const offers: Array<ReadonlyArray<string>> = []
      const sockets = new Set<Socket>()
      const server = createServer({
        ...options,
        ALPNCallback: ({ protocols }) => {
          offers.push(protocols)
          return protocols.find((protocol) => protocol === "h2") ?? protocols[0]
        }
      }, (socket) => {
        const target = connect(port, "127.0.0.1")
        socket.pipe(target).pipe(socket)
        socket.on("error", () => target.destroy())
        target.on("error", () => socket.destroy())
      })
      server.on("connection", (socket) => {
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
        socket.on("error", () => undefined)
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed({
          port: typeof address === "object" && address !== null ? address.port : 0,
          offers,
          close: () => {
            server.close()
            for (const socket of sockets) socket.destroy()
          }
        }))
      })
    }),
    (server) => Effect.sync(server.close)
  )
