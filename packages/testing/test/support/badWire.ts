/** A wire between a client and a server on this machine that does to requests and answers what a fake server cannot. */
import { Effect, type Scope } from "effect"
import { connect, createServer, type Socket } from "node:net"

/**
 * What the wire does to one request and its answer, beside what the fake can do to its answers by itself.
 *
 * - `cut`: the connection is reset and the server never sees the request.
 * - `truncate`: the answer ends within its headers.
 * - `stall`: the answer stops within its headers, and the connection stays open.
 * - `garble`: what comes is no HTTP.
 */
export type Harm = "cut" | "truncate" | "stall" | "garble"

/** So many bytes are the status line and a part of the headers. */
const withinHeaders = 60

const isRequest = /^(GET|POST|PUT|PATCH|DELETE) /

/** The wire: its address, and the connections of clients that are open now and were open at most. */
export interface BadWire {
  readonly url: string
  readonly open: () => number
  readonly most: () => number
}

const listen = (port: number, next: () => Harm | undefined) =>
  Effect.callback<BadWire & { readonly close: () => void }>((resume) => {
    const clients = new Set<Socket>()
    let most = 0
    const server = createServer((client) => {
      clients.add(client)
      most = Math.max(most, clients.size)
      const service = connect(port, "127.0.0.1")
      let harm: Harm | undefined
      let answered = false
      client.on("data", (data) => {
        if (isRequest.test(data.subarray(0, 8).toString("latin1"))) {
          harm = next()
          answered = false
        }
        if (harm === "cut") client.resetAndDestroy()
        else service.write(data)
      })
      service.on("data", (data) => {
        const first = !answered
        answered = true
        switch (harm) {
          case "truncate":
            if (first) client.end(data.subarray(0, withinHeaders))
            return
          case "stall":
            if (first) client.write(data.subarray(0, withinHeaders))
            return
          case "garble":
            if (first) client.end("HTTP/9.9 what?\r\n\r\n")
            return
          default:
            client.write(data)
        }
      })
      const close = () => {
        clients.delete(client)
        client.destroy()
        service.destroy()
      }
      for (const socket of [client, service]) socket.on("close", close).on("error", close)
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const own = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({
        url: `http://127.0.0.1:${own}`,
        open: () => clients.size,
        most: () => most,
        close: () => {
          server.close()
          for (const client of clients) client.destroy()
        }
      }))
    })
  })

/** A wire to a port, for as long as its scope. `next` says what happens to the next request. */
export const make = (port: number, next: () => Harm | undefined): Effect.Effect<BadWire, never, Scope.Scope> =>
  Effect.acquireRelease(listen(port, next), ({ close }) => Effect.sync(close))
