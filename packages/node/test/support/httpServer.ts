import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { serve } from "./listen.ts"

/** An HTTP server on loopback whose `answer` responds at once, later or never. `requests` are methods and paths. */
export const httpServer = Effect.fnUntraced(
  function*(answer: (request: IncomingMessage, response: ServerResponse) => void) {
    const requests: Array<string> = []
    const server = yield* serve(createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`)
      request.resume()
      answer(request, response)
    }))
    return { ...server, requests }
  }
)

/** Responds with JSON. */
export const json = (response: ServerResponse, body: unknown): void => {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
}
