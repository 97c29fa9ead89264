import { CallError, type Glossaries, ServiceError } from "@effect-lingua/core"
import { type CallOptions, Lingua } from "@effect-lingua/core/promise"
import { type Detection, Placeholders, type Translation } from "@effect-lingua/core/texts"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Result } from "effect"
import { once } from "node:events"
import { runInNewContext } from "node:vm"
import { expectTypeOf } from "vitest"

const bytes = (text: string) => new TextEncoder().encode(text)

const withFake = (options?: Parameters<typeof FakeLanguageService.layerServices>[0]) =>
  Lingua.fromLayer(FakeLanguageService.layerServices(options), { ...Lingua.services, fake: FakeLanguageService })

const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => assert.fail("the promise was kept"), (reason: unknown) => reason)

const all = async <A>(iterable: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const values: Array<A> = []
  for await (const value of iterable) values.push(value)
  return values
}

async function* asyncOf<A>(...values: ReadonlyArray<A>): AsyncGenerator<A> {
  yield* values
}

describe("a client for promises", () => {
  it("has the methods of the services, with their results and checks", async () => {
    await using lingua = await withFake()
    const { fake, translation, writing } = lingua
    assert.strictEqual((await translation.translate("Hello", { targetLanguage: "de" })).text, "[de] Hello")
    const list = await translation.translate({ text: ["One", "Two"], targetLanguage: "de" })
    assert.deepStrictEqual(list.map(({ text }) => text), ["[de] One", "[de] Two"])
    const into = await translation.translateInto({ text: ["One"], targetLanguages: ["de", "fr"] })
    assert.deepStrictEqual([into.de[0]?.text, into.fr[0]?.text], ["[de] One", "[fr] One"])
    assert.strictEqual((await writing.correct("teh letter")).text, "The letter.")
    assert.deepStrictEqual(await all(lingua.glossaries.list()), [])
    const kept = await lingua.run(
      Placeholders.translate({ text: ["Hi {name}"], targetLanguage: "de", placeholders: "brace" })
    )
    assert.deepStrictEqual(kept.map(({ text }) => text), ["[de] Hi {name}"])
    const before = await fake.requests()
    const error = await reasonOf(
      // @ts-expect-error -- no such option
      translation.translate("Hello", { targetLanguage: "de", formalty: "more" })
    )
    assert.instanceOf(error, CallError.InvalidInput)
    assert.lengthOf(await fake.requests(), before.length)
  })

  it("reads and gives async iterables", async () => {
    await using lingua = await withFake({ readyAfter: 0 })
    const translated = await all(lingua.translation.translateAll(asyncOf("One", "Two"), { targetLanguage: "de" }))
    assert.deepStrictEqual(translated.map(({ text }) => text), ["[de] One", "[de] Two"])
    const { stream } = await lingua.documents.translate({
      content: asyncOf(bytes("Good "), bytes("day")),
      fileName: "a.txt",
      targetLanguage: "de"
    })
    assert.strictEqual(Buffer.concat(await all(stream)).toString(), "[de] Good day")
  })

  it("rejects with the classes of errors, which have their operation and advice", async () => {
    await using lingua = await withFake()
    await lingua.fake.setQuota({ characters: 0 })
    const error = await reasonOf(lingua.translation.translate("Hello", { targetLanguage: "de" }))
    assert.instanceOf(error, ServiceError.QuotaExceeded)
    assert.match(String(error), /^QuotaExceeded: Translation\.translate: .*quota/s)
    const failed = lingua.translation.translateAll(["a"], { targetLanguage: "de" })
    assert.instanceOf(await reasonOf(all(failed)), ServiceError.QuotaExceeded)
  })

  it("ends at a signal, with its reason", async () => {
    await using lingua = await withFake({ latency: "1 hour" })
    const aborted = await reasonOf(lingua.usage.get({ signal: AbortSignal.abort() }))
    assert.propertyVal(aborted, "name", "AbortError")
    assert.strictEqual(await lingua.fake.requests().then(({ length }) => length), 0)
    const leaving = new AbortController()
    const calls = [
      lingua.translation.translate("Hello", { targetLanguage: "de" }, { signal: leaving.signal }),
      all(lingua.translation.translateAll(["Hello"], { targetLanguage: "de" }, { signal: leaving.signal }))
    ].map(reasonOf)
    await lingua.fake.awaitRequest("Translation.translate")
    leaving.abort("the visitor has left")
    assert.deepStrictEqual(await Promise.all(calls), ["the visitor has left", "the visitor has left"])
  })

  it("keeps a deadline, of all that a call does", async () => {
    await using lingua = await withFake({ latency: "1 hour" })
    const errorsOf = (call: CallOptions) =>
      Promise.all([
        lingua.usage.get(call),
        all(lingua.languages.listV2({}, call)),
        all(lingua.translation.translateAll(["a"], { targetLanguage: "de" }, call)),
        lingua.documents.translate({ content: bytes("a"), fileName: "a.txt", targetLanguage: "de" }, call)
      ].map(reasonOf))
    for (const error of await errorsOf({ deadline: 0 })) assert.instanceOf(error, CallError.DeadlineExceeded)
    assert.lengthOf(await lingua.fake.requests(), 0)
    const [usage, languages, translated, document] = await errorsOf({ deadline: "20 millis" })
    for (const error of [usage, languages, translated]) assert.instanceOf(error, CallError.DeadlineExceeded)
    // The time can end before the upload is sent.
    if (!(document instanceof CallError.DeadlineExceeded && document.outcome === "refused")) {
      assert.instanceOf(document, CallError.OutcomeUnknown)
    }
    // @ts-expect-error -- no duration
    assert.instanceOf(await reasonOf(lingua.usage.get({ deadline: "soon" })), CallError.InvalidInput)
  })

  it("gives results in order to calls of next that do not wait for each other", async () => {
    await using lingua = await withFake({ readyAfter: 0 })
    const texts = Array.from({ length: 120 }, (_, index) => `${index}`)
    const results = lingua.translation.translateAll(texts, { targetLanguage: "de" })[Symbol.asyncIterator]()
    const read = await Promise.all(Array.from({ length: 122 }, () => results.next()))
    const given = read.map(({ done, value }) => done === true ? "done" : value.text)
    assert.deepStrictEqual(given, [...texts.map((text) => `[de] ${text}`), "done", "done"])
    const { content, fileName } = { content: bytes("a".repeat(200_000)), fileName: "a.txt" }
    const { stream } = await lingua.documents.translate({ content, fileName, targetLanguage: "de" })
    const chunks = stream[Symbol.asyncIterator]()
    const parts = await Promise.all(Array.from({ length: 100 }, () => chunks.next()))
    assert.isAbove(parts.reduce((sum, { done, value }) => sum + (done === true ? 0 : value.length), 0), 199_999)
  })

  it("ends calls of next that wait, when its loop ends", async () => {
    await using lingua = await withFake()
    const texts = (async function*() {
      yield "a"
      await once(new EventTarget(), "never")
    })()
    const results = lingua.translation.translateAll(texts, { targetLanguage: "de" })[Symbol.asyncIterator]()
    const waiting = [results.next(), results.next()]
    await results.return?.()
    for (const end of await Promise.allSettled(waiting)) assert.notStrictEqual(end.status, "pending")
    assert.isTrue((await results.next()).done)
  })

  it("takes options of another realm, and instances of classes", async () => {
    class Options {
      readonly #signal: AbortSignal
      constructor(signal: AbortSignal) {
        this.#signal = signal
      }
      get signal() {
        return this.#signal
      }
    }
    await using lingua = await withFake()
    const { translation, usage } = lingua
    const realm: unknown = runInNewContext("({ deadline: 0 })")
    const signal = AbortSignal.abort("left")
    const own = new Options(signal)
    class Deadline {
      readonly deadline = 0
    }
    const options = { targetLanguage: "de" } as const
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object of another realm
    const calls = [realm as CallOptions, new Deadline()].flatMap((call) => [
      usage.get(call),
      translation.translate("a", options, call),
      all(translation.translateAll(["a"], options, call))
    ])
    for (const reason of await Promise.all(calls.map(reasonOf))) assert.instanceOf(reason, CallError.DeadlineExceeded)
    assert.strictEqual(await reasonOf(usage.get(own)), "left")
    assert.strictEqual(await reasonOf(translation.translate("a", options, own)), "left")
    assert.lengthOf(await lingua.fake.requests(), 0)
  })

  it("stops its requests when a loop over its results ends", async () => {
    await using lingua = await withFake()
    const texts = Array.from({ length: 2000 }, (_, index) => `Text ${index}`)
    const options = { targetLanguage: "de", concurrency: 1 } as const
    for await (const { text } of lingua.translation.translateAll(texts, options)) {
      assert.strictEqual(text, "[de] Text 0")
      break
    }
    assert.isBelow((await lingua.fake.requests()).length, 10)
  })

  it("refuses calls when it is closed, after those in flight", async () => {
    const lingua = await withFake({ latency: "50 millis" })
    const call = lingua.translation.translate("Hello", { targetLanguage: "de" })
    const run = all(lingua.translation.translateAll(["One"], { targetLanguage: "de" }))
    await lingua.fake.awaitRequest("Translation.translate")
    const closed = lingua.close()
    const late = await reasonOf(lingua.translation.translate("Later", { targetLanguage: "de" }))
    assert.instanceOf(late, CallError.ConnectionFailed)
    assert.match(String(late), /^ConnectionFailed: Translation\.translate: .*Nothing was sent/)
    assert.instanceOf(await reasonOf(all(lingua.glossaries.list())), CallError.ConnectionFailed)
    assert.strictEqual((await call).text, "[de] Hello")
    assert.lengthOf(await run, 1)
    await closed
    await lingua.close()
  })

  it("interrupts what is longer in flight than its end may take", async () => {
    const lingua = await withFake({ latency: "1 hour" })
    const call = reasonOf(lingua.translation.translate("Hello", { targetLanguage: "de" }))
    await lingua.fake.awaitRequest("Translation.translate")
    await lingua.close({ limit: 0 })
    assert.match(String(await call), /released/)
  })

  it("is not made with settings that cannot be used", async () => {
    const reason = await reasonOf(Lingua.make({ key: "", baseUrl: "https://service.test" }))
    assert.propertyVal(reason, "_tag", "InvalidConfiguration")
    // @ts-expect-error -- a variable that is not set
    const unset = await reasonOf(Lingua.make({ key: undefined, baseUrl: "https://service.test" }))
    assert.match(String(unset), /InvalidConfiguration: key must be a string, and undefined was given/)
    const environment = await reasonOf(Lingua.make())
    assert.instanceOf(environment, Error)
    assert.strictEqual(
      environment.message,
      "environment cannot be used: LANGUAGE_SERVICE_KEY and LANGUAGE_SERVICE_BASE_URL are not set: set them, or pass the options key and baseUrl"
    )
    assert.notInclude(String(await reasonOf(Lingua.make({ key: "se\ncret", baseUrl: "https://service.test" }))), "cret")
  })

  it("refuses options of a call that are misspelt or are none, before anything is sent", async () => {
    await using lingua = await withFake()
    const options = { targetLanguage: "de" } as const
    const { glossaries, styleRules, translation } = lingua
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      // @ts-expect-error -- no such option
      "sginal: the option of the call does not exist": () => translation.translate("a", options, { sginal: 1 }),
      // @ts-expect-error -- no such option
      timeout: () => translation.translate("a", options, { signal: AbortSignal.abort(), timeout: 1 }),
      // @ts-expect-error -- no signal
      signal: () => lingua.usage.get({ signal: new AbortController() }),
      // @ts-expect-error -- without options
      options: () => glossaries.create(),
      // @ts-expect-error -- no options
      "options: null": () => translation.translateInto(null),
      // @ts-expect-error -- no options
      "null after options": () => translation.translate("a", options, null),
      // @ts-expect-error -- a signal in place of options
      "a signal after options": () => translation.translate("a", options, AbortSignal.abort()),
      // @ts-expect-error -- no such option
      "of an effect": () => lingua.run(Effect.void, { sginal: 1 }),
      "no duration of an effect": () => lingua.run(Effect.void, { deadline: Number.NaN }),
      "an iterable": () => all(translation.translateAll(["a"], options, JSON.parse(`{"deadlin":1}`))),
      "no duration": () => lingua.usage.get({ deadline: Number.NaN }),
      // @ts-expect-error -- no duration
      limit: () => lingua.close({ limit: "soon" }),
      // @ts-expect-error -- no options
      "no options of close": () => lingua.close(null)
    }
    for (const [name, call] of Object.entries(calls)) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, so that a request is that of its call
      assert.instanceOf(await reasonOf(call()), CallError.InvalidInput, name)
    }
    // @ts-expect-error -- no duration
    assert.include(String(await reasonOf(lingua.usage.get({ deadline: "soon" }))), `deadline: given "soon"`)
    assert.lengthOf(await lingua.fake.requests(), 0)
    assert.deepStrictEqual(await all(styleRules.list()), [])
  })

  it("takes options of a call among those of its method, where an untyped caller may put them", async () => {
    await using lingua = await withFake()
    const options = { targetLanguage: "de", signal: AbortSignal.abort("left"), deadline: 1000 }
    assert.strictEqual(await reasonOf(lingua.translation.translate("a", options)), "left")
    assert.strictEqual(await reasonOf(lingua.translation.translate({ text: "a", ...options })), "left")
    assert.lengthOf(await lingua.fake.requests(), 0)
  })

  it("ends what has no end of its own", async () => {
    const lingua = await withFake({ readyAfter: 0 })
    const controller = new AbortController()
    const { signal } = controller
    const aborted = [
      reasonOf(all(lingua.events.stream({ signal }))),
      reasonOf(all(lingua.usage.thresholds({}, { signal })))
    ]
    controller.abort("the reader has left")
    assert.deepStrictEqual(await Promise.all(aborted), ["the reader has left", "the reader has left"])
    const endless = Promise.all([all(lingua.events.stream()), all(lingua.usage.thresholds({}))])
    const slept = reasonOf(lingua.run(Effect.never))
    const { stream } = await lingua.documents.translate({
      content: bytes("Good day"),
      fileName: "a.txt",
      targetLanguage: "de"
    })
    // The document is not read, and the effect does not end.
    await lingua.close({ limit: "20 millis" })
    await endless
    assert.match(String(await slept), /^ConnectionLost: Lingua\.run: .*released/)
    assert.match(String(await reasonOf(all(stream))), /Documents\.translate: .*released/)
  })

  it("sends a document of a ReadableStream, again if no attempt has read it, and not one that was read", async () => {
    await using lingua = await withFake()
    await lingua.fake.script({ operation: "Documents.upload", fault: { status: 503 } })
    const content = new Blob(["Good day"]).stream()
    const upload = () => lingua.documents.upload({ content, fileName: "a.txt", targetLanguage: "de" })
    assert.isString((await upload()).documentId)
    const error = await reasonOf(upload())
    assert.instanceOf(error, CallError.SourceFailed)
    assert.deepStrictEqual(error.attempts.map(({ outcome }) => outcome), ["refused"])
  })

  it("refuses a stream of a document that is no stream of bytes", async () => {
    await using lingua = await withFake()
    const content: AsyncIterable<Uint8Array> = JSON.parse("{}")
    Object.assign(content, { [Symbol.asyncIterator]: () => asyncOf("Good day") })
    const error = await reasonOf(lingua.documents.upload({ content, fileName: "a.txt", targetLanguage: "de" }))
    assert.instanceOf(error, CallError.SourceFailed)
    assert.match(String(error.cause), /The stream has values of type string instead of bytes/)
  })

  it("keeps a document that has arrived until it is read, or the limit of its end", async () => {
    const lingua = await withFake({ readyAfter: 0 })
    const { stream } = await lingua.documents.translate({
      content: bytes("Good day"),
      fileName: "a.txt",
      targetLanguage: "de"
    })
    const closed = lingua.close()
    assert.strictEqual(Buffer.concat(await all(stream)).toString(), "[de] Good day")
    await closed
  })

  it("leaves a failure that nobody awaits to the program, as every promise does", async () => {
    await using lingua = await withFake()
    // Those of the test runner count such a failure as one of the test.
    const listeners = process.listeners("unhandledRejection")
    process.removeAllListeners("unhandledRejection")
    const unhandled = once(process, "unhandledRejection")
    // @ts-expect-error -- without options
    void lingua.translation.translate("a")
    const [reason]: ReadonlyArray<unknown> = await unhandled
    for (const listener of listeners) process.on("unhandledRejection", listener)
    assert.instanceOf(reason, CallError.InvalidInput)
  })

  it("keeps the types of options and results", () => {
    type Client = Lingua
    const check = async (lingua: Client) => {
      const { detection, documents, glossaries, translation } = lingua
      const one = await translation.translate("a", { targetLanguage: "de" })
      expectTypeOf(one).toEqualTypeOf<Translation.Translated>()
      expectTypeOf(await translation.translate(["a"], { targetLanguage: "de" })).toEqualTypeOf<
        ReadonlyArray<Translation.Translated>
      >()
      expectTypeOf(await detection.detect("a")).toEqualTypeOf<Detection.DetectionResult>()
      expectTypeOf(await translation.translateInto({ text: ["a"], targetLanguages: ["de", "fr"] }))
        .toEqualTypeOf<{ readonly [Target in "de" | "fr"]: ReadonlyArray<Translation.Translated> }>()
      expectTypeOf(
        await translation.translateInto({ text: ["a"], targetLanguages: ["de"], onError: "result" })
      ).toEqualTypeOf<
        {
          readonly de: Result.Result<
            ReadonlyArray<Translation.Translated>,
            Exclude<CallError.ErrorOf<typeof Translation, "translate">, CallError.LimitExceeded>
          >
        }
      >()
      expectTypeOf(translation.translateAll(["a"], { targetLanguage: "de" })).toEqualTypeOf<
        AsyncIterable<Translation.Translated>
      >()
      expectTypeOf(glossaries.list()).toEqualTypeOf<AsyncIterable<Glossaries.Glossary>>()
      expectTypeOf(documents.upload).parameter(1).toEqualTypeOf<CallOptions | undefined>()
      // @ts-expect-error -- a target is missing
      await translation.translate("a")
      // @ts-expect-error -- no such option
      await translation.translate("a", { targetLanguage: "de", formalty: "more" })
      // @ts-expect-error -- no such option of a call
      await lingua.usage.get({ timeout: 1 })
      // @ts-expect-error -- takes an effect
      void documents.saveTo
    }
    assert.isFunction(check)
  })

  it("says which Node.js it needs", async () => {
    const groupBy = Object.getOwnPropertyDescriptor(Map, "groupBy") ?? assert.fail("Map.groupBy is missing")
    Reflect.deleteProperty(Map, "groupBy")
    const refused = Lingua.make({ key: "key", baseUrl: "https://service.test" })
    Object.defineProperty(Map, "groupBy", groupBy)
    const message = await refused.then(() => "made", ({ message }: Error) => message)
    assert.include(message, "use Node.js 22.12 or newer")
  })
})
