import { make } from "@effect-lingua/core/config/LanguageServiceConfig"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { Detection } from "@effect-lingua/core/texts/Detection"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import { Voice } from "@effect-lingua/core/voice/Voice"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Stream } from "effect"
import { HttpClientError } from "effect/http"
import { inspect } from "node:util"
import { isFull } from "../../../../test/support/scale.ts"
import * as Sample from "../support/operations.ts"
import { printedOf } from "../support/printed.ts"
import * as Wire from "../support/Wire.ts"

const secrets = {
  key: "SECRET-KEY-0123",
  documentKey: "SECRET-DOCUMENT-KEY-4567",
  token: "SECRET-TOKEN-89ab",
  text: "A PRIVATE TEXT OF A USER"
}
const { documentKey, key, text, token } = secrets

const options = { key: Redacted.make(key), resilience: { attempts: 2 } }

const calls: ReadonlyArray<Sample.Operation["call"]> = [
  Documents.use((documents) =>
    Effect.flatMap(
      documents.download({ documentId: Sample.documentId, documentKey: Redacted.make(documentKey) }),
      ({ stream }) => Stream.runDrain(stream)
    )
  ),
  Documents.use((documents) =>
    documents.status({ documentId: Sample.documentId, documentKey: Redacted.make(documentKey) })
  ),
  Documents.use((documents) =>
    documents.upload({ ...Sample.upload, content: Stream.make(new TextEncoder().encode(text)) })
  ),
  Voice.use((voice) => voice.reconnect({ token: Redacted.make(token) })),
  Writing.use((writing) => writing.rephrase({ text: [text] })),
  Writing.use((writing) => writing.correct({ text: [text, `${text}\ud800`] })),
  Writing.use((writing) => writing.correct({ text: [text.repeat(1000)] })),
  Detection.use((detection) => detection.detect({ text: [text] })),
  Translation.use((translation) => translation.translate({ text: [text], targetLanguage: "de", context: text })),
  Translation.use((translation) =>
    translation.translate({ text: ["a"], targetLanguage: "de", customInstructions: [text.repeat(100)] })
  ),
  StyleRules.use((rules) => rules.addInstruction({ styleId: Sample.styleId, label: "a", prompt: text })),
  StyleRules.use((rules) => rules.addInstruction({ styleId: Sample.styleId, label: "a", prompt: text.repeat(100) })),
  StyleRules.use((rules) =>
    rules.create({ name: "a", language: "en", customInstructions: [{ label: "a", prompt: text }] })
  )
]

/** Responses, some of which repeat the request. */
const replies: Readonly<Record<string, Wire.Reply>> = {
  "400": Wire.answer(400, { message: "No." }),
  "403": Wire.answer(403),
  "404": Wire.answer(404),
  "418 with an echo": (request, sent) => Wire.answer(418, sent.body)(request, sent),
  "418 with an echo of the address": (request, sent) => Wire.answer(418, sent.url)(request, sent),
  "500 with an echo of the address": (request, sent) => Wire.answer(500, { message: sent.url })(request, sent),
  "a failure with the address": (request, sent) =>
    Effect.fail(
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.TransportError({ request, cause: new Error(`GET ${sent.url} failed`) })
      })
    ),
  "429": Wire.answer(429),
  "456": Wire.answer(456),
  "500": Wire.answer(500),
  "503": Wire.answer(503, "unavailable"),
  "an echo": (request, sent) => Wire.answer(200, sent.body)(request, sent),
  "an echo in a wrong place": (request, sent) =>
    Wire.answer(200, { improvements: sent.body, results: [sent.body], translations: { text: sent.body } })(
      request,
      sent
    ),
  "ECONNREFUSED": Wire.broken("ECONNREFUSED"),
  "ECONNRESET": Wire.broken("ECONNRESET"),
  "CERT_HAS_EXPIRED": Wire.broken("CERT_HAS_EXPIRED"),
  "a cut body": (request, sent) =>
    Wire.streamed(
      200,
      Stream.concat(Stream.make(new TextEncoder().encode(sent.body)), Stream.fail(new Error("terminated")))
    )(request, sent),
  silence: Wire.silent
}

/** Fails if a printed text contains a secret. */
const assertNoSecret = (printed: string, where: string) => {
  for (const [name, secret] of Object.entries(secrets)) assert.notInclude(printed, secret, `${name} in ${where}`)
}

/** The JSON of a success, with a secret in each of its fields but those of an error. */
const secretBody = (body: object): string =>
  JSON.stringify(
    body,
    (key, value: unknown) => typeof value === "string" && key !== "message" && key !== "code" ? token : value
  )

describe("secrets", () => {
  it.effect("a configuration does not show its key", () =>
    Effect.gen(function*() {
      const config = yield* make({ ...options, baseUrl: "https://host.test" })
      for (const printed of [JSON.stringify(config), inspect(config, { depth: null })]) {
        assertNoSecret(printed, "the configuration")
      }
      assert.include(JSON.stringify(config), "redacted")
    }))

  it.effect.each(Object.keys(replies))(
    "errors, spans and logs show neither keys nor texts after %s",
    (name) =>
      Effect.gen(function*() {
        const runs = yield* Effect.forEach(calls, printedOf)
        assert.isAtLeast(runs.filter(({ exit }) => Exit.isFailure(exit)).length, 8)
        assert.isAtLeast(runs.flatMap(({ spans }) => spans).length, 8)
        assert.isAtLeast(runs.flatMap(({ lines }) => lines).length, 8)
        for (const [where, said] of runs.flatMap(({ printed }) => printed)) assertNoSecret(said, where)
        const sent = (yield* Wire.sent).map(({ body, headers, url }) => JSON.stringify([url, headers, body])).join()
        for (const secret of Object.values(secrets)) assert.include(sent, secret)
      }).pipe(Effect.provide(Wire.layer(replies[name] ?? Wire.silent, options)))
  )

  it.effect.each(Sample.bodies.map((of, index) => [...of, index] as const))(
    "%s with the success as the body of an error does not show it",
    ([operation, body, index]) => {
      const whole = secretBody(body)
      const texts = [whole, whole.slice(0, -1), `[${whole}`, JSON.stringify(whole), JSON.stringify(whole).slice(0, -3)]
      // The short run has each text and each status for each operation, but not each text with each status.
      const replies = [400, 418, 500].flatMap((status) => texts.map((text) => Wire.answer(status, text)))
        .filter((_, reply) => isFull || (reply + index) % 3 === 0)
      return Effect.gen(function*() {
        for (const _ of replies) {
          const { printed } = yield* printedOf(Sample.operation(operation).call)
          for (const [where, said] of printed) assertNoSecret(said, where)
        }
      }).pipe(Effect.provide(Wire.layer(replies, { resilience: { attempts: 1 } })))
    }
  )

  it.effect("the span of a call has its name, and the span of its request no header", () =>
    Effect.gen(function*() {
      const spans = (yield* Effect.forEach(calls, printedOf)).flatMap(({ spans }) => spans)
      assert.includeMembers(spans.map(({ name }) => name), [
        "Writing.rephrase",
        "Documents.download",
        "POST /v2/write/rephrase",
        "POST /v2/document/{document_id}/result"
      ])
      const names = Array.from(new Set(spans.flatMap(({ attributes }) => Array.from(attributes.keys()))))
      assert.include(names, "http.request.method")
      for (const name of names) assert.notMatch(name, /header|url\.(full|path|query)/)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(400), options))))
})
