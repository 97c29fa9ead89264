import {
  Detection,
  Documents,
  Glossaries,
  QualityEvaluation,
  StyleRules,
  Translation,
  Writing
} from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Stream } from "effect"
import { isFull, scaled } from "../../../../test/support/scale.ts"
import { printedOf, Sample, Wire } from "../support/index.ts"

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
    Wire.failing({ cause: new Error(`GET ${sent.url} failed`) })(request, sent),
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

const phrase = "Dear Mr. Müller, your \"biopsy\" of May 7 is <b>positive</b> & urgent."

const html = (of: string) =>
  of.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

const json = (of: string) => JSON.stringify(of).slice(1, -1)

/** Messages that quote a text. */
const quotes: Readonly<Record<string, string>> = {
  "in JSON": JSON.stringify({ message: `The text "${phrase}" is not valid` }),
  "in JSON, with a code and a detail": JSON.stringify({ message: phrase, code: phrase, detail: phrase }),
  "in a nested message": JSON.stringify({ error: { message: `No: ${phrase}`, code: 7 } }),
  "in JSON in JSON": JSON.stringify({ message: `No: ${json(json(phrase))}` }),
  "in ASCII": JSON.stringify({ message: json(phrase).replaceAll("ü", "\\u00fc") }),
  "in capitals": JSON.stringify({ message: phrase.toUpperCase() }),
  "its beginning": JSON.stringify({ message: `Cannot read "${phrase.slice(0, 30)}..."` }),
  "its end": JSON.stringify({ message: `Cannot read "...${phrase.slice(30)}"` }),
  "a short beginning": JSON.stringify({ message: `Cannot read “${phrase.slice(0, 12)}…”` }),
  "a short end": JSON.stringify({ message: `Cannot read '&hellip;${phrase.slice(-12)}'` }),
  "in HTML by the names of letters": `<p>${html(phrase).replaceAll("ü", "&uuml;")}</p>`,
  "in a script": JSON.stringify({ message: `No: '${phrase.replaceAll("ü", "\\xfc")}'` }),
  "in decomposed letters": JSON.stringify({ message: `No: ${phrase.normalize("NFD")}` }),
  "in JSON that is cut": `{"message":"No: ${json(phrase)}`,
  "in plain text": `No: ${phrase}`,
  "in lines": `No: ${phrase.replaceAll(" ", "\n  ")}`,
  "in HTML": `<html><h1>Error</h1><p>${html(phrase)}</p></html>`,
  "in HTML by number": `<p>${html(phrase).replaceAll("ü", "&#252;").replaceAll("e", "&#x65;")}</p>`,
  "in HTML as markup": `<p>${phrase}</p>`,
  "in an address": `No: ${encodeURIComponent(phrase)}`,
  "after a long beginning": JSON.stringify({ message: `${"No. ".repeat(60)}${phrase}` })
}

const quotingStatuses: ReadonlyArray<number> = [400, 403, 404, 413, 418, 422, 429, 456, 500, 502, 503, 529]

/** Calls with the text in each field that can have one. */
const quotedCalls: ReadonlyArray<Sample.Operation["call"]> = [
  Translation.use((service) => service.translate({ text: ["Yes.", phrase], targetLanguage: "de" })),
  Translation.use((service) => service.translate({ text: "a", context: phrase, targetLanguage: "de" })),
  Translation.use((service) => service.translate({ text: "a", customInstructions: [phrase], targetLanguage: "de" })),
  Writing.use((service) => service.rephrase({ text: phrase })),
  Detection.use((service) => service.detect({ text: `Another line of text\n${phrase}` })),
  StyleRules.use((rules) => rules.addInstruction({ styleId: Sample.styleId, label: "a", prompt: phrase })),
  Glossaries.use((glossaries) =>
    glossaries.replaceDictionary({
      glossaryId: Sample.glossaryId,
      sourceLanguage: "en",
      targetLanguage: "de",
      entries: new Map([["term", "Begriff"], [phrase, "ein anderer Text"]])
    })
  ),
  ...[{ source: phrase, target: "a" }, { source: "a", target: phrase }].map((segment) =>
    QualityEvaluation.use(({ start }) => start({ sourceLanguage: "en", targetLanguage: "de", segments: [segment] }))
  )
]

describe("secrets", () => {
  it.effect.each(Object.entries(replies).map(([what, reply], index) => [what, reply, index] as const))(
    "errors, spans and logs show neither keys nor texts after %s",
    ([, reply, number]) =>
      Effect.gen(function*() {
        // The short run has half of the calls for each reply.
        const runs = yield* Effect.forEach(calls.filter((_, index) => isFull || (number + index) % 2 === 0), printedOf)
        assert.isAtLeast(runs.filter(({ exit }) => Exit.isFailure(exit)).length, scaled(4, 8))
        assert.isAtLeast(runs.flatMap(({ spans }) => spans).length, scaled(4, 8))
        assert.isAtLeast(runs.flatMap(({ lines }) => lines).length, scaled(4, 8))
        for (const [where, said] of runs.flatMap(({ printed }) => printed)) assertNoSecret(said, where)
        const sent = (yield* Wire.sent).map(({ body, headers, url }) => JSON.stringify([url, headers, body])).join()
        for (const secret of [documentKey, key, text]) assert.include(sent, secret)
      }).pipe(Effect.provide(Wire.layer(reply, options)))
  )

  it.effect.each(Sample.bodies.map((of, index) => [...of, index] as const))(
    "%s with the success as the body of an error does not show it",
    ([operation, body, index]) => {
      const whole = secretBody(body)
      const texts = [whole, whole.slice(0, -1), `[${whole}`, JSON.stringify(whole), JSON.stringify(whole).slice(0, -3)]
      // The short run has each text with each status, but not for each operation.
      const replies = [400, 418, 500].flatMap((status) => texts.map((text) => Wire.answer(status, text)))
        .filter((_, reply) => isFull || (reply + index) % 8 === 0)
      return Effect.gen(function*() {
        for (const _ of replies) {
          const { printed } = yield* printedOf(Sample.operation(operation).call)
          for (const [where, said] of printed) assertNoSecret(said, where)
        }
      }).pipe(Effect.provide(Wire.layer(replies, { resilience: { attempts: 1 } })))
    }
  )

  it.effect.each(Object.entries(quotes).map(([how, body], index) => [how, body, index] as const))(
    "errors, spans and logs show no part of a text that a message quotes %s",
    ([, body, number]) => {
      // The short run has each status with each call, but not for each message.
      const pairs = quotingStatuses.flatMap((status) => quotedCalls.map((call) => [status, call] as const))
        .filter((_, index) => isFull || (number + index) % 24 === 0)
      const replies = pairs.map(([status]) => Wire.answer(status, body, { "x-trace-id": phrase }))
      return Effect.gen(function*() {
        for (
          const [where, said] of (yield* Effect.forEach(pairs, ([, call]) => printedOf(call))).flatMap(({ printed }) =>
            printed
          )
        ) {
          assert.notMatch(said, /dear|müller|biopsy|positive|urgent/i, where)
        }
        assert.strictEqual(yield* Wire.count, pairs.length)
      }).pipe(Effect.provide(Wire.layer(replies, { resilience: { attempts: 1 } })))
    }
  )

  it.effect.each([
    ["formality", "Value for 'formality' is not supported for target language de"],
    ["Formality", "Value for 'formality' is not supported for target language de"],
    ["de", "Value for 'formality' is not supported for target language de"],
    ["prefer_quality_optimized", "model_type prefer_quality_optimized: only on the paid tier"],
    ["target", "Parameter 'target_lang' is missing"],
    ["a b c", "a b c: cannot be translated"],
    ["Guten Tag, gute Nacht", `Glossary ${Sample.glossaryId} has no entries for "Guten Tag"`]
  ])("a message is whole beside the text %j", ([text = "", message = ""]) =>
    Effect.gen(function*() {
      const glossary = { glossaryId: Sample.glossaryId, sourceLanguage: "en" } as const
      const translated = Translation.use((service) =>
        service.translate({ text, targetLanguage: "de", formality: "more", ...glossary })
      )
      assert.strictEqual((yield* Effect.flip(translated)).description, message)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(400, { message })))))

  it.effect("a message keeps its words around a text that it quotes", () =>
    Effect.gen(function*() {
      const translated = Translation.use((service) =>
        service.translate({ text: ["Jane Doe", phrase], targetLanguage: "de" })
      )
      const { description } = yield* Effect.flip(translated)
      assert.strictEqual(description, "The texts '[redacted]' and '[redacted].' are not allowed with 'formality'")
    }).pipe(Effect.provide(Wire.layer(
      Wire.answer(400, { message: `The texts 'Jane Doe' and '${phrase}' are not allowed with 'formality'` })
    ))))

  it.effect.each<readonly [text: string, message: string]>([
    ["ΟΔΟΣ ΕΡΜΗΣ", "Bad value: ΟΔΟΣ ΕΡΜΗΣ !"],
    ["Grüße an Müller", "Bad: Gr\\u00fc\\u00dfe an M\\u00fcller"],
    ["Grüße an Müller", "Bad: GRÜSSE AN MÜLLER"],
    ["100% of C:\\new\\fuller", "Bad: 100%25%20of%20C%3A%5Cnew%5Cfuller"],
    ["100%25 of C:\\new\\fuller", "Bad: 100%25 of C:\\\\new\\\\fuller"]
  ])("a message shows no part of %j in the forms of its letters", ([text, message]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Translation.use(({ translate }) => translate([text], { targetLanguage: "de" })))
      assert.include(error.message, "[redacted]")
      assert.notMatch(error.message, /ΕΡΜΗΣ|ller|an M/i)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(400, { message })))))
})
