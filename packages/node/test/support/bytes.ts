/** Responses as bytes. */
import { type Duration, Effect } from "effect"
import type { Answer } from "./rawServer.ts"

type Bytes = string | Uint8Array

const bytesOf = (bytes: Bytes): Uint8Array => typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes

/** Writes the parts and leaves the connection open. A text stands for its bytes in Latin-1. */
export const raw = (...parts: ReadonlyArray<Bytes>): Answer => (socket) => {
  socket.write(Buffer.concat(parts.map(bytesOf)))
}

/** Writes the parts and ends the connection. */
export const ending = (...parts: ReadonlyArray<Bytes>): Answer => (socket) => {
  socket.end(Buffer.concat(parts.map(bytesOf)))
}

/** Writes the parts and resets the connection. */
export const resetting = (...parts: ReadonlyArray<Bytes>): Answer => (socket) => {
  socket.write(Buffer.concat(parts.map(bytesOf)), () => socket.resetAndDestroy())
}

/** Writes the start, and then the same part again and again, until the connection is closed. */
export const dripping = (start: string, part: string, pause: Duration.Input = "20 millis"): Answer => (socket) => {
  socket.write(start, "latin1")
  const write = Effect.sync(() => socket.write(part, "latin1"))
  Effect.runFork(Effect.repeat(Effect.delay(write, pause), { while: () => !socket.destroyed }))
}

/** Writes the start, and then the same part as fast as it is read, without an end. */
export const flooding = (start: string, part: string): Answer => (socket) => {
  socket.write(start, "latin1")
  const more = () => {
    while (!socket.destroyed && socket.write(part, "latin1"));
  }
  socket.on("drain", more)
  more()
}

/** A whole response, one byte a packet. */
export const bytewise = (text: string): Answer => (socket) => {
  socket.setNoDelay(true)
  Effect.runFork(
    Effect.forEach(text, (byte) => Effect.andThen(Effect.sync(() => socket.write(byte, "latin1")), Effect.yieldNow), {
      discard: true
    })
  )
}

/** A response after a pause. */
export const after = (pause: Duration.Input, answer: Answer): Answer => (socket) => {
  Effect.runFork(Effect.delay(Effect.sync(() => answer(socket)), pause))
}

/** Several responses in a row. */
export const both = (...answers: ReadonlyArray<Answer>): Answer => (socket) => {
  for (const answer of answers) answer(socket)
}

/** No response, on a connection that stays open. */
export const silence: Answer = () => undefined

/** The first frame of HTTP/2. */
export const http2Settings = "\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64"

/** The text of a response: header lines, a body and a status. */
export const http = (headers: string, body = "", status = "200 OK"): string =>
  `HTTP/1.1 ${status}\r\n${headers === "" ? "" : `${headers}\r\n`}\r\n${body}`

/** The text of a whole response with its `Content-Length`, by default of JSON. */
export const sized = (body: string, headers = "content-type: application/json", status = "200 OK"): string =>
  http(`${headers}\r\ncontent-length: ${Buffer.byteLength(body, "latin1")}`, body, status)

/** A whole response with a body of bytes. */
export const answer = (status: string, body: Bytes = "", headers = "content-type: application/json"): Answer =>
  raw(http(`${headers}\r\ncontent-length: ${bytesOf(body).length}`, "", status), body)
