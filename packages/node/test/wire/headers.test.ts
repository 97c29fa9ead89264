/** Status lines and headers. */
import { after, answer, both, ending, http, raw, sized } from "../support/bytes.ts"
import { create, download, read } from "./calls.ts"
import { hostile, lost, refused, succeeds, uncertain, unexpected } from "./table.ts"

const { body } = read
const json = "content-type: application/json"
const long = "a".repeat(10_000)
const denied = refused("AccessDenied", 403)
/** A 403 with that trace id. */
const traced = (id: string) => raw(sized("", `x-trace-id: ${id}`, "403 Forbidden"))
const go = http("", "", "100 Continue")

hostile("headers", [
  ["no reason after the status", read, raw(sized(body, json, "200")), succeeds()],
  ["a reason of 64 KB", read, raw(sized(body, json, `200 ${"a".repeat(65_536)}`)), succeeds()],
  ["a reason with escape sequences", read, raw(sized("", json, "403 \x1b[31mNo\x1b[0m")), refused("AccessDenied", 403)],
  ["a reason beyond ASCII", read, raw(sized(body, json, "200 D\xe9j\xe0 vu")), succeeds()],
  ["a status of four digits", read, raw(sized(body, json, "2000 OK")), lost(3)],
  ["a status that is a word", read, raw(sized(body, json, "OK")), lost(3)],
  ["lines that end with LF", read, raw(sized(body).replaceAll("\r\n", "\n")), lost(3)],
  ["lines that end with CR", read, ending(sized(body).replaceAll("\r\n", "\r")), lost(3)],
  ["a folded header", read, raw(sized(body, `${json};\r\n charset=utf-8`)), lost(3)],
  ["a header without a colon", read, raw(sized(body, `${json}\r\nbroken`)), lost(3)],
  ["a space before the colon", read, raw(sized(body, "content-type : application/json")), lost(3)],
  ["a NUL in a value", read, raw(sized(body, `${json}\r\nx: a\0b`)), lost(3)],
  ["a CR in a value", read, raw(sized(body, `${json}\r\nx: a\rb`)), lost(3)],
  ["a value of 64 KB", read, raw(sized(body, `${json}\r\nx: ${"a".repeat(65_536)}`)), lost(3)],
  ["a thousand headers", read, raw(sized(body, `${json}${"\r\na: b".repeat(1000)}`)), succeeds()],
  ["ten thousand headers", read, raw(sized(body, `${json}${"\r\na: b".repeat(10_000)}`)), lost(3)],
  ["the name of a prototype", read, raw(sized(body, `${json}\r\n__proto__: a\r\nconstructor: b`)), succeeds()],
  ["values beyond ASCII", read, raw(sized(body, `${json}\r\nx-name: caf\xe9`)), succeeds()],
  ["no type", read, raw(sized(body, "server: x")), succeeds()],
  ["a type that is none", read, raw(sized(body, "content-type: ;;;==/\\")), succeeds()],
  ["a type of 10 KB", read, raw(sized("{", `content-type: ${long}`)), unexpected(200, "unknown", 3)],
  ["the type of a page around JSON", read, raw(sized(body, "content-type: text/html")), succeeds()],
  ["a trace id of 10 KB", read, traced(long), denied],
  ["two trace ids", read, traced("a\r\nx-trace-id: b"), denied],
  ["a trace id that reverses the line", read, traced("\xe2\x80\xaeab"), denied],
  ["keep-alive for no time", read, raw(sized(body, `${json}\r\nkeep-alive: timeout=0`)), succeeds()],
  ["keep-alive that is none", read, raw(sized(body, `${json}\r\nkeep-alive: timeout=-1, max=x`)), succeeds()],
  ["an offer of HTTP/2", read, raw(sized(body, `${json}\r\nupgrade: h2c\r\nalt-svc: h3=":443"`)), succeeds()],
  ["a request for a proxy's password", read, answer("407 Proxy Authentication Required"), unexpected(407, "refused")],
  ["100 before the answer", read, raw(go + sized(body)), succeeds()],
  ["100 before the answer that creates", create, raw(go + sized(create.body, json, "201 Created")), succeeds()],
  ["100 before a document", download, raw(go + sized("hello", "content-type: text/plain")), succeeds()],
  ["100 before a refusal", create, raw(go + sized("", json, "400 Bad Request")), refused("BadRequest", 400)],
  ["100 without a reason", read, raw(http("", "", "100") + sized(body)), succeeds()],
  ["100, and the answer in its own time", read, both(raw(go), after("5 millis", raw(sized(body)))), succeeds()],
  ["100, and the end of the connection", read, ending(go), lost(3)],
  ["100, and the end of a creation", create, ending(go), uncertain("ConnectionLost")],
  ["103 before the answer", read, raw(http("link: </a>", "", "103 Early Hints") + sized(body)), succeeds()],
  ["199 before the answer", read, raw(http("", "", "199 Else") + sized(body)), succeeds()],
  ["101, unasked", read, raw(http("upgrade: x\r\nconnection: upgrade", "", "101 Switching")), lost(3)],
  ["101 without an upgrade", read, ending(http("", "", "101 Switching Protocols") + sized(body)), lost(3)]
])
