import { FakeLanguageService } from "@effect-lingua/testing"
import { ManagedRuntime } from "effect"
import assert from "node:assert"
import { after, test } from "node:test"
import worker from "../src/worker.ts"

const fake = ManagedRuntime.make(FakeLanguageService.layer())
after(() => fake.dispose())

const environment = {
  LANGUAGE_SERVICE_KEY: "fake-key",
  LANGUAGE_SERVICE_BASE_URL: "https://service.test",
  fetch: await fake.runPromise(FakeLanguageService.fetch)
}

const post = (body: unknown) =>
  worker.fetch(new Request("https://shop.test/translate", { method: "POST", body: JSON.stringify(body) }), environment)

void test("translates for a page", async () => {
  const response = await post({ text: "Good morning", targetLanguage: "de" })
  assert.deepStrictEqual(await response.json(), { text: "[de] Good morning" })
})

void test("refuses what is not a request", async () => {
  assert.strictEqual((await post({ words: "Good morning" })).status, 400)
  assert.strictEqual((await worker.fetch(new Request("https://shop.test/"), environment)).status, 404)
})

void test("reports an unknown language as a problem of the caller", async () => {
  const response = await post({ text: "Good morning", targetLanguage: "xx" })
  assert.strictEqual(response.status, 400)
})
