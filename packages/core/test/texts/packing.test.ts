import { type Bulk, Detection, Translation, Writing } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, Schema, Stream } from "effect"
import { scaled } from "../../../../test/support/scale.ts"
import { echo, textsOf, textsSent, Wire } from "../support/index.ts"

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

const Whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Refuses bodies over so many bytes. */
const upTo = (bytes: number): Wire.Reply => (request, sent) =>
  (bytesOf(sent.body) > bytes ? Wire.answer(413) : echo())(request, sent)

const sentence = (letter: string) => `${letter.repeat(60)}.`

/** All kinds of characters: of one to four bytes, those that JSON escapes, and the first and the last surrogate pair. */
const Fragment = Schema.Literals([
  "a",
  "word",
  " ",
  "\u0000",
  "\u001f",
  "\b",
  "\v",
  "\r",
  "\"",
  "\\",
  "\n",
  "\u007f",
  "é",
  "\u2028",
  "語",
  "😀",
  "\u{10000}",
  "\u{10ffff}"
])

const anyText = Arbitrary.map(
  Arbitrary.schema(Schema.Array(Fragment).check(Schema.isMaxLength(12))),
  (fragments) => fragments.join("")
)

const anyTexts = Arbitrary.array(anyText, { minLength: 20, maxLength: 80 })

const Word = Schema.Literals(["Ein", "Haus", "ist", "groß", "日本語", "z. B.", "3.5", "wow!"])

/** Sentences with all kinds of white space between them. */
const anyProse = Arbitrary.map(
  Arbitrary.schema(
    Schema.Array(Schema.Struct({
      words: Schema.Array(Word).check(Schema.isBetweenLength(1, 12)),
      end: Schema.Literals([". ", ".\n\n", "?  ", "!\t", "\n", "。", " … "]),
      space: Schema.Literals([" ", "  ", "\u00a0"])
    })).check(Schema.isBetweenLength(1, 12))
  ),
  (sentences) => sentences.map(({ end, space, words }) => `${words.join(space)}${end}`).join("")
)

const limitsOf = (bytes: number, count: number) => ({
  limits: { improvementBytes: bytes, translationBytes: bytes, translationTexts: count, detectionTexts: count }
})

type Improved = Stream.Stream<{ readonly text: string }, { readonly _tag: string }, Writing | Translation>

const results = {
  correct: (texts: Bulk.Texts, split?: "sentences"): Improved =>
    Stream.unwrap(Writing.useSync((writing) => writing.correctAll(texts, { targetLanguage: "de", split }))),
  rephrase: (texts: Bulk.Texts, split?: "sentences"): Improved =>
    Stream.unwrap(Writing.useSync((writing) => writing.rephraseAll(texts, { tone: "friendly", split }))),
  translate: (texts: Bulk.Texts, split?: "sentences"): Improved =>
    Stream.unwrap(
      Translation.useSync((translation) =>
        translation.translateAll(texts, { targetLanguage: "de", context: "a \"context\" é", split })
      )
    )
}

describe("requests", () => {
  for (const name of ["correct", "rephrase", "translate"] as const) {
    it.effect.prop(
      `of ${name} have each text once, in order, are within both limits, and as full as can be`,
      { given: anyTexts, bytes: Whole(160, 400), count: Whole(1, 50) },
      ({ bytes, count, given }) =>
        Effect.gen(function*() {
          const found = yield* Stream.runCollect(results[name](given))
          assert.deepStrictEqual(found.map(({ text }) => text), given)
          const requests = yield* Wire.sent
          assert.deepStrictEqual(requests.flatMap(({ body }) => textsOf(body)), given)
          const most = name === "translate" ? count : Number.POSITIVE_INFINITY
          for (const [index, { body }] of requests.entries()) {
            const sent = textsOf(body)
            assert.isAtMost(bytesOf(body), bytes)
            assert.isAtMost(sent.length, most)
            const [next] = textsOf(requests[index + 1]?.body ?? `{"text":[]}`)
            if (next !== undefined) {
              const fuller = JSON.stringify({ ...JSON.parse(body), text: [...sent, next] })
              assert.isTrue(sent.length === most || bytesOf(fuller) > bytes)
            }
          }
        }).pipe(Effect.provide(Wire.layer(echo(), limitsOf(bytes, count)))),
      { arbitrary: { runs: scaled(10, 40) } }
    )
  }

  it.effect.prop(
    "of detection have each text once, in order, and are full",
    { given: anyTexts, count: Whole(1, 50), concurrency: Whole(1, 9) },
    ({ concurrency, count, given }) =>
      Effect.gen(function*() {
        const detection = yield* Detection
        yield* Stream.runDrain(detection.detectAll(given, { concurrency }))
        const requests = yield* textsSent
        assert.deepStrictEqual(requests.flat(), given)
        assert.isTrue(requests.slice(0, -1).every(({ length }) => length === count))
      }).pipe(Effect.provide(Wire.layer(echo(), limitsOf(10_240, count)))),
    { arbitrary: { runs: scaled(10, 40) } }
  )

  it.effect("are 10 KiB for improvement and 50 texts or 128 KiB for translation by default", () =>
    Effect.gen(function*() {
      yield* Stream.runDrain(results.correct(Array.from({ length: 1000 }, () => "x".repeat(97))))
      const improvements = (yield* Wire.sent).map(({ body }) => bytesOf(body))
      assert.strictEqual(improvements.length, 10)
      assert.isTrue(improvements.slice(0, -1).every((bytes) => bytes <= 10_240 && bytes > 10_240 - 100))
      yield* Stream.runDrain(results.translate(Array.from({ length: 100 }, () => "x".repeat(5000))))
      const translations = (yield* Wire.sent).slice(10).map(({ body }) => bytesOf(body))
      assert.strictEqual(translations.length, 4)
      assert.isTrue(translations.slice(0, -1).every((bytes) => bytes <= 131_072 && bytes > 131_072 - 5003))
    }).pipe(Effect.provide(Wire.layer(echo()))))
})

describe("a text that is too large for a request", () => {
  const given = ["small", "x".repeat(1000), "small"]

  it.effect("is refused by its index before anything is sent of a list", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Stream.runDrain(results.correct([...given, "x".repeat(2000)])))
      assert.deepInclude<object>(error, {
        _tag: "LimitExceeded",
        operation: "Writing.correct",
        parameter: "text[1]",
        unit: "bytes",
        given: 1002,
        texts: { first: 1, last: 1 }
      })
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer(echo(), limitsOf(500, 50)))))

  it.effect("is refused before its request when it comes from a stream", () =>
    Effect.gen(function*() {
      const early = Array.from({ length: 60 }, () => "0123456789")
      const error = yield* Effect.flip(Stream.runDrain(results.correct(Stream.fromIterable([...early, ...given]))))
      assert.deepInclude<object>(error, { _tag: "LimitExceeded", parameter: "text[61]" })
      assert.isAbove(yield* Wire.count, 0)
      assert.isFalse((yield* textsSent).flat().includes("small"))
    }).pipe(Effect.provide(Wire.layer(echo(), limitsOf(500, 50)))))

  it.effect("is a failure among the results where these are asked for", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const found = yield* Stream.runCollect(writing.correctAll(given, { onError: "result" }))
      assert.deepStrictEqual(found.map(Result.isSuccess), [true, false, true])
      assert.deepStrictEqual(yield* textsSent, [["small", "small"]])
    }).pipe(Effect.provide(Wire.layer(echo(), limitsOf(500, 50)))))

  it.effect("that just fits is sent with its white space, even where it may be split", () =>
    Effect.gen(function*() {
      const text = " ".padStart(500 - bytesOf(`{"text":[""],"target_lang":"de"}`), "x")
      yield* Stream.runDrain(results.correct([text], "sentences"))
      assert.deepStrictEqual(yield* textsSent, [[text]])
    }).pipe(Effect.provide(Wire.layer(echo(), limitsOf(500, 50)))))

  for (const [what, space] of [["keeps white space", true], ["drops white space around texts", false]] as const) {
    it.effect.prop(
      `is split and joined without a loss by a service that ${what}`,
      { given: Arbitrary.array(anyProse, { maxLength: 6 }), bytes: Whole(140, 400) },
      ({ bytes, given }) =>
        Effect.gen(function*() {
          const found = yield* Stream.runCollect(results.translate(given, "sentences"))
          for (const [index, text] of given.entries()) {
            const result = found[index]?.text
            assert.strictEqual(result === text.trim() && !space ? text : result, text)
          }
          assert.strictEqual(found.length, given.length)
          for (const { body } of yield* Wire.sent) assert.isAtMost(bytesOf(body), bytes)
        }).pipe(Effect.provide(Wire.layer(echo(space), limitsOf(bytes, 50)))),
      { arbitrary: { runs: scaled(15, 60) } }
    )
  }

  it.effect("is split by the rules of its language: a Greek question ends with what is a semicolon elsewhere", () =>
    Effect.gen(function*() {
      const questions = ["Τι ώρα είναι εκεί τώρα;", "Πού πας απόψε με αυτό;", "Ποιος έρχεται μαζί σου;"]
      const text = [questions.join(" ")]
      const [{ translateAll }, { rephraseAll }] = [yield* Translation, yield* Writing]
      yield* Stream.runDrain(translateAll(text, { sourceLanguage: "el", targetLanguage: "de", split: "sentences" }))
      yield* Stream.runDrain(rephraseAll(text, { targetLanguage: "el", tone: "confident", split: "sentences" }))
      assert.deepStrictEqual(yield* textsSent, [...questions, ...questions].map((question) => [question]))
    }).pipe(Effect.provide(Wire.layer(echo(), limitsOf(125, 50)))))

  it.effect("is split at the ends of sentences and of paragraphs", () =>
    Effect.gen(function*() {
      const text = `${sentence("A")} ${sentence("B")}\n\n${sentence("C")}`
      const [found] = yield* Stream.runCollect(results.correct([text], "sentences"))
      assert.strictEqual(found?.text, text)
      assert.deepStrictEqual(yield* textsSent, [[sentence("A")], [sentence("B")], [sentence("C")]])
    }).pipe(Effect.provide(Wire.layer(echo(), limitsOf(130, 50)))))

  it.effect.each([90, 91, 92, 93, 94, 95])(
    "is split at the ends of words where a sentence is too large (%i)",
    (bytes) =>
      Effect.gen(function*() {
        const text = "word, ".repeat(40)
        const [found] = yield* Stream.runCollect(results.correct([text], "sentences"))
        assert.strictEqual(found?.text, text)
        for (const [part] of yield* textsSent) assert.match(part ?? "", /^(word, )*word,$/)
      }).pipe(Effect.provide(Wire.layer(echo(), limitsOf(bytes, 50))))
  )

  it.effect("keeps white space of any size, which is not sent", () =>
    Effect.gen(function*() {
      const space = `${" \n\t\u00a0".repeat(200)}${" ".repeat(200)}`
      const text = `${space}${sentence("A")}${space}${sentence("B")}${space}`
      const [found] = yield* Stream.runCollect(results.correct([text], "sentences"))
      assert.strictEqual(found?.text, text)
      assert.deepStrictEqual((yield* textsSent).flat(), [sentence("A"), sentence("B")])
    }).pipe(Effect.provide(Wire.layer(echo(false), limitsOf(130, 50)))))

  it.effect.each(
    [["a word that is too large", "x".repeat(500)], ["nothing but white space", " ".repeat(500)]] as const
  )(
    "is refused for %s",
    ([, text]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Stream.runDrain(results.correct(["a", text], "sentences")))
        assert.deepInclude<object>(error, { _tag: "LimitExceeded", parameter: "text[1]" })
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer(echo(), limitsOf(200, 50))))
  )

  it.effect("fails as a whole when a part of it fails", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const text = `${"A".repeat(60)}. ${"B".repeat(60)}.`
      const found = yield* Stream.runCollect(
        writing.correctAll(["a", text, "b"], { onError: "result", split: "sentences" })
      )
      assert.deepStrictEqual(found.map(Result.isSuccess), [true, false, true])
    }).pipe(Effect.provide(Wire.layer(
      (request, sent) => (sent.body.includes("BBB") ? Wire.answer(400) : echo())(request, sent),
      limitsOf(130, 50)
    ))))

  it.effect("is billed as the sum of its parts, and has the language of the longest", () =>
    Effect.gen(function*() {
      const translation = yield* Translation
      const text = `${"A".repeat(59)}. ${"B".repeat(60)}.`
      const [found] = yield* Stream.runCollect(
        translation.translateAll([text], { targetLanguage: "de", showBilledCharacters: true, split: "sentences" })
      )
      assert.deepInclude<object | undefined>(found, { billedCharacters: 121, detectedSourceLanguage: "B" })
    }).pipe(Effect.provide(Wire.layer(
      (request, sent) =>
        Wire.answer(200, {
          translations: textsOf(sent.body).map((text) => ({
            text,
            detected_source_language: text.slice(0, 1),
            billed_characters: text.length
          }))
        })(request, sent),
      limitsOf(150, 50)
    ))))
})

describe("a service that takes less than it says", () => {
  const given = Array.from({ length: 400 }, (_, index) => `a text of about forty bytes, number ${index}`)

  it.effect("gets smaller requests after a 413, for the rest of the run", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const found = yield* Stream.runCollect(writing.correctAll(given, { concurrency: 1 }))
      assert.deepStrictEqual(found.map(({ text }) => text), given)
      const bodies = (yield* Wire.sent).map(({ body }) => bytesOf(body))
      assert.deepStrictEqual(bodies.flatMap((bytes, index) => bytes > 3000 ? [index] : []), [0, 1])
      const sent = (yield* textsSent).slice(2).flat()
      assert.deepStrictEqual(sent, given)
    }).pipe(Effect.provide(Wire.layer(upTo(3000)))))

  it.effect("gets a text that it refuses in parts, and later ones too, where they may be split", () =>
    Effect.gen(function*() {
      const text = `${sentence("A")} `.repeat(120)
      const texts = ["a", text, text, text, text]
      const found = yield* Stream.runCollect(results.correct(texts, "sentences"))
      assert.deepStrictEqual(found.map(({ text }) => text), texts)
      const bodies = (yield* Wire.sent).map(({ body }) => bytesOf(body))
      assert.deepStrictEqual(bodies.flatMap((bytes, index) => bytes > 5000 ? [index] : []), [0])
    }).pipe(Effect.provide(Wire.layer(upTo(5000)))))

  it.effect("gets parts of parts, until they are small enough", () =>
    Effect.gen(function*() {
      const text = `${sentence("A")}  ${sentence("B")}\n${sentence("C")} `.repeat(40)
      const found = yield* Stream.runCollect(results.translate(["a", text, "b"], "sentences"))
      assert.deepStrictEqual(found.map(({ text }) => text), ["a", text, "b"])
      const bodies = (yield* Wire.sent).map(({ body }) => bytesOf(body))
      assert.strictEqual(bodies.filter((bytes) => bytes > 900).length, 3)
    }).pipe(Effect.provide(Wire.layer(upTo(900)))))

  it.effect("fails a text of which it refuses a word, and does not send the rest of it", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const text = `${"x".repeat(180)} ${sentence("A")} ${sentence("B")} ${sentence("C")} ${sentence("D")}`
      const found = yield* Stream.runCollect(
        writing.correctAll([text, "b"], { onError: "result", split: "sentences", concurrency: 1 })
      )
      assert.deepStrictEqual(found.map(Result.isSuccess), [false, true])
      const failures = found.flatMap((result) => Result.isFailure(result) ? [result.failure] : [])
      assert.deepStrictEqual(failures.map(({ _tag, texts }) => [_tag, texts]), [
        ["PayloadTooLarge", { first: 0, last: 0 }]
      ])
      assert.deepStrictEqual(yield* textsSent, [[text, "b"], ["x".repeat(180)], ["b"]])
    }).pipe(Effect.provide(Wire.layer(upTo(150)))))

  it.effect("gets a text that is larger than what it refused, and requests no smaller than need be", () =>
    Effect.gen(function*() {
      const large = "x".repeat(8000)
      const texts = [...given, large, ...given]
      const found = yield* Stream.runCollect(results.correct(texts))
      assert.deepStrictEqual(found.map(({ text }) => text), texts)
      assert.include((yield* textsSent).map(([text]) => text), large)
    }).pipe(
      Effect.provide(
        Wire.layer((request, sent) => (textsOf(sent.body).length > 200 ? Wire.answer(413) : echo())(request, sent))
      )
    ))

  it.effect("gets requests that are as full as before, when it was one text that it refused", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const texts = ["x".repeat(10_200), ...given]
      const found = yield* Stream.runCollect(writing.correctAll(texts, { concurrency: 1, onError: "result" }))
      assert.deepStrictEqual(found.map(Result.isSuccess), texts.map((_, index) => index > 0))
      assert.isAbove(bytesOf((yield* Wire.sent)[1]?.body ?? ""), 9900)
    }).pipe(
      Effect.provide(
        Wire.layer((request, sent) => (sent.body.includes("xxx") ? Wire.answer(413) : echo())(request, sent))
      )
    ))

  it.effect("fails a text that is too large by itself, by its index", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const found = yield* Stream.runCollect(writing.correctAll(["a", "x".repeat(200), "b"], { onError: "result" }))
      assert.deepStrictEqual(found.map(Result.isSuccess), [true, false, true])
      const error = yield* Effect.flip(Stream.runDrain(writing.correctAll(["a", "x".repeat(200), "b"])))
      assert.deepInclude<object>(error, { _tag: "PayloadTooLarge", texts: { first: 1, last: 1 } })
    }).pipe(Effect.provide(Wire.layer(upTo(100)))))

  it.effect("is the same for detection, which has no limit of bytes", () =>
    Effect.gen(function*() {
      const detection = yield* Detection
      assert.strictEqual((yield* Stream.runCollect(detection.detectAll(given))).length, given.length)
      const results = yield* Effect.forEach(given, (text) => detection.detect(text), { concurrency: "unbounded" })
      assert.strictEqual(results.length, given.length)
    }).pipe(Effect.provide(Wire.layer(upTo(1000)))))
})
