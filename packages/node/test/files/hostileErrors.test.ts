import { Usage } from "@effect-lingua/core/account/Usage"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { Socket } from "node:net"
import { inProcess } from "../support/cli.ts"
import { rawServer, whole } from "../support/rawServer.ts"

const key = "abc/def+ghi=0123456789"
const json = { "content-type": "application/json" }

/** A server that answers everything so. */
const answering = (answer: (socket: Socket) => void) => rawServer([], [answer])

const layer = (baseUrl: string) => NodeLanguageService.layer({ key: Redacted.make(key), baseUrl })

describe("hostile errors on a socket", () => {
  it.live("the connection of an error with 24 MiB is released when the start has come", () =>
    Effect.gen(function*() {
      const length = 24 * 1024 * 1024
      const closed = Promise.withResolvers<number>()
      const { url } = yield* answering((socket) => {
        socket.on("close", () => closed.resolve(socket.bytesWritten))
        socket.write(`HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n[`)
        const more = () => {
          while (!socket.destroyed && socket.write("1,".repeat(8192)));
        }
        socket.on("drain", more)
        more()
      })
      const error = yield* Usage.use((usage) => Effect.flip(usage.get())).pipe(Effect.provide(layer(url)))
      assert.strictEqual(error._tag, "BadRequest")
      // What the system keeps on its way was written too.
      assert.isBelow(yield* Effect.promise(() => closed.promise), length / 2)
    }).pipe(Effect.scoped))

  it.live.each<readonly [how: string, body: string]>([
    ["by PHP", `{"message":"Unknown key abc\\/def+ghi=0123456789"}`],
    ["by .NET", `{"message":"Unknown key abc/def\\u002Bghi=0123456789"}`],
    ["in an address", "GET /v2/usage?key=abc%2Fdef%2Bghi%3D0123456789 is not allowed"]
  ])("a key that is repeated as it is written %s does not get to the terminal", ([, body]) =>
    Effect.gen(function*() {
      const { url } = yield* answering(whole("400 Bad Request", body, { ...json, "x-trace-id": key }))
      const env = { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url }
      for (const args of [["usage"], ["usage", "--json"]]) {
        const { err, out } = yield* inProcess(args, { env, terminal: { stderr: true, stdout: true } })
        assert.include(err, "[redacted]")
        assert.notInclude(err + out, key)
        assert.notInclude(err + out, "0123456789")
      }
    }).pipe(Effect.scoped))
})
