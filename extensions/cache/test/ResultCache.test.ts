import { ResultCache, TextBatching } from "@effect-lingua/cache"
import {
  Deadline,
  Detection,
  Glossaries,
  LanguageService,
  LanguageServiceConfig,
  StyleRules,
  Writing
} from "@effect-lingua/core"
import { type TranslateTextOptions, Translation } from "@effect-lingua/core/texts/Translation"
import { FakeLanguageService, Fault, Script } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import {
  Arbitrary,
  Array as Arr,
  Context,
  Effect,
  Exit,
  Fiber,
  Latch,
  Layer,
  Logger,
  Redacted,
  Result,
  Schema,
  Scope,
  Stream
} from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Persistence } from "effect/persistence"
import { TestClock } from "effect/testing"
import { counts, isolated } from "../../../packages/core/test/support/metrics.ts"
import { scaled } from "../../../test/support/scale.ts"
import { effect, effectWith } from "../../../test/support/tests.ts"

const config = { key: Redacted.make("fake-key"), baseUrl: "https://fake.test" }

const cachedWith = (
  cache: Layer.Layer<ResultCache.Services, LanguageServiceConfig.InvalidConfiguration, ResultCache.Requirements>
) => cache.pipe(Layer.provideMerge(LanguageService.layer(config)), Layer.provideMerge(FakeLanguageService.layer()))

const cached = cachedWith(ResultCache.layerMemory())

/** The texts that were sent, of each request of an operation. */
const sent = (operation: "Translation.translate" | "Writing.correct" | "Detection.detect" = "Translation.translate") =>
  Effect.gen(function*() {
    const fake = yield* FakeLanguageService
    return (yield* fake.requests).filter((request) => request.operation === operation)
      .map(({ body }) =>
        Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ text: Schema.Array(Schema.String) })))(body).text
      )
  })

const toGerman: TranslateTextOptions = { targetLanguage: "de", sourceLanguage: "en" }

/** A glossary, whose version the cache requests. */
const terms = Effect.flatMap(Glossaries, ({ create }) =>
  create({
    name: "Terms",
    dictionaries: [{ sourceLanguage: "en", targetLanguage: "de", entries: { tsv: "artist\tMaler" } }]
  }))

/** A store in memory whose entries a test can read, and which can fail or hang. */
const store = () => {
  const entries = new Map<string, object>()
  const lives: Array<unknown> = []
  const state = { mood: "fine" as "fine" | "failing" | "hanging" | "interrupting" }
  const gate = Latch.makeUnsafe(true)
  let asked = 0
  const answer = <A>(value: () => A): Effect.Effect<A, Persistence.PersistenceError> =>
    Effect.suspend(() => {
      asked++
      return state.mood === "fine"
        ? Effect.sync(value)
        : state.mood === "failing"
        ? new Persistence.PersistenceError({ message: "down" })
        : state.mood === "interrupting"
        ? Effect.interrupt
        : Effect.never
    })
  const layer = Layer.succeed(Persistence.BackingPersistence, {
    make: () =>
      Effect.succeed<Persistence.BackingPersistenceStore>({
        get: (key) => answer(() => entries.get(key)),
        getMany: ([first, ...others]) => answer(() => [entries.get(first), ...others.map((key) => entries.get(key))]),
        set: (key, value) => answer(() => entries.set(key, value)),
        setMany: (all) =>
          gate.whenOpen(answer(() =>
            all.forEach(([key, value, life]) => {
              entries.set(key, value)
              lives.push(life)
            })
          )),
        remove: (key) => answer(() => entries.delete(key)),
        clear: answer(() => entries.clear())
      })
  })
  return { asked: () => asked, entries, gate, layer, lives, state }
}

const useless = Layer.succeed(Persistence.BackingPersistence, { make: () => Effect.die(new Error("no such table")) })

const problem = (options: Parameters<typeof ResultCache.layerMemory>[0]) =>
  Layer.build(cachedWith(ResultCache.layerMemory(options))).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.map(({ message }) => message)
  )

const test = effectWith(cached)

describe("ResultCache", () => {
  test("sends only unknown texts, each once, and keeps the order", function*() {
    const { translate } = yield* Translation
    yield* translate(["a", "b"], toGerman)
    const results = yield* translate(["c", "b", "a", "c"], toGerman)
    assert.deepStrictEqual(results.map(({ text }) => text), ["[de] c", "[de] b", "[de] a", "[de] c"])
    assert.deepStrictEqual(yield* sent(), [["a", "b"], ["c"]])
  })

  test("bills what it does not send with 0 characters", function*() {
    const { translate } = yield* Translation
    const options = { ...toGerman, showBilledCharacters: true }
    const [first] = yield* translate(["four"], toGerman)
    assert.isUndefined(first?.billedCharacters)
    const results = yield* translate(["four", "three", "three"], options)
    assert.deepStrictEqual(results.map(({ billedCharacters }) => billedCharacters), [0, 5, 0])
    const fake = yield* FakeLanguageService
    assert.strictEqual((yield* fake.quota()).used, 9)
  })

  test("holds for single texts, runs, improvements and detections, each apart", function*() {
    const { translate, translateAll } = yield* Translation
    const { correct, rephrase } = yield* Writing
    const { detect } = yield* Detection
    yield* translate("a", toGerman)
    const all = yield* Stream.runCollect(translateAll(["a", "b", "a"], toGerman))
    assert.deepStrictEqual(all.map(({ text }) => text), ["[de] a", "[de] b", "[de] a"])
    assert.deepStrictEqual(yield* sent(), [["a"], ["b"]])
    yield* Effect.all([correct("a"), correct("a"), rephrase("a")])
    yield* correct("a")
    assert.deepStrictEqual(yield* sent("Writing.correct"), [["a"]])
    yield* detect("a letter")
    assert.strictEqual((yield* detect("a letter"))._tag, "Detected")
    assert.deepStrictEqual(yield* sent("Detection.detect"), [["a letter"]])
  })

  test("buys the unknown texts of a run in order, across what it reads at a time, and each once", function*() {
    const { translate, translateAll } = yield* Translation
    const texts = Array.from({ length: 600 }, (_, index) => `text ${index % 540}`)
    const known = texts.filter((_, index) => index % 7 === 0)
    for (const group of Arr.chunksOf(known, 50)) yield* translate(group, toGerman)
    for (const input of [Stream.fromIterable(texts), new Set(texts).values()]) {
      const results = yield* Stream.runCollect(translateAll(input, { ...toGerman, showBilledCharacters: true }))
      assert.deepStrictEqual(
        results.slice(0, 540).map(({ text }) => text),
        texts.slice(0, 540).map((text) => `[de] ${text}`)
      )
    }
    const all = (yield* sent()).flat()
    assert.strictEqual(all.length, 540)
    assert.strictEqual(new Set(all).size, 540)
  })

  test("keeps the results of a run before its failure, which names the positions of its texts", function*() {
    const { translateAll } = yield* Translation
    const fake = yield* FakeLanguageService
    const texts = Array.from({ length: 600 }, (_, index) => `text ${index}`)
    yield* Stream.runDrain(translateAll(texts.slice(0, 10), toGerman))
    yield* fake.script({ ...Script.next(1, { status: 400 }, "Translation.translate"), skip: 9 })
    const emitted: Array<string> = []
    const failure = yield* translateAll(texts, { ...toGerman, concurrency: 1 }).pipe(
      Stream.runForEach(({ text }) => Effect.sync(() => emitted.push(text))),
      Effect.flip
    )
    assert.deepStrictEqual([failure._tag, failure.texts], ["BadRequest", { first: 450, last: 499 }])
    assert.deepStrictEqual(emitted, texts.slice(0, 450).map((text) => `[de] ${text}`))
    const before = (yield* sent()).length
    yield* Stream.runDrain(translateAll(texts, toGerman))
    assert.deepStrictEqual((yield* sent()).slice(before).flat(), texts.slice(450))
  })

  test("gives each text of a run its result or its failure", function*() {
    const { translateAll } = yield* Translation
    const texts = Array.from({ length: 500 }, (_, index) => index === 450 ? "\ud800" : `text ${index}`)
    for (const requests of [10, 10]) {
      const results = yield* Stream.runCollect(translateAll(texts, { ...toGerman, onError: "result" }))
      const failures = results.flatMap((result) => Result.isFailure(result) ? [result.failure] : [])
      assert.deepStrictEqual(
        failures.map((failure) => [failure.texts?.first, "parameter" in failure && failure.parameter]),
        [[450, "text[450]"]]
      )
      assert.strictEqual(results.length, 500)
      assert.strictEqual((yield* sent()).length, requests)
    }
    assert.strictEqual((yield* Effect.flip(Stream.runDrain(translateAll(texts, toGerman))))._tag, "InvalidInput")
  })

  test("names the positions in the list of the caller, also of a text that stands there twice", function*() {
    const { translate, translateAll } = yield* Translation
    yield* translate("known", toGerman)
    const large = ["known", "a", "a", "x".repeat(140_000)]
    assert.include((yield* Effect.flip(translate(large, toGerman))).description, "text[3]")
    const results = yield* Stream.runCollect(
      translateAll(["a", "\ud800", "known", "\ud800"], { ...toGerman, onError: "result" })
    )
    assert.deepStrictEqual(
      results.flatMap((result) => Result.isFailure(result) && "parameter" in result.failure ? [result.failure] : [])
        .map(({ parameter, texts }) => [parameter, texts]),
      [["text[1]", { first: 1, last: 1 }], ["text[3]", { first: 3, last: 3 }]]
    )
  })

  test("keeps what a run had delivered when its reader leaves", function*() {
    const { translateAll } = yield* Translation
    const fake = yield* FakeLanguageService
    const texts = Array.from({ length: 150 }, (_, index) => `text ${index}`)
    yield* fake.script({ ...Script.next(1, Fault.slow("1 hour"), "Translation.translate"), skip: 1 })
    const fiber = yield* Effect.forkChild(Stream.runDrain(translateAll(texts, { ...toGerman, concurrency: 2 })))
    yield* fake.awaitRequest("Translation.translate", { count: 3 })
    yield* TestClock.adjust("1 second")
    yield* Fiber.interrupt(fiber)
    yield* Stream.runDrain(translateAll(texts, { ...toGerman, concurrency: 2 }))
    assert.deepStrictEqual((yield* sent()).slice(3).flat(), texts.slice(50))
  })

  test("keeps no empty result", function*() {
    const { translate } = yield* Translation
    const fake = yield* FakeLanguageService
    yield* fake.script(
      Script.next(1, { status: 200, body: `{"translations":[{"detected_source_language":"EN","text":""}]}` })
    )
    assert.strictEqual((yield* translate("a", toGerman)).text, "")
    assert.strictEqual((yield* translate("a", toGerman)).text, "[de] a")
  })

  it.effect("leaves single texts to a layer below that batches them", () =>
    Effect.gen(function*() {
      const { translate } = yield* Translation
      const call = Effect.forEach(["a", "b"], (text) => translate(text, toGerman), { concurrency: "unbounded" })
      yield* call
      yield* call
      assert.deepStrictEqual(yield* sent(), [["a", "b"]])
    }).pipe(
      Effect.provide(
        ResultCache.layerMemory().pipe(
          Layer.provideMerge(TextBatching.layer),
          Layer.provideMerge(FakeLanguageService.layerServices())
        )
      )
    ))

  it.effect("sends a text once that a layer above batches, however many callers it has at that time", () =>
    Effect.gen(function*() {
      const { translate } = yield* Translation
      const call = Effect.forEach(["a", "b", "a"], (text) => translate(text, toGerman), { concurrency: "unbounded" })
      yield* call
      assert.deepStrictEqual((yield* call).map(({ text }) => text), ["[de] a", "[de] b", "[de] a"])
      assert.deepStrictEqual(yield* sent(), [["a", "b"]])
    }).pipe(
      Effect.provide(
        TextBatching.layer.pipe(
          Layer.provideMerge(ResultCache.layerMemory()),
          Layer.provideMerge(FakeLanguageService.layerServices())
        )
      )
    ))

  it.effect("keeps a result for ever if its time to live is infinite", () => {
    const { entries, layer, lives } = store()
    return Effect.gen(function*() {
      const { translate } = yield* Translation
      yield* translate(["a"], toGerman)
      assert.deepStrictEqual([entries.size, lives], [1, [undefined]])
    }).pipe(Effect.provide(cachedWith(ResultCache.layer(layer, { timeToLive: "Infinity" }))))
  })

  it.effect("keeps results apart by the headers of the client, in one store", () =>
    Effect.gen(function*() {
      const cache = ResultCache.layer(store().layer)
      const a = { "x-model": "A" }
      for (
        const headers of [undefined, a, { "x-model": "B" }, { "x-user": "1", ...a }, { ...a, "X-User": "1" }, {}, a]
      ) {
        const client = Layer.provide(cache, LanguageService.layer({ ...config, headers }))
        yield* Effect.provide(Translation.use(({ translate }) => translate("a", toGerman)), client)
      }
      assert.lengthOf(yield* sent(), 4)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("lets calls in a region with a client transform go past it, single ones and runs", () =>
    Effect.gen(function*() {
      const { translate, translateAll } = yield* Translation
      const other = LanguageServiceConfig.withClientTransform(
        HttpClient.mapRequest(HttpClientRequest.setHeader("x-model", "B"))
      )
      for (const call of [translate("a", toGerman), other(translate("a", toGerman))]) yield* Effect.andThen(call, call)
      yield* other(Stream.runDrain(translateAll(["a"], toGerman)))
      assert.lengthOf(yield* sent(), 4)
    }).pipe(Effect.provide(cachedWith(ResultCache.layerMemory()))))

  it.effect("keeps results apart by the host, the port and the path of the service, in one store", () => {
    const { entries, layer } = store()
    return Effect.gen(function*() {
      const addresses = ["", ":1", "/a", "/b"].map((rest) => `https://one.test${rest}`).concat("https://two.test")
      for (const baseUrl of [...addresses, "https://one.test/"]) {
        const client = Layer.provide(ResultCache.layer(layer), LanguageService.layer({ ...config, baseUrl }))
        yield* Effect.provide(Translation.use(({ translate }) => translate("a", toGerman)), client)
      }
      assert.lengthOf(yield* sent(), addresses.length)
      assert.strictEqual(entries.size, addresses.length)
    }).pipe(
      // One fake for all addresses.
      Effect.updateService(
        HttpClient.HttpClient,
        HttpClient.mapRequest(
          HttpClientRequest.updateUrl((url) => url.replace(/\/\/\w+\.test(?::1)?(\/[ab])?/, "//fake.test"))
        )
      ),
      Effect.provide(FakeLanguageService.layer())
    )
  })

  test("keeps results apart by every field, and by the content of glossaries and style rule lists", function*() {
    const { translate } = yield* Translation
    const glossaries = yield* Glossaries
    const lists = yield* StyleRules
    const pair = { sourceLanguage: "en", targetLanguage: "de" } as const
    const { glossaryId } = yield* glossaries.create({
      name: "Terms",
      dictionaries: [{ ...pair, entries: { tsv: "artist\tMaler" } }]
    })
    const { styleId } = yield* lists.create({ name: "House", language: "de" })
    const text = ["An artist"]
    const variants: ReadonlyArray<TranslateTextOptions> = [
      toGerman,
      { targetLanguage: "de" },
      { ...toGerman, targetLanguage: "fr" },
      { ...toGerman, formality: "more" },
      { ...toGerman, context: "art" },
      { ...toGerman, customInstructions: ["Be brief"] },
      { ...toGerman, glossaryId },
      { ...toGerman, glossaryIds: [glossaryId] },
      { ...toGerman, styleId }
    ]
    for (const options of [...variants, ...variants]) yield* translate(text, options)
    assert.strictEqual((yield* sent()).length, variants.length)
    const painter = (options: TranslateTextOptions) => Effect.map(translate(text, options), ([first]) => first?.text)
    assert.include(yield* painter({ ...toGerman, glossaryId }), "Maler")
    yield* glossaries.replaceDictionary({ glossaryId, ...pair, entries: { tsv: "artist\tKünstler" } })
    yield* lists.rename({ styleId, name: "Home" })
    yield* TestClock.adjust("2 minutes")
    assert.include(yield* painter({ ...toGerman, glossaryId }), "Künstler")
    assert.include(yield* painter({ ...toGerman, glossaryIds: [glossaryId] }), "Künstler")
    yield* translate(text, { ...toGerman, styleId })
    yield* translate([" An artist"], toGerman)
    assert.strictEqual((yield* sent()).length, variants.length + 4)
  })

  test("is passed by where the version of a glossary cannot be requested", function*() {
    const { translate } = yield* Translation
    const fake = yield* FakeLanguageService
    const { glossaryId } = yield* terms
    yield* fake.script(Script.next(1, { status: 400 }, "Glossaries.entries"))
    yield* translate(["a"], { ...toGerman, glossaryId })
    yield* TestClock.adjust("1 second")
    for (const text of ["a", "a"]) yield* translate([text], { ...toGerman, glossaryId })
    assert.deepStrictEqual(yield* sent(), [["a"], ["a"]])
  })

  it.effect("forgets after its time to live, and what was not used for longest", () =>
    Effect.gen(function*() {
      const { translate } = yield* Translation
      for (const text of ["a", "b", "a", "c", "a", "b"]) yield* translate([text], toGerman)
      assert.deepStrictEqual(yield* sent(), [["a"], ["b"], ["c"], ["b"]])
      yield* TestClock.adjust("1 hour")
      yield* translate(["b"], toGerman)
      assert.strictEqual((yield* sent()).length, 5)
    }).pipe(Effect.provide(cachedWith(ResultCache.layerMemory({ maximumEntries: 2, timeToLive: "1 hour" })))))

  it.live("has the time of the call, also if its layer is built under another clock", () =>
    Effect.gen(function*() {
      const { translate } = yield* Translation
      yield* translate(["a"], toGerman)
      yield* TestClock.adjust("31 days")
      yield* translate(["a"], toGerman)
      assert.deepStrictEqual(yield* sent(), [["a"], ["a"]])
    }).pipe(Effect.provide([cached, TestClock.layer()])))

  test("by default keeps a result for 30 days, and the version of a glossary for a minute", function*() {
    const { translate } = yield* Translation
    const fake = yield* FakeLanguageService
    const { glossaryId } = yield* terms
    const versions = Effect.map(
      fake.requests,
      (requests) => requests.filter(({ operation }) => operation === "Glossaries.entries").length
    )
    const call = translate(["a"], { ...toGerman, glossaryId })
    yield* call
    yield* TestClock.adjust("59 seconds")
    yield* call
    assert.strictEqual(yield* versions, 1)
    yield* TestClock.adjust("2 seconds")
    yield* call
    assert.strictEqual(yield* versions, 2)
    yield* translate(["b"], toGerman)
    yield* TestClock.adjust("29 days")
    yield* translate(["b"], toGerman)
    assert.strictEqual((yield* sent()).length, 2)
    yield* TestClock.adjust("1 day")
    yield* translate(["b"], toGerman)
    assert.strictEqual((yield* sent()).length, 3)
  })

  it.effect("by default waits 250 ms for its store", () => {
    const { layer, state } = store()
    return Effect.gen(function*() {
      const { translate } = yield* Translation
      state.mood = "hanging"
      const fiber = yield* Effect.forkChild(translate(["a"], toGerman))
      yield* TestClock.adjust("249 millis")
      assert.deepStrictEqual(yield* sent(), [])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* sent(), [["a"]])
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(cachedWith(ResultCache.layer(layer))))
  })

  it.effect.each([["1 hour", 10_000], ["6 seconds", 3000]] as const)(
    "waits for the version of a glossary, of a call with %s, %d ms at most",
    ([time, millis]) =>
      Effect.gen(function*() {
        const { translate } = yield* Translation
        const fake = yield* FakeLanguageService
        const { glossaryId } = yield* terms
        yield* fake.script(Script.next(1, Fault.slow("1 hour"), "Glossaries.entries"))
        yield* Effect.forkChild(Deadline.within(translate(["a"], { ...toGerman, glossaryId }), time))
        yield* TestClock.adjust(millis - 1)
        assert.deepStrictEqual(yield* sent(), [])
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* sent(), [["a"]])
      }).pipe(Effect.provide(cached))
  )

  it.effect("costs the saving and no call while its store fails, hangs or is interrupted", () => {
    const { layer, state } = store()
    return Effect.gen(function*() {
      const { translate } = yield* Translation
      for (const mood of ["failing", "hanging", "interrupting"] as const) {
        state.mood = mood
        const fiber = yield* Effect.forkChild(translate([mood], toGerman))
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual((yield* Fiber.join(fiber))[0]?.text, `[de] ${mood}`)
        yield* TestClock.adjust("2 seconds")
      }
      state.mood = "fine"
      yield* translate(["fine"], toGerman)
      yield* translate(["fine"], toGerman)
      assert.deepStrictEqual(yield* sent(), [["failing"], ["hanging"], ["interrupting"], ["fine"]])
    }).pipe(Effect.provide(cachedWith(ResultCache.layer(layer))))
  })

  it.effect("says once that its store is down, asks it again after a second, and says that it is back", () => {
    const { asked, layer, state } = store()
    const said: Array<readonly [level: string, message: unknown]> = []
    const logger = Logger.layer([Logger.make(({ logLevel, message }) => void said.push([logLevel, message]))])
    return isolated(
      Effect.gen(function*() {
        const { translate } = yield* Translation
        state.mood = "failing"
        yield* translate(["one"], toGerman)
        assert.strictEqual(asked(), 1)
        // The pause begins with the failure, and neither reads nor writes.
        yield* TestClock.adjust("999 millis")
        yield* translate(["two"], toGerman)
        assert.strictEqual(asked(), 1)
        yield* TestClock.adjust("1 millis")
        yield* translate(["three"], toGerman)
        assert.strictEqual(asked(), 2)
        yield* TestClock.adjust("1 second")
        state.mood = "fine"
        yield* translate(["fine"], toGerman)
        yield* translate(["fine"], toGerman)
        assert.deepStrictEqual(said, [
          ["Warn", ["The cache of results is unavailable; texts are sent: down"]],
          ["Info", ["The cache of results is available again"]]
        ])
        assert.deepStrictEqual(yield* counts("cache.failures"), [[{}, 2]])
        const operation = "Translation.translate"
        assert.deepStrictEqual(yield* counts("cache.texts"), [
          [{ operation, result: "miss" }, 4],
          [{ operation, result: "hit" }, 1]
        ])
        assert.deepStrictEqual(yield* counts("cache.saved_characters"), [[{ operation }, 4]])
      }).pipe(Effect.provide(Layer.merge(cachedWith(ResultCache.layer(layer)), logger)))
    )
  })

  it.effect("starts without a store that cannot be built, tries again when it is used, and keeps one connection", () => {
    const { layer } = store()
    let [attempts, open] = [0, 0]
    const unsteady = Layer.unwrap(Effect.gen(function*() {
      attempts++
      yield* Effect.acquireRelease(Effect.sync(() => void open++), () => Effect.sync(() => void open--))
      if (attempts === 1) return yield* Effect.fail("down")
      // A connection that is there, and of no use.
      return attempts < 4 ? useless : layer
    }))
    return Effect.gen(function*() {
      const { translate } = yield* Translation
      assert.deepStrictEqual([attempts, open], [1, 0])
      for (const text of ["a", "b", "c"]) {
        yield* translate([text], toGerman)
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual([attempts, open], [4, 1])
      yield* translate(["c"], toGerman)
      assert.deepStrictEqual(yield* sent(), [["a"], ["b"], ["c"]])
      assert.deepStrictEqual([attempts, open], [4, 1])
    }).pipe(
      Effect.provide(cachedWith(ResultCache.layer(unsteady))),
      Effect.andThen(Effect.sync(() => assert.strictEqual(open, 0)))
    )
  })

  it.effect("replaces an entry that is not an object, and is not down", () => {
    const { entries, layer } = store()
    return Effect.gen(function*() {
      const { translate } = yield* Translation
      yield* translate(["a", "b"], toGerman)
      const [name = ""] = entries.keys()
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a store may return anything
      entries.set(name, "text" as unknown as object)
      yield* translate(["b", "a"], toGerman)
      yield* translate(["a"], toGerman)
      assert.deepStrictEqual(yield* sent(), [["a", "b"], ["a"]])
      assert.notStrictEqual<unknown>(entries.get(name), "text")
    }).pipe(Effect.provide(cachedWith(ResultCache.layer(layer))))
  })

  it.effect("keeps a result whose caller left before it was written", () => {
    const { entries, gate, layer } = store()
    return Effect.gen(function*() {
      const { translate } = yield* Translation
      yield* gate.close
      const fiber = yield* Effect.forkChild(translate(["a"], toGerman))
      yield* TestClock.adjust("100 millis")
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(entries.size, 0)
      yield* gate.open
      yield* TestClock.adjust("1 milli")
      assert.strictEqual(entries.size, 1)
    }).pipe(Effect.provide(cachedWith(ResultCache.layer(layer))))
  })

  it.effect.each<readonly [store: string, isStuck: boolean, written: number]>([
    ["that writes", false, 1],
    ["that is stuck, for 250 ms", true, 0]
  ])("awaits with its release the results of callers that left, of a store %s", ([, isStuck, written]) => {
    const { entries, gate, layer } = store()
    const sizes: Array<number> = []
    const watched = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => sizes.push(entries.size))))
    return Effect.gen(function*() {
      const scope = yield* Scope.make()
      const client = cachedWith(ResultCache.layer(Layer.merge(layer, watched)))
      const { translate } = Context.get(yield* Layer.buildWithScope(client, scope), Translation)
      yield* gate.close
      const fiber = yield* Effect.forkChild(translate(["a"], toGerman))
      yield* TestClock.adjust("100 millis")
      yield* Fiber.interrupt(fiber)
      const release = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(sizes, [])
      if (!isStuck) yield* gate.open
      yield* TestClock.adjust("50 millis")
      yield* Fiber.join(release)
      assert.deepStrictEqual(sizes, [written])
    })
  })

  it.effect("has no text in its names", () => {
    const { entries, layer } = store()
    return Effect.gen(function*() {
      yield* Translation.use(({ translate }) => translate(["confidential"], toGerman))
      assert.match(JSON.stringify([...entries.keys()]), /^\["[0-9a-f]{64}"\]$/)
      assert.include(JSON.stringify([...entries.values()]), "confidential")
    }).pipe(Effect.provide(cachedWith(ResultCache.layer(layer))))
  })

  effect("refuses options that cannot be", function*() {
    assert.strictEqual(yield* problem({ timeToLive: 0 }), "timeToLive must be more than 0")
    assert.strictEqual(
      yield* problem({ storeId: "a.b" }),
      "storeId must have 1 to 40 letters, digits and underscores"
    )
    assert.strictEqual(yield* problem({ maximumEntries: 0 }), "maximumEntries must be a whole number from 1")
  })

  it.effect.prop(
    "gives what the service gives, for any sequence of requests",
    [Arbitrary.array(
      Arbitrary.all({
        text: Arbitrary.schema(
          Schema.Array(Schema.Literals(["a", "b", "<b>c</b>", "😀", "a b. C d."])).check(Schema.isMaxLength(4))
        ),
        targetLanguage: Arbitrary.schema(Schema.Literals(["de", "fr", "en-US"])),
        formality: Arbitrary.schema(Schema.Literals(["default", "prefer_more"])),
        tagHandling: Arbitrary.schema(Schema.UndefinedOr(Schema.Literal("xml")))
      }),
      { minLength: 1, maxLength: 12 }
    )],
    ([requests]) =>
      Effect.gen(function*() {
        const ask = Effect.gen(function*() {
          const { translate } = yield* Translation
          return yield* Effect.forEach(requests, ({ tagHandling, ...request }) =>
            translate({ ...request, ...(tagHandling === undefined ? {} : { tagHandling }) }))
        })
        const plain = LanguageService.layer(config).pipe(Layer.provide(FakeLanguageService.layer()))
        assert.deepStrictEqual(
          yield* Effect.provide(ask, cached, { local: true }),
          yield* Effect.provide(ask, plain, { local: true })
        )
      }),
    { arbitrary: { runs: scaled(10, 100) } }
  )
})
