/**
 * A server that gives documents of any size and takes them, and holds none of them: a document whose id begins with a
 * number has that many bytes, and is ready. What it takes is counted, and the id that comes back begins with the number.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { onMessage, tell } from "./protocol.ts"

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

const server = createServer({ requestTimeout: 0 }, answer)
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (address !== null && typeof address === "object") tell({ tag: "ready", url: `http://127.0.0.1:${address.port}` })
})

onMessage(() => undefined)
