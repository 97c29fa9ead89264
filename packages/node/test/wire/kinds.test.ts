/** The same bytes for every kind of operation: the outcome depends on the effect of a repeat. */
import { answer, ending, http, raw, silence } from "../support/bytes.ts"
import { type Answer, reset } from "../support/rawServer.ts"
import {
  type Call,
  correct,
  create,
  download,
  entries,
  read,
  remove,
  rename,
  status,
  translate,
  upload
} from "./calls.ts"
import { type Expected, fails, hostile, impatient, type Row, type Setting } from "./table.ts"

/** The number of attempts, of three, if every response is lost, and if every response is a failure of the service. */
const kinds: ReadonlyArray<readonly [call: Call, lost: number, failed: number]> = [
  ...[read, entries, status, rename, remove].map((call) => [call, 3, 3] as const),
  ...[translate, correct].map((call) => [call, 2, 3] as const),
  ...[create, upload].map((call) => [call, 1, 1] as const),
  [download, 2, 2]
]

const creating = new Set([create, upload])

/** A response after which the effect is unknown, with the tag of its error, for all calls except `but`. */
const hides = (
  hidden: "lost" | "failed",
  name: string,
  given: Answer,
  tag: string,
  more: { readonly status?: number; readonly but?: ReadonlyArray<Call>; readonly setting?: Setting } = {}
): ReadonlyArray<Row> =>
  kinds.filter(([call]) => more.but?.includes(call) !== true).map(([call, lost, failed]): Row => {
    const requests = hidden === "lost" ? lost : failed
    const expected: Expected = creating.has(call)
      ? fails("OutcomeUnknown", "unknown", requests, { cause: tag })
      : fails(tag, "unknown", requests, more.status === undefined ? {} : { status: more.status })
    return [name, call, given, expected, more.setting]
  })

/** A response that excludes an effect. */
const refuses = (line: string, tag: string, requests: number, but: ReadonlyArray<Call> = []): ReadonlyArray<Row> =>
  kinds.filter(([call]) => !but.includes(call)).map(([call]): Row => [
    line,
    call,
    answer(line),
    fails(tag, "refused", requests, { status: Number.parseInt(line) })
  ])

const chunked = "transfer-encoding: chunked"
const html = "content-type: text/html"
/** Calls that read no text from a success. */
const but = [download, remove]

hostile(
  "the same bytes for every kind",
  [
    hides("lost", "a reset", reset, "ConnectionLost"),
    hides("lost", "the end of the connection", ending(""), "ConnectionLost"),
    hides("lost", "an answer that is no HTTP", ending("SSH-2.0-OpenSSH_9.6\r\n"), "ConnectionLost"),
    hides("lost", "half of the headers", ending("HTTP/1.1 200 OK\r\ncontent-le"), "ConnectionLost"),
    hides("lost", "a length and chunks", raw(http(`content-length: 5\r\n${chunked}`, "5\r\n")), "ConnectionLost"),
    hides("lost", "half of the body", ending(http("content-length: 999", "{")), "ConnectionLost", { but }),
    hides("lost", "silence", silence, "AttemptTimeout", { setting: impatient }),
    hides("lost", "bytes that are no text", answer("200 OK", "\xff\xfe"), "UnexpectedResponse", { status: 200, but }),
    hides("failed", "500", answer("500 Internal Server Error"), "InternalServerError", { status: 500 }),
    hides("failed", "502 with a page", answer("502 No", "<html></html>", html), "BadGateway", { status: 502 }),
    hides("failed", "504", answer("504 Gateway Timeout"), "GatewayTimeout", { status: 504 }),
    hides("failed", "520", answer("520 Unknown"), "UnexpectedResponse", { status: 520 }),
    refuses("400 Bad Request", "BadRequest", 1),
    refuses("401 Unauthorized", "InvalidKey", 1),
    refuses("403 Forbidden", "AccessDenied", 1),
    refuses("429 Too Many Requests", "RateLimited", 3),
    refuses("503 Service Unavailable", "ServiceUnavailable", 3, [download]),
    refuses("529 Site Is Overloaded", "Overloaded", 3),
    refuses("307 Temporary Redirect", "UnexpectedResponse", 1)
  ].flat()
)
