/** The beginning and the end of responses. */
import { answer, bytewise, ending, http, http2Settings, raw, resetting, sized } from "../support/bytes.ts"
import { entries, read, remove, twice } from "./calls.ts"
import { garbled, hostile, lost, type Row, succeeds, unexpected } from "./table.ts"

const { body } = read
const { length } = body
const half = body.slice(0, length / 2)
const closing = "\r\nconnection: close"
const chunked = (chunks: string, more = "") => http(`transfer-encoding: chunked${more}`, chunks)
const size = length.toString(16)
const chunk = `${size}\r\n${body}\r\n`
const ok = answer("200 OK", body)
const last = "0\r\n\r\n"

hostile("framing", [
  ["two lengths that differ", read, raw(http(`content-length: ${length}\r\ncontent-length: 3`, body)), lost(3)],
  ...[`${length}, ${length}`, "-1", `+${length}`, `0x${size}`, "many", "", "99999999999999999999999"].map(
    (value): Row => [`a length of "${value}"`, read, raw(http(`content-length: ${value}`, body)), lost(3)]
  ),
  ["more bytes than announced", read, raw(http(`content-length: ${length}`, `${body}, and more`)), succeeds()],
  ["fewer bytes than announced", read, ending(http(`content-length: ${length}`, half)), lost(3)],
  ["fewer bytes than announced, and a reset", read, resetting(http(`content-length: ${length}`, half)), lost(3)],
  ["fewer bytes than announced, once", read, [ending(http("content-length: 9", "[")), ok], succeeds(2)],
  ["a length in the middle of the body", read, raw(http("content-length: 9", body)), garbled(3)],
  ["a length of nothing", read, raw(http("content-length: 0")), garbled(3)],
  ["no length, and the end of the connection", read, ending(http("", body)), succeeds()],
  ["no length, and half of the body", read, ending(http("", half)), garbled(3)],
  ["no length, and a reset after half of the body", read, resetting(http("", half)), lost(3)],
  ["no length, and a reset after half of the entries", entries, resetting(http("", "screw\tSchr")), lost(3)],
  ["no length and no body", read, ending(http("")), garbled(3)],
  ["one byte a packet", read, bytewise(sized(body)), succeeds()],
  ["one byte a packet, in chunks", read, bytewise(chunked(chunk + last)), succeeds()],
  ["chunks", read, raw(chunked(chunk + last)), succeeds()],
  ["a size with zeros and capitals", read, raw(chunked(`000${size.toUpperCase()}\r\n${body}\r\n${last}`)), succeeds()],
  ["chunks with extensions", read, raw(chunked(`${size};a=b;c="d"\r\n${body}\r\n0;e\r\n\r\n`)), succeeds()],
  ["an extension of 64 KB", read, raw(chunked(`${size};${"a".repeat(65_536)}\r\n${body}\r\n${last}`)), succeeds()],
  ["chunks with trailers", read, raw(chunked(`${chunk}0\r\nx-a: b\r\nx-trace-id: c\r\n\r\n`)), succeeds()],
  ["a length as a trailer", read, raw(chunked(`${chunk}0\r\ncontent-length: 1\r\n\r\n`)), lost(3)],
  ["trailers of 64 KB", read, raw(chunked(`${chunk}0\r\nx-a: ${"b".repeat(65_536)}\r\n\r\n`)), lost(3)],
  ...["many", "-1", `0x${size}`, "f".repeat(17), "3"].map(
    (value): Row => [`a chunk of ${value}`, read, raw(chunked(`${value}\r\n${body}\r\n${last}`)), lost(3)]
  ),
  ["a chunk that is shorter than its size", read, ending(chunked(`fff\r\n${body}\r\n${last}`)), lost(3)],
  ["chunks without the last", read, ending(chunked(chunk)), lost(3)],
  ["chunks without the last, and a reset", read, resetting(chunked(chunk)), lost(3)],
  ["chunks without the last, and a close", read, ending(chunked(chunk, closing)), lost(3)],
  ["half of a chunk, and a close", read, ending(chunked(`fff\r\n${body}`, closing)), lost(3)],
  ["fewer bytes than announced, and a close", read, ending(http(`content-length: 99${closing}`, body)), lost(3)],
  ["the last chunk without its end", read, ending(chunked(`${chunk}0\r\n`)), lost(3)],
  ["chunks twice encoded", read, raw(chunked(chunk + last, ", chunked")), succeeds()],
  ["an encoding after the chunks", read, ending(chunked(chunk + last, ", identity")), garbled(3)],
  ["an unknown transfer encoding", read, ending(http("transfer-encoding: xchunked", body)), succeeds()],
  ["a version of one number", read, raw(sized(body).replace("1.1", "1")), lost(3)],
  ["HTTP/1.0", read, ending(sized(body).replace("1.1", "1.0")), succeeds()],
  ["HTTP/1.0 without a length", read, ending(http("", body).replace("1.1", "1.0")), succeeds()],
  ["HTTP/2.0 in words", read, raw(sized(body).replace("1.1", "2.0")), succeeds()],
  ["ICY, as of radio stations", read, raw(sized(body).replace("HTTP/1.1", "ICY")), lost(3)],
  ["no status line, as of HTTP/0.9", read, ending(body), lost(3)],
  ["the settings of HTTP/2", read, ending(http2Settings), lost(3)],
  ["empty lines before the status line", read, raw(`\r\n\r\n${sized(body)}`), succeeds()],
  ["half of the status line", read, ending("HTTP/1.1 20"), lost(3)],
  ["headers without their end", read, ending("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n"), lost(3)],
  ["a second answer behind the first", twice, [raw(sized(body) + sized("[]")), ok], succeeds(2)],
  ["a second answer that is an error", twice, [raw(sized(body) + sized("", "x: y", "403 No")), ok], succeeds(2)],
  ["an answer that closes, for the second request too", twice, ending(sized(body, "connection: close")), succeeds(2)],
  ["an answer that ends the connection unannounced", twice, ending(sized(body)), succeeds(2)],
  ["a body for a 204", remove, raw(http("content-length: 5", "hello", "204 No Content")), succeeds()],
  ["chunks for a 204", remove, raw(http("transfer-encoding: chunked", chunk + last, "204 No")), succeeds()],
  ["304 Not Modified", read, raw(http("content-length: 5\r\netag: x", "", "304 No")), unexpected(304, "refused")]
])
