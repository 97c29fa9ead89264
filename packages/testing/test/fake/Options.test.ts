import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import * as RemoteFakeLanguageService from "@effect-lingua/testing/fake/RemoteFakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, DateTime, Duration, Effect, Exit, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { client, tagOf } from "../support/client.ts"

const { FakeLanguageService: Fake, InvalidOptions } = FakeLanguageService

/** The message of the defect that an effect dies of. */
const defect = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    if (Exit.isSuccess(exit)) return "none"
    const found = Cause.squash(exit.cause)
    return Cause.hasDies(exit.cause) && found instanceof InvalidOptions ? found.message : Cause.pretty(exit.cause)
  })

const build = (options: object) => Effect.scoped(Layer.build(FakeLanguageService.layer(options)))

describe("Options", () => {
  it.effect("that make no sense are a defect that names them", () =>
    Effect.gen(function*() {
      const key = { key: "a", tier: "paid" }
      const date = DateTime.toDateUtc(DateTime.makeUnsafe(5))
      const wrong: ReadonlyArray<readonly [options: object, message: string]> = [
        [{ keys: [{ ...key, key: "" }] }, "keys[0].key is visible ASCII without spaces, and not empty."],
        [{ keys: [key, { ...key, key: "b c" }] }, "keys[1].key is visible ASCII without spaces, and not empty."],
        [{ keys: [key, { key: "a", tier: "free" }] }, "keys[1].key is there twice."],
        [{ keys: [{ ...key, tier: "pro" }] }, `keys[0].tier is "paid" or "free", not "pro".`],
        [{ authSchemes: [] }, "authSchemes has one scheme word at least."],
        [{ authSchemes: ["A B"] }, "authSchemes[0] is visible ASCII without spaces, and not empty."],
        [{ quota: { characters: -1 } }, "quota.characters is a whole number from 0 on, not -1."],
        [{ quota: { characters: 1.5 } }, "quota.characters is a whole number from 0 on, not 1.5."],
        [{ quota: { period: 0 } }, "quota.period is finite and longer than 0."],
        [{ quota: { period: Duration.infinity } }, "quota.period is finite and longer than 0."],
        [{ latency: Duration.millis(-1) }, "latency is not negative, as -1ms is."],
        [{ readyAfter: "soon" }, "readyAfter is no duration."],
        [{ expiresAfter: Duration.seconds(-1) }, "expiresAfter is not negative, as -1s is."],
        [{ rateLimit: { requests: 0, per: "1 second" } }, "rateLimit.requests is a whole number from 1 on, not 0."],
        [{ rateLimit: { requests: 1, per: 0 } }, "rateLimit.per is finite and longer than 0."],
        [{ dialect: { invalidKey: 402 } }, "dialect.invalidKey is one of 403, 401, not 402."],
        [{ limits: { pageSize: 0 } }, "limits.pageSize is a whole number from 1 on, not 0."],
        [{ limits: { detectionTexts: Number.NaN } }, "limits.detectionTexts is a whole number from 0 on, not NaN."],
        [{ basePath: "lingua" }, `basePath begins with "/" and has no query, not "lingua".`],
        [{ headers: { "a b": "c" } }, `headers["a b"] cannot be sent as a header.`],
        [{ headers: { a: "b\r\nc: d" } }, `headers["a"] cannot be sent as a header.`],
        [{ remembered: -1 }, "remembered is a whole number from 0 on, not -1."],
        [{ latency: Number.NaN }, "latency is no duration."],
        [{ limits: { detectionTexts: "5" } }, "limits.detectionTexts is a whole number from 0 on, not 5."],
        [{ quota: 5 }, "quota is an object."],
        [{ rateLimit: 5 }, "rateLimit is an object."],
        [{ quota: { chars: 5 } }, `There is no "chars" in quota. There are characters, period.`],
        [{ keys: "a" }, "keys is an array."],
        [{ keys: ["a"] }, "keys[0] is an object."],
        [{ authSchemes: "A" }, "authSchemes is an array."],
        [{ latency: date }, "latency is no duration."],
        [{ readyAfter: { second: 5 } }, "readyAfter is no duration."],
        [{ quota: { period: { minutes: 5, second: 5 } } }, "quota.period is no duration."],
        [{ latency: {} }, "latency is no duration."],
        [{ latency: { seconds: "5" } }, "latency is no duration."],
        [{ latency: [Number.NaN, 0] }, "latency is no duration."]
      ]
      for (const [options, message] of wrong) assert.strictEqual(yield* defect(build(options)), message)
      assert.match(
        yield* defect(build({ dialect: { errorBodies: "html" } })),
        /^There is no dialect "errorBodies"\. There are invalidKey, /
      )
      assert.match(
        yield* defect(build({ latancy: "1 second" })),
        /^There is no "latancy" in the options\. There are keys, /
      )
      assert.match(
        yield* defect(build({ limits: { improvementByte: 1 } })),
        /^There is no "improvementByte" in limits\. There are improvementBytes, /
      )
      assert.match(yield* defect(build({ weather: { rate429: 2 } })), /rate429: Expected a rate between 0 and 1/)
    }))

  it.effect("at the edge of sense are taken", () =>
    Effect.gen(function*() {
      const right: ReadonlyArray<FakeLanguageService.Options> = [
        {},
        { keys: [] },
        { keys: [{ key: "a:fx", tier: "free" }, { key: "b", tier: "paid", account: "" }] },
        { quota: { characters: 0, period: "1 millis" }, latency: 0, readyAfter: Duration.infinity, expiresAfter: 0 },
        {
          rateLimit: { requests: 1, per: "1 millis" },
          dialect: { invalidKey: undefined },
          limits: { detectionTexts: 0 }
        },
        { basePath: "", headers: { "X-A": "ü" }, remembered: 0 },
        { basePath: "/a/b/" },
        { latency: { seconds: 5, minutes: undefined }, readyAfter: [1, 0], expiresAfter: 5n }
      ]
      for (const options of right) assert.strictEqual(yield* defect(build(options)), "none")
    }))

  it.effect("of a document, a glossary, a memory or the quota are checked in the same way", () =>
    Effect.gen(function*() {
      const fake = yield* Fake
      const pair = { sourceLanguage: "en", targetLanguage: "de" }
      assert.deepStrictEqual(
        yield* Effect.all([
          defect(fake.addDocument({ content: "a", characters: -1 })),
          defect(fake.addDocument({ content: "a", readyAfter: Duration.seconds(-1) })),
          defect(fake.addDocument({ content: "a", expiresAfter: Duration.seconds(-1) })),
          defect(fake.addDocument({ content: "a", account: "them" })),
          defect(fake.addGlossary({ ...pair, account: "them" })),
          defect(fake.addTranslationMemory({ sourceLanguage: "en", targetLanguages: ["de"], account: "them" })),
          defect(fake.setQuota({ characters: -1 })),
          defect(fake.setQuota({ used: 0.5 })),
          defect(fake.setQuota({ period: 0 }))
        ]),
        [
          "characters is a whole number from 0 on, not -1.",
          "readyAfter is not negative, as -1s is.",
          "expiresAfter is not negative, as -1s is.",
          `No key belongs to the account "them".`,
          `No key belongs to the account "them".`,
          `No key belongs to the account "them".`,
          "characters is a whole number from 0 on, not -1.",
          "used is a whole number from 0 on, not 0.5.",
          "period is finite and longer than 0."
        ]
      )
      assert.deepStrictEqual(yield* fake.documents, [])
      assert.deepInclude(yield* fake.quota, { used: 0 })
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("of JavaScript that has no types are checked too, whether the fake is here or elsewhere", () =>
    Effect.gen(function*() {
      const near = yield* Fake
      const far = Context.get(yield* Layer.build(RemoteFakeLanguageService.layer({ url: near.url })), Fake)
      const untyped = JSON.parse(`{
        "text": { "text": "a" }, "number": { "content": 5 }, "none": {}, "name": { "name": "House" },
        "pair": { "sourceLanguage": "en" }, "memory": { "sourceLanguage": "en", "targetLanguages": "de" },
        "misspelled": { "content": "a", "readyafter": 5 }, "fileName": { "content": "a", "fileName": 5 },
        "more": { "name": "House", "language": "en", "instructions": [] },
        "instructions": { "name": "House", "language": "en", "customInstructions": [{ "label": "a" }] },
        "quota": { "character": 5 }
      }`)
      for (const fake of [near, far]) {
        assert.deepStrictEqual(
          yield* Effect.all([
            defect(fake.addDocument(untyped.none)),
            defect(fake.addDocument(untyped.number)),
            defect(fake.addDocument(untyped.fileName)),
            defect(Effect.suspend(() => fake.addDocument(untyped.nothing))),
            defect(fake.addStyleRuleList(untyped.name)),
            defect(fake.addStyleRuleList(untyped.instructions)),
            defect(fake.addGlossary(untyped.pair)),
            defect(fake.addTranslationMemory(untyped.memory))
          ]),
          [
            "content is a text, or bytes (Uint8Array).",
            "content is a text, or bytes (Uint8Array).",
            "fileName is a text.",
            "the document is an object.",
            "This is no style rule list: language: Missing key.",
            "This is no style rule list: customInstructions[0].prompt: Missing key.",
            "This is no glossary: targetLanguage: Missing key.",
            "This is no translation memory: targetLanguages: Expected array."
          ]
        )
        assert.match(
          yield* defect(fake.addDocument(untyped.misspelled)),
          /^There is no "readyafter" in the document\. There are content, /
        )
        assert.match(yield* defect(fake.addStyleRuleList(untyped.more)), /instructions/)
        assert.match(yield* defect(fake.setQuota(untyped.quota)), /^There is no "character" in the quota\. /)
        const unknown = /^There is no operation "undefined"\. There are /
        assert.match(yield* defect(fake.awaitRequest(untyped.nothing)), unknown)
        assert.match(yield* defect(fake.requestsOf(untyped.nothing)), unknown)
        assert.strictEqual(yield* defect(fake.advance(untyped.none)), "The duration is no duration.")
        assert.strictEqual(
          yield* defect(fake.awaitRequest("Writing.correct", { count: 0 })),
          "count is a whole number from 1 on, not 0."
        )
      }
      assert.deepStrictEqual(yield* near.documents, [])
      assert.deepStrictEqual((yield* near.state).styleRuleLists, [])
    }).pipe(
      Effect.scoped,
      Effect.provide(Layer.provideMerge(NodeFakeLanguageService.layer(), FetchHttpClient.layer))
    ))

  it.effect("set limits that differ from those of the specification", () =>
    Effect.gen(function*() {
      const api = yield* client
      const text = ["a", "b"]
      yield* api.Detection.detect({ payload: { text: ["a"] } })
      const one = { label: "a", prompt: "b" }
      const { styleId } = yield* api.StyleRules.create({
        payload: { name: "xx", language: "nl", customInstructions: [one] }
      })
      const params = { styleId }
      assert.strictEqual((yield* api.StyleRules.list({ query: {} })).styleRules.length, 1)
      const tags = yield* Effect.all([
        tagOf(api.Detection.detect({ payload: { text } })),
        tagOf(api.Translation.translate({ payload: { text, targetLanguage: "de" } })),
        tagOf(api.StyleRules.addInstruction({ params, payload: one })),
        tagOf(api.StyleRules.rename({ params, payload: { name: "xxx" } })),
        tagOf(api.StyleRules.create({ payload: { name: "x", language: "en" } })),
        tagOf(
          api.StyleRules.create({
            payload: { name: "x", language: "nl", customInstructions: [{ ...one, label: "xx" }] }
          })
        ),
        tagOf(api.StyleRules.list({ query: { pageSize: 2 } })),
        tagOf(api.Writing.correct({ payload: { text: ["x".repeat(40)], targetLanguage: "de" } }))
      ])
      assert.deepStrictEqual(tags, [
        "BadRequest",
        "BadRequest",
        "QuotaExceeded",
        "BadRequest",
        "BadRequest",
        "BadRequest",
        "BadRequest",
        "PayloadTooLarge"
      ])
    }).pipe(Effect.provide(FakeLanguageService.layer({
      limits: {
        detectionTexts: 1,
        translationTexts: 1,
        instructionsPerList: 1,
        styleRuleListNameCharacters: 2,
        labelCharacters: 1,
        styleRuleLanguages: ["NL"],
        pageSize: 1,
        improvementBytes: 60
      }
    }))))
})
