/**
 * A server that responds to every request immediately with the same body, so that only the client is measured. Parses only the length of a request.
 * Argument: the response's body.
 */
import { createServer } from "node:net"
import { serve } from "./protocol.ts"

const body = process.argv[2] ?? ""
const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${
  Buffer.byteLength(body)
}\r\n\r\n${body}`

/** The bytes of the first request in a text, or undefined if the request is incomplete. */
const requestSize = (text: string): number | undefined => {
  const head = text.indexOf("\r\n\r\n")
  if (head === -1) return undefined
  const [, length = "0"] = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head)) ?? []
  const size = head + 4 + Number(length)
  return text.length < size ? undefined : size
}

serve(createServer({ noDelay: true }, (socket) => {
  let rest = ""
  socket.on("error", () => socket.destroy())
  // The bodies are ASCII, so a character is a byte.
  socket.setEncoding("latin1")
  socket.on("data", (chunk: string) => {
    rest += chunk
    for (let size = requestSize(rest); size !== undefined; size = requestSize(rest)) {
      rest = rest.slice(size)
      socket.write(answer)
    }
  })
}))
