import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { rawServer, whole } from "../../../../packages/node/test/support/rawServer.ts"
import { inProcess } from "../support/cli.ts"

const key = "abc/def+ghi=0123456789"

describe("hostile errors on a terminal", () => {
  it.live.each<readonly [how: string, body: string]>([
    ["by PHP", `{"message":"Unknown key abc\\/def+ghi=0123456789"}`],
    ["by .NET", `{"message":"Unknown key abc/def\\u002Bghi=0123456789"}`],
    ["in an address", "GET /v2/usage?key=abc%2Fdef%2Bghi%3D0123456789 is not allowed"]
  ])("a key that is repeated as it is written %s does not get to the terminal", ([, body]) =>
    Effect.gen(function*() {
      const { url } = yield* rawServer([], [
        whole("400 Bad Request", body, { "content-type": "application/json", "x-trace-id": key })
      ])
      const env = { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url }
      for (const args of [["usage"], ["usage", "--json"]]) {
        const { err, out } = yield* inProcess(args, { env, terminal: { stderr: true, stdout: true } })
        assert.include(err, "[redacted]")
        assert.notInclude(err + out, key)
        assert.notInclude(err + out, "0123456789")
      }
    }).pipe(Effect.scoped))
})
