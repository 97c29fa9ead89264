import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { heldServer } from "../support/heldServer.ts"

describe("a request without a connection counts as refused", () => {
  it.live("no file descriptor is left for a socket", () =>
    Effect.gen(function*() {
      const { requests, url } = yield* heldServer((_, response) => response.end())
      const script = fileURLToPath(new URL("../support/withoutFiles.ts", import.meta.url))
      const said = yield* Effect.callback<string>((resume) => {
        const child = spawn("sh", ["-c", "ulimit -n 200; exec \"$0\" \"$@\"", process.execPath, script, url], {
          stdio: ["ignore", "pipe", "inherit"]
        })
        let out = ""
        child.stdout.on("data", (data) => (out += String(data)))
        child.on("close", () => resume(Effect.succeed(out)))
      })
      assert.deepInclude(JSON.parse(said), { tag: "ConnectionFailed", code: "EMFILE" })
      assert.deepStrictEqual(requests, [])
    }).pipe(Effect.scoped))
})
