/** Handles interim responses, resets and TLS alerts, which undici handles incorrectly. */
import type { buildConnector } from "@effect/platform-node/Undici"
import { hasProperty, isString } from "effect/Predicate"
import type { Socket } from "node:net"

const requestLine = /^[A-Z]+ \S+ HTTP\/1\.1\r\n/

/** The head of an interim response other than 101 (Switching Protocols). */
const interim = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/
const longestStart = "HTTP/1.1 100 ".length

const statusAt = "HTTP/1.1 ".length
const one = "1".charCodeAt(0)

/** Maximum bytes of a buffered head, more than undici allows for headers. */
const longestHead = 64 * 1024

const nothing = Buffer.alloc(0)

/**
 * Skips interim responses, which a client must always accept (RFC 9110, 15.2); undici destroys the connection after a
 * `100 Continue`. A written request line restarts the check.
 */
const withoutInterim = (socket: Socket): Socket => {
  /** Buffered start of a possibly interim response; `undefined` once the final response has begun. */
  let head: Buffer | undefined = nothing
  const read = socket.read.bind(socket)
  // oxlint-disable-next-line typescript/unbound-method -- `Reflect.apply` passes `this`
  socket.write = new Proxy(socket.write, {
    apply: (write, self, args: Array<unknown>) => {
      if (isString(args[0]) && requestLine.test(args[0])) head = nothing
      return Reflect.apply(write, self, args)
    }
  })
  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read(size)
      if (chunk === null || head === undefined) return chunk
      if (head.length === 0 && chunk.length >= longestStart && chunk[statusAt] !== one) {
        head = undefined
        return chunk
      }
      let bytes: Buffer = head.length === 0 ? chunk : Buffer.concat([head, chunk])
      while (interim.test(bytes.toString("latin1", 0, longestStart))) {
        const end = bytes.indexOf("\r\n\r\n")
        if (end < 0) break
        bytes = bytes.subarray(end + 4)
      }
      const start = bytes.toString("latin1", 0, longestStart)
      const isOpen = bytes.length < longestStart ? "HTTP/1.".startsWith(start.slice(0, 7)) : interim.test(start)
      head = isOpen && bytes.length < longestHead ? bytes : undefined
      if (head === undefined) return bytes
    }
  }
  return socket
}

/**
 * Hides the code `ECONNRESET`, which undici treats as the end of a body without a length. The original error becomes the
 * cause.
 */
const withResets = (socket: Socket): Socket => {
  const destroy = socket.destroy.bind(socket)
  socket.destroy = (error) =>
    destroy(
      error !== undefined && hasProperty(error, "code") && error.code === "ECONNRESET"
        ? new Error(error.message, { cause: error })
        : error
    )
  return socket
}

/**
 * Destroys a socket on its first error: TLS continues after an alert, and undici would report only the connection's end.
 */
const withFirstError = (socket: Socket): Socket => socket.on("error", (error) => socket.destroy(error))

export const adopted = (connect: buildConnector.connector): buildConnector.connector => (options, callback) =>
  connect(
    options,
    (...args) =>
      args[0] === null ? callback(null, withFirstError(withResets(withoutInterim(args[1])))) : callback(...args)
  )
