import type { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import type * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { ClientState } from "@effect-lingua/core/telemetry/ClientState"
import { Events } from "@effect-lingua/core/telemetry/Events"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as NodeSharedRate from "@effect-lingua/node/NodeSharedRate"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import { assert, describe } from "@effect/vitest"
import {
  ConfigProvider,
  Deferred,
  Duration,
  Effect,
  Exit,
  Layer,
  Metric,
  Predicate,
  Redacted,
  Scope,
  Stream
} from "effect"
import { spawnSync } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { eventually } from "../../../test/support/eventually.ts"
import { has } from "../../../test/support/has.ts"
import { recordedLog } from "../../../test/support/logs.ts"
import { runNode, variablesOf } from "../../../test/support/processes.ts"
import { effect, liveWith } from "../../../test/support/tests.ts"
import { freePort, listen, upstreamOf } from "./support/listen.ts"
import { redisServer } from "./support/redisServer.ts"

/** A proxy to Redis whose connections can fall silent without being closed, as when a firewall drops them. */
const proxyTo = Effect.fnUntraced(function*(target: number) {
  let silent = new Set<Socket>()
  const open = new Set<Socket>()
  const { port } = yield* listen((socket) => {
    const upstream = upstreamOf(socket, target)
    open.add(socket)
    socket.on("data", (data) => !silent.has(socket) && upstream.write(data))
    upstream.on("data", (data) => !silent.has(socket) && socket.write(data))
  })
  /** Silences the connections that are open now; new ones work. */
  const silence = () => void (silent = new Set(open))
  return { port, silence }
})

/** A client that shares nothing but Redis with the others, like one in another process. */
const startClient = Effect.fnUntraced(function*(
  redis: NodeSharedRate.RedisOptions | undefined,
  resilience: Partial<ResiliencePolicy.ResiliencePolicy> = {}
) {
  const fake = yield* FakeLanguageService
  const scope = yield* Scope.fork(yield* Effect.scope)
  const { layer: log, lines } = recordedLog()
  const options: LanguageServiceConfig.Options = {
    key: Redacted.make(FakeLanguageService.defaultKey),
    baseUrl: fake.url,
    resilience
  }
  const layer = NodeLanguageService.layer(options).pipe(
    redis === undefined ? (self) => self : Layer.provide(NodeSharedRate.layerRedis(redis)),
    Layer.provideMerge(log)
  )
  const context = yield* Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), scope)
  const breaker: Array<string> = []
  yield* Events.use(({ stream }) =>
    Stream.runForEach(stream, (event) =>
      Effect.sync(() => {
        if (event._tag === "BreakerChanged") breaker.push(`${event.from} -> ${event.to}`)
      }))
  ).pipe(Effect.provide(context), Effect.forkIn(scope, { startImmediately: true }))
  return {
    lines,
    breaker,
    warnings: () => lines.filter((line) => line.startsWith("Warn")),
    call: Writing.use((writing) => writing.rephrase({ text: ["A text."], targetLanguage: "en-GB" })).pipe(
      Effect.provide(context)
    ),
    rate: ClientState.use((state) => Effect.map(state.get, ({ rate }) => rate)).pipe(Effect.provide(context)),
    close: Scope.close(scope, Exit.void)
  }
})

const test = liveWith(
  Layer.merge(NodeFakeLanguageService.layer(), Layer.sync(Metric.MetricRegistry, () => new Map()))
)

/** Waits long enough for a Redis on a busy machine. */
const at = (url: string, options: NodeSharedRate.StoreOptions = {}): NodeSharedRate.RedisOptions => ({
  url: Redacted.make(url),
  timeout: "20 seconds",
  retryAfter: "200 millis",
  ...options
})

const impatient = { timeout: "250 millis" } as const

const failures = Effect.map(
  Metric.snapshot,
  (all) =>
    all.filter(({ id }) => id === "language_service.client.shared_store.failures")
      .reduce((sum, metric) => sum + (metric.type === "Counter" ? Number(metric.state.count) : 0), 0)
)

const elapsed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(effect), ([time]) => Duration.toMillis(time))

/** Long enough for a busy machine. */
const patient = { timeout: "30 seconds" } as const

const threePerSecond: Partial<ResiliencePolicy.ResiliencePolicy> = {
  rate: { requests: 3, window: Duration.seconds(1) }
}

type Client = Effect.Success<ReturnType<typeof startClient>>

/** Milliseconds that two clients take for three calls each. */
const sixCalls = (one: Client, other: Client) =>
  elapsed(Effect.all([one.call, one.call, one.call, other.call, other.call, other.call], { concurrency: 6 }))

const build = (options: NodeSharedRate.RedisOptions) =>
  Effect.flip(Effect.scoped(Layer.build(NodeSharedRate.layerRedis(options))))

const read = (env: Record<string, string>) =>
  Effect.provideService(NodeSharedRate.config, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))

describe.concurrent("NodeSharedRate.layerRedis", () => {
  effect("fails for an invalid address, without its secrets in the error", function*() {
    assert.strictEqual((yield* build({})).message, "redis needs a url or a socket")
    // From JavaScript
    const plain = yield* build(JSON.parse(`{ "url": "redis://:s3cret@host" }`))
    assert.strictEqual(plain.message, "redis.url is not Redacted: use Redacted.make")
    for (
      const [url, problem] of [
        ["redis://user:s3cret@host:port", "is not a URL"],
        ["s3cret", "is not a URL"],
        ["https://user:s3cret@host", "has the scheme https:"],
        ["redis://user:s3cret@host/db", "is not a URL"],
        ["redis://user:s3cret%@host", "has a user or password that is not percent-encoded"]
      ] as const
    ) {
      const error = yield* build({ url: Redacted.make(url) })
      assert.strictEqual(error._tag, "InvalidConfiguration")
      assert.include(error.message, `redis.url ${problem}`)
      assert.notInclude(error.message, "s3cret")
    }
  })

  effect("reads the address from LANGUAGE_SERVICE_REDIS_URL", function*() {
    const { url } = yield* read({ LANGUAGE_SERVICE_REDIS_URL: "redis://:s3cret@host" })
    assert.strictEqual(url === undefined ? "" : Redacted.value(url), "redis://:s3cret@host")
    assert.include((yield* Effect.flip(read({}))).message, "LANGUAGE_SERVICE_REDIS_URL")
  })

  test("starts and works without Redis, and closes at once", function*() {
    const before = yield* failures
    // The strategy has no effect.
    const socket = { reconnectStrategy: () => 10 }
    const client = yield* startClient({ ...at(`redis://:s3cret@127.0.0.1:${yield* freePort}`), socket })
    yield* client.call
    yield* client.call
    assert.deepStrictEqual(client.warnings(), [
      "Warn The store of the shared rate is unavailable; the rate is local: ECONNREFUSED"
    ])
    assert.isAbove(yield* failures, before)
    yield* client.close
  })

  test("connects to port 6379 of a URL without a port", function*() {
    const ports = new Set<number>()
    const listener = (message: unknown) => {
      if (!Predicate.hasProperty(message, "socket") || !(message.socket instanceof Socket)) return
      message.socket.on("connectionAttempt", (host, port) => host === "127.0.0.9" && ports.add(port))
    }
    subscribe("net.client.socket", listener)
    yield* startClient(at("redis://127.0.0.9"))
    unsubscribe("net.client.socket", listener)
    assert.deepStrictEqual([...ports], [6379])
  })

  test("divides the rate by the number of processes without Redis", function*() {
    const rate = { requests: 10, window: Duration.seconds(1) }
    const client = yield* startClient({ ...at(`redis://127.0.0.1:${yield* freePort}`), processes: 5 }, { rate })
    assert.isAtLeast(yield* elapsed(Effect.andThen(client.call, client.call)), 400)
  })

  test("begins TLS with a Redis at rediss:, before the password", function*() {
    const first = yield* Deferred.make<number | undefined>()
    const { port } = yield* listen((socket) =>
      socket.once("data", ([byte]) => Deferred.doneUnsafe(first, Exit.succeed(byte)))
    )
    yield* startClient(at(`rediss://:s3cret@127.0.0.1:${port}`, impatient))
    assert.strictEqual(yield* Deferred.await(first), 22, "a record of a handshake")
  })

  test("does not wait longer than the timeout for a Redis that never answers", function*() {
    const { open, port } = yield* listen((socket) => socket.resume())
    // Without the timeout this would never end.
    const client = yield* startClient(at(`redis://:s3cret@127.0.0.1:${port}`, impatient))
    for (let i = 0; i < 5; i++) yield* client.call
    assert.deepStrictEqual(client.warnings(), [
      "Warn The store of the shared rate is unavailable; the rate is local: no response in time"
    ])
    yield* client.close
    yield* eventually("no connection is left", Effect.sync(() => open() === 0))
  })
})

describe.skipIf(!has("Redis"))("NodeSharedRate.layerRedis with a redis-server", { concurrent: true }, () => {
  test("lets two clients share a rate", function*() {
    const redis = yield* redisServer()
    yield* redis.start
    const one = yield* startClient(at(redis.url, patient), threePerSecond)
    const other = yield* startClient(at(redis.url, patient), threePerSecond)
    // Two queues of three calls take 0.7 s.
    assert.isAbove(yield* sixCalls(one, other), 900)
    assert.deepStrictEqual([...one.lines, ...other.lines], [])
    const apart = yield* startClient(at(redis.url, { ...patient, prefix: "mine:" }), threePerSecond)
    const keys = Effect.sync(() =>
      spawnSync("redis-cli", ["-u", redis.url, "keys", "*rate:*"], { encoding: "utf8" }).stdout
    )
    const has = (client: typeof one, prefix: RegExp) =>
      eventually(`${prefix}`, Effect.map(Effect.andThen(client.call, keys), (keys) => prefix.test(keys)))
    yield* has(one, /^effect-lingua:rate:/m)
    yield* has(apart, /^mine:rate:/m)
  })

  test("lets another process share a rate", function*() {
    const redis = yield* redisServer()
    yield* redis.start
    const fake = yield* FakeLanguageService
    const script = fileURLToPath(new URL("support/threeCalls.ts", import.meta.url))
    const run = runNode(script, [], { ...variablesOf(fake), LANGUAGE_SERVICE_REDIS_URL: redis.url })
    const ended = yield* Effect.all([run, run], { concurrency: 2 })
    assert.deepStrictEqual(ended, Array.from({ length: 2 }, () => ({ code: 0, out: "", err: "" })))
    const times = (yield* fake.requests).map(({ time }) => time).toSorted((a, b) => a - b)
    assert.strictEqual(times.length, 6)
    // Three calls use up the bucket, and the last of the others waits for a second.
    assert.isAbove((times[5] ?? 0) - (times[0] ?? 0), 700)
  })

  test("uses local limits after Redis dies, and shared ones once it is back", function*() {
    const redis = yield* redisServer()
    yield* redis.start
    const client = yield* startClient(at(redis.url, patient), threePerSecond)
    yield* client.call
    assert.deepStrictEqual(client.lines, [])
    const before = yield* failures
    yield* redis.kill
    const time = yield* elapsed(Effect.all(Array.from({ length: 4 }, () => client.call), { concurrency: 4 }))
    // The local limit applies.
    assert.isAbove(time, 250)
    yield* Effect.sleep("300 millis")
    yield* client.call
    assert.strictEqual(client.warnings().length, 1)
    assert.isAtLeast((yield* failures) - before, 2)
    yield* redis.start
    yield* eventually("shared again", Effect.map(client.call, () => client.lines.length === 2))
    assert.strictEqual(client.lines[1], "Info The store of the shared rate is available again")
    yield* Effect.sleep("1100 millis")
    assert.isAbove(yield* sixCalls(client, yield* startClient(at(redis.url, patient), threePerSecond)), 900)
    assert.strictEqual(client.lines.length, 2)
  })

  test("connects to a Redis that appears after the start", function*() {
    const redis = yield* redisServer()
    const client = yield* startClient(at(redis.url), threePerSecond)
    yield* client.call
    assert.strictEqual(client.warnings().length, 1)
    yield* redis.start
    yield* eventually("shared", Effect.map(client.call, () => client.lines.length === 2))
    yield* Effect.sleep("1100 millis")
    assert.isAbove(yield* sixCalls(client, yield* startClient(at(redis.url, patient), threePerSecond)), 900)
  })

  test("does not wait longer than the timeout for a Redis that stops answering", function*() {
    const redis = yield* redisServer()
    yield* redis.start
    const client = yield* startClient(at(redis.url, impatient), threePerSecond)
    yield* client.call
    yield* redis.pause
    for (let i = 0; i < 10; i++) yield* client.call
    assert.deepStrictEqual(client.warnings(), [
      "Warn The store of the shared rate is unavailable; the rate is local: no response in time"
    ])
    yield* redis.resume
    yield* eventually("shared again", Effect.map(client.call, () => client.lines.length === 2))
  })

  test("replaces a connection that stays silent", function*() {
    const redis = yield* redisServer()
    yield* redis.start
    const proxy = yield* proxyTo(redis.port)
    const client = yield* startClient(at(`redis://127.0.0.1:${proxy.port}`, impatient), threePerSecond)
    yield* client.call
    proxy.silence()
    yield* client.call
    assert.strictEqual(client.warnings().length, 1)
    yield* eventually("shared again", Effect.map(client.call, () => client.lines.length === 2))
  })

  for (
    const [name, options, url, reason] of [
      ["refuses the password", ["--requirepass", "right"], "redis://:s3cret@", "WRONGPASS"],
      // The error of Redis quotes the command with the password.
      ["does not know HELLO", ["--rename-command", "HELLO", ""], "redis://user:s3cret@", "ERR"]
    ] as const
  ) {
    test(`logs the reason without the password if Redis ${name}`, function*() {
      const redis = yield* redisServer(options)
      yield* redis.start
      const client = yield* startClient(at(`${url}127.0.0.1:${redis.port}`))
      yield* client.call
      yield* Effect.sleep("300 millis")
      yield* client.call
      assert.deepStrictEqual(client.lines, [
        `Warn The store of the shared rate is unavailable; the rate is local: ${reason}`
      ])
    })
  }

  test("logs a Redis that keeps refusing commands only once", function*() {
    const redis = yield* redisServer(["--user", ..."default on nopass +@all ~none".split(" ")])
    yield* redis.start
    const client = yield* startClient(at(redis.url), threePerSecond)
    const before = yield* failures
    yield* eventually(
      "five failures",
      Effect.map(Effect.andThen(client.call, failures), (count) => count >= before + 5)
    )
    assert.deepStrictEqual(client.lines, [
      "Warn The store of the shared rate is unavailable; the rate is local: NOPERM"
    ])
  })

  test("uses the password and the database of the URL", function*() {
    const redis = yield* redisServer(["--requirepass", "p@ss/word"])
    yield* redis.start
    const password = Redacted.make("wrong")
    const client = yield* startClient({ ...at(`redis://:p%40ss%2Fword@127.0.0.1:${redis.port}/3`), password })
    yield* client.call
    assert.deepStrictEqual(client.lines, [])
    // The first one that this Redis does not have.
    const other = yield* startClient(at(`redis://:p%40ss%2Fword@127.0.0.1:${redis.port}/16`))
    yield* other.call
    assert.isAbove(other.lines.length, 0)
  })
  test("uses the username and the password of the options", function*() {
    const user = ["--user", "alice", "on", ">p@ss", "allkeys", "allchannels", "allcommands"]
    const redis = yield* redisServer(["--requirepass", "other", ...user])
    yield* redis.start
    const client = yield* startClient({ ...at(redis.url), username: "alice", password: Redacted.make("p@ss") })
    yield* client.call
    assert.deepStrictEqual(client.lines, [])
  })
})
