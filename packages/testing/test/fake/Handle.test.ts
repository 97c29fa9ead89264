import { Documents, Languages, type LanguageService, type OtherServices, Writing } from "@effect-lingua/core"
import type { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import { StyleRules } from "@effect-lingua/core/style-rules"
import { FakeLanguageService, Fault, NodeFakeLanguageService } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, type Layer, Stream } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import type { Socket } from "effect/socket"
import { TestClock } from "effect/testing"
import { expectTypeOf } from "vitest"
import { send } from "../support/client.ts"

const { layer, layerServices } = FakeLanguageService

const resources = Languages.use((languages) => languages.resources)

describe("FakeLanguageService.layerServices", () => {
  it.effect("gives the services a key that works, with the tier and scheme of the fake", () =>
    Effect.gen(function*() {
      const correct = Writing.use((writing) => writing.correct({ text: ["a"], targetLanguage: "en-GB" }))
      const requests = Effect.flatMap(FakeLanguageService, (fake) => fake.requests)
      yield* correct.pipe(Effect.provide(layerServices()))
      const [request] = yield* Effect.andThen(correct, requests).pipe(
        Effect.provide(layerServices({
          keys: [{ key: "other", tier: "paid" }],
          authSchemes: ["Bearer"],
          basePath: "/lingua",
          client: { userAgent: "app/1" }
        }))
      )
      assert.deepInclude(request, { status: 200, url: "/lingua/v2/write/correct" })
      assert.strictEqual(request?.headers["user-agent"], "app/1")
      const refused = yield* Effect.flip(correct).pipe(
        Effect.provide(layerServices({ keys: [{ key: "free", tier: "free" }] }))
      )
      assert.strictEqual(refused._tag, "WrongTier")
      assert.strictEqual(refused.attempts.length, 0)
    }))

  it.effect("gives a fake and a client of their own each time, one inside of another", () =>
    Effect.gen(function*() {
      const outer = yield* FakeLanguageService
      yield* resources
      const inner = yield* Effect.gen(function*() {
        yield* resources
        yield* resources
        return yield* (yield* FakeLanguageService).requests
      }).pipe(Effect.provide(layerServices()))
      assert.strictEqual(inner.length, 2)
      assert.strictEqual((yield* outer.requests).length, 1)
    }).pipe(Effect.provide(layerServices())))

  it.effect("fails with InvalidConfiguration for a setting of the client that cannot be used", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        Effect.provide(FakeLanguageService, layerServices({ client: { userAgent: "" } }))
      )
      assert.strictEqual(error._tag, "InvalidConfiguration")
    }))

  it("needs nothing, and fails with InvalidConfiguration only", () => {
    const services = layerServices()
    expectTypeOf<Layer.Services<typeof services>>().toEqualTypeOf<never>()
    expectTypeOf<Layer.Error<typeof services>>().toEqualTypeOf<InvalidConfiguration>()
    expectTypeOf<Layer.Success<typeof services>>().toEqualTypeOf<
      | FakeLanguageService
      | HttpClient.HttpClient
      | LanguageService.LanguageService
      | OtherServices.OtherServices
      | Socket.WebSocketConstructor
    >()
  })
})

describe("FakeLanguageService.awaitRequest", () => {
  it.effect("waits for the request of an operation that comes next", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const third = yield* Effect.forkChild(fake.awaitRequest("Languages.resources", { count: 3 }))
      yield* resources
      yield* Writing.use((writing) => writing.correct({ text: ["a"] }))
      yield* resources
      yield* Effect.yieldNow
      assert.isUndefined(third.pollUnsafe())
      yield* resources
      assert.strictEqual((yield* Fiber.join(third)).number, 4)
      assert.strictEqual((yield* fake.awaitRequest("Languages.resources", { count: 2 })).number, 3)
    }).pipe(Effect.provide(layerServices())))

  it.effect("sees a request before its answer, and can wait for the answer", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script({ fault: Fault.rateLimited({ retryAfter: "10 seconds" }) })
      const call = yield* Effect.forkChild(Writing.use((writing) => writing.correct({ text: ["teh one"] })))
      const request = yield* fake.awaitRequest("Writing.correct")
      assert.isUndefined(request.status)
      assert.deepStrictEqual(request.decoded?.payload.text, ["teh one"])
      yield* TestClock.adjust("1 second")
      const refused = yield* fake.awaitRequest("Writing.correct", { where: ({ status }) => status === 429 })
      assert.strictEqual(refused.retryTime, 11_000)
      yield* TestClock.adjust("15 seconds")
      const repeat = yield* fake.awaitRequest("Writing.correct", { count: 2 })
      assert.isAtLeast(repeat.time, 11_000)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(call))[0]?.text, "The one.")
    }).pipe(Effect.provide(layerServices({ latency: "1 second" }))))

  it.effect("goes on over a reset", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* resources
      const second = yield* Effect.forkChild(fake.awaitRequest("Languages.resources", { count: 2 }))
      yield* Effect.yieldNow
      yield* fake.reset
      yield* resources
      yield* Effect.yieldNow
      assert.isUndefined(second.pollUnsafe())
      yield* resources
      assert.strictEqual((yield* Fiber.join(second)).number, 2)
    }).pipe(Effect.provide(layerServices())))

  it.live("works on a socket", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const waiting = yield* Effect.forkChild(
        fake.awaitRequest("StyleRules.create", { where: ({ tookEffect }) => tookEffect })
      )
      yield* send("POST", "/v3/style_rules", { body: `{"name":"House","language":"en"}` })
      assert.strictEqual((yield* Fiber.join(waiting)).decoded?.payload.name, "House")
    }).pipe(Effect.provide([NodeFakeLanguageService.layer(), FetchHttpClient.layer])))
})

describe("FakeLanguageService.state", () => {
  it.effect("is what the service holds now", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 2, 1, 8))
      const fake = yield* FakeLanguageService
      const document = yield* fake.addDocument({ content: "Hallo", fileName: "a.txt", readyAfter: "1 second" })
      const list = yield* StyleRules.use((rules) => rules.create({ name: "House", language: "en" }))
      const entries = new Map([["screw", "Schraube"]])
      const glossaryId = yield* fake.addGlossary({ sourceLanguage: "EN", targetLanguage: "de", name: "Terms", entries })
      const translationMemoryId = yield* fake.addTranslationMemory({ sourceLanguage: "en", targetLanguages: ["DE"] })
      yield* TestClock.adjust("1 minute")
      const state = yield* fake.state
      assert.strictEqual(DateTime.formatIso(state.time), "2026-03-01T08:01:00.000Z")
      assert.deepStrictEqual(state.documents, [{
        ...document,
        fileName: "a.txt",
        status: "done",
        taken: false,
        billedCharacters: 0,
        age: Duration.minutes(1)
      }])
      assert.deepStrictEqual<unknown>(state.styleRuleLists, [list])
      assert.deepStrictEqual(state.glossaries, [
        {
          glossaryId,
          name: "Terms",
          version: 3,
          dictionaries: [{ sourceLanguage: "en", targetLanguage: "de", entries }]
        }
      ])
      assert.deepStrictEqual(state.translationMemories, [
        { translationMemoryId, name: "Memory", segments: [], sourceLanguage: "en", targetLanguages: ["de"] }
      ])
      assert.deepStrictEqual(state.quotas, { "": yield* fake.quota() })
    }).pipe(Effect.provide(layerServices())))

  it.effect("names the documents that were never taken, with their age", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const taken = yield* fake.addDocument({ content: "a", readyAfter: 0 })
      yield* fake.addDocument({ content: "b", readyAfter: "1 hour" })
      yield* fake.addDocument({ content: "c", readyAfter: 0, fails: "it is empty" })
      const left = yield* fake.addDocument({ content: "d", readyAfter: "1 second" })
      assert.strictEqual((yield* fake.undownloadedDocuments).length, 1)
      const { stream } = yield* Documents.use((documents) => documents.download(taken))
      yield* Stream.runDrain(stream)
      yield* TestClock.adjust("5 minutes")
      const undownloaded = yield* fake.undownloadedDocuments
      assert.deepStrictEqual(undownloaded.map(({ documentId }) => documentId), [left.documentId])
      assert.deepStrictEqual(undownloaded.map(({ age }) => Duration.toMinutes(age)), [5])
    }).pipe(Effect.provide(layerServices())))

  it.effect("can be given a style rule list, which counts as no effect", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const rules = yield* StyleRules
      const list = yield* fake.addStyleRuleList({
        name: "Theirs",
        language: "EN",
        customInstructions: [{ label: "a", prompt: "b" }]
      })
      assert.deepStrictEqual(yield* rules.get({ styleId: list.styleId }), list)
      assert.deepStrictEqual([list.language, list.version, list.customInstructions[0]?.sourceLanguage], ["en", 1, "en"])
      assert.strictEqual((yield* fake.effects)["StyleRules.create"].count, 0)
    }).pipe(Effect.provide(layerServices())))

  it.effect("has secrets: the keys of the fake and of its documents", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const { documentId } = yield* fake.addDocument({ content: "a" })
      assert.deepStrictEqual((yield* fake.secrets).map(String), [
        "<redacted:API key 1>",
        "<redacted:API key 2>",
        `<redacted:key of document ${documentId}>`
      ])
    }).pipe(Effect.provide(layer({ keys: [{ key: "a", tier: "paid" }, { key: "b", tier: "free" }] }))))
})
