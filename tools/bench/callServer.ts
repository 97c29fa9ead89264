/**
 * A server that answers every request immediately with the same body, so that only the client is measured. It parses nothing but
 * the length of a request. Argument: the body of the response.
 */
import { createServer } from "node:net"
import { serve } from "./protocol.ts"

const body = process.argv[2] ?? ""
const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${
  Buffer.byteLength(body)
}\r\n\r\n${body}`

/** The bytes of the first request in a text, if it is complete. */
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
