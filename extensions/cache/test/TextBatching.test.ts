import { TextBatching } from "@effect-lingua/cache"
import { Deadline, Ids, Languages, Tenant, Translation, Writing } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Result, Tracer } from "effect"
import { echo, refusing, textsSent, Wire, within } from "../../../packages/core/test/support/index.ts"

const batching = (script: Wire.Script) => Layer.provideMerge(TextBatching.layer, Wire.layer(script))

const writing = Writing.useSync((writing) => writing)
const translation = Translation.useSync((translation) => translation)

const together = { concurrency: "unbounded" } as const

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** The texts of each request, as one word. */
const words = Effect.map(textsSent, (requests) => requests.map((texts) => texts.join("")).toSorted())

const glossaryIds = (...ids: ReadonlyArray<number>) =>
  ids.map((id) => Ids.GlossaryId.make(`00000000-0000-4000-8000-00000000000${id}`))

/** Fails when a call is described at its end. */
const failing = Tracer.make({
  span: (options) =>
    Object.assign(new Tracer.NativeSpan(options), {
      attribute: (key: string) => {
        if (key === "language_service.attempts") throw new Error("no more attributes")
      }
    })
})

describe("texts", () => {
  it.effect("come first or with the options; one text gives one result, a list gives a list", () =>
    Effect.gen(function*() {
      const { correct, rephrase } = yield* writing
      const { translate } = yield* translation
      const targetLanguage = "de"
      const one = [
        translate("a", { targetLanguage }),
        translate({ text: "b", targetLanguage }),
        rephrase("c"),
        rephrase({ text: "d", tone: "friendly" }),
        correct("e"),
        correct({ text: "f" })
      ]
      const many = [
        translate(["g"], { targetLanguage }),
        translate({ text: ["h"], targetLanguage }),
        rephrase(["i"]),
        rephrase({ text: ["j"], tone: "friendly" }),
        correct(["k"]),
        correct({ text: ["l"] })
      ]
      assert.deepStrictEqual((yield* Effect.all(one)).map(({ text }) => text).join(""), "abcdef")
      assert.deepStrictEqual(
        (yield* Effect.all(many)).map((texts) => texts.map(({ text }) => text)),
        Array.from("ghijkl", (text) => [text])
      )
      // @ts-expect-error the target is required
      const noTarget = () => translate("a")
      // @ts-expect-error and so it is for a list
      const noTargets = () => translate(["a"], {})
      // @ts-expect-error a number is no text
      const noText = () => translate({ text: 1, targetLanguage })
      assert.isNotEmpty([noTarget, noTargets, noText])
      // A text or a list, which only the caller knows.
      const either = ["m", ["n"]].map((text: string | ReadonlyArray<string>) => [
        translate(text, { targetLanguage }),
        translate({ text, targetLanguage }),
        rephrase(text),
        rephrase({ text }),
        correct(text),
        correct({ text })
      ])
      const answers = yield* Effect.all(either.flat())
      assert.deepStrictEqual(answers.map(Array.isArray), Array.from({ length: 12 }, (_, index) => index >= 6))
    }).pipe(Effect.provide(Wire.layer(echo()))))
})

describe("calls for one text with TextBatching", () => {
  it.effect("of each method go together, each with the result of its own text", () =>
    Effect.gen(function*() {
      const { correct, rephrase } = yield* writing
      const { translate } = yield* translation
      const results = yield* Effect.all([
        correct("a"),
        rephrase("b"),
        translate("c", { targetLanguage: "de" }),
        correct("d"),
        rephrase("e"),
        translate("f", { targetLanguage: "de" }),
        correct("a")
      ], together)
      assert.deepStrictEqual(results.map(({ text }) => text), ["a", "b", "c", "d", "e", "f", "a"])
      assert.deepStrictEqual(yield* words, ["ad", "be", "cf"])
    }).pipe(Effect.provide(batching(echo()))))

  it.effect("go together when the options are equal, and in no other case", () =>
    Effect.gen(function*() {
      const { correct, rephrase } = yield* writing
      const { translate } = yield* translation
      yield* Effect.all([
        correct("a", { targetLanguage: "de" }),
        correct("b", { targetLanguage: "fr" }),
        correct("c", { targetLanguage: "de" }),
        correct("d", {}),
        correct("e", { targetLanguage: undefined }),
        rephrase("f", { tone: "friendly" }),
        rephrase("g", { writingStyle: "business" }),
        rephrase("h", { tone: "friendly", writingStyle: "default" }),
        Effect.provideService(rephrase("i", { tone: "friendly" }), Languages.Checks, false)
      ], together)
      yield* Effect.all([
        translate("k", { targetLanguage: "de", sourceLanguage: "en", glossaryIds: glossaryIds(1, 2) }),
        translate("l", { targetLanguage: "de", sourceLanguage: "en", glossaryIds: glossaryIds(1, 2) }),
        translate("m", { targetLanguage: "de", sourceLanguage: "en", glossaryIds: glossaryIds(2, 1) })
      ], together)
      assert.deepStrictEqual(yield* words, ["ac", "b", "de", "f", "g", "h", "i", "kl", "m"])
    }).pipe(Effect.provide(batching(echo()))))

  it.effect("that are too large, or have options that cannot be, fail by themselves before anything is sent of them", () =>
    Effect.gen(function*() {
      const { correct, rephrase } = yield* writing
      const { translate } = yield* translation
      const room = 10_240 - bytesOf(`{"text":[""]}`)
      const notText = JSON.parse("3")
      const both = JSON.parse(`{"tone":"friendly","writingStyle":"business"}`)
      const outcome = Effect.match({
        onSuccess: () => "sent",
        onFailure: (error: { readonly _tag: string; readonly operation: string; readonly parameter?: string }) =>
          `${error.operation}: ${error._tag} ${error.parameter}`
      })
      const outcomes = yield* Effect.all([
        outcome(correct("x".repeat(room))),
        outcome(correct("x".repeat(room + 1))),
        outcome(correct("\ud800")),
        outcome(correct(notText)),
        outcome(rephrase("a", both)),
        outcome(translate("a", JSON.parse("{}"))),
        outcome(translate("a", { targetLanguage: "de", customInstructions: ["x".repeat(301)] }))
      ], together)
      assert.deepStrictEqual(outcomes, [
        "sent",
        "Writing.correct: LimitExceeded request body",
        "Writing.correct: InvalidInput text",
        "Writing.correct: InvalidInput text",
        "Writing.rephrase: InvalidInput tone and writingStyle",
        "Translation.translate: InvalidInput input",
        "Translation.translate: LimitExceeded customInstructions[0]"
      ])
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(batching(echo()))))

  it.effect("end with the defect of a tracer, and do not wait for ever", () =>
    Effect.gen(function*() {
      const { correct } = yield* writing
      const exits = yield* within(
        Effect.all(["a", "b"].map((text) => Effect.exit(correct(text))), together),
        "1 minute"
      )
      assert.deepStrictEqual(exits.map((exit) => Exit.isFailure(exit) && Cause.hasDies(exit.cause)), [true, true])
    }).pipe(Effect.provideService(Tracer.Tracer, failing), Effect.provide(batching(echo()))))

  it.effect("go together in one region only: with the same tenant, deadline and reporting tag", () =>
    Effect.gen(function*() {
      const { translate } = yield* translation
      const [one, other] = yield* Effect.all([Tenant.make({ name: "one" }), Tenant.make({ name: "other" })])
      const options = { targetLanguage: "de" } as const
      yield* Effect.all([
        Effect.all([translate("a", options), translate("b", options)], together).pipe(Tenant.within(one)),
        Tenant.within(translate("c", options), other),
        Effect.all([translate("d", options), translate("e", options)], together).pipe(Deadline.within("1 minute")),
        Effect.provideService(translate("f", options), Translation.ReportingTag, "batch"),
        translate("g", { ...options, reportingTag: "batch" }),
        translate("h", options)
      ], together)
      assert.deepStrictEqual(yield* words, ["ab", "c", "de", "f", "g", "h"])
    }).pipe(Effect.provide(batching(echo()))))

  it.effect("lose no others however many texts are refused", () =>
    Effect.gen(function*() {
      const { correct } = yield* writing
      const bad = Array.from({ length: 110 }, (_, index) => `bad ${index}`)
      const texts = [...bad, ...Array.from({ length: 20 }, (_, index) => `good ${index}`)]
      const results = yield* Effect.all(texts.map((text) => Effect.result(correct(text))), together)
      assert.deepStrictEqual(results.map(Result.isSuccess), texts.map((text) => text.startsWith("good")))
    }).pipe(Effect.provide(batching(refusing(Array.from({ length: 110 }, (_, index) => `bad ${index}`))))))

  it.effect("have an error that names no position of the batch when it ends for all", () =>
    Effect.gen(function*() {
      const { correct } = yield* writing
      const errors = yield* Effect.all(["a", "b", "c"].map((text) => Effect.flip(correct(text))), together)
      assert.deepStrictEqual(errors.map(({ texts }) => texts), errors.map(() => ({ first: 0, last: 0 })))
    }).pipe(Effect.provide(batching(Wire.answer(403)))))
})
