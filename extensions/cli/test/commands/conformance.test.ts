import * as Conformance from "@effect-lingua/conformance/Conformance"
import * as Dialect from "@effect-lingua/testing/fake/Dialect"
import * as VoiceChecks from "@effect-lingua/voice/VoiceChecks"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isFull } from "../../../../test/support/scale.ts"
import { exitCodes } from "../../src/screen/failures.ts"
import { inProcess } from "../support/cli.ts"
import { fake, fakeWith, key, lines, ran, run } from "../support/cliFake.ts"

describe("conformance", () => {
  it.live.skipIf(!isFull)("passes against the embedded fake of each state", () =>
    Effect.gen(function*() {
      for (const state of Dialect.states) {
        const { code, err, out } = yield* inProcess(["conformance", "--fake", "--state", state])
        assert.strictEqual(code, 0, err)
        assert.match(err, /run [0-9a-f]{16}, \d+ checks, 0 skipped, up to \d+ characters/)
        assert.match(
          out,
          new RegExp(`\n${Conformance.checksOf(state, VoiceChecks.checks).length} passed, 0 failed, 0 skipped\n`)
        )
        assert.include(out, "errors not seen: none")
      }
    }))

  it.live("ends with one line if the host does not respond", () =>
    Effect.gen(function*() {
      const env = { LANGUAGE_SERVICE_KEY: "key", LANGUAGE_SERVICE_BASE_URL: "http://127.0.0.1:9" }
      const { code, err, out } = yield* inProcess(["conformance", "--attempts", "1"], { env })
      assert.strictEqual(code, exitCodes.problems)
      assert.strictEqual(out, "")
      assert.match(err, /the host cannot be checked: Access: .*ECONNREFUSED/)
    }))

  it.live("ends with one line if the host refuses the key", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* ran(["conformance", "--attempts", "1"], {
        env: { LANGUAGE_SERVICE_KEY: "wrong" }
      })
      assert.strictEqual(code, exitCodes.problems)
      assert.strictEqual(out, "")
      assert.match(err, /the host cannot be checked: Access: .*InvalidKey/)
    }).pipe(Effect.provide(fakeWith({}))))

  it.live("names the description that decides each failing check of a host", () =>
    Effect.gen(function*() {
      // The free tier has fewer checks.
      const env = { CONFORMANCE_PAUSE: "0 millis", LANGUAGE_SERVICE_KEY: isFull ? key : `${key}:fx` }
      const { code, err, out } = yield* ran(["conformance", "--state", "2026-07"], { env })
      assert.strictEqual(code, exitCodes.problems)
      assert.match(
        out,
        /FAILED {3}Languages: style rule lists have 33 languages\. Expected: .* \(public descriptions, state 2026-07\)\. Got: /
      )
      assert.match(out, /skipped {2}Translation: .*CONFORMANCE_SPEND_CHARACTERS=true allows it/)
      assert.include(err, `${isFull ? 5 : 3} checks failed`)
      if (!isFull) return
      const json = lines((yield* ran(["conformance", "--state", "2026-07", "--json"], { env })).out)
      assert.deepInclude(json.find(({ outcome }) => outcome === "failed"), {
        source: "public descriptions, state 2026-07",
        states: ["2026-07"]
      })
    }).pipe(Effect.provide(fakeWith({ keys: [{ key, tier: "paid" }, { key: `${key}:fx`, tier: "free" }] }))))
})

describe("drift", () => {
  it.live("is none of a service that this version knows", () =>
    Effect.gen(function*() {
      assert.match(yield* run(["drift"]), /^No difference in Usage\.get, .*Languages\.list.*\.\n$/)
    }).pipe(Effect.provide(fake)))

  it.live("is printed as Markdown or as JSON, and ends with the code of a problem", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* ran(["drift"])
      assert.strictEqual(code, exitCodes.problems)
      assert.match(out, /^\*\*unknown field\*\*\n\n- `Usage\.get: [\w.[\]]+`\n/)
      assert.match(err, /\d+ differences were found/)
      const json = yield* ran(["drift", "--json"])
      assert.strictEqual(json.code, exitCodes.problems)
      assert.deepNestedInclude(lines(json.out)[0], { "findings[0].kind": "unknown field", "compared[0]": "Usage.get" })
    }).pipe(Effect.provide(fakeWith({ dialect: { unknownFields: true } }))))
})
