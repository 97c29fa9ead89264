import * as Problem from "@effect-lingua/core/errors/Problem"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import type { Client } from "./translate.ts"

const handle = async (client: Client, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const left = new AbortController()
  response.once("close", () => left.abort())
  const to = new URL(request.url ?? "/", "http://localhost").searchParams.get("to") ?? "en-GB"
  try {
    response.end(await client.translate(await text(request), to, left.signal))
  } catch (error) {
    if (left.signal.aborted) return
    // oxlint-disable-next-line no-console -- the log of this server
    console.error(error)
    // Its status is for the callers of this server, and its message for the log.
    const problem = Problem.isSource(error) ? Problem.toProblem(error) : { status: 500, headers: {}, body: {} }
    response.writeHead(problem.status, problem.headers).end(JSON.stringify(problem.body))
  }
}

export const makeApp = (client: Client): Server =>
  createServer((request, response) => void handle(client, request, response))
