import { FakeLanguageService, Fault } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { AuthorizationError, ConnectionError, DeepLError, TooManyRequestsError } from "deepl-node"
import { Effect } from "effect"
import { call, effectCounts, layer, make, record, refused } from "./client.ts"

const unknown = "00000000-0000-4000-8000-000000000000"

describe("the errors of deepl-node, for what the fake answers", () => {
  it.effect("are AuthorizationError for a key that is wrong, lacks a scope or is of the other tier", () =>
    Effect.gen(function*() {
      const stranger = yield* make("stranger")
      yield* refused(() => stranger.getSourceLanguages(), AuthorizationError, "Missing or invalid key")
      const scoped = yield* make("scoped")
      yield* call(() => scoped.getSourceLanguages())
      yield* refused(() => scoped.rephraseText("a", "en-GB"), AuthorizationError, "detail: Missing required scope(s)")
      const free = yield* make("free:fx")
      yield* call(() => free.getSourceLanguages())
      yield* refused(() => free.getAllStyleRules(), AuthorizationError, "a paid plan is needed")
    }).pipe(
      Effect.provide(
        layer({ keys: [{ key: "scoped", tier: "paid", scopes: ["languages:read"] }, { key: "free:fx", tier: "free" }] })
      )
    ))

  it.effect("are one class for 429, the general one for 529, 500, 503 and 504, and ConnectionError for a reset", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const { script } = yield* FakeLanguageService
      const expected = [
        [Fault.rateLimited(), TooManyRequestsError, "Too many requests"],
        [Fault.overloaded(), DeepLError, "Unexpected status code: 529"],
        [Fault.serverError(), DeepLError, "Unexpected status code: 500"],
        [Fault.unavailable(), DeepLError, "Service unavailable"],
        [{ status: 504 }, DeepLError, "Unexpected status code: 504"],
        [Fault.reset(), ConnectionError, "Connection failure"]
      ] as const
      for (const [fault, expectedClass, words] of expected) {
        yield* script({ fault })
        yield* refused(() => client.rephraseText("a", "en-GB"), expectedClass, words)
      }
      assert.deepStrictEqual((yield* record).map(([, status]) => status), [429, 529, 500, 503, 504, undefined])
      assert.deepStrictEqual(yield* effectCounts, {})
    }).pipe(Effect.provide(layer())))

  it.effect("carry the words of the service for what it does not accept or find", () =>
    Effect.gen(function*() {
      const client = yield* make()
      const { styleId } = yield* call(() => client.createStyleRule({ name: "House", language: "en" }))
      const refusals: ReadonlyArray<readonly [() => Promise<unknown>, string]> = [
        [() => client.rephraseText("a", "xx"), "Bad request, message: Value for 'target_lang' not supported."],
        [() => client.rephraseText("a", "en-GB", "grand"), "Value for 'writing_style' not supported."],
        [() => client.rephraseText("a", "en-GB", "business", "friendly"), "Both writing_style and tone defined."],
        [() => client.rephraseText("猫", "ja", "business"), "Language ja does not support setting a writing style."],
        // The client takes an empty array and sends no text; the specification has text in every request.
        [() => client.rephraseText([], "en-GB"), "Missing parameter text."],
        [() => client.rephraseText("a".repeat(11_000), "en-GB"), "Unexpected status code: 413"],
        [() => client.createStyleRule({ name: "a", language: "pl" }), "Value for 'language' not supported."],
        [() => client.getAllStyleRules(0, 26), "Value for 'page_size' not supported."],
        [() => client.getStyleRule(unknown), "Not found, message: Style rule list not found"],
        [() => client.updateStyleRuleName(unknown, "a"), "Not found"],
        [() => client.updateStyleRuleConfiguredRules(unknown, {}), "Not found"],
        [() => client.deleteStyleRule(unknown), "Not found"],
        [() => client.getStyleRuleCustomInstruction(styleId, unknown), "Custom instruction not found"],
        [() => client.deleteStyleRuleCustomInstruction(styleId, unknown), "Custom instruction not found"],
        // An id is not a path: the client escapes it, and the fake takes it as one.
        [() => client.getStyleRule("../languages"), "Style rule list not found"]
      ]
      for (const [f, words] of refusals) yield* refused(f, DeepLError, words)
      assert.deepStrictEqual(yield* effectCounts, { "StyleRules.create": 1 })
    }).pipe(Effect.provide(layer())))
})
