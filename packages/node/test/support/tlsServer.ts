import { Effect } from "effect"
import { createServer, type TlsOptions } from "node:tls"
import { serverCertificate, serverKey } from "./certificates.ts"
import { serve, upstreamOf } from "./listen.ts"

/** TLS in front of the server at a port. It prefers HTTP/2, and `offers` are the protocols that clients offered. */
export const tlsServer = Effect.fnUntraced(
  function*(port: number, options: TlsOptions = { cert: serverCertificate, key: serverKey }) {
    const offers: Array<ReadonlyArray<string>> = []
    const server = yield* serve(createServer({
      ...options,
      ALPNCallback: ({ protocols }) => {
        offers.push(protocols)
        return protocols.find((protocol) => protocol === "h2") ?? protocols[0]
      }
    }, (socket) => {
      socket.pipe(upstreamOf(socket, port)).pipe(socket)
    }))
    return { ...server, offers }
  }
)
