import { Lingua } from "@effect-lingua/core/promise"
import { FakeLanguageService } from "@effect-lingua/testing"
import assert from "node:assert"
import { once } from "node:events"
import { test } from "node:test"
import { makeApp } from "../src/app.ts"

const start = async (options: FakeLanguageService.ServicesOptions) => {
  const lingua = await Lingua.fromLayer(FakeLanguageService.layerServices(options))
  const server = makeApp(lingua).listen(0)
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return {
    url: `http://localhost:${address.port}`,
    close: async () => {
      server.close()
      await lingua.close()
    }
  }
}

void test("translates a text", async () => {
  const { close, url } = await start({})
  const response = await fetch(`${url}?to=de`, { method: "POST", body: "Good morning" })
  assert.strictEqual(await response.text(), "[de] Good morning")
  await close()
})

void test("answers with problem details when the quota is used up", async () => {
  const { close, url } = await start({ quota: { characters: 0 } })
  const response = await fetch(`${url}?to=de`, { method: "POST", body: "Good morning" })
  assert.strictEqual(response.status, 503)
  assert.match(await response.text(), /The quota of the language service is used up/)
  await close()
})
