/** Uploads and documents, which the service returns only once. */
import { after, answer, both, ending, http, raw, resetting, sized } from "../support/bytes.ts"
import { cut, cutChunked, done, gone, reset, stall, status } from "../support/rawServer.ts"
import { download, save, upload, uploadLarge, uploadStream } from "./calls.ts"
import {
  failed,
  fails,
  hostile,
  hurried,
  impatient,
  interrupted,
  lost,
  refused,
  succeeds,
  uncertain,
  unexpected
} from "./table.ts"

const five = http("content-length: 5", "hello")
const chunked = http("transfer-encoding: chunked")
const empty = sized("", "content-type: text/plain")
/** The service no longer has the document when its state is read. */
const taken = { elsewhere: [gone] }
/** The same, for a call that reads the state before the download. */
const takenThen = { elsewhere: [done, gone] }
/** The service still has the document. */
const kept = { elsewhere: [done] }
/** The document is not translated yet. */
const notYet = { ...hurried, elsewhere: [status("translating")] }
const spoiled = { elsewhere: [status("error")] }
const less = cut("hell", 5)
const page = answer("200 OK", "<html></html>")
const ok = answer("200 OK", "hello", "content-type: text/plain")
const notReady = answer("503 Service Unavailable", "{\"message\":\"not ready\"}")
const json = "content-type: application/json"
const closing = `${json}\r\nconnection: close`
const helloChunk = "5\r\nhello\r\n"
const chunkedToClose = http(`${closing}\r\ntransfer-encoding: chunked`)
const stopped = { ...impatient, ...taken }
const name = (name: string) => answer("200 OK", "hello", `content-disposition: attachment; filename${name}`)
/** An attempt took the document, and its response was lost. */
const takenBefore = fails("DownloadInterrupted", "unknown", 2, { bytesReceived: 0 })
/** The response to an upload, with an id. */
const id = (id: string) => answer("200 OK", JSON.stringify({ document_id: id, document_key: "0011223344556677" }))
const tooLarge = "413 Content Too Large"
const unreadable = uncertain("UnexpectedResponse")
const tooLargeEarly = refused("PayloadTooLarge", 413)
const lostUpload = uncertain("ConnectionLost")
/** Responds before the body of the request. */
const early = { early: true }
const stuck = { ...early, ...impatient }

hostile("documents", [
  ["a length", save, ok, succeeds()],
  ["chunks", save, raw(chunked, "5\r\nhello\r\n0\r\n\r\n"), succeeds()],
  ["no length, and the end of the connection", save, ending(http("", "hello")), succeeds()],
  ["no bytes", save, raw(empty), succeeds(1, "letter.txt: ")],
  ["no bytes in chunks", download, raw(chunked, "0\r\n\r\n"), succeeds(1, "")],
  ["more bytes than announced", save, raw(http("content-length: 5", "hello, and more")), succeeds()],
  ["more bytes than announced, later", save, both(raw(five), after("1 millis", raw(", and more"))), succeeds()],
  ["a second answer behind the first", save, raw(sized("hello", "x: y") + sized("other", "x: y")), succeeds()],
  ["fewer bytes than announced", download, less, interrupted(4, { bytesExpected: 5, available: false }), taken],
  ["fewer bytes than announced, and it is still there", download, less, interrupted(4, { available: true }), kept],
  ["fewer bytes than announced, to a file", save, less, interrupted(4, { available: false }), takenThen],
  ["no byte of those announced", save, cut("", 5), interrupted(0, { available: false }), takenThen],
  ["a reset after the headers", download, resetting(http("content-length: 5")), interrupted(0), taken],
  ["a reset in the body", save, resetting(http("content-length: 5", "hell")), interrupted(4), takenThen],
  ["a reset in a body without length", save, resetting(http("", "hell")), interrupted(4), takenThen],
  ["a body that stops", save, stall("hell", 5), interrupted(4), { ...impatient, ...takenThen }],
  ["a body without length that stops", download, raw(http("", "hell")), interrupted(4), stopped],
  ["a body that stops after its last byte, in chunks", download, raw(chunked, helloChunk), interrupted(5), stopped],
  ["chunks without the last", save, cutChunked("hello"), interrupted(5), takenThen],
  ["chunks without the last, and a close", save, ending(chunkedToClose, helloChunk), interrupted(5), takenThen],
  ["chunks that are none", save, raw(chunked, "5\r\nhello\r\nmany\r\n"), interrupted(5), takenThen],
  ["two lengths", save, raw(http("content-length: 5\r\ncontent-length: 4", "hello")), lost(2), takenThen],
  ["the type of a page", save, answer("200 OK", "hello", "content-type: text/html"), succeeds()],
  ["a name with a folder", save, name("=\"../../etc/passwd\""), succeeds()],
  ["a name that cannot be read", save, name("*=UTF-8''%E0%A4%A"), succeeds()],
  ["100 before it", save, raw(http("", "", "100 Continue") + sized("hello", "x: y")), succeeds()],
  ["a part of it", save, answer("206 Partial", "hell", "content-range: bytes 0-3/5"), unexpected(206, "unknown")],
  ["no content", save, raw(http("", "", "204 No Content")), unexpected(204, "unknown")],
  ["a redirect", save, answer("302 Found", "", "location: http://127.0.0.2/"), unexpected(302, "refused")],
  ["not found", save, gone, refused("DocumentNotFound", 404), takenThen],
  ["not found after a reset", save, [reset, gone], takenBefore, takenThen],
  ["not found after a 502", download, [answer("502 Bad Gateway"), gone], takenBefore, taken],
  ["not found after a 429", download, [answer("429 No"), gone], refused("DocumentNotFound", 404, 2), taken],
  ["a reset, once", save, [reset, ok], succeeds(2)],
  ["a reset, twice", save, reset, lost(2), takenThen],
  ["a 502, twice", download, answer("502 Bad Gateway"), failed("BadGateway", 502, 2), taken],
  ["not ready at first", save, [notReady, ok], succeeds(2)],
  ["not ready, and the state is a page at first", download, [notReady, ok], succeeds(2), { elsewhere: [page, done] }],
  ["not ready, and the translation failed", download, notReady, fails("DocumentFailed", "refused", 1), spoiled],
  ["never ready", download, notReady, fails("DocumentNotReady", "pending", 1), notYet],
  ["an upload answered with a page", upload, page, unreadable],
  ["an upload answered without a key", upload, answer("200 OK", "{\"document_id\":\"doc-1\"}"), unreadable],
  ["an upload answered with an empty id", upload, id(""), unreadable],
  ["an upload answered with an id with a slash", upload, id("../x"), unreadable],
  ["an upload answered 201", upload, answer("201 Created", upload.body), succeeds()],
  ["an upload refused, then taken", upload, [answer("503 Later"), answer("200 OK", upload.body)], succeeds(2)],
  ["a large upload", uploadLarge, answer("200 OK", upload.body), succeeds()],
  ["a large upload of a stream", uploadStream, answer("200 OK", upload.body), succeeds()],
  ["a large upload refused early", uploadLarge, raw(sized("", json, tooLarge)), tooLargeEarly, early],
  ["a large upload refused early, and closed", uploadLarge, ending(sized("", closing, tooLarge)), tooLargeEarly, early],
  ["a stream refused early", uploadStream, ending(sized("", closing, "403 No")), refused("AccessDenied", 403), early],
  ["a large upload taken early", uploadLarge, raw(sized(upload.body)), lostUpload, stuck],
  ["a large upload taken early, and closed", uploadLarge, ending(sized(upload.body, closing)), lostUpload, stuck],
  ["a stream taken early", uploadStream, raw(sized(upload.body)), unreadable, stuck],
  ["a large upload reset", uploadLarge, reset, lostUpload, early]
])
