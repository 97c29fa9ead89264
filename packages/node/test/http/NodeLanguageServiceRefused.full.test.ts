import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { ending, start } from "../../../../test/support/processes.ts"
import { httpServer } from "../support/httpServer.ts"

describe("a request without a connection counts as refused", () => {
  it.live("no file descriptor is left for a socket", () =>
    Effect.gen(function*() {
      const { requests, url } = yield* httpServer((_, response) => response.end())
      const script = fileURLToPath(new URL("../support/withoutFiles.ts", import.meta.url))
      const command = "ulimit -n 200; exec \"$0\" \"$@\""
      const { out } = yield* Effect.flatMap(start("sh", ["-c", command, process.execPath, script, url]), ending)
      assert.deepInclude(JSON.parse(out), { tag: "ConnectionFailed", code: "EMFILE" })
      assert.deepStrictEqual(requests, [])
    }).pipe(Effect.scoped))
})
