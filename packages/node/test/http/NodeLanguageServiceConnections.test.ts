import type { ConnectionFailed } from "@effect-lingua/core/errors/CallError"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { NodeLanguageService, NodePool, NodeTelemetry } from "@effect-lingua/node"
import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"
import type * as Tls from "node:tls"
import { effect, live } from "../../../../test/support/tests.ts"
import {
  authority,
  clientCertificate,
  clientKey,
  clientPassphrase,
  serverCertificate,
  serverKey,
  trusting
} from "../support/certificates.ts"
import { proxyServer } from "../support/proxyServer.ts"
import { type Answer, rawServer, whole } from "../support/rawServer.ts"
import { tlsServer } from "../support/tlsServer.ts"

const portOf = (url: string) => Number(new URL(url).port)

/** The text of a response. */
const get = (url: string) =>
  HttpClient.get(url).pipe(
    Effect.flatMap((response) => response.text),
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
  )

/** The same, by a client with a pool of its own. */
const text = (url: string, pool: NodeLanguageService.PoolOptions = {}) =>
  Effect.provide(get(url), NodePool.layerHttpClient(pool))

describe("a service that supports HTTP/2", () => {
  live("is called over HTTP/1.1, directly, through a tunnel and through a proxy behind TLS", function*() {
    yield* trusting(authority)
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
  })

  live("is called over HTTP/1.1 also as a collector of telemetry", function*() {
    yield* trusting(authority)
    const server = yield* rawServer([], [whole("200 OK", "")])
    const service = yield* tlsServer(portOf(server.url))
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `https://localhost:${service.port}` }
    const environment = ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
    yield* Effect.withSpan(Effect.void, "work").pipe(
      Effect.provide(Layer.provide(NodeTelemetry.layer(), environment))
    )
    assert.isAbove(service.offers.length, 0)
    assert.isTrue(service.offers.every((offer) => offer.join() === "http/1.1"))
  })
})

/** Options of a server that requires a client certificate of the authority. */
const requiring = { cert: serverCertificate, key: serverKey, ca: authority, requestCert: true }

const demanding = Effect.fnUntraced(function*(version: Tls.SecureVersion) {
  const server = yield* rawServer([], [whole("200 OK", "hello")])
  const service = yield* tlsServer(portOf(server.url), { ...requiring, minVersion: version, maxVersion: version })
  return { server, url: `https://localhost:${service.port}`, offers: service.offers }
})

const create = (baseUrl: string, tls: NodeLanguageService.TlsOptions) =>
  StyleRules.use((rules) => rules.create({ name: "House style", language: "en" })).pipe(
    Effect.provide(NodeLanguageService.layer({ key: Redacted.make("key"), baseUrl, journal: "memory", pool: { tls } }))
  )

const client = {
  certificate: clientCertificate,
  key: Redacted.make(clientKey),
  passphrase: Redacted.make(clientPassphrase)
}

/** The error names the setting of the certificate, after one attempt that sent nothing. */
const isRefused = (error: Error, calls: ReadonlyArray<unknown>, setting: string) => {
  assert.deepInclude<Partial<ConnectionFailed>>(error, {
    _tag: "ConnectionFailed",
    operation: "StyleRules.create",
    outcome: "refused",
    isTransient: false
  })
  assert.include(error.message, setting)
  assert.strictEqual(calls.length, 1)
}

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"
const texts = (url: string) => Effect.replicateEffect(get(url), 3)
const go = "HTTP/1.1 100 Continue\r\n\r\n"

/** Writes each part after the previous one was flushed. */
const inParts = (...parts: ReadonlyArray<string>): Answer => (socket) => {
  const [part, ...rest] = parts
  if (part !== undefined) socket.write(part, () => setImmediate(() => inParts(...rest)(socket)))
}

describe("an unrequested interim response", () => {
  live.each<readonly [how: string, ...ReadonlyArray<string>]>([
    ["with its final one", go + ok],
    ["before its final one", go, ok],
    ["byte by byte", ...(go + ok).split("")],
    ["with headers", "HTTP/1.1 100 Continue\r\nserver: one\r\nx-100: HTTP/1.1 200 OK\r\n\r\n", ok],
    ["without a reason", `HTTP/1.1 100\r\n\r\n${ok}`],
    ["of HTTP/1.0", "HTTP/1.0 100 Continue\r\n\r\n", ok],
    ["with others", `${go}HTTP/1.1 102 Processing\r\n\r\n${go}`, `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ok}`]
  ])("is skipped: %s", function*([, ...parts]) {
    const server = yield* rawServer([], [inParts(...parts)])
    const service = yield* tlsServer(portOf(server.url))
    const layer = NodePool.layerHttpClient({ connections: 1, tls: { ca: authority } })
    const three = ["hello", "hello", "hello"]
    assert.deepStrictEqual(yield* Effect.provide(texts(server.url), layer), three)
    assert.deepStrictEqual(yield* Effect.provide(texts(`https://localhost:${service.port}`), layer), three)
    const proxy = new URL((yield* proxyServer(service.port)).url)
    assert.strictEqual(yield* text(`https://localhost:${service.port}`, { proxy, tls: { ca: authority } }), "hello")
  })

  live("is not recognized in the body of a response", function*() {
    const server = yield* rawServer([], [
      inParts(`HTTP/1.1 200 OK\r\ncontent-length: ${go.length * 2}\r\n\r\n`, go, go)
    ])
    assert.strictEqual(yield* text(server.url), go + go)
  })

  live("without an end is an error", function*() {
    const server = yield* rawServer([], [
      inParts("HTTP/1.1 100 Continue\r\n", ...Array(20).fill(`x: ${"x".repeat(8000)}\r\n`))
    ])
    const error = yield* Effect.flip(text(server.url))
    assert(error._tag === "HttpClientError")
    assert.strictEqual(error.reason._tag, "TransportError")
  })
})

describe("a connection that is idle", () => {
  live.each(["none", "a tunnel"] as const)(
    "is closed after `keepAlive` even if the service would keep it longer (proxy: %s)",
    function*(way) {
      // Longer than the time of a test.
      const hint = { "keep-alive": "timeout=500" }
      const server = yield* rawServer([], [whole("200 OK", "hello", hint)])
      const service = yield* tlsServer(portOf(server.url))
      const tunnel = yield* proxyServer(service.port)
      const url = way === "a tunnel" ? `https://localhost:${service.port}` : server.url
      const proxy = way === "none" ? undefined : new URL(tunnel.url)
      yield* Effect.gen(function*() {
        yield* Effect.all([get(url), get(url), get(url)], { concurrency: "unbounded" })
        assert.isAbove(server.open(), 0)
        yield* Effect.sleep("20 millis").pipe(Effect.repeat({ while: () => server.open() > 0 }))
      }).pipe(Effect.provide(NodePool.layerHttpClient({ keepAlive: "200 millis", proxy, tls: { ca: authority } })))
    }
  )

  live.each(["0 millis", "Infinity"] as const)("may be kept for %s", function*(keepAlive) {
    const server = yield* rawServer([], [whole("200 OK", "hello")])
    assert.strictEqual(yield* text(server.url, { keepAlive }), "hello")
  })
})

describe("the certificates of TLS", () => {
  live("include an authority that Node.js does not trust", function*() {
    const server = yield* rawServer([], [whole("200 OK", "hello")])
    const service = yield* tlsServer(portOf(server.url))
    const url = `https://localhost:${service.port}`
    const error = yield* Effect.flip(create(url, {}))
    isRefused(error, service.offers, "pool.tls.ca")
    assert.strictEqual(yield* text(url, { tls: { ca: authority } }), "hello")
    const tunnel = yield* tlsServer(portOf((yield* proxyServer(service.port)).url))
    const proxy = new URL(`https://localhost:${tunnel.port}`)
    assert.strictEqual(yield* text(url, { proxy, tls: { ca: [serverCertificate, authority] } }), "hello")
  })

  live.each<Tls.SecureVersion>(["TLSv1.2", "TLSv1.3"])(
    "are presented to a service that requires one; without one nothing is sent (%s)",
    function*(version) {
      const { offers, server, url } = yield* demanding(version)
      const error = yield* Effect.flip(create(url, { ca: authority }))
      isRefused(error, offers, "pool.tls.client")
      assert.strictEqual(server.questions.length, 0)
      assert.strictEqual(yield* text(url, { tls: { ca: authority, client } }), "hello")
      const tunnel = yield* proxyServer(portOf(url))
      assert.strictEqual(yield* text(url, { proxy: new URL(tunnel.url), tls: { ca: authority, client } }), "hello")
      // The certificate is not for proxies: one that requires it is not used.
      const { port } = yield* tlsServer(portOf(tunnel.url), requiring)
      yield* Effect.flip(text(url, { proxy: new URL(`https://localhost:${port}`), tls: { ca: authority, client } }))
    }
  )

  effect.each<readonly [setting: string, tls: NodeLanguageService.TlsOptions]>([
    ["pool.tls.ca", { ca: "no certificate" }],
    ["pool.tls.ca", { ca: [authority, authority.slice(0, 200)] }],
    ["pool.tls.client", { client: { ...client, certificate: "no certificate" } }],
    ["pool.tls.client", { client: { ...client, certificate: serverCertificate } }],
    ["pool.tls.client", { client: { ...client, passphrase: Redacted.make("wrong") } }],
    ["pool.tls.client", { client: { certificate: clientCertificate, key: Redacted.make(clientKey) } }]
  ])("that are invalid fail with the setting before anything is sent, without the key (%s)", function*([setting, tls]) {
    const error = yield* Effect.flip(create("https://localhost:1", tls))
    assert.deepInclude<object>(error, { _tag: "InvalidConfiguration", setting })
    assert.notInclude(error.message, "wrong")
  })
})
