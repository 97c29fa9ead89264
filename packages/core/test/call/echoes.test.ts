import { CustomRequests, Documents, LanguageServiceConfig, QualityEvaluation } from "@effect-lingua/core"
import { TranslationMemories } from "@effect-lingua/core/translation-memories"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { inspect } from "node:util"
import { sampled, scaled } from "../../../../test/support/scale.ts"
import { printedOf, Sample, Wire } from "../support/index.ts"

const hex = (char: string, digits: number) => char.charCodeAt(0).toString(16).padStart(digits, "0")
const each = (write: (char: string) => string) => (secret: string) => Array.from(secret, write).join("")
const eachOf = (pattern: RegExp, write: (char: string) => string) => (secret: string) => secret.replace(pattern, write)
const json = (secret: string) => JSON.stringify(secret).slice(1, -1)
const authorization = (secret: string) => Buffer.from(`Service-Auth-Key ${secret}`)

/** Encodings of a secret that a server repeats. */
const encodings = {
  "as it is": (secret: string) => secret,
  "in JSON": json,
  "in JSON by PHP": (secret: string) => json(secret).replaceAll("/", "\\/"),
  "in JSON by .NET": eachOf(/[^a-z0-9]/gi, (char) => `\\u${hex(char, 4).toUpperCase()}`),
  "in JSON in JSON": (secret: string) => json(json(secret).replaceAll("/", "\\/")),
  "in JSON with all characters escaped": each((char) => `\\u${hex(char, 4)}`),
  "in an address": encodeURIComponent,
  "in an address, all characters": each((char) => `%${hex(char, 2)}`),
  "in an address in an address": (secret: string) => encodeURIComponent(encodeURIComponent(secret)),
  "in a form": (secret: string) => new URLSearchParams([["", secret]]).toString().slice(1),
  "in HTML by name": eachOf(
    /[&<>"']/g,
    (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&apos;" })[char] ?? char
  ),
  "in HTML by number": eachOf(/[^a-z0-9]/gi, (char) => `&#${char.charCodeAt(0)};`),
  "in HTML by hexadecimal number": each((char) => `&#x${hex(char, 2).toUpperCase()};`),
  "in a script": eachOf(/[^a-z0-9]/gi, (char) => `\\x${hex(char, 2)}`),
  "in a mail": eachOf(/[^a-z0-9]/gi, (char) => `=${hex(char, 2).toUpperCase()}`),
  "in base64": (secret: string) => authorization(secret).toString("base64"),
  "in base64 for addresses": (secret: string) => authorization(secret).toString("base64url"),
  "in hexadecimal": (secret: string) => Buffer.from(secret).toString("hex")
} satisfies Readonly<Record<string, (secret: string) => string>>

/** Bodies that contain a text, which is escaped already for those of JSON. */
const bodies: Readonly<Record<string, (text: string) => string>> = {
  message: (text) => `{"message":"key ${text} is not known"}`,
  "message alone": (text) => `{"message":"${text}"}`,
  "message, code and detail": (text) => `{"message":"${text}","code":"${text}","detail":"${text}"}`,
  "error.message": (text) => `{"error":{"message":"${text}","code":"${text}"}}`,
  "a text of JSON": (text) => `"${text}"`,
  "JSON that is cut": (text) => `{"message":"${text}`,
  "a missing scope": (text) => `{"message":"Missing required scope(s): ${text}, ${text}"}`,
  text: (text) => `Who is ${text}?`,
  HTML: (text) => `<html><body><h1>${text}</h1><a href="?key=${text}">again</a> ${text}</body></html>`,
  "HTML in pieces": (text) => `<p>${text.slice(0, 4)}<wbr/>${text.slice(4)}</p>`,
  "a success of another shape": (text) => `{"${text}":"${text}","document_id":["${text}"],"results":"${text}"}`,
  "a failed document": (text) => `{"document_id":"${Sample.documentId}","status":"error","message":"${text}"}`,
  "a failed job": (text) =>
    `{"job_id":"${Sample.jobId}","status":"${text}","results":[{"status":"failed","error":{"message":"${text}"}}]}`
}

/** Operations whose successful responses contain a message of the service. */
const sayingMore = new Set(["Documents.download", "Documents.status", "TranslationMemories.status"])

const echoing = [
  "x-trace-id",
  "retry-after",
  "date",
  "server",
  "location",
  "www-authenticate",
  "content-disposition",
  "content-language"
]

const statuses: ReadonlyArray<number> = [
  [200, 201, 202, 204, 206, 302, 400, 401, 403, 404, 408, 409, 413, 414, 415, 418, 429, 456, 500, 502, 503, 504, 520],
  [529]
].flat()

const Echo = Schema.Struct({
  secret: Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{8,48}$/)),
  encoding: Schema.Literals(Object.keys(encodings)),
  body: Schema.Literals(Object.keys(bodies)),
  status: Schema.Literals(statuses),
  headers: Schema.Literals(["none", "all but the type", "all"]),
  isHeader: Schema.Boolean
})

const encodingOf = (name: string): (secret: string) => string =>
  Object.entries(encodings).find(([key]) => key === name)?.[1] ?? ((secret) => secret)

describe("echoes", () => {
  it.effect("a configuration shows neither its key nor a value of its headers", () =>
    Effect.gen(function*() {
      const token = "a-gateway-token-0123"
      const config = yield* LanguageServiceConfig.make({
        key: Redacted.make(Wire.key),
        baseUrl: Wire.baseUrl,
        headers: { "x-gateway": `Bearer ${token}`, "x-other": Redacted.make(token) }
      })
      for (const shown of [JSON.stringify(config), inspect(config, { depth: null, showHidden: true })]) {
        for (const secret of [token, Wire.key]) assert.notInclude(shown, secret)
        assert.include(shown, "x-gateway")
      }
    }))

  it.effect("a secret is replaced from 8 characters on, and the text of a message cut to 300", () =>
    Effect.gen(function*() {
      const { description } = yield* Effect.flip(Sample.operation("Languages.resources").call)
      assert.match(description, /^a 1234567 and a \[redacted\] x+…$/)
      assert.strictEqual(description.length, 301)
    }).pipe(Effect.provide(Wire.layer(
      Wire.answer(400, { message: `a 1234567 and a 12345678 ${"x".repeat(1000)}` }),
      { headers: { "x-short": "1234567", "x-long": "12345678" } }
    ))))

  for (const [name, { call }] of sampled(Object.entries(Sample.operations), 30)) {
    it.effect.prop(
      `nothing that can be printed about ${name} has a secret that the service repeats`,
      [Echo],
      ([{ body, encoding, headers, isHeader, secret: given, status }]) => {
        // The key of a document is the only secret of the call that this service has.
        const secret = !isHeader && name.startsWith("Admin.") ? Wire.adminKey : given
        const text = encodingOf(encoding)(secret)
        const reply = Wire.answer(status, bodies[body]?.(text) ?? "", {
          ...(headers === "none" ? undefined : Object.fromEntries(echoing.map((header) => [header, text]))),
          ...(headers === "all" ? { "content-type": text } : undefined)
        })
        return Effect.gen(function*() {
          const { exit, printed } = yield* printedOf(call)
          const shown = Exit.isSuccess(exit) && sayingMore.has(name)
            ? [...printed, ["the success", inspect(exit.value, { depth: 2 })] as const]
            : printed
          for (const [where, said] of shown) {
            assert.notInclude(said, secret, where)
            assert.notInclude(said, text, where)
          }
        }).pipe(Effect.provide(Wire.layer(reply, {
          key: Redacted.make(isHeader ? Wire.key : given),
          ...(isHeader ? { headers: { "x-gateway": `Bearer ${secret}` } } : undefined),
          resilience: { attempts: 2 }
        })))
      },
      { arbitrary: { runs: scaled(1, 20) } }
    )
  }

  it.effect.each(Object.entries<(secret: string) => string>(encodings))(
    "a document key and a key that the service repeats %s are not shown",
    ([, encode]) => {
      const key = "k/3+y=<&'>9"
      return Effect.gen(function*() {
        for (const name of ["Documents.status", "Documents.download"]) {
          const { printed } = yield* printedOf(Sample.operation(name).call)
          for (const [where, said] of printed) {
            for (const secret of [Sample.documentKey, key, encode(key)]) assert.notInclude(said, secret, where)
          }
        }
      }).pipe(Effect.provide(Wire.layer(
        Wire.answer(400, `{"message":"${encode(Sample.documentKey)}, ${encode(key)}"}`, {
          "x-trace-id": Sample.documentKey
        }),
        { key: Redacted.make(key), resilience: { attempts: 1 } }
      )))
    }
  )

  const long = "abcdefghij0123456789klmnop"
  const halves = ["0123456789ab", "cdefghijklmn"]
  const base64 = Buffer.from(halves.join("")).toString("base64")
  const dividers = ["\n", "\r\n\t", "\u00ad", "\u200b", "\ufeff", "<wbr>", "</b><b>", "\u202a", "\0"]

  it.effect.each<readonly [what: string, secret: string, body: unknown, parts: ReadonlyArray<string>]>([
    ["that loses its backslash", "\\\"h8+idA", `{"error":{"message":"\\"h8+idA"}}`, ["h8+idA"]],
    [
      "where the reading of a long body ends",
      long,
      `{"a":"${"z".repeat(16 * 1024 - 20 - 31)}","message":"no such key ${long} in`,
      [long.slice(0, 8)]
    ],
    ["that ends with a quotation mark, in JSON that it makes invalid", "lp9xd'L\"", `{"message":"lp9xd'L"`, [
      "lp9xd'L"
    ]],
    ["that has one", "0123456\"89abcdef", `{"message":"0123456"89abcdef`, ["0123456"]],
    ...["???>>>", "~???>>>", "~~???>>>"].map((end) => {
      const echoes = [encodings["in base64"](`secret${end}`), encodings["in base64 for addresses"](`secret${end}`)]
      return [
        `whose base64 has both characters that addresses replace: ${end}`,
        `secret${end}`,
        { message: echoes.join(" or ") },
        echoes.map((echo) => echo.slice(-8))
      ] as const
    }),
    ...sampled(dividers, 3).map((divider) =>
      [
        `that the service divides by ${JSON.stringify(divider)}`,
        halves.join(""),
        { message: `Who is ${halves.join(divider)}, ${base64.slice(0, 16)}${divider}${base64.slice(16)}?` },
        [...halves, base64.slice(0, 16), base64.slice(16)]
      ] as const
    )
  ])("no part of a secret is shown %s, of the key or of a transform", ([, secret, body, parts]) =>
    Effect.forEach(
      [
        { key: Redacted.make(secret) },
        { transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("x-more", secret)) }
      ],
      (options) =>
        Effect.gen(function*() {
          const { printed } = yield* printedOf(Sample.operation("StyleRules.remove").call)
          for (const [where, said] of printed) for (const part of parts) assert.notInclude(said, part, where)
        }).pipe(Effect.provide(Wire.layer(Wire.answer(400, body), { ...options, resilience: { attempts: 2 } })))
    ))

  it.effect("a token in a header of one request is not shown", () =>
    Effect.gen(function*() {
      const token = "a-token-of-one-request"
      const send = CustomRequests.use((requests) =>
        requests.send({ method: "GET", path: "/v3/more", headers: { "x-more": `session=${token}; path=/` } })
      )
      const { exit, printed } = yield* printedOf(send)
      assert.isTrue(Exit.isFailure(exit))
      for (const [where, said] of printed) assert.notInclude(said, token, where)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(400, { message: "Who is a-token-of-one-request?" })))))

  const waits: Readonly<Record<string, Sample.Operation["call"]>> = {
    "Documents.wait": Documents.use((documents) => documents.wait(Sample.document)),
    "Documents.translate": Documents.use((documents) => documents.translate(Sample.upload)),
    "TranslationMemories.wait": TranslationMemories.use((memories) => memories.wait({ jobId: Sample.jobId })),
    "QualityEvaluation.wait": QualityEvaluation.use((quality) => quality.wait({ jobId: Sample.evaluationId }))
  }

  it.effect.each(Object.entries(waits))(
    "%s does not show the key in the reason or the state of a failure",
    ([, call]) => {
      const said = json(encodings["in JSON by .NET"](Wire.key))
      const failed = [said, "error", "failed"].map((status): Wire.Reply => (request, sent) =>
        Wire.answer(200, {
          document_id: Sample.documentId,
          document_key: Sample.documentKey,
          job_id: sent.url.split("/").at(-1),
          status,
          message: Wire.key,
          error: { code: Wire.key, message: said },
          results: [{ status, error: { message: Wire.key } }]
        })(request, sent)
      )
      return Effect.forEach(failed, (reply) =>
        Effect.gen(function*() {
          const { exit, printed } = yield* printedOf(call)
          assert.isTrue(Exit.isFailure(exit))
          for (const [where, text] of printed) {
            assert.notInclude(text, Wire.key, where)
            assert.notInclude(text, said, where)
          }
        }).pipe(Effect.provide(Wire.layer(reply, { resilience: { attempts: 1, jobDeadline: Duration.minutes(1) } }))))
    }
  )

  it.effect("a trace id is bounded, in the error and on the span", () =>
    Effect.gen(function*() {
      const { printed, spans } = yield* printedOf(Sample.operation("Usage.get").call)
      for (const [where, said] of printed) assert.notInclude(said, "t".repeat(1000), where)
      const ids = spans.flatMap(({ attributes }) => attributes.get("language_service.trace_id") ?? [])
      assert.lengthOf(ids, spans.length)
      assert.isAtMost(JSON.stringify(ids[0]).length, 303)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(400, "", { "x-trace-id": "t".repeat(10_000) }), {
      resilience: { attempts: 1 }
    }))))

  it.effect("characters that change the direction of text are removed from messages", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Sample.operation("Usage.get").call)
      assert.include(error.message, "gpj.exe and more")
      assert.notMatch(error.message, /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
    }).pipe(Effect.provide(Wire.layer(
      Wire.answer(400, { message: "\u202egpj.exe\u202c \u2066and\u2069 \u200fmore\u061c" }),
      { resilience: { attempts: 1 } }
    ))))

  it.effect("the span of an operation has no result", () =>
    Effect.gen(function*() {
      const { exit, spans } = yield* printedOf(Sample.operation("Translation.translate").call)
      assert.isTrue(Exit.isSuccess(exit))
      const status = spans.find(({ name }) => name === "Translation.translate")?.status
      assert.deepStrictEqual(status?._tag === "Ended" ? status.exit : undefined, Exit.void)
    }).pipe(Effect.provide(Wire.layer(Sample.operation("Translation.translate").success))))
})
