import { FakeLanguageService, Fault } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const authorization = "Service-Auth-Key fake-key"
const address = "https://service.test"

const rejected = (promise: Promise<unknown>) =>
  Effect.promise(() => promise.then(() => "no error", (error: unknown) => error))

describe("the fake as a fetch function", () => {
  it.effect("answers JSON, forms, streams and responses without a body", () =>
    Effect.gen(function*() {
      const fetch = yield* FakeLanguageService.fetch
      const call = (path: string, init: RequestInit) => {
        const headers = new Headers(init.headers)
        headers.set("authorization", authorization)
        return Effect.promise(() => fetch(`${address}${path}`, { ...init, headers }))
      }
      const translated = yield* call("/v2/translate", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text: ["Hello"], target_lang: "DE" })
      })
      assert.include(yield* Effect.promise(() => translated.text()), "[de] Hello")

      const form = new FormData()
      form.set("file", new File(["Guten Tag"], "letter.txt"))
      form.set("target_lang", "EN-US")
      const uploaded = yield* call("/v2/document", { method: "POST", body: form })
      const handle: { readonly document_id: string; readonly document_key: string } = yield* Effect.promise(() =>
        uploaded.json()
      )
      yield* TestClock.adjust("1 minute")
      const document = yield* call(`/v2/document/${handle.document_id}/result`, {
        method: "POST",
        body: new URLSearchParams({ document_key: handle.document_key })
      })
      assert.strictEqual(yield* Effect.promise(() => document.text()), "[en-US] Guten Tag")

      const { addStyleRuleList } = yield* FakeLanguageService
      const { styleId } = yield* addStyleRuleList({ name: "House", language: "en" })
      const removed = yield* call(`/v3/style_rules/${styleId}`, { method: "DELETE" })
      assert.deepStrictEqual([removed.status, removed.body], [204, null])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("rejects with a TypeError when the connection breaks, and with the reason of an aborted signal", () =>
    Effect.gen(function*() {
      const fetch = yield* FakeLanguageService.fetch
      const { script } = yield* FakeLanguageService
      yield* script({ fault: Fault.reset() })
      const broken = yield* rejected(fetch(`${address}/v2/usage`, { headers: { authorization } }))
      assert.instanceOf(broken, TypeError)

      yield* script({ fault: Fault.slow("1 hour") })
      const controller = new AbortController()
      const waiting = yield* Effect.forkChild(
        rejected(fetch(`${address}/v2/usage`, { headers: { authorization }, signal: controller.signal })),
        { startImmediately: true }
      )
      const reason = new Error("left")
      controller.abort(reason)
      assert.strictEqual(yield* Fiber.join(waiting), reason)
    }).pipe(Effect.provide(FakeLanguageService.layer())))
})
