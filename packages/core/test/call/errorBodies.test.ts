import { Languages } from "@effect-lingua/core/languages/Languages"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Wire from "../support/Wire.ts"

const resilience = { attempts: 1 }

/** The error of a call after a response. */
const errorOf = (reply: Wire.Reply) =>
  Effect.flatMap(Languages, (languages) => Effect.flip(languages.resources)).pipe(
    Effect.provide(Wire.layer([reply], { resilience }))
  )

const page = `<!DOCTYPE html><html><head><title>502 Bad Gateway</title><style>body { color: red }</style>
<script>alert("<p>")</script></head><body>\r\n<h1>Bad&nbsp;Gateway</h1><p class="x">nginx</p></body></html>`

interface Reported {
  readonly description: string
  readonly code?: string
  readonly detail?: string
}

/** Bodies and the expected description, code and detail of the error. */
const shapes: ReadonlyArray<readonly [name: string, body: unknown, expected: Reported]> = [
  ["{message}", { message: "No." }, { description: "No." }],
  ["{message, code}", { message: "No.", code: "invalid_content_type" }, {
    description: "No.",
    code: "invalid_content_type"
  }],
  ["{message, detail}", { message: "No.", detail: "Because." }, { description: "No.", detail: "Because." }],
  ["{detail} alone", { detail: "Because." }, { description: "Because." }],
  ["{Message}", { Message: "Tag handling parsing failed." }, { description: "Tag handling parsing failed." }],
  ["{error: {message}}", { error: { message: "Bad Gateway.", code: "x" } }, { description: "Bad Gateway.", code: "x" }],
  ["{error} as text", { error: "No." }, { description: "No." }],
  ["an empty message", { message: "  ", Message: "No." }, { description: "No." }],
  ["an object without any of them", { status: "error" }, { description: "" }],
  ["fields of other types", { message: 1, code: 2, detail: [3], error: null }, { description: "" }],
  ["a JSON string", "\"No.\"", { description: "No." }],
  ["JSON null", "null", { description: "" }],
  ["a JSON array", "[1]", { description: "" }],
  ["cut JSON", "{\"message\": \"N", { description: "N" }],
  ["cut JSON without a message", "{\"upload_url\": \"https://storage.example/u/abc?sig=x\"", { description: "" }],
  ["a message with a signed address", { message: "No file at https://storage.example/u/abc?sig=x&at=1 yet." }, {
    description: "No file at https://storage.example/u/abc?[redacted] yet."
  }],
  ["a question", { message: "Why? See https://docs.example/errors." }, {
    description: "Why? See https://docs.example/errors."
  }],
  ["plain text", "  upstream connect error \n", { description: "upstream connect error" }],
  ["an HTML page", page, { description: "502 Bad Gateway Bad&nbsp;Gateway nginx" }],
  ["nothing", "", { description: "" }]
]

/** Bodies that must not reach a log unchanged. */
const hostile: ReadonlyArray<readonly [name: string, body: unknown]> = [
  ["a megabyte of text", "x".repeat(1024 * 1024)],
  ["a megabyte of tags", "<a>".repeat(350_000)],
  ["a megabyte of open tags", "<".repeat(1024 * 1024)],
  ["a megabyte of open styles", "<style".repeat(175_000)],
  ["control characters", String.fromCharCode(...Array.from({ length: 160 }, (_, code) => code))],
  ["terminal escapes in JSON", { message: "\u001b[31mred\u001b[0m\r\nnext line\u2028and\u0085more" }],
  ["fields that are all too long", { message: "m".repeat(9999), code: "c".repeat(9999), detail: "d".repeat(9999) }]
]

const date = "Wed, 21 Oct 2015 07:28:00 GMT"

/** Values of `Retry-After` and their seconds. */
const hints: ReadonlyArray<readonly [headers: Wire.Headers, seconds: number | undefined]> = [
  [{ "retry-after": "7" }, 7],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "1.5" }, 1.5],
  [{ "retry-after": "Wed, 21 Oct 2015 07:28:30 GMT", date }, 30],
  [{ "retry-after": "Wednesday, 21-Oct-15 07:28:30 GMT", date }, 30],
  [{ "retry-after": "Wed Oct 21 07:28:30 2015", date }, 30],
  [{ "retry-after": "Wed, 21 Oct 2015 07:27:00 GMT", date }, 0],
  // An excessive wait counts as a year.
  [{ "retry-after": "9".repeat(400) }, 365 * 86_400],
  // The test clock is at 1000 s after the epoch.
  [{ "retry-after": "Thu, 01 Jan 1970 00:17:10 GMT" }, 30],
  [{ "retry-after": "Thu, 01 Jan 1970 00:17:10 GMT", date: "yesterday" }, 30],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "-5" }, undefined],
  [{ "retry-after": "12 parsecs" }, undefined],
  [{ "retry-after": "Infinity" }, undefined],
  [{ "retry-after": "Wed, 99 Oct 2015 07:28:00 GMT" }, undefined],
  [{ "retry-after": "2015-10-21T07:28:30Z" }, undefined],
  [{ "retry-after": "Wed, 21 Oct 2015 07:28:30" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{}, undefined]
]

describe("errorBodies", () => {
  it.effect.each(shapes)("%s is read", ([, body, expected]) =>
    Effect.gen(function*() {
      const error = yield* errorOf(Wire.answer(502, body))
      if (error._tag !== "BadGateway") return assert.fail(error._tag)
      const { code, description, detail } = error
      assert.deepStrictEqual({ code, description, detail }, { code: undefined, detail: undefined, ...expected })
      assert.include(error.message, description)
      assert.include(error.message, detail ?? "")
    }))

  it.effect.each(hostile)("%s makes a bounded message of one line", ([, body]) =>
    Effect.gen(function*() {
      const error = yield* errorOf(Wire.answer(500, body, { "x-trace-id": "0AF1" }))
      assert.strictEqual(error._tag, "InternalServerError")
      assert.isAtMost(error.message.length, 1000)
      assert.notMatch(error.message, /[\p{Cc}\u2028\u2029]/u)
      assert.include(error.message, "Trace id 0AF1.")
    }))

  it.effect.each(hints)("the headers %j mean a wait of %s seconds", ([headers, seconds]) =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_000_000)
      const error = yield* errorOf(Wire.answer(429, "", headers))
      if (error._tag !== "RateLimited") return assert.fail(error._tag)
      const { retryAfter } = error
      assert.strictEqual(retryAfter && Duration.toSeconds(retryAfter), seconds)
      assert.strictEqual(error.message.includes("The service asks to wait"), seconds !== undefined)
    }))
})
