/** Responses that never start, never end or are slow. */
import { Duration } from "effect"
import { after, answer, dripping, flooding, http, raw, silence, sized } from "../support/bytes.ts"
import { create, download, read, remove, save, translate } from "./calls.ts"
import {
  fails,
  garbled,
  hostile,
  hurried,
  impatient,
  impatientForBodies,
  lost,
  refused,
  type Setting,
  silent,
  succeeds,
  uncertain,
  unexpected
} from "./table.ts"

const { body } = read
const spaces = " ".repeat(65_536)
/** The minute that a download may be slow, in less than a second. */
const minute: Setting = {
  clock: 100,
  policy: { bodyIdleTimeout: Duration.minutes(2), jobDeadline: Duration.minutes(30) }
}
/** A document that is truncated. */
const stopped = fails("DownloadInterrupted", "unknown", 1)
const late = fails("DeadlineExceeded", "unknown", 1)
const head = http("content-length: 999999")
const chunked = http("transfer-encoding: chunked")
const bad = (headers: string) => http(headers, "", "400 Bad Request")
const badRequest = refused("BadRequest", 400)
const tooSlow = uncertain("AttemptTimeout")
const unread = uncertain("UnexpectedResponse")
const tooMany = http("content-length: 99", "{", "429 No")
const notFound = http("content-length: 99", "{", "404 Not Found")

hostile("time", [
  ["silence, once", read, [silence, answer("200 OK", body)], succeeds(2), impatient],
  ["half of the status line, and silence", read, raw("HTTP/1.1 20"), silent(3), impatient],
  ["no body, and silence", read, raw(head), silent(3), impatient],
  ["half of the body, and silence", read, raw(head, "[{"), silent(3), impatient],
  ["half of a chunk, and silence", read, raw(chunked, "ff\r\n["), silent(3), impatient],
  ["100, and silence", read, raw(http("", "", "100 Continue")), silent(3), impatient],
  ["100 without an end", read, dripping("", http("", "", "100 Continue")), silent(3), impatient],
  ["103 without an end, and a creation", create, dripping("", http("", "", "103 Hints")), tooSlow, impatient],
  ["a header that drips", read, dripping("HTTP/1.1 200 OK\r\nx: ", "a"), silent(3), impatient],
  ["headers that drip", read, dripping("HTTP/1.1 200 OK\r\n", "a: b\r\n"), silent(3), impatient],
  ["a body that drips", read, dripping(head, " "), late, hurried],
  ["a body that drips, and a creation", create, dripping(head, " "), uncertain("DeadlineExceeded"), hurried],
  ["a body that drips, without a length", read, dripping(http(""), " "), late, hurried],
  ["chunks that drip", read, dripping(chunked, "1\r\n \r\n"), late, hurried],
  ["a chunk extension that drips", read, dripping(`${chunked}1;`, "a"), silent(3), impatient],
  ["trailers that drip", read, dripping(`${chunked}0\r\n`, "a: b\r\n"), silent(3), impatient],
  ["a body without an end", read, flooding(http("", "["), spaces), unexpected(200, "unknown")],
  ["chunks without an end", translate, flooding(chunked, `10000\r\n${spaces}\r\n`), unexpected(200, "unknown")],
  ["a body without an end, and a creation", create, flooding(http("", "{", "201 Created"), spaces), unread],
  ["a length of a terabyte", read, raw(http("content-length: 1000000000000", "[")), unexpected(200, "unknown")],
  ["headers without an end", read, flooding("HTTP/1.1 200 OK\r\n", "a: b\r\n".repeat(1000)), lost(3)],
  ["a 400 without its body", read, raw(bad("content-length: 99")), badRequest, impatientForBodies],
  ["a 400 whose body stops", read, raw(bad("content-length: 99"), "{\"message\":\""), badRequest, impatientForBodies],
  ["a 400 whose body drips", read, dripping(bad("content-length: 99999"), " "), badRequest, impatient],
  ["a 400 whose body has no end", read, flooding(bad(""), "x".repeat(65_536)), badRequest],
  ["a 404 whose body stops, for a deletion", remove, raw(notFound), refused("NotFound", 404), impatientForBodies],
  ["a 429 whose body stops", translate, raw(tooMany), refused("RateLimited", 429, 3), impatientForBodies],
  ["a redirect whose body drips", read, dripping(http("location: /", "", "302 Found"), "x"), late, hurried],
  ["whole JSON that does not end", read, raw(http("", body)), silent(3), impatient],
  ["a document that drips", download, dripping(http("content-length: 99999"), "x"), stopped, minute],
  ["a document that drips, without a length", download, dripping(http(""), "x"), stopped, minute],
  ["a document that drips, to a file", save, dripping(chunked, "1\r\nx\r\n"), stopped, minute],
  ["a slow answer within the timeout", read, after("50 millis", raw(sized(body))), succeeds()],
  ["a page, after silence", translate, [silence, answer("200 OK", "<html></html>")], garbled(2), impatient]
])
