/** WebSockets without a network: both ends of a connection in this process. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Socket from "effect/socket/Socket"
import type { Fake } from "../state.ts"
import { inTimeOf } from "../time.ts"

type Type = Parameters<Socket.WebSocketLike["addEventListener"]>[0]
type Listener = Parameters<Socket.WebSocketLike["addEventListener"]>[1]

class End implements Socket.WebSocketLike {
  readyState = 0
  other: End | undefined = undefined
  readonly #listeners: Array<readonly [type: Type, listener: Listener, once: boolean]> = []

  /** Messages received before the first listener was added. */
  readonly #unread: Array<Socket.WebSocketEvent> = []

  addEventListener(type: Type, listener: Listener, { once = false }: { readonly once?: boolean } = {}): void {
    this.#listeners.push([type, listener, once])
    if (type === "message") { for (const event of this.#unread.splice(0)) listener(event) }
  }

  removeEventListener(type: Type, listener: Listener): void {
    const index = this.#listeners.findIndex((known) => known[0] === type && known[1] === listener)
    if (index !== -1) this.#listeners.splice(index, 1)
  }

  emit(type: Type, event: Socket.WebSocketEvent): void {
    const listeners = this.#listeners.filter(([known]) => known === type)
    if (type === "message" && listeners.length === 0) this.#unread.push(event)
    for (const [, listener, once] of listeners) {
      if (once) this.removeEventListener(type, listener)
      listener(event)
    }
  }

  open(): void {
    if (this.readyState !== 0) return
    this.readyState = 1
    this.emit("open", {})
  }

  send(data: string | Uint8Array): void {
    if (this.readyState !== 1) throw new Error("The connection is closed")
    this.other?.emit("message", { data })
  }

  close(code = 1000, reason = ""): void {
    if (this.readyState === 3) return
    this.readyState = 3
    this.emit("close", { code, reason })
    this.other?.close(code, reason)
  }
}

export const make = (fake: Fake): Socket.WebSocketConstructor["Service"] => (url) => {
  const client = new End()
  const server = new End()
  client.other = server
  server.other = client
  const { pathname, search } = new URL(url)
  const served = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const path = `${pathname.slice(fake.settings.basePath.length)}${search}`
    const [serve] = fake.settings.resources.flatMap(({ connect }) => connect?.(fake, path, now) ?? [])
    if (serve === undefined) return client.close(1006)
    const socket = yield* Socket.fromWebSocket(Effect.succeed(server))
    server.open()
    client.open()
    yield* serve(socket)
    server.close()
  })
  // The connection uses the clock of the fiber that connects.
  const clock = Fiber.getCurrent()?.getRef(Clock.Clock)
  const timed = inTimeOf(fake)(served)
  // Starts in a microtask, because the client adds listeners after this call.
  queueMicrotask(() => Effect.runFork(clock === undefined ? timed : Effect.provideService(timed, Clock.Clock, clock)))
  return client
}
