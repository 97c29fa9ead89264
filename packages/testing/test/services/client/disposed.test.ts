import { Documents, Translation } from "@effect-lingua/core"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { type Effect, ManagedRuntime } from "effect"

describe("the disposal of a runtime", () => {
  it("ends the calls in flight and those that wait, whose promises reject", async () => {
    const client = ManagedRuntime.make(
      FakeLanguageService.layerServices({ latency: "1 hour", client: { resilience: { concurrency: 1 } } })
    )
    const calls: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }, Documents | Translation>> = [
      Translation.use(({ translate }) => translate("Good day", { targetLanguage: "de" })),
      Translation.use(({ translate }) => translate({ text: ["Good day"], targetLanguage: "fr" })),
      Documents.use(({ translate }) =>
        translate({ content: new TextEncoder().encode("Good day"), fileName: "a.txt", targetLanguage: "de" })
      )
    ]
    const ended = calls.map((call) =>
      client.runPromise(call).then(() => "success", (reason: unknown) => String(reason))
    )
    await client.runPromise(FakeLanguageService.use(({ awaitRequest }) => awaitRequest("Translation.translate")))
    await client.dispose()
    for (const end of await Promise.all(ended)) assert.match(end, /interrupt|released/i)
  })
})
