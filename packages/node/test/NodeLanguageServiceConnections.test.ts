import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient } from "effect/http"
import * as Tls from "node:tls"
import { authority } from "./support/authority.ts"
import { proxyServer } from "./support/proxyServer.ts"
import { rawServer, whole } from "./support/rawServer.ts"
import { tlsServer } from "./support/tlsServer.ts"

/** Makes the runtime trust the authority. */
const trusted = Effect.acquireRelease(
  Effect.sync(() => {
    const before = Tls.getCACertificates()
    Tls.setDefaultCACertificates([...before, authority])
    return before
  }),
  (before) => Effect.sync(() => Tls.setDefaultCACertificates(before))
)

const portOf = (url: string) => Number(new URL(url).port)

/** The text that a service answers, by a client with a pool of its own. */
const text = (url: string, pool: NodeLanguageService.PoolOptions = {}) =>
  HttpClient.get(url).pipe(
    Effect.flatMap((response) => response.text),
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.provide(NodeLanguageService.layerHttpClient(pool))
  )

describe("a service that speaks HTTP/2 as well", () => {
  it.live("is spoken to in HTTP/1.1, directly, through a tunnel and through a proxy behind TLS", () =>
    Effect.gen(function*() {
      yield* trusted
      const server = yield* rawServer([], [whole("200 OK", "hello")])
      const service = yield* tlsServer(portOf(server.url))
      const url = `https://localhost:${service.port}`
      assert.strictEqual(yield* text(url), "hello")
      const tunnel = yield* proxyServer(service.port)
      assert.strictEqual(yield* text(url, { proxy: new URL(tunnel.url) }), "hello")
      const secureTunnel = yield* tlsServer(portOf(tunnel.url))
      const proxy = new URL(`https://localhost:${secureTunnel.port}`)
      assert.strictEqual(yield* text(url, { proxy }), "hello")
      const passing = yield* tlsServer(portOf((yield* proxyServer(portOf(server.url))).url))
      assert.strictEqual(
        yield* text(server.url, { proxy: new URL(`https://localhost:${passing.port}`) }),
        "hello"
      )
      const offers = [service, secureTunnel, passing].flatMap(({ offers }) => offers)
      assert.deepStrictEqual(offers, [["http/1.1"], ["http/1.1"], ["http/1.1"], ["http/1.1"], ["http/1.1"]])
    }).pipe(Effect.scoped))
})
