import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { exitCodes } from "../../src/screen/failures.ts"
import { fake, fakeWith, lines, ran, run } from "../support/cliFake.ts"

describe("drift", () => {
  it.live("is none of a service that this version knows", () =>
    Effect.gen(function*() {
      assert.match(yield* run(["drift"]), /^No difference in Usage\.get, .*Languages\.list.*\.\n$/)
    }).pipe(Effect.provide(fake)))

  it.live("is printed as Markdown or as JSON, and ends with the code of a problem", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* ran(["drift"])
      assert.strictEqual(code, exitCodes.configuration)
      assert.match(out, /^\*\*unknown field\*\*\n\n- `Usage\.get: [\w.[\]]+`\n/)
      assert.match(err, /\d+ differences were found/)
      const json = yield* ran(["drift", "--json"])
      assert.strictEqual(json.code, exitCodes.configuration)
      assert.deepNestedInclude(lines(json.out)[0], { "findings[0].kind": "unknown field", "compared[0]": "Usage.get" })
    }).pipe(Effect.provide(fakeWith({ dialect: { unknownFields: true } }))))
})
