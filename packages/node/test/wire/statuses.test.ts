/** Statuses, redirects and `Retry-After`. */
import { Duration } from "effect"
import { answer, http, raw, sized } from "../support/bytes.ts"
import { correct, create, download, entries, read, remove, rename, status, translate, upload } from "./calls.ts"
import { type Expected, failed, fails, hostile, refused, type Row, succeeds, uncertain, unexpected } from "./table.ts"

const error = JSON.stringify({ message: "No" })

/** A response with a status, for a read. */
const of = (line: string, expected: Expected, body = error): Row => [line, read, answer(line, body), expected]

const redirect = (status: number): Row => [
  `${status} to another host`,
  read,
  answer(`${status} Away`, "", "location: http://127.0.0.2/steal"),
  unexpected(status, "refused")
]

/** A 429 or another status with a `Retry-After`. */
const hint = (value: string, expected: Expected, line = "429 Too Many Requests"): Row => [
  `${line}, Retry-After: ${value === "" ? "nothing" : value}`,
  translate,
  answer(line, error, `retry-after: ${value}`),
  expected
]

/** A hint that exceeds the longest wait. */
const tooLong = (seconds: number): Expected =>
  fails("RateLimited", "refused", 1, { status: 429, retryAfter: Duration.seconds(seconds) })

const limited = refused("RateLimited", 429, 3)
const date = "Sat, 21 Nov 2026"

const no = answer("500 Internal Server Error")
const made = answer("201 Created", create.body)
const later = answer("503 Service Unavailable")

hostile("statuses", [
  ...[201, 202, 203, 206, 207, 226].map((status) => of(`${status} Yes`, succeeds(), read.body)),
  of("204 No Content", unexpected(204, "unknown"), ""),
  of("205 Reset Content", unexpected(205, "unknown"), ""),
  ...[300, 301, 302, 303, 305, 307, 308].map(redirect),
  ["302 to the same host", create, answer("302 Found", "", "location: /elsewhere"), unexpected(302, "refused")],
  ["307 to itself", translate, answer("307 Temporary", "", "location: /v2/translate"), unexpected(307, "refused")],
  ["308 to a script", remove, answer("308 Permanent", "", "location: javascript:1"), unexpected(308, "refused")],
  ["302 without a location", download, answer("302 Found"), unexpected(302, "refused")],
  ...[402, 404, 405, 406, 409, 410, 411, 412, 414, 415, 416, 417, 418, 421, 422, 425, 426, 428, 431, 451, 499].map((
    status
  ) => of(`${status} No`, unexpected(status, "refused"))),
  of("408 Request Timeout", refused("ServiceUnavailable", 408, 3)),
  of("413 Content Too Large", refused("PayloadTooLarge", 413)),
  of("501 Not Implemented", unexpected(501, "unknown")),
  of("505 HTTP Version Not Supported", unexpected(505, "unknown")),
  ...[507, 508, 511, 520, 521, 522, 524, 525, 526, 530, 599, 600, 999].map((status) =>
    of(`${status} No`, unexpected(status, "unknown", 3))
  ),
  ["456 for a translation", translate, answer("456 Quota Exceeded", error), refused("QuotaExceeded", 456)],
  ["456 for an improvement", correct, answer("456 Quota Exceeded"), refused("QuotaExceeded", 456)],
  ["404 for the id of a resource", rename, answer("404 Not Found"), refused("NotFound", 404)],
  ["404 for a deletion", remove, answer("404 Not Found"), refused("NotFound", 404)],
  ["404 after a 500, for a deletion", remove, [no, answer("404 Not Found")], succeeds(2)],
  ["404 after a 500, for a change of name", rename, [no, answer("404 Not Found")], failed("NotFound", 404, 2)],
  ["500, then a success", translate, [no, answer("200 OK", translate.body)], succeeds(2)],
  ["503, then a success that creates", create, [later, made], succeeds(2)],
  ["500, then a success that creates", create, [no, made], uncertain("InternalServerError")],
  ["503, then a 500 for a call that creates", create, [later, no], uncertain("InternalServerError", 2)],
  ["200 for a call that creates", create, answer("200 OK", create.body), succeeds()],
  ["202 for a call that creates", create, answer("202 Accepted", create.body), succeeds()],
  ["204 for a call that creates", create, raw(http("", "", "204 No Content")), uncertain("UnexpectedResponse")],
  ["302 for an upload", upload, answer("302 Found", "", "location: /elsewhere"), unexpected(302, "refused")],
  ["200 with a body for a call that deletes", remove, answer("200 OK", "{}"), succeeds()],
  ["202 for a call that deletes", remove, answer("202 Accepted"), succeeds()],
  ["201 for a translation", translate, answer("201 Created", translate.body), succeeds()],
  ["206 for entries", entries, answer("206 Partial Content", entries.body), unexpected(206, "unknown")],
  ["404 for the state of a document", status, answer("404 Not Found"), refused("DocumentNotFound", 404)],
  ..."0|0.005| 0 |-1|soon|1e3|0x10|NaN|Infinity||3600, 7200|Thu, 01 Jan 1970 00:00:00 GMT|Mon, 32 Foo 2026 25:00:00 GMT"
    .split("|").map((value) => hint(value, limited)),
  hint("3600", tooLong(3600)),
  hint("61", tooLong(61)),
  hint("9".repeat(30), tooLong(365 * 24 * 3600)),
  hint("9".repeat(400), tooLong(365 * 24 * 3600)),
  hint(`${date} 12:01:30 GMT\r\ndate: ${date} 12:00:00 GMT`, tooLong(90)),
  hint(`${date} 12:00:00 GMT\r\ndate: ${date} 12:01:30 GMT`, limited),
  hint(`2026-11-21T12:01:30Z\r\ndate: ${date} 12:00:00 GMT`, limited),
  hint("3600", refused("ServiceUnavailable", 503), "503 Service Unavailable"),
  hint("3600", refused("Overloaded", 529), "529 Site Is Overloaded"),
  hint("3600", failed("InternalServerError", 500, 1), "500 Internal Server Error"),
  hint("0", refused("QuotaExceeded", 456), "456 Quota Exceeded"),
  hint("0", refused("BadRequest", 400), "400 Bad Request"),
  ["200, Retry-After: 3600", translate, raw(sized(translate.body, "retry-after: 3600")), succeeds()],
  ["two hints", translate, raw(sized("", "retry-after: 3600\r\nretry-after: 0", "429 No")), limited]
])
