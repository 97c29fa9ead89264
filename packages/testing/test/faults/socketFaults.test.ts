// What is on the wire when a body breaks off or stops, and what is left of the connection.
import { FakeLanguageService, Fault, NodeFakeLanguageService } from "@effect-lingua/testing"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Layer, Scope } from "effect"
import { createServer } from "node:http"
import { connect, type Socket } from "node:net"
import { eventually } from "../../../../test/support/eventually.ts"

const fake = FakeLanguageService

interface Wire {
  readonly socket: Socket
  received: string
  closed: boolean
}

/** Sends one request over a connection of its own, which is kept alive, and takes down what comes. */
const ask = Effect.fnUntraced(function*(url: string) {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  const wire: Wire = { socket, received: "", closed: false }
  socket.on("data", (data) => (wire.received += data.toString("latin1")))
  socket.on("close", () => (wire.closed = true))
  socket.on("error", () => {})
  socket.write(
    "GET /v3/languages/resources HTTP/1.1\r\nHost: fake\r\nUser-Agent: test\r\nConnection: keep-alive\r\n" +
      `Authorization: Service-Auth-Key ${FakeLanguageService.defaultKey}\r\n\r\n`
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
  return wire
})

const headOf = ({ received }: Wire) => received.split("\r\n\r\n", 1).join("")
const bodyOf = ({ received }: Wire) => received.slice(received.indexOf("\r\n\r\n") + 4)
const hasHead = (wire: Wire) => wire.received.includes("\r\n\r\n")
const promised = (wire: Wire) => Number(/^content-length: (\d+)$/im.exec(headOf(wire))?.[1])

describe("faults on a socket", () => {
  it.live("a body that is cut has all headers and its promised length, then fewer bytes and the end", () =>
    Effect.gen(function*() {
      const { script, url } = yield* fake
      const whole = yield* ask(url)
      yield* eventually("the answer comes", () => hasHead(whole) && bodyOf(whole).length === promised(whole))
      const length = promised(whole)
      for (
        const [fault, bytes] of [
          [Fault.truncated(), Math.floor(length / 2)],
          [Fault.truncated({ bytes: 0 }), 0],
          [Fault.truncated({ bytes: 7 }), 7],
          [Fault.truncated({ bytes: length }), length - 1]
        ] as const
      ) {
        yield* script({ fault })
        const wire = yield* ask(url)
        yield* eventually("the connection is closed", () => wire.closed)
        assert.match(headOf(wire), /^HTTP\/1\.1 200 OK\r\n/)
        assert.match(headOf(wire), /^x-trace-id: [0-9a-f]{32}$/im)
        assert.match(headOf(wire), /^content-type: application\/json$/im)
        assert.strictEqual(promised(wire), length)
        assert.strictEqual(bodyOf(wire), bodyOf(whole).slice(0, bytes))
      }
      assert.isFalse(whole.closed)
    }).pipe(Effect.scoped, Effect.provide(NodeFakeLanguageService.layer())))

  it.live("a body that is malformed has the length that it says, and its connection lives on", () =>
    Effect.gen(function*() {
      const { script, url } = yield* fake
      yield* script({ fault: Fault.malformed() })
      const wire = yield* ask(url)
      yield* eventually("the answer comes", () => hasHead(wire) && bodyOf(wire).length === promised(wire))
      assert.match(headOf(wire), /^content-type: application\/json$/im)
      assert.throws(() => JSON.parse(bodyOf(wire)), SyntaxError)
      assert.isFalse(wire.closed)
    }).pipe(Effect.scoped, Effect.provide(NodeFakeLanguageService.layer())))

  it.live("a body that stops keeps its connection until the client goes away, and not longer", () =>
    Effect.gen(function*() {
      const sockets = new Set<Socket>()
      const server = createServer()
      server.on("connection", (socket: Socket) => {
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
      })
      const layer = FakeLanguageService.layerServer().pipe(
        Layer.provide(NodeHttpServer.layerServer(() => server, { port: 0, host: "127.0.0.1" }))
      )
      yield* Effect.gen(function*() {
        const { script, url } = yield* fake
        yield* script({ count: 3, fault: Fault.stalled({ bytes: 5 }) })
        const wires = [yield* ask(url), yield* ask(url), yield* ask(url)]
        yield* eventually("the bodies begin", () => wires.every((wire) => hasHead(wire) && bodyOf(wire).length === 5))
        yield* Effect.sleep(50)
        for (const wire of wires) {
          assert.isFalse(wire.closed)
          assert.strictEqual(bodyOf(wire).length, 5)
          assert.isAbove(promised(wire), 5)
          wire.socket.destroy()
        }
        yield* eventually("the server has no connections", () => sockets.size === 0)
      }).pipe(Effect.scoped, Effect.provide(layer))
    }))

  it.live("bodies that stopped do not keep the fake from being shut down", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(NodeFakeLanguageService.layer(), scope)
      const { script, url } = Context.get(context, fake)
      yield* script({ fault: Fault.stalled() })
      const wire = yield* ask(url)
      yield* eventually("the body begins", () => hasHead(wire))
      const start = yield* Clock.currentTimeMillis
      yield* Scope.close(scope, Exit.void)
      assert.isBelow((yield* Clock.currentTimeMillis) - start, 10_000)
      yield* eventually("the connection is closed", () => wire.closed)
    }).pipe(Effect.scoped))
})
