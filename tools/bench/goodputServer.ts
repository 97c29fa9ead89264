/**
 * A server that translates, and refuses requests above its capacity. Accepts every key and `Authorization` scheme. Arguments: capacity, window,
 * latency in milliseconds.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { setTimeout } from "node:timers/promises"
import { sendToParent, serve, type Window } from "./protocol.ts"

const [capacityText, windowText, latencyText] = process.argv.slice(2)
const capacity = Number(capacityText)
const window: Window = windowText === "sliding" ? "sliding" : "fixed"
const latency = Number(latencyText)
const windowMillis = 1000

let accepted = 0
let refused = 0

/** Admits a request, or returns the milliseconds until the next request is admitted. */
type Admit = (now: number) => number | undefined

const fixed = (): Admit => {
  let start = performance.now()
  let taken = 0
  return (now) => {
    if (now >= start + windowMillis) {
      start += Math.floor((now - start) / windowMillis) * windowMillis
      taken = 0
    }
    if (taken >= capacity) return start + windowMillis - now
    taken++
    return undefined
  }
}

const sliding = (): Admit => {
  const times: Array<number> = []
  return (now) => {
    while (times[0] !== undefined && times[0] <= now - windowMillis) times.shift()
    if (times[0] !== undefined && times.length >= capacity) return times[0] + windowMillis - now
    times.push(now)
    return undefined
  }
}

const limit = window === "fixed" ? fixed : sliding
let admit = limit()

const send = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(body))
}

const answer = async (request: IncomingMessage, response: ServerResponse) => {
  const wait = admit(performance.now())
  request.resume()
  if (wait !== undefined) {
    refused++
    send(response, 429, { message: "Too many requests" }, { "retry-after": String(Math.ceil(wait / 1000)) })
    return
  }
  accepted++
  const body = request.url === "/v2/write/rephrase"
    ? { improvements: [{ text: "Good.", detected_source_language: "en", target_language: "en-GB" }] }
    : { translations: [{ text: "Gut.", detected_source_language: "EN", billed_characters: 5 }] }
  await setTimeout(latency)
  send(response, 200, body)
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => void answer(request, response))

serve(server, (message) => {
  if (message.tag === "start") {
    // The first window starts with the measurement, so that the measurement covers whole windows.
    admit = limit()
    accepted = 0
    refused = 0
  }
  if (message.tag === "count") sendToParent({ tag: "serverCounts", counts: { accepted, refused } })
})
