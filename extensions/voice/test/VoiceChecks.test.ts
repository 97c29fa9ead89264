import * as Conformance from "@effect-lingua/conformance/Conformance"
import { FakeLanguageService, NodeFakeLanguageService, VirtualTime } from "@effect-lingua/testing"
import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
import * as VoiceChecks from "@effect-lingua/voice/VoiceChecks"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { misbehaving } from "../../conformance/test/support/misbehaving.ts"
import * as Sample from "./support/operations.ts"

const { checks } = VoiceChecks
const { resources } = FakeVoice

const lines = (outcomes: ReadonlyArray<Conformance.Outcome>) => outcomes.map(Conformance.format)

describe("the checks of speech", () => {
  it.effect("run after those of the suite, and pass against the fake with every operation seen", () =>
    Effect.gen(function*() {
      const all = Conformance.checksOf("2026-07", checks)
      assert.deepStrictEqual(all.slice(-checks.length), [...checks])
      const { coverage, failed, passed } = yield* Conformance.run({ checks })
      assert.deepStrictEqual(lines(failed), [])
      assert.strictEqual(passed.length, checks.length)
      assert.sameMembers([...coverage.operations], Object.keys(Sample.operations))
      const { effects, state } = yield* FakeLanguageService
      assert.deepStrictEqual(FakeVoice.stateOf(yield* state).spokenTerms, [])
      assert.isAbove((yield* effects)["Voice.start"].count, 3)
    }).pipe(Effect.provide(Conformance.layerFake({ advance: TestClock.adjust, resources }))))

  it.live("pass against the fake on a socket", () =>
    Effect.gen(function*() {
      const { failed, skipped } = yield* Conformance.run({ checks })
      assert.deepStrictEqual(lines([...failed, ...skipped]), [])
    }).pipe(Effect.provide(
      Conformance.layerHandle().pipe(
        Layer.provideMerge(NodeFakeLanguageService.layer({ keys: Conformance.keys, resources })),
        Layer.provide(FetchHttpClient.layer)
      )
    )))

  it.effect("name the address with a signature that nobody requested", () =>
    VirtualTime.run(Effect.provide(
      Effect.gen(function*() {
        const { failed } = yield* Conformance.run({ checks })
        // The client sends the file to such an address.
        assert.deepStrictEqual(failed.map(({ check }) => check.name), [
          "Voice: the client uploads a file as application/octet-stream",
          "Voice: addresses contain their signature on request only"
        ])
      }),
      misbehaving({
        resources,
        answer: ({ text }, { method, url }) =>
          method === "POST" && url.endsWith("/v1/jobs/voice/translate")
            ? { text: text.replace(/\}$/, `,"signed_upload_url":"https://fake.test/a?signature=b"}`) }
            : undefined
      })
    )))

  it.effect("fail against a service without speech", () =>
    Effect.gen(function*() {
      const { failed, passed } = yield* Conformance.run({ checks })
      assert.isAbove(failed.length, passed.length)
    }).pipe(Effect.provide(Conformance.layerFake({ advance: TestClock.adjust }))))
})
