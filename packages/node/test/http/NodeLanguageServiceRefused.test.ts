import { type LanguageServiceConfig, StyleRules } from "@effect-lingua/core"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { assert, describe } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted } from "effect"
import type { Socket } from "node:net"
import { live } from "../../../../test/support/tests.ts"
import { type Answer, rawServer } from "../support/rawServer.ts"

const create = StyleRules.use((rules) => rules.create({ name: "a", language: "en" }))

const client = (baseUrl: string, pool: NodeLanguageService.PoolOptions = {}) => {
  const options: LanguageServiceConfig.Options & NodeLanguageService.NodeOptions = {
    key: Redacted.make("key"),
    baseUrl,
    journal: "memory",
    pool: { connectTimeout: Duration.millis(300), ...pool },
    resilience: { attempts: 2, backoffBase: Duration.millis(1) }
  }
  return Layer.orDie(NodeLanguageService.layer(options))
}

/** Nothing was sent, so even a create was attempted as often as the policy allows. */
const isRefused = (error: object) =>
  assert.deepInclude(error, {
    tag: "ConnectionFailed",
    outcome: "refused",
    isTransient: true,
    attempts: Array.from({ length: 2 }, () => "ConnectionFailed refused")
  })

const errorOf = (pool: NodeLanguageService.PoolOptions, url: string) =>
  Effect.map(
    Effect.flip(Effect.provide(create, client(url, pool))),
    (error) => ({
      tag: error._tag,
      outcome: error.outcome,
      isTransient: error.isTransient,
      attempts: error.attempts.map(({ failure, outcome }) => `${failure} ${outcome}`)
    })
  )

const fin: Answer = (socket) => socket.end()
const reset: Answer = (socket) => socket.resetAndDestroy()
const silence: Answer = () => undefined

/** The answers to the first bytes of a handshake. */
const ends: ReadonlyArray<readonly [end: string, answer: Answer]> = [
  ["the end of the connection", fin],
  ["a reset", reset],
  ["silence", silence]
]

/** A proxy whose tunnel answers the first bytes of the handshake with `end`. */
const tunnel = (end: Answer): Answer => (socket: Socket) => {
  socket.removeAllListeners("data")
  socket.on("data", () => end(socket))
  socket.write("HTTP/1.1 200 Connected\r\n\r\n")
}

describe("a request without a connection counts as refused", { concurrent: true }, () => {
  live.each(ends)("TLS handshake: %s", function*([, answer]) {
    const server = yield* rawServer([], [answer])
    isRefused(yield* errorOf({}, server.url.replace("http:", "https:")))
  })

  live.each(ends)("TLS handshake in the tunnel of a proxy: %s", function*([, answer]) {
    const proxy = yield* rawServer([], [tunnel(answer)])
    isRefused(yield* errorOf({ proxy: new URL(proxy.url) }, "https://service.test"))
  })

  live("a tunnel that is closed right after it was opened", function*() {
    const proxy = yield* rawServer([], [(socket) => socket.end("HTTP/1.1 200 Connected\r\n\r\n")])
    isRefused(yield* errorOf({ proxy: new URL(proxy.url) }, "https://service.test"))
  })
})
