import { Problem } from "@effect-lingua/core"
import type { Lingua } from "@effect-lingua/core/promise"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"

const handle = async (lingua: Lingua, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const left = new AbortController()
  response.once("close", () => left.abort())
  const targetLanguage = new URL(request.url ?? "/", "http://localhost").searchParams.get("to") ?? "en-GB"
  try {
    // Aborting the signal interrupts the request, retries and waits.
    const options = { signal: left.signal, deadline: "20 seconds" } as const
    response.end((await lingua.translation.translate(await text(request), { targetLanguage }, options)).text)
  } catch (error) {
    if (left.signal.aborted) return
    // oxlint-disable-next-line no-console -- the log of this server
    console.error(error)
    // The problem's status and body are for the server's callers; the error's message is only for the log.
    const problem = Problem.isSource(error) ? Problem.toProblem(error) : { status: 500, headers: {}, body: {} }
    response.writeHead(problem.status, problem.headers).end(JSON.stringify(problem.body))
  }
}

export const makeApp = (lingua: Lingua): Server =>
  createServer((request, response) => void handle(lingua, request, response))
