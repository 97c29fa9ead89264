/**
 * A service over TLS, HTTP/1.1 or HTTP/2, behind a simulated network: a relay that delays each byte, limits the bandwidth and closes connections.
 * Argument: `Network`, as JSON.
 */
import { once } from "node:events"
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2"
import { connect, createServer, type Server, type Socket } from "node:net"
import { Readable } from "node:stream"
import { serverCertificate, serverKey } from "../../packages/node/test/support/certificates.ts"
import { type Network, onMessage, sendToParent } from "./protocol.ts"

const network: Network = JSON.parse(process.argv[2] ?? "{}")
const bytesPerMilli = network.megabits * 125
const translated = JSON.stringify({ translations: [{ detected_source_language: "EN", text: "Gut." }] })
const chunk = Buffer.alloc(64 * 1024, "All translations are right. ")
const counts = { opened: 0, resumed: 0 }

const bytesOf = function*(size: number) {
  for (let left = size; left > 0; left -= chunk.length) yield left < chunk.length ? chunk.subarray(0, left) : chunk
}

/** Translates texts, accepts documents, and returns a document of as many bytes as its id says. */
const answer = (request: Http2ServerRequest, response: Http2ServerResponse) => {
  request.resume().on("end", () => {
    const [, size] = /^\/v2\/document\/(\d+)\/result$/.exec(request.url) ?? []
    if (size !== undefined) {
      response.writeHead(200, { "content-type": "application/octet-stream", "content-length": size })
      Readable.from(bytesOf(Number(size)), { objectMode: false }).pipe(response)
      return
    }
    const body = request.url === "/v2/document" ? "{\"document_id\":\"1\",\"document_key\":\"k\"}" : translated
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body)
  })
}

const secure = createSecureServer({ allowHTTP1: true, cert: serverCertificate, key: serverKey }, answer)
secure.on("secureConnection", (socket) => {
  counts.opened++
  if (socket.isSessionReused()) counts.resumed++
})

const listening = async (server: Server): Promise<number> => {
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  return address !== null && typeof address === "object" ? address.port : 0
}

/** Bytes in transit in one direction, above which the sender is paused. */
const window = 2 ** 20

/** Chunks since the last lost connection. */
let chunks = 0

/** Relays bytes from one socket to another, beginning at `start`. */
const relay = (from: Socket, to: Socket, start: number) => {
  const waiting: Array<Buffer> = []
  let bytes = 0
  let free = start
  const deliver = () => {
    const next = waiting.shift()
    if (next === undefined || to.destroyed) return
    if (network.lostEvery !== undefined && ++chunks >= network.lostEvery) {
      chunks = 0
      from.destroy()
      to.destroy()
      return
    }
    bytes -= next.length
    to.write(next)
    if (bytes < window) from.resume()
  }
  from.on("data", (data) => {
    const now = performance.now()
    free = Math.max(now, free) + data.length / bytesPerMilli
    waiting.push(data)
    bytes += data.length
    if (bytes >= window) from.pause()
    // @effect-diagnostics-next-line globalTimers:off
    setTimeout(deliver, free + network.millis - now)
  })
  from.on("close", () => {
    // @effect-diagnostics-next-line globalTimers:off
    setTimeout(() => to.end(), Math.max(0, free - performance.now()) + network.millis)
  })
  from.on("error", () => from.destroy())
}

const relayTo = (port: number) => (client: Socket) => {
  const server = connect({ port, host: "127.0.0.1", noDelay: true })
  // A client sends nothing before the TCP handshake ends, which takes one round trip.
  const confirmed = performance.now() + 2 * network.millis
  relay(client, server, confirmed)
  relay(server, client, confirmed)
}

const port = await listening(createServer({ noDelay: true }, relayTo(await listening(secure))))
onMessage((message) => {
  if (message.tag !== "count") return
  sendToParent({ tag: "connections", ...counts })
  Object.assign(counts, { opened: 0, resumed: 0 })
})
sendToParent({ tag: "ready", url: `https://127.0.0.1:${port}` })
