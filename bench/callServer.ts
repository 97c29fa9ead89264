/**
 * A server that answers each request with the same translations as soon as it has come, and does nothing else, so that the
 * client is what is measured. It reads no more of HTTP than the length of a body. Argument: the body of the answer.
 */
import { createServer } from "node:net"
import { onMessage, tell } from "./protocol.ts"

const body = process.argv[2] ?? ""
const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${
  Buffer.byteLength(body)
}\r\n\r\n${body}`

/** How many bytes a request takes, when all of them have come. */
const requestSize = (text: string): number | undefined => {
  const head = text.indexOf("\r\n\r\n")
  if (head === -1) return undefined
  const [, length = "0"] = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head)) ?? []
  const size = head + 4 + Number(length)
  return text.length < size ? undefined : size
}

const server = createServer({ noDelay: true }, (socket) => {
  let rest = ""
  socket.on("error", () => socket.destroy())
  // The clients send a body of ASCII, so that a character is a byte.
  socket.setEncoding("latin1")
  socket.on("data", (chunk: string) => {
    rest += chunk
    for (let size = requestSize(rest); size !== undefined; size = requestSize(rest)) {
      rest = rest.slice(size)
      socket.write(answer)
    }
  })
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (address !== null && typeof address === "object") tell({ tag: "ready", url: `http://127.0.0.1:${address.port}` })
})

onMessage(() => undefined)
