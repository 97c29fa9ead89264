import { Documents, type LanguageServiceConfig } from "@effect-lingua/core"
import type { ConnectionFailed } from "@effect-lingua/core/errors/CallError"
import { NodeProxy } from "@effect-lingua/node"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted, Stream } from "effect"
import { live } from "../../../../test/support/tests.ts"
import { selfSignedCertificate, selfSignedKey, trusting } from "../support/certificates.ts"
import { document } from "../support/documents.ts"
import { type Behaviour, proxyServer } from "../support/proxyServer.ts"
import { rawServer, whole } from "../support/rawServer.ts"
import { tlsServer } from "../support/tlsServer.ts"

/** A host without a DNS entry: its requests arrive only through the proxy. */
const host = "service.test"
const https = `https://${host}`
const http = `http://${host}`

const password = "p%40ss%20word"
const authorization = `Basic ${Buffer.from("user:p@ss word").toString("base64")}`

const download = Documents.use((documents) => documents.download(document)).pipe(
  Effect.flatMap(({ stream }) => Stream.mkString(Stream.decodeText(stream)))
)

const portOf = (url: string) => Number(new URL(url).port)

const tlsPort = Effect.fnUntraced(function*(port: number) {
  yield* trusting(selfSignedCertificate)
  return (yield* tlsServer(port, { cert: selfSignedCertificate, key: selfSignedKey })).port
})

/** A service behind a proxy. */
const setup = Effect.fnUntraced(function*(behaviour: Behaviour = {}, isTls = true) {
  const server = yield* rawServer([whole("200 OK", "hello")])
  const plain = portOf(server.url)
  const proxy = yield* proxyServer(isTls ? yield* tlsPort(plain) : plain, behaviour)
  return { server, proxy }
})

const options = (
  baseUrl: string,
  pool: NodeLanguageService.PoolOptions
): LanguageServiceConfig.Options & NodeLanguageService.NodeOptions => ({
  key: Redacted.make("key"),
  baseUrl,
  allowHttp: true,
  journal: "memory",
  pool,
  resilience: { attempts: 1 }
})

const through = (baseUrl: string, pool: NodeLanguageService.PoolOptions) =>
  Effect.provide(download, NodeLanguageService.layer(options(baseUrl, pool)))

const inEnvironment = (baseUrl: string, env: Record<string, string>, pool: NodeLanguageService.PoolOptions = {}) =>
  Effect.provide(
    download,
    Layer.provide(
      NodeLanguageService.layerConfig(options(baseUrl, pool)),
      ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
    )
  )

const withUser = (url: string) => Redacted.make(url.replace("//", `//user:${password}@`))

/** The error of a proxy without a connection to the service: nothing was sent. */
const failedAt = (error: Error, proxy: string, code: string, isTransient: boolean) => {
  assert.deepInclude<Partial<ConnectionFailed>>(error, {
    _tag: "ConnectionFailed",
    operation: "Documents.download",
    outcome: "refused",
    proxy,
    code,
    isTransient
  })
  assert.include(error.message, `Check the proxy ${proxy}`)
}

describe("a configured proxy", () => {
  live("opens a tunnel, inside which TLS checks the certificate of the service", function*() {
    const { proxy, server } = yield* setup()
    assert.strictEqual(yield* through(https, { proxy: new URL(proxy.url) }), "hello")
    assert.deepStrictEqual(proxy.asked, [`CONNECT ${host}:443`])
    assert.match(server.requests[0] ?? "", /^POST \/v2\/document\/doc-1\/result HTTP\/1\.1\r\n/)
    assert.match(server.requests[0] ?? "", /\r\nhost: service\.test\r\n/i)
  })

  live("receives whole requests for a service without TLS", function*() {
    const { proxy, server } = yield* setup({}, false)
    assert.strictEqual(yield* through(`${http}/language`, { proxy: new URL(proxy.url) }), "hello")
    assert.deepStrictEqual(proxy.asked, [`POST ${http}/language/v2/document/doc-1/result`])
    assert.match(server.requests[0] ?? "", /^POST \/language\/v2\/document\/doc-1\/result /)
  })

  live("is used for loopback too", function*() {
    const { proxy, server } = yield* setup({}, false)
    yield* through(server.url, { proxy: new URL(proxy.url) })
    assert.strictEqual(proxy.asked.length, 1)
  })

  live.each([true, false])(
    "receives the user and password of its address, and the service does not (TLS: %s)",
    function*(isTls) {
      const { proxy, server } = yield* setup({ authorization }, isTls)
      yield* through(isTls ? https : http, { proxy: withUser(proxy.url) })
      assert.strictEqual(proxy.asked.length, 1)
      assert.notMatch(server.requests[0] ?? "nothing", /proxy-authorization/i)
    }
  )
})

describe("a proxy without a connection to the service", () => {
  live.each([true, false])("that requires a password is named and not tried again (TLS: %s)", function*(isTls) {
    const { proxy, server } = yield* setup({ authorization }, isTls)
    const error = yield* Effect.flip(through(isTls ? https : http, { proxy: new URL(proxy.url) }))
    failedAt(error, proxy.host, "ERR_PROXY_REFUSED", false)
    assert.include(error.message, "requires a user and a password (status 407)")
    assert.strictEqual(server.requests.length, 0)
  })

  live.each([true, false])("that rejects the password is named without it (TLS: %s)", function*(isTls) {
    const { proxy } = yield* setup({ authorization: "Basic other" }, isTls)
    const error = yield* Effect.flip(through(isTls ? https : http, { proxy: withUser(proxy.url) }))
    failedAt(error, proxy.host, "ERR_PROXY_REFUSED", false)
    const shown = `${error.message} ${JSON.stringify(error)}`
    assert.include(shown, "another user or password (status 407)")
    for (const secret of ["p@ss", "p%40ss", authorization.slice(6)]) assert.notInclude(shown, secret)
  })

  live.each<
    readonly [instead: NonNullable<Behaviour["instead"]>, code: string, isTransient: boolean, message?: string]
  >([
    [403, "ERR_PROXY_REFUSED", false, "refused the connection to the service (status 403)"],
    [502, "ERR_PROXY_UNAVAILABLE", true],
    ["reset", "ERR_PROXY_UNAVAILABLE", true],
    ["silence", "UND_ERR_HEADERS_TIMEOUT", true]
  ])(
    "that answers with %s fails the call with %s (transient: %s)",
    function*([instead, code, isTransient, message = ""]) {
      const { proxy } = yield* setup({ instead })
      const connectTimeout = instead === "silence" ? "200 millis" : "1 minute"
      const error = yield* Effect.flip(through(https, { proxy: new URL(proxy.url), connectTimeout }))
      failedAt(error, proxy.host, code, isTransient)
      assert.include(error.message, message)
      assert.strictEqual(proxy.asked.length, 1)
    }
  )

  live("that has the certificate of another host is named and not tried again", function*() {
    const { proxy } = yield* setup()
    const host = `127.0.0.1:${yield* tlsPort(portOf(proxy.url))}`
    const error = yield* Effect.flip(through(https, { proxy: new URL(`https://${host}`) }))
    failedAt(error, host, "HOSTNAME_MISMATCH", false)
  })

  live.each([https, http])("that is down is named (%s)", function*(url) {
    const { proxy } = yield* setup()
    proxy.close()
    const error = yield* Effect.flip(through(url, { proxy: new URL(proxy.url) }))
    failedAt(error, proxy.host, "ECONNREFUSED", true)
    assert.include(error.message, `connect ECONNREFUSED ${proxy.host}`)
  })
})

describe("the environment", () => {
  live.each(["https_proxy", "HTTPS_PROXY"])("%s is the proxy of layerConfig", function*(name) {
    const { proxy } = yield* setup()
    assert.strictEqual(yield* inEnvironment(https, { [name]: proxy.url }), "hello")
    assert.deepStrictEqual(proxy.asked, [`CONNECT ${host}:443`])
  })

  live.each(["http_proxy", "HTTP_PROXY"])(
    "%s is the proxy for services without TLS, and needs no scheme",
    function*(name) {
      const { proxy } = yield* setup({}, false)
      assert.strictEqual(yield* inEnvironment(http, { [name]: proxy.host }), "hello")
      yield* Effect.flip(inEnvironment(https, { [name]: proxy.host }))
      assert.strictEqual(proxy.asked.length, 1)
    }
  )

  live("the name in lower case takes precedence, and an empty variable counts as unset", function*() {
    const { proxy } = yield* setup()
    yield* inEnvironment(https, { https_proxy: proxy.url, HTTPS_PROXY: "http://127.0.0.1:1" })
    yield* inEnvironment(https, { https_proxy: "", HTTPS_PROXY: proxy.url })
    assert.strictEqual(proxy.asked.length, 2)
  })

  const name = `api.${host}`
  live.each<readonly [exceptions: string, isException: boolean]>([
    ["*", true],
    [host, true],
    [`.${host}`, true],
    [`*.${host}`, true],
    [name, true],
    [name.toUpperCase(), true],
    [`${name}.`, true],
    [`${name}:80`, true],
    [`one.test, ${name}`, true],
    [`one.test ${name}`, true],
    [`${name}:443`, false],
    [`*.${name}`, false],
    ["pi.service.test", false],
    ["10.0.0.0/8", false],
    ["", false]
  ])("NO_PROXY=%s has the exception: %s", function*([exceptions, isException]) {
    const { proxy } = yield* setup({}, false)
    const env = { HTTP_PROXY: proxy.url, NO_PROXY: exceptions }
    const result = yield* Effect.result(inEnvironment(`http://${name}`, env))
    // Without the proxy the host is unknown.
    assert.strictEqual(result._tag, isException ? "Failure" : "Success")
    assert.strictEqual(proxy.asked.length, isException ? 0 : 1)
  })

  describe.concurrent("for addresses that cannot be reached", () => {
    live.each<readonly [exceptions: string, url: string, isException: boolean]>([
      ["192.0.2.0/24", "http://192.0.2.9", true],
      ["192.0.2.9", "http://192.0.2.9", true],
      ["one.test", "http://one.test.", true],
      ["192.0.2.9:443", "https://192.0.2.9", true],
      ["192.0.2.0/99", "http://192.0.2.9", false],
      ["192.0.3.0/24", "http://192.0.2.9", false],
      ["2001:db8::/32", "http://[2001:db8::1]", true],
      ["[2001:db8::1]:8080", "http://[2001:db8::1]:8080", true],
      ["[2001:db8::1]:8081", "http://[2001:db8::1]:8080", false]
    ])("no_proxy=%s has the exception %s: %s", function*([exceptions, url, isException]) {
      const { proxy } = yield* setup({}, false)
      const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, no_proxy: exceptions }
      yield* Effect.ignore(inEnvironment(url, env, { connectTimeout: "20 millis" }))
      assert.strictEqual(proxy.asked.length, isException ? 0 : 1)
    })
  })

  live("its proxies are never used for loopback", function*() {
    const { proxy, server } = yield* setup({}, false)
    const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url }
    for (const name of ["127.0.0.1", "localhost"]) {
      assert.strictEqual(yield* inEnvironment(server.url.replace("127.0.0.1", name), env), "hello")
    }
    assert.strictEqual(proxy.asked.length, 0)
  })

  live("is read by layer only with proxy: environment, and not by layerConfig with proxy: none", function*() {
    const { proxy } = yield* setup()
    const env = ConfigProvider.layer(ConfigProvider.fromEnv({ env: { HTTPS_PROXY: proxy.url } }))
    const left = yield* Effect.flip(Effect.provide(through(https, {}), env))
    assert.deepInclude<object>(left, { _tag: "ConnectionFailed" })
    yield* Effect.flip(inEnvironment(https, { HTTPS_PROXY: proxy.url }, { proxy: "none" }))
    assert.strictEqual(proxy.asked.length, 0)
    yield* Effect.provide(through(https, { proxy: "environment" }), env)
    assert.strictEqual(proxy.asked.length, 1)
  })
})

live.each([["https://proxy.test", "proxy.test:443"], ["http://proxy.test", "proxy.test:80"]] as const)(
  "the proxy %s is named %s",
  function*([address, name]) {
    const { all: [proxy] } = yield* NodeProxy.make(new URL(address))
    assert.strictEqual(proxy?.name, name)
  }
)

describe("an invalid address of a proxy", () => {
  live.each<readonly [address: string, problem: string]>([
    ["http://user:secret@host:port", "is not the address of a proxy"],
    ["socks5://user:secret@host:1080", "has the scheme socks5:, and only http: and https: proxies are supported"],
    ["http://user:secret%@host:1080", "has a user or password with a % that is not followed by two hexadecimal digits"]
  ])("is refused and not shown: %s", function*([address, problem]) {
    for (
      const [setting, failing] of [
        ["HTTPS_PROXY", inEnvironment(https, { HTTPS_PROXY: address })],
        ["pool.proxy", through(https, { proxy: Redacted.make(address) })]
      ] as const
    ) {
      const error = yield* Effect.flip(failing)
      assert.deepInclude<object>(error, { _tag: "InvalidConfiguration", setting })
      assert.include(error.message, problem)
      assert.notInclude(`${error.message} ${JSON.stringify(error)}`, "secret")
    }
  })
})
