/** A server that returns each text unchanged as its translation, and detects English in all texts. Argument: latency in milliseconds. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { setTimeout } from "node:timers/promises"
import { serve } from "./protocol.ts"

const latency = Number(process.argv[2])

interface Body {
  readonly text: ReadonlyArray<string>
}

const answerTo = (url: string | undefined, { text }: Body) =>
  url === "/v3/detect/language"
    ? { results: text.map(() => ({ detection_status: "success", detected_language: "en" })) }
    : { translations: text.map((text) => ({ detected_source_language: "EN", text })) }

const answer = async (request: IncomingMessage, response: ServerResponse) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  const body: Body = JSON.parse(Buffer.concat(chunks).toString())
  const answer = JSON.stringify(answerTo(request.url, body))
  if (latency > 0) await setTimeout(latency)
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) })
  response.end(answer)
}

serve(createServer({ keepAliveTimeout: 60_000 }, (request, response) => void answer(request, response)))
