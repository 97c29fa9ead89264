/** A wire between a client and a server on this machine that does to requests and answers what a fake server cannot. */
import { listen, upstreamOf } from "../../../node/test/support/listen.ts"

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

/** A wire to a port, for as long as its scope. `next` returns the harm to the next request. */
export const make = (port: number, next: () => Harm | undefined) =>
  listen((client) => {
    const service = upstreamOf(client, port).on("close", () => client.destroy())
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
      if (harm === undefined) client.write(data)
      else if (first && harm === "truncate") client.end(data.subarray(0, withinHeaders))
      else if (first && harm === "stall") client.write(data.subarray(0, withinHeaders))
      else if (first && harm === "garble") client.end("HTTP/9.9 what?\r\n\r\n")
    })
  })
