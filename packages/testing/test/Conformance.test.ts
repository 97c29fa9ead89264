import * as Conformance from "@effect-lingua/testing/Conformance"
import { FakeLanguageService } from "@effect-lingua/testing/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

describe("Conformance", () => {
  it.effect("try", () =>
    Effect.gen(function*() {
      const report = yield* Conformance.run()
      console.log([...report.passed, ...report.failed, ...report.skipped].map(Conformance.format).join("\n"))
      console.log(report.characters, (yield* (yield* FakeLanguageService).quota).used, report.coverage)
      assert.deepStrictEqual(report.failed.map(Conformance.format), [])
    }).pipe(Effect.provide(Conformance.layerFake({ advance: TestClock.adjust }))))
})
