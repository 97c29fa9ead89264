// Takes the screenshot of the fake's live view for docs/testing/fake.md, with Chromium.
import { Documents } from "@effect-lingua/core/documents/Documents"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import * as Fault from "@effect-lingua/testing/faults/Fault"
import * as Script from "@effect-lingua/testing/faults/Script"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { chromium } from "playwright-core"

const program = Effect.gen(function*() {
  const { script, url } = yield* FakeLanguageService
  const client = LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: url }).pipe(
    Layer.provide(FetchHttpClient.layer)
  )
  yield* script([
    ...Script.sequence([Fault.rateLimited({ retryAfter: "9 seconds" }), Fault.unavailable()]),
    { operation: "Documents.download", fault: Fault.unavailable() }
  ])
  yield* Effect.gen(function*() {
    const [documents, rules, translation, writing] = yield* Effect.all([Documents, StyleRules, Translation, Writing])
    const content = new TextEncoder().encode("Good day")
    yield* translation.translate("Good day", { targetLanguage: "de" })
    yield* rules.create({ name: "House style", language: "en" })
    yield* documents.upload({ fileName: "letter.txt", content, targetLanguage: "de" })
    yield* script({ fault: Fault.slow("4 seconds") })
    yield* writing.correct({ text: ["teh letter"] })
    yield* script({ fault: Fault.rateLimited({ retryAfter: "1 minute" }), count: 2 })
    yield* Effect.ignore(translation.translate("Good day", { targetLanguage: "fr" }))
  }).pipe(Effect.timeoutOption("25 seconds"), Effect.provide(client))
  yield* Effect.promise(async () => {
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] })
    const page = await browser.newPage({ viewport: { width: 1000, height: 800 } })
    await page.goto(url)
    await page.locator("#requests tr").first().waitFor()
    await page.screenshot({ path: "docs/pictures/view.png", fullPage: true })
    await browser.close()
  })
})

await program.pipe(Effect.provide(NodeFakeLanguageService.layer()), Effect.runPromise)
