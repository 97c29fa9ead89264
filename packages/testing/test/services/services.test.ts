import { LanguageService, type LanguageServiceConfig, Writing } from "@effect-lingua/core"
import { FakeLanguageService, NodeFakeLanguageService } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"

const { layerServices } = FakeLanguageService

const failure = (key: string, options: Partial<LanguageServiceConfig.Options> = {}) =>
  Effect.flip(Writing.use((writing) => writing.correct({ text: ["a"], targetLanguage: "en-GB" }))).pipe(
    Effect.provide(layerServices({
      keys: [{ key: "scoped", tier: "paid", scopes: ["languages:read"] }, { key: "free:fx", tier: "free" }],
      client: { key: Redacted.make(key), ...options }
    }))
  )

describe("the services against the fake in process", () => {
  it.effect("a key of another, a scoped key and a free key get the error that says so", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* failure("other"))._tag, "InvalidKey")
      const scoped = yield* failure("scoped")
      assert(scoped._tag === "MissingScope")
      assert.deepStrictEqual(scoped.scopes, ["write:improve"])
      const local = yield* failure("free:fx")
      assert.strictEqual(local._tag, "WrongTier")
      assert.strictEqual(local.attempts.length, 0)
      const remote = yield* failure("free:fx", { tier: "paid" })
      assert.strictEqual(remote._tag, "WrongTier")
      assert.strictEqual(remote.attempts.length, 1)
    }))
})

describe("the services against the fake on a socket, over fetch", () => {
  const layer = Layer.unwrap(
    Effect.map(
      FakeLanguageService,
      (fake) => LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: fake.url })
    )
  ).pipe(Layer.provide(FetchHttpClient.layer), Layer.provideMerge(NodeFakeLanguageService.layer()))

  it.live("calls come through, and a redirect is not followed", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const writing = yield* Writing
      const [improved] = yield* writing.correct({ text: ["teh one"], targetLanguage: "en-GB" })
      assert.strictEqual(improved?.text, "The one.")
      yield* fake.script({
        operation: "Writing.correct",
        fault: { status: 307, headers: { location: `${fake.url}/v2/write/correct` } }
      })
      const error = yield* Effect.flip(writing.correct({ text: ["teh one"], targetLanguage: "en-GB" }))
      assert(error._tag === "UnexpectedResponse")
      assert.strictEqual(error.status, 307)
      assert.strictEqual((yield* fake.requests).length, 2)
    }).pipe(Effect.provide(layer)))
})
