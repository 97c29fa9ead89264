import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** A healthy server on loopback that answers a request as it is told: at once, later, or never. */
export const heldServer = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly url: string
      /** Methods and paths of what arrived. */
      readonly requests: Array<string>
      /** Connections that are open now. */
      readonly open: () => number
      /** Connections that were opened so far. */
      readonly opened: () => number
      readonly close: () => void
    }>((resume) => {
      const requests: Array<string> = []
      const sockets = new Set<Socket>()
      let opened = 0
      const server = createServer((request, response) => {
        requests.push(`${request.method} ${request.url}`)
        request.resume()
        answer(request, response)
      })
      server.on("connection", (socket: Socket) => {
        opened++
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
        socket.on("error", () => undefined)
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed({
          url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
          requests,
          open: () => sockets.size,
          opened: () => opened,
          close: () => {
            server.close()
            server.closeAllConnections()
          }
        }))
      })
    }),
    (server) => Effect.sync(server.close)
  )

/** Answers with JSON. */
export const json = (response: ServerResponse, body: unknown): void => {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
}
