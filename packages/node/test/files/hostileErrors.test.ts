import { Usage } from "@effect-lingua/core/account/Usage"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { Socket } from "node:net"
import { rawServer } from "../support/rawServer.ts"

const key = "abc/def+ghi=0123456789"

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
      const error = yield* Usage.use((usage) => Effect.flip(usage.get)).pipe(Effect.provide(layer(url)))
      assert.strictEqual(error._tag, "BadRequest")
      // What the system keeps on its way was written too.
      assert.isBelow(yield* Effect.promise(() => closed.promise), length / 2)
    }).pipe(Effect.scoped))
})
