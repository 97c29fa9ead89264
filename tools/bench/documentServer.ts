/**
 * A server for documents of any size, which are not stored. A document whose id begins with a number is ready and has that number of bytes. The id of
 * an upload begins with the number of bytes received.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { serve } from "./protocol.ts"

const chunk = Buffer.alloc(64 * 1024, "All translations are right. ")

const bytesOf = function*(size: number) {
  for (let left = size; left > 0; left -= chunk.length) yield left < chunk.length ? chunk.subarray(0, left) : chunk
}

let uploads = 0

const answer = (request: IncomingMessage, response: ServerResponse) => {
  const [, size] = /^\/v2\/document\/(\d+)[^/]*\/result$/.exec(request.url ?? "") ?? []
  if (size !== undefined) {
    request.resume()
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": size })
    Readable.from(bytesOf(Number(size)), { objectMode: false }).pipe(response)
    return
  }
  const [, id] = /^\/v2\/document\/(\d+[^/]*)$/.exec(request.url ?? "") ?? []
  if (id !== undefined) {
    request.resume()
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ document_id: id, status: "done" }))
    return
  }
  let received = 0
  request.on("data", (data: Buffer) => {
    received += data.length
  })
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ document_id: `${received}-${++uploads}`, document_key: "key-of-the-document" }))
  })
}

serve(createServer({ requestTimeout: 0 }, answer))
