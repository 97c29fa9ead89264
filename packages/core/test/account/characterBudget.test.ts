import { Detection, Documents, Tenant, Translation, Writing } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Stream } from "effect"
import { overTime, Sample, Wire } from "../support/index.ts"

const translate = (text: string) =>
  Translation.use((translation) => translation.translate({ text: [text], targetLanguage: "de" }))
const correct = (text: string) => Writing.use((writing) => writing.correct({ text: [text] }))
const rephrase = (text: string) => Writing.use((writing) => writing.rephrase({ text: [text] }))
const upload = (options: Partial<Documents.UploadOptions>) =>
  Documents.use((documents) => documents.upload({ ...Sample.upload, ...options }))
const status = Documents.use((documents) => documents.status(Sample.document))

class Current extends Context.Service<Current, Tenant.Tenant>()(
  "@effect-lingua/core/test/account/characterBudget.test/Current"
) {}

const standing = Effect.flatMap(Current, (tenant) => Effect.map(Tenant.state(tenant), ({ budget }) => budget))
const used = Effect.map(standing, (budget) => budget?.used)

/** A service to which all is right. */
const willing: Wire.Reply = (request, sent) => {
  const body = sent.url.endsWith("/translate")
    ? Sample.translations
    : sent.url.includes("/write/")
    ? Sample.improvements
    : sent.url.includes("detect")
    ? Sample.detections
    : { document_id: Sample.documentId, document_key: Sample.documentKey }
  return Wire.answer(200, body)(request, sent)
}

const translated = Wire.answer(200, Sample.translations)
const uploaded = Wire.answer(200, { document_id: Sample.documentId, document_key: Sample.documentKey })
const statusOf = (status: string, more: object = {}) =>
  Wire.answer(200, { document_id: Sample.documentId, status, ...more })

/** Runs all calls of a test under a tenant with a budget. */
const withBudget =
  (characterBudget: number, ...wire: Parameters<typeof Wire.layer>) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const tenant = yield* Tenant.make({ name: "one", characterBudget })
      return yield* effect.pipe(Tenant.within(tenant), Effect.provideService(Current, tenant))
    }).pipe(Effect.provide(Wire.layer(...wire)))

describe("budget of characters of a tenant", () => {
  it.effect("is shared by the services, and refuses what would pass it before it is sent", () =>
    Effect.gen(function*() {
      yield* translate("1234")
      yield* correct("12👋")
      yield* rephrase("12")
      const error = yield* Effect.flip(translate("12"))
      assert.strictEqual(error._tag, "BudgetExceeded")
      assert.deepInclude(error, { given: 2, remaining: 1, budget: 10, outcome: "refused", isTransient: false })
      assert.strictEqual(
        error.message,
        "Translation.translate: given 2 characters, and 1 are left of the budget of 10 of the tenant one. " +
          "Nothing was sent; send less, or raise characterBudget of the tenant."
      )
      assert.deepStrictEqual(error.attempts, [])
      assert.strictEqual((yield* Effect.flip(correct("12")))._tag, "BudgetExceeded")
      assert.strictEqual((yield* Effect.flip(upload({})))._tag, "BudgetExceeded")
      assert.strictEqual(yield* Wire.count, 3)
      yield* translate("1")
      assert.deepStrictEqual(yield* standing, { characters: 10, used: 10, remaining: 0 })
      yield* Effect.flip(translate("1"))
      yield* translate("")
    }).pipe(withBudget(10, willing)))

  it.effect("does not count detection, nor what is refused before it is sent", () =>
    Effect.gen(function*() {
      yield* Detection.use((detection) => detection.detect({ text: ["Bonjour", "42"] }))
      yield* Effect.flip(
        Translation.use((translation) =>
          translation.translate({ text: ["a"], targetLanguage: "de", translationMemoryThreshold: 101 })
        )
      )
      assert.strictEqual(yield* used, 0)
    }).pipe(withBudget(10, willing)))

  it.effect("does not count tags where they are handled", () =>
    Effect.gen(function*() {
      yield* Translation.use((translation) =>
        translation.translate({ text: ["<b>Hi</b>"], targetLanguage: "de", tagHandling: "html" })
      )
      assert.strictEqual(yield* used, 2)
    }).pipe(withBudget(10, willing)))

  it.effect("gives back what the service refused, at once or after repeats", () =>
    Effect.gen(function*() {
      yield* Effect.flip(translate("12345"))
      assert.strictEqual(yield* used, 0)
      const { exit } = yield* overTime(Effect.flip(translate("12345")))
      assert.strictEqual((yield* exit)._tag, "Overloaded")
      assert.strictEqual(yield* used, 0)
      yield* Effect.flip(translate("12345"))
      assert.strictEqual(yield* used, 0)
      yield* translate("1234567890")
    }).pipe(withBudget(10, [
      Wire.answer(400, { message: "Bad request" }),
      Wire.answer(429),
      Wire.answer(529),
      Wire.answer(456),
      translated
    ], { resilience: { attempts: 2 } })))

  it.effect("gives back what was not sent, and what the service refused", () =>
    Effect.gen(function*() {
      const { exit } = yield* overTime(Effect.flip(translate("12345")))
      assert.strictEqual((yield* exit)._tag, "ConnectionFailed")
      yield* Effect.flip(translate("12345"))
      assert.strictEqual(yield* Wire.count, 2)
      assert.strictEqual(yield* used, 0)
    }).pipe(withBudget(10, [Wire.broken("ECONNREFUSED"), Wire.answer(456)], { resilience: { attempts: 1 } })))

  it.effect("counts an attempt that the service may have counted, and the one that worked", () =>
    Effect.gen(function*() {
      const { exit } = yield* overTime(translate("12345"))
      yield* exit
      assert.strictEqual(yield* used, 10)
      const failed = yield* overTime(Effect.flip(translate("12345")))
      assert.strictEqual((yield* failed.exit)._tag, "InternalServerError")
      assert.strictEqual(yield* used, 15)
    }).pipe(
      withBudget(100, [
        Wire.answer(500),
        Wire.answer(503),
        translated,
        Wire.answer(503),
        Wire.answer(503),
        Wire.answer(500)
      ], { resilience: { attempts: 3 } })
    ))

  it.effect("counts what came with an answer that cannot be read", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(translate("12345")))._tag, "UnexpectedResponse")
      assert.strictEqual(yield* used, 5)
    }).pipe(withBudget(10, [Wire.answer(200, {})])))

  it.effect("counts calls in flight, and one that was interrupted there", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(translate("12345"))
      yield* Effect.yieldNow
      assert.strictEqual(yield* used, 5)
      assert.strictEqual((yield* Effect.flip(translate("123456")))._tag, "BudgetExceeded")
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* used, 5)
    }).pipe(withBudget(10, Wire.silent)))

  it.effect("ends a run over many texts, after the results before", () =>
    Effect.gen(function*() {
      const translation = yield* Translation
      const results: Array<unknown> = []
      const run = translation.translateAll(["12345", "1234", "123"], {
        targetLanguage: "de",
        onError: "result",
        concurrency: 1
      })
      const error = yield* Effect.flip(Stream.runForEach(run, (result) => Effect.sync(() => results.push(result))))
      assert.deepInclude(error, { _tag: "BudgetExceeded", texts: { first: 2, last: 2 } })
      assert.strictEqual(results.length, 2)
      assert.strictEqual(yield* used, 9)
    }).pipe(withBudget(10, willing, { limits: { translationTexts: 1 } })))

  it.effect("counts an upload by the kind of its file", () =>
    Effect.gen(function*() {
      const content = new TextEncoder().encode("Grüße")
      yield* upload({ content })
      assert.strictEqual(yield* used, 5)
      yield* upload({ content: new Blob([content]) })
      assert.strictEqual(yield* used, 12)
      yield* upload({ content: Stream.make(content), size: 7 })
      assert.strictEqual(yield* used, 19)
      yield* upload({ content, fileName: "letter.pdf" })
      assert.strictEqual(yield* used, 50_019)
      const error = yield* Effect.flip(upload({ content: Stream.make(content) }))
      assert.deepInclude(error, { _tag: "InvalidInput", parameter: "size" })
      assert.deepInclude(yield* Effect.flip(upload({ fileName: "letter.docx" })), {
        _tag: "BudgetExceeded",
        given: 50_000,
        remaining: 9981
      })
      assert.strictEqual(yield* Wire.count, 4)
    }).pipe(withBudget(60_000, willing)))

  it.effect("takes the service's word for a document that is translated", () =>
    Effect.gen(function*() {
      yield* upload({ fileName: "letter.pdf" })
      yield* status
      assert.strictEqual(yield* used, 50_000)
      yield* status
      assert.strictEqual(yield* used, 70_000)
      yield* status
      assert.strictEqual(yield* used, 70_000)
      assert.deepStrictEqual(
        yield* standing,
        { characters: 60_000, used: 70_000, remaining: 0 }
      )
    }).pipe(withBudget(60_000, [
      uploaded,
      statusOf("translating"),
      statusOf("done", { billed_characters: 70_000 }),
      statusOf("done", { billed_characters: 70_000 })
    ])))

  it.effect("gives back an upload that failed, and a document whose translation did", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(upload({})))._tag, "OutcomeUnknown")
      assert.strictEqual(yield* used, 0)
      yield* upload({})
      assert.strictEqual(yield* used, 9)
      yield* status
      assert.strictEqual(yield* used, 0)
    }).pipe(withBudget(10, [Wire.answer(500), uploaded, statusOf("error", { error_message: "File is damaged" })])))
})
