/** Connections as undici needs them, where it does not take what TLS and HTTP allow. */
import type { buildConnector } from "@effect/platform-node/Undici"
import { hasProperty, isString } from "effect/Predicate"
import type { Socket } from "node:net"

const requestLine = /^[A-Z]+ \S+ HTTP\/1\.1\r\n/

/** The head of an interim response, but for one that says that the connection goes on in another protocol. */
const interim = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/
const longestStart = "HTTP/1.1 100 ".length

/** Longer than what undici takes of headers. */
const longestHead = 64 * 1024

const nothing = Buffer.alloc(0)

/**
 * Leaves out interim responses, which a client has to accept whether it asked for them or not (RFC 9110, 15.2). undici
 * takes a `100 Continue` as the end of the connection. Of one connection it reads one response after each request.
 */
const withoutInterim = (socket: Socket): Socket => {
  /** What has come of a head that can be interim. Nothing is held back once the final response has begun. */
  let held: Buffer | undefined = nothing
  const read = socket.read.bind(socket)
  // oxlint-disable-next-line typescript/unbound-method -- it gets its `this` by each call
  socket.write = new Proxy(socket.write, {
    apply: (write, self, args: Array<unknown>) => {
      if (isString(args[0]) && requestLine.test(args[0])) held = nothing
      return Reflect.apply(write, self, args)
    }
  })
  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read(size)
      if (chunk === null || held === undefined) return chunk
      let came: Buffer = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      while (interim.test(came.toString("latin1", 0, longestStart))) {
        const end = came.indexOf("\r\n\r\n")
        if (end < 0) break
        came = came.subarray(end + 4)
      }
      const start = came.toString("latin1", 0, longestStart)
      const isOpen = came.length < longestStart ? "HTTP/1.".startsWith(start.slice(0, 7)) : interim.test(start)
      held = isOpen && came.length < longestHead ? came : undefined
      if (held === undefined) return came
    }
  }
  return socket
}

/**
 * Hides the code of a reset from undici, which takes a reset for the end of a body that has no length. The error with the code
 * is the cause.
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

/** Ends a connection with the first error of it: of one after the handshake TLS goes on, and undici tells of its end. */
const withFirstError = (socket: Socket): Socket => socket.on("error", (error) => socket.destroy(error))

/** Makes a connector whose connections are as undici needs them. */
export const adopted = (connect: buildConnector.connector): buildConnector.connector => (options, callback) =>
  connect(
    options,
    (...args) =>
      args[0] === null ? callback(null, withFirstError(withResets(withoutInterim(args[1])))) : callback(...args)
  )
