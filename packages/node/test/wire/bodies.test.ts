/** Bodies: JSON, text, encodings and errors. */
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { answer, ending, http, raw } from "../support/bytes.ts"
import { create, entries, read, rename, status, translate } from "./calls.ts"
import { garbled, hostile, refused, succeeds, uncertain, unexpected } from "./table.ts"

/** A 200 with a body. */
const ok = (body: string | Uint8Array, headers?: string) => answer("200 OK", body, headers)
/** A 201 with a body, and a 200 with an encoded body. */
const made = (body: string | Uint8Array) => answer("201 Created", body)
const encoded = (encoding: string, body: string | Uint8Array) => ok(body, `${json}\r\ncontent-encoding: ${encoding}`)
/** A 200 with tab-separated values. */
const tsv = (body: string | Uint8Array) => ok(body, "content-type: text/tab-separated-values")
const utf8 = (text: string) => Buffer.from(text)
const json = "content-type: application/json"
const page = "<html><head><title>502</title></head><body>Bad gateway of the hotel</body></html>"
const translated = (text: string) => `{"translations":[{"detected_source_language":"EN","text":${text}}]}`
const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
/** A 400 with a body. */
const bad4 = "400 Bad Request"
const bad = (body: string | Uint8Array, headers?: string) => answer(bad4, body, headers)
const badRequest = refused("BadRequest", 400)
const zipped = gzipSync(read.body)
/** The error is not repeated: another attempt would return the same bytes. */
const zippedAgain = unexpected(200, "unknown")
const transferred = http("transfer-encoding: gzip, chunked", `${zipped.length.toString(16)}\r\n`)
/** A translation with other fields before it. */
const besides = (fields: string) => ok(`{${fields},${translate.body.slice(1)}`)

hostile("bodies", [
  // JSON that cannot be parsed counts as a lost response.
  ["JSON that is cut", read, ok("[{\"name\":"), garbled(3)],
  ["JSON that is cut, once", read, [ok("[{\"name\":"), ok(read.body)], succeeds(2)],
  ["an empty body", read, ok(""), garbled(3)],
  ["only spaces", read, ok(" \r\n\t "), garbled(3)],
  ["a page", read, ok(page, "content-type: text/html"), garbled(3)],
  ["a page, once", translate, [ok(page, "content-type: text/html"), ok(translate.body)], succeeds(2)],
  ["a page with the type of JSON", translate, ok(page), garbled(2)],
  ["a page for a call that creates", create, made(page), uncertain("UnexpectedResponse")],
  ["a page for a call that replaces", rename, ok(page), garbled(3)],
  ["a page for the state of a document", status, ok(page), garbled(3)],
  ["a line break in a text", translate, ok(translated("\"a\nb\"")), garbled(2)],
  ["zeros", read, ok("\0".repeat(64)), garbled(3)],
  // JSON of another shape would be returned again.
  ["null", read, ok("null"), unexpected(200, "unknown")],
  ["an object instead of a list", read, ok("{}"), unexpected(200, "unknown")],
  ["a list instead of an object", translate, ok("[]"), unexpected(200, "unknown")],
  ["an error with a 200", translate, ok("{\"message\":\"Internal error\"}"), unexpected(200, "unknown")],
  ["an error with a 201", create, made("{\"message\":\"No\"}"), uncertain("UnexpectedResponse")],
  ["null instead of the translations", translate, ok("{\"translations\":null}"), unexpected(200, "unknown")],
  ["fewer translations than texts", translate, ok("{\"translations\":[]}"), unexpected(200, "unknown")],
  ["more translations than texts", translate, ok(translated("\"a\"},{\"text\":\"b\"")), unexpected(200, "unknown")],
  ["null instead of the text", translate, ok(translated("null")), unexpected(200, "unknown")],
  ["another list than was asked for", rename, ok(rename.body.replace("5f0f", "ffff")), unexpected(200, "unknown")],
  ["a list of 100,000 lists", read, ok(deep(100_000)), unexpected(200, "unknown")],
  ["200,000 lists that do not end", read, ok("[".repeat(200_000)), garbled(3)],
  // Unusual JSON that can be decoded.
  ["a translation without its language", translate, ok("{\"translations\":[{\"text\":\"Guten Tag\"}]}"), succeeds()],
  ["a name twice", translate, besides("\"translations\":[]"), succeeds()],
  ["the name of a prototype", translate, besides("\"__proto__\":{\"a\":1},\"constructor\":1"), succeeds()],
  ["a number beyond all bounds", translate, besides(`"x":1e999,"y":${"9".repeat(400)}`), succeeds()],
  ["half of a surrogate pair", translate, ok(translated("\"\\ud83d\"")), succeeds(1, "\ud83d")],
  ["a NUL in a text", translate, ok(translated("\"a\\u0000b\"")), succeeds(1, "a\0b")],
  ["an empty text", translate, ok(translated("\"\"")), succeeds(1, "")],
  ["a text of a megabyte", translate, ok(translated(`"${"a".repeat(1_000_000)}"`)), succeeds(1, "a".repeat(1_000_000))],
  [
    "another 100,000 fields",
    translate,
    besides(Array.from({ length: 100_000 }, (_, n) => `"${n}":0`).join()),
    succeeds()
  ],
  // Bytes that are not UTF-8, and bytes that do not match their headers.
  ["UTF-8", translate, ok(utf8(translated("\"Grüße\""))), succeeds(1, "Grüße")],
  ["a byte order mark", read, ok(utf8(`\ufeff${read.body}`)), succeeds()],
  ["Latin-1", translate, ok(translated("\"Gr\xfc\xdfe\"")), garbled(2)],
  ["Latin-1 with its charset", translate, ok(translated("\"\xfc\""), `${json}; charset=iso-8859-1`), garbled(2)],
  ["UTF-8 that is cut", entries, tsv(utf8("nut\tGrü").subarray(0, -1)), garbled(3)],
  ["an overlong form", translate, ok(translated("\"\xc0\xaf\"")), garbled(2)],
  ["UTF-16", read, ok(Buffer.from(`\ufeff${read.body}`, "utf16le"), `${json}; charset=utf-16`), garbled(3)],
  ["unrequested gzip", read, encoded("gzip", zipped), zippedAgain],
  ["gzip without its header", read, ok(zipped), zippedAgain],
  ["gzip for a creation", create, made(gzipSync(create.body)), uncertain("UnexpectedResponse")],
  ["gzip as an encoding of transfer", read, raw(transferred, zipped, "\r\n0\r\n\r\n"), zippedAgain],
  ["unrequested deflate", read, encoded("deflate", deflateSync(read.body)), garbled(3)],
  ["unrequested brotli", read, encoded("br", brotliCompressSync(read.body)), garbled(3)],
  ["a bomb of gzip", read, encoded("gzip", gzipSync(Buffer.alloc(64 * 1024 * 1024))), zippedAgain],
  ["plain JSON with the header of gzip", read, encoded("gzip", read.body), succeeds()],
  ["an unknown encoding", read, encoded("x", read.body), succeeds()],
  ["the encoding identity", read, encoded("identity", read.body), succeeds()],
  // An error keeps the meaning of its status, whatever its body.
  ["a 400 with no body", read, bad(""), badRequest],
  ["a 400 with JSON of another shape", read, bad("[1,2,3]"), badRequest],
  ["a 400 with JSON that is cut", read, bad("{\"message\":\"N"), badRequest],
  ["a 400 with a page", read, bad(page, "content-type: text/html"), badRequest],
  ["a 400 with an array of 16 MB", read, bad(`[${"0,".repeat(8 * 1024 * 1024)}0]`), badRequest],
  ["a 400 with 100,000 lists", read, bad(deep(100_000)), badRequest],
  ["a 400 with open tags of 1 MB", read, bad("<".repeat(1_000_000)), badRequest],
  ["a 400 with a message of 1 MB", read, bad(JSON.stringify({ message: "a".repeat(1_000_000) })), badRequest],
  ["a 400 with control characters", read, bad("{\"message\":\"\\u001b[31m\\u0000\\u202e\\u2066No\"}"), badRequest],
  ["a 400 that reverses the line", read, bad(utf8("{\"message\":\"\u202eNo\u2066\"}")), badRequest],
  ["a 400 with words that are no text", read, bad("{\"message\":{\"a\":1},\"code\":4,\"detail\":null}"), badRequest],
  ["a 400 with the key", read, bad("{\"message\":\"Who is key-of-the-wire-tests?\"}"), badRequest],
  ["a 400 with the key in escapes", read, bad("{\"message\":\"key\\u002dof-the\\u002Dwire-tests\"}"), badRequest],
  ["a 400 in gzip", read, bad(gzipSync("{\"message\":\"No\"}"), "content-encoding: gzip"), badRequest],
  ["a 400 in Latin-1", read, bad("{\"message\":\"N\xe4h\"}"), badRequest],
  ["a 400 whose length is too long", read, ending(http("content-length: 99", "{", bad4)), badRequest],
  ["a 400 whose chunks are none", read, raw(http("transfer-encoding: chunked", "x\r\n", bad4)), badRequest]
])
