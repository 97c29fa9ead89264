import { Documents, LanguageService, Writing } from "@effect-lingua/core"
import { FakeLanguageService, NodeFakeLanguageService, Script } from "@effect-lingua/testing"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient, HttpBody, HttpClient } from "effect/http"
import { type Browser, chromium, type Page } from "playwright-core"
import { has } from "../../../../test/support/has.ts"

/** One for all tests: it takes a second of processor time to start. */
let browser: Promise<Browser> | undefined

afterAll(async () => (await browser)?.close())

const newPage = (width: number) => {
  browser ??= chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--renderer-process-limit=1"]
  })
  return browser.then((browser) => browser.newPage({ viewport: { width, height: 900 } }))
}

/** The view in a browser, with all that went wrong in it. */
const open = Effect.fnUntraced(function*(width = 1280) {
  const { url } = yield* FakeLanguageService
  const page = yield* Effect.acquireRelease(
    Effect.promise(() => newPage(width)),
    (page) => Effect.promise(() => page.close())
  )
  const problems: Array<string> = []
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text())
  })
  page.on("pageerror", (error) => problems.push(error.message))
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) problems.push(`a request to ${request.url()}`)
  })
  yield* Effect.promise(() => page.goto(url))
  yield* shows(page, "#state", "live")
  return { page, problems, url }
})

const shows = (page: Page, selector: string, text: string) =>
  Effect.promise(() => page.locator(selector).filter({ hasText: text }).first().waitFor({ timeout: 20_000 }))

const call = Effect.gen(function*() {
  const { url } = yield* FakeLanguageService
  const client = LanguageService.layer({
    key: Redacted.make("fake-key"),
    baseUrl: url,
    resilience: { attempts: 1 }
  }).pipe(Layer.provide(FetchHttpClient.layer))
  return yield* Writing.use(({ correct }) => correct({ text: ["teh letter"] })).pipe(
    Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "success" }),
    Effect.provide(client)
  )
})

describe.skipIf(!has("Chromium"))("the live view in a browser", { concurrent: true }, () => {
  it.live("shows the requests of a client, and the next one meets a fault that the page scripts", () =>
    Effect.gen(function*() {
      const { script } = yield* FakeLanguageService
      const { page, problems } = yield* open()
      yield* script([{ fault: { status: 429, retryAfter: "5 seconds" } }, { fault: { status: 503 } }, {
        fault: { status: 456 }
      }])
      const results = [yield* call, yield* call, yield* call, yield* call]
      assert.deepStrictEqual(results, ["RateLimited", "ServiceUnavailable", "QuotaExceeded", "success"])
      for (const [number, status] of [["1", "429"], ["2", "503"], ["3", "456"], ["4", "200"]] as const) {
        const row = `#requests tr:has(td:text-is("${number}"))`
        yield* shows(page, `${row} td:nth-child(4)`, status)
        yield* shows(page, `${row} td:nth-child(7)`, " ms")
      }
      assert.isAbove(yield* Effect.promise(() => page.locator("#timeline .bar.bad").count()), 2)
      // The same request again after a failure counts as an attempt of its call.
      assert.strictEqual(yield* Effect.promise(() => page.locator("#timeline .wait").count()), 3)

      // By keyboard alone: a fault of the form, which Enter sends.
      yield* Effect.promise(() => page.locator("select[name=fault]").selectOption("status 529"))
      yield* Effect.promise(() => page.locator("input[name=count]").press("Enter"))
      yield* shows(page, "#scripts li", "529")
      assert.strictEqual(yield* call, "Overloaded")
      yield* shows(page, "#requests tr:first-child td:nth-child(4)", "529")
      yield* Effect.promise(() => page.locator("#reset").click())
      yield* Effect.promise(() => page.locator("#requests tr").first().waitFor({ state: "detached" }))
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped, Effect.provide(NodeFakeLanguageService.layer())))

  it.live("shows the weather that the fake was started with, and the one that the page sets", () =>
    Effect.gen(function*() {
      const { page } = yield* open()
      yield* shows(page, "#weather-now", "20 % status 429")
      yield* Effect.promise(() => page.locator("#weather button").click())
      yield* shows(page, "#weather-now", "no faults")
    }).pipe(Effect.scoped, Effect.provide(NodeFakeLanguageService.layer({ weather: { rate429: 0.2 } }))))

  it.live("advances the clock by a minute", () =>
    Effect.gen(function*() {
      const { requests } = yield* FakeLanguageService
      const { page } = yield* open()
      yield* call
      const advanced = page.waitForResponse(/clock\/advance$/)
      yield* Effect.promise(() => page.locator("#advance").click())
      yield* Effect.promise(() => advanced)
      yield* call
      const [before = 0, after = 0] = (yield* requests).map(({ time }) => time)
      assert.approximately(after - before, 90_000, 30_000)
    }).pipe(Effect.scoped, Effect.provide(NodeFakeLanguageService.layer())))

  it.live("draws the attempts of a trace and the waits between them", () =>
    Effect.gen(function*() {
      const { script } = yield* FakeLanguageService
      const { page, url } = yield* open()
      yield* script({ fault: { status: 503 } })
      // Effect's own client sends the trace of the span.
      const get = HttpClient.get(`${url}/v2/usage`, { headers: { authorization: "Service-Auth-Key fake-key" } })
      const statuses = yield* Effect.forEach([1, 2], () => get).pipe(
        Effect.map((responses) => responses.map(({ status }) => status)),
        Effect.withSpan("call"),
        Effect.provide(FetchHttpClient.layer)
      )
      assert.deepStrictEqual(statuses, [503, 200])
      const lane = ".lane:has-text('trace')"
      yield* Effect.promise(() => page.locator(`${lane} .bar.ok`).waitFor())
      const parts = yield* Effect.promise(() => page.locator(`${lane} .track span`).all())
      const classes = yield* Effect.promise(() => Promise.all(parts.map((part) => part.getAttribute("class"))))
      assert.deepStrictEqual(classes, ["bar bad", "wait", "bar ok"])
      yield* shows(page, "#quotas", "0 characters used")
      yield* shows(page, "#documents", "none")
    }).pipe(Effect.scoped, Effect.provide(NodeFakeLanguageService.layer())))

  it.live("draws the attempts of each call of a client that sends no trace", () =>
    Effect.gen(function*() {
      const { script, url } = yield* FakeLanguageService
      const { page } = yield* open()
      const client = LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: url }).pipe(
        Layer.provide(FetchHttpClient.layer)
      )
      const content = new TextEncoder().encode("Good day")
      yield* Effect.gen(function*() {
        yield* script(Script.sequence([{ status: 503 }, { reset: true }]))
        yield* Writing.use(({ correct }) => correct({ text: ["teh letter"] }))
        yield* script({ fault: { status: 503 } })
        yield* Documents.use(({ upload }) => upload({ fileName: "letter.txt", content, targetLanguage: "de" }))
        yield* Writing.use(({ correct }) => correct({ text: ["teh end"] }))
        yield* Writing.use(({ correct }) => correct({ text: ["teh end"] }))
      }).pipe(Effect.provide(client))
      yield* shows(page, "#requests tr:first-child td:first-child", "7")
      const lanes = yield* Effect.promise(() => page.locator(".lane").all())
      const drawn = yield* Effect.forEach(lanes, (lane) =>
        Effect.promise(async () => {
          const parts = await lane.locator(".track span").all()
          return [
            await lane.locator("span").first().textContent(),
            ...await Promise.all(parts.map((part) => part.getAttribute("class")))
          ]
        }))
      assert.deepStrictEqual(drawn, [
        ["#1 Writing.correct", "bar bad", "wait", "bar pending", "wait", "bar ok"],
        ["#4 Documents.upload", "bar bad", "wait", "bar ok"],
        ["#6 Writing.correct", "bar ok"],
        ["#7 Writing.correct", "bar ok"]
      ])
    }).pipe(Effect.scoped, Effect.provide(NodeFakeLanguageService.layer())))

  it.live("teaches translations, the last one first, and lists them", () =>
    Effect.gen(function*() {
      const { page, problems, url } = yield* open()
      for (const translation of ["Geldhaus", "Bank"]) {
        yield* Effect.promise(() => page.locator("#teach input[name=text]").fill("bank"))
        yield* Effect.promise(() => page.locator("#teach input[name=translation]").fill(translation))
        yield* Effect.promise(() => page.locator("#teach button").click())
        yield* shows(page, "#taught li", `bank in de: ${translation}`)
      }
      const translated = yield* HttpClient.post(`${url}/v2/translate`, {
        headers: { authorization: "Service-Auth-Key fake-key" },
        body: HttpBody.jsonUnsafe({ text: ["bank"], target_lang: "de" })
      }).pipe(Effect.flatMap(({ text }) => text), Effect.provide(FetchHttpClient.layer))
      assert.include(translated, `"text":"Bank"`)
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped, Effect.provide(NodeFakeLanguageService.layer())))

  it.live("fits a screen of 360 pixels, each request with all of its cells", () =>
    Effect.gen(function*() {
      const { page, problems } = yield* open(360)
      yield* call
      yield* shows(page, "#requests td", "200")
      const widths = `[document.documentElement, document.querySelector(".wide")].map(({ scrollWidth }) => scrollWidth)`
      assert.deepStrictEqual(yield* Effect.promise(() => page.evaluate(widths)), [360, 360 - 2 * 16])
      assert.deepStrictEqual(problems, [])
    }).pipe(Effect.scoped, Effect.provide(NodeFakeLanguageService.layer())))
})

describe.concurrent("the live view", () => {
  it.live("is no request of a client, is for pages of this machine only, and ends with the server", () =>
    Effect.gen(function*() {
      const { requests, url } = yield* FakeLanguageService
      const page = yield* HttpClient.get(url)
      assert.strictEqual(page.status, 200)
      assert.include(page.headers["content-security-policy"], "default-src 'none'")
      assert.deepStrictEqual(yield* requests, [])
      const elsewhere = yield* HttpClient.get(`${url}/_fake/events`, { headers: { origin: "https://elsewhere.test" } })
      assert.strictEqual(elsewhere.status, 403)
      const events = yield* HttpClient.get(`${url}/_fake/events`)
      const first = yield* Stream.runHead(Stream.decodeText(events.stream))
      assert.match(first._tag === "Some" ? first.value : "", /^data: \{"now":/)
    }).pipe(Effect.provide([NodeFakeLanguageService.layer(), FetchHttpClient.layer])))

  it.live("is absent without the control, and without the pages", () =>
    Effect.forEach([{ control: false }, { docs: false }], (options) =>
      Effect.gen(function*() {
        const { url } = yield* FakeLanguageService
        assert.strictEqual((yield* HttpClient.get(url)).status, 404)
      }).pipe(Effect.provide([NodeFakeLanguageService.layer(options), FetchHttpClient.layer]))))
})
