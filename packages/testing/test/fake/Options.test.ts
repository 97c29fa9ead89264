import { NodeFakeLanguageService, RemoteFakeLanguageService } from "@effect-lingua/testing"
import { FakeLanguageService, InvalidOptions } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, DateTime, Duration, Effect, Exit, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { client, tagOf } from "../support/client.ts"

/** The message of the defect that an effect dies of. */
const defect = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    if (Exit.isSuccess(exit)) return "none"
    const found = Cause.squash(exit.cause)
    return Cause.hasDies(exit.cause) && found instanceof InvalidOptions ? found.message : Cause.pretty(exit.cause)
  })

const build = (options: object) => Effect.scoped(Layer.build(FakeLanguageService.layer(options)))

const wait = `Expected a non-negative duration such as "2 seconds", a number of milliseconds, or "Infinity"`
const finite = `Expected a finite, non-negative duration such as "2 seconds", or a number of milliseconds`

describe("Options", () => {
  it.effect("that make no sense are a defect that names them", () =>
    Effect.gen(function*() {
      const key = { key: "a", tier: "paid" }
      const date = DateTime.toDateUtc(DateTime.makeUnsafe(5))
      const wrong: ReadonlyArray<readonly [options: object, message: string]> = [
        [{ keys: [{ ...key, key: "" }] }, `keys[0].key: Expected visible ASCII without spaces, got ""`],
        [{ keys: [key, { ...key, key: "b c" }] }, `keys[1].key: Expected visible ASCII without spaces, got "b c"`],
        [{ keys: [key, { key: "a", tier: "free" }] }, "keys[1].key: The key is listed twice."],
        [{ keys: [{ ...key, tier: "pro" }] }, `keys[0].tier: Expected "paid" | "free", got "pro"`],
        [{ authSchemes: [] }, "authSchemes: Expected one scheme word at least, got []"],
        [{ authSchemes: ["A B"] }, `authSchemes[0]: Expected visible ASCII without spaces, got "A B"`],
        [{ quota: { characters: -1 } }, "quota.characters: Expected a value greater than or equal to 0, got -1"],
        [{ quota: { period: 0 } }, "quota.period: Expected a duration longer than 0, got 0"],
        [{ quota: { period: Duration.infinity } }, `quota.period: ${finite}, got Infinity`],
        [{ latency: Duration.millis(-1) }, `latency: ${wait}, got -1 millis`],
        [{ readyAfter: "soon" }, `readyAfter: ${wait}, got "soon"`],
        [
          { rateLimit: { requests: 0, per: "1 second" } },
          "rateLimit.requests: Expected a value greater than or equal to 1, got 0"
        ],
        [{ rateLimit: { requests: 1, per: 0 } }, "rateLimit.per: Expected a duration longer than 0, got 0"],
        [{ dialect: { invalidKey: 402 } }, "dialect.invalidKey: Expected 403 | 401, got 402"],
        [{ limits: { pageSize: 0 } }, "limits.pageSize: Expected a value greater than or equal to 1, got 0"],
        [{ limits: { detectionTexts: 0.5 } }, "limits.detectionTexts: Expected an integer, got 0.5"],
        [{ basePath: "lingua" }, `basePath: Expected a path that begins with / and has no query, got "lingua"`],
        [{ headers: { "a b": "c" } }, "headers.a b: This is not the name of a header."],
        [{ headers: { a: "b\r\nc: d" } }, `headers.a: Expected the value of a header, got "b\\r\\nc: d"`],
        [{ remembered: -1 }, "remembered: Expected a value greater than or equal to 0, got -1"],
        [{ quota: 5 }, "quota: Expected object | undefined, got 5"],
        [
          { quota: { chars: 5 } },
          "quota.chars: There is no such key here. The keys are characters, documents, teamDocuments and period."
        ],
        [{ keys: "a" }, `keys: Expected array | undefined, got "a"`],
        [{ latency: date }, `latency: ${wait}, got 1970-01-01T00:00:00.005Z`],
        [{ readyAfter: { second: 5 } }, `readyAfter: ${wait}, got {"second":5}`],
        [{ quota: { period: { minutes: 5, second: 5 } } }, `quota.period: ${finite}, got {"minutes":5,"second":5}`],
        [{ latency: [Number.NaN, 0] }, `latency: ${wait}, got [NaN,0]`]
      ]
      for (const [options, message] of wrong) {
        assert.strictEqual(yield* defect(build(options)), `Invalid options: ${message}`)
      }
      assert.match(
        yield* defect(build({ dialect: { errorBodies: "html" } })),
        /^Invalid options: dialect\.errorBodies: There is no such key here\. The keys are invalidKey, /
      )
      assert.match(
        yield* defect(build({ latancy: "1 second" })),
        /^Invalid options: latancy: There is no such key here\. The keys are keys, /
      )
      assert.match(
        yield* defect(build({ weather: { rate429: 2 } })),
        /^Invalid options: weather\.rate429: Expected a rate between 0 and 1/
      )
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
      const fake = yield* FakeLanguageService
      const pair = { sourceLanguage: "en", targetLanguage: "de" }
      assert.deepStrictEqual(
        yield* Effect.all([
          defect(fake.addDocument({ content: "a", characters: -1 })),
          defect(fake.addDocument({ content: "a", readyAfter: Duration.seconds(-1) })),
          defect(fake.addDocument({ content: "a", account: "them" })),
          defect(fake.addGlossary({ ...pair, account: "them" })),
          defect(fake.addTranslationMemory({ sourceLanguage: "en", targetLanguages: ["de"], account: "them" })),
          defect(fake.setQuota({ characters: -1 })),
          defect(fake.setQuota({ used: 0.5 })),
          defect(fake.setQuota({ period: 0 }))
        ]),
        [
          "Invalid document: characters: Expected a value greater than or equal to 0, got -1",
          `Invalid document: readyAfter: ${wait}, got -1000 millis`,
          `No key belongs to the account "them".`,
          `No key belongs to the account "them".`,
          `No key belongs to the account "them".`,
          "Invalid quota: characters: Expected a value greater than or equal to 0, got -1",
          "Invalid quota: used: Expected an integer, got 0.5",
          "Invalid quota: period: Expected a duration longer than 0, got 0"
        ]
      )
      assert.deepStrictEqual(yield* fake.documents, [])
      assert.deepInclude(yield* fake.quota(), { used: 0 })
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("of JavaScript that has no types are checked too, whether the fake is here or elsewhere", () =>
    Effect.gen(function*() {
      const near = yield* FakeLanguageService
      const far = Context.get(
        yield* Layer.build(RemoteFakeLanguageService.layer({ url: near.url })),
        FakeLanguageService
      )
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
            "Invalid document: content: Missing key",
            "Invalid document: content: Expected a text, or bytes (Uint8Array), got 5",
            "Invalid document: fileName: Expected string | undefined, got 5",
            "Invalid document: Expected object, got undefined",
            "Invalid style rule list: language: Missing key",
            "Invalid style rule list: customInstructions[0].prompt: Missing key",
            "Invalid glossary: targetLanguage: Missing key",
            `Invalid translation memory: targetLanguages: Expected array, got "de"`
          ]
        )
        assert.match(
          yield* defect(fake.addDocument(untyped.misspelled)),
          /^Invalid document: readyafter: There is no such key here\. The keys are content, /
        )
        assert.match(yield* defect(fake.addStyleRuleList(untyped.more)), /instructions/)
        assert.match(
          yield* defect(fake.setQuota(untyped.quota)),
          /^Invalid quota: character: There is no such key here\. /
        )
        const unknown = /^Invalid operation: Expected .*"Writing\.correct".*, got undefined$/
        assert.match(yield* defect(fake.awaitRequest(untyped.nothing)), unknown)
        assert.match(yield* defect(fake.requestsOf(untyped.nothing)), unknown)
        assert.strictEqual(yield* defect(fake.advance(untyped.none)), `Invalid duration: ${finite}, got {}`)
        assert.strictEqual(
          yield* defect(fake.awaitRequest("Writing.correct", { count: 0 })),
          "Invalid count: Expected a value greater than or equal to 1, got 0"
        )
      }
      assert.deepStrictEqual(yield* near.documents, [])
      assert.deepStrictEqual((yield* near.state).styleRuleLists, [])
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(NodeFakeLanguageService.layer(), FetchHttpClient.layer))))

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
      assert.strictEqual((yield* api.StyleRules.listPage({ query: {} })).styleRules.length, 1)
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
        tagOf(api.StyleRules.listPage({ query: { pageSize: 2 } })),
        tagOf(api.Writing.correct({ payload: { text: ["x".repeat(40)], targetLanguage: "de" } }))
      ])
      assert.deepStrictEqual(tags, [
        "BadRequest",
        "BadRequest",
        "BadRequest",
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
