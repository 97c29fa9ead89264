/** The pool of connections, straight to the service or through proxies, and what is said of a proxy that fails. */
import type * as RequestSignal from "@effect-lingua/core/client/RequestSignal"
import Undici, { type buildConnector, type Dispatcher, type Pool } from "@effect/platform-node/Undici"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { hasProperty, isError, isFunction, isString } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { Duplex } from "node:stream"
import type { Proxies, Proxy } from "../NodeProxy.ts"
import type { Connect } from "./connector.ts"
import * as Socket from "./socket.ts"

interface Options {
  /** `null` for as many as there are requests. */
  readonly connections: number | null
  readonly connect: Connect
  readonly keepAliveTimeout: number
}

/** A failure before the request was on its way. Core knows it by `proxy`, and by `code` whether to try again. */
class ProxyFailure extends Data.TaggedError("ProxyFailure")<{
  readonly message: string
  readonly proxy: string
  readonly code: string
  readonly cause?: unknown
}> {}

const answered = (proxy: Proxy, status: number): ProxyFailure => {
  const password = proxy.authorization === undefined ? "a user and a password" : "another user or password"
  const what = status === 407 ? `asks for ${password}` : "gives no connection to the service"
  return new ProxyFailure({
    message: `The proxy ${proxy.name} ${what} (status ${status})`,
    proxy: proxy.name,
    code: status >= 500 ? "ERR_PROXY_UNAVAILABLE" : "ERR_PROXY_REFUSED"
  })
}

/** undici wraps errors with these codes anew. */
const codes: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: "ERR_PROXY_UNAVAILABLE",
  ERR_TLS_CERT_ALTNAME_INVALID: "HOSTNAME_MISMATCH"
}

const unreached = (proxy: Proxy, cause: unknown): ProxyFailure => {
  if (cause instanceof ProxyFailure) return cause
  const code = hasProperty(cause, "code") && isString(cause.code) ? cause.code : "ERR_PROXY_UNAVAILABLE"
  const why = isError(cause) && cause.message !== "" ? cause.message : code
  return new ProxyFailure({
    message: `The proxy ${proxy.name} cannot be used: ${why}`,
    proxy: proxy.name,
    code: codes[code] ?? code,
    cause
  })
}

/** Hears what a proxy answers that was asked for a tunnel. */
class TunnelHandler extends Undici.DecoratorHandler implements Dispatcher.DispatchHandler {
  readonly #proxy: Proxy
  readonly #handler: Dispatcher.DispatchHandler
  constructor(proxy: Proxy, handler: Dispatcher.DispatchHandler) {
    super(handler)
    this.#proxy = proxy
    this.#handler = handler
  }
  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Dispatcher.ResponseData["headers"],
    socket: Duplex
  ) {
    if (status === 200) return this.#handler.onRequestUpgrade?.(controller, status, headers, socket)
    socket.on("error", () => undefined).destroy()
    this.#handler.onResponseError?.(controller, answered(this.#proxy, status))
  }
  onResponseError(controller: Dispatcher.DispatchController, error: Error) {
    this.#handler.onResponseError?.(controller, unreached(this.#proxy, error))
  }
}

/** Hears that a proxy did not pass on a request. undici makes such an answer an error, which has the status in its text. */
class RequestHandler extends Undici.DecoratorHandler implements Dispatcher.DispatchHandler {
  readonly #proxy: Proxy
  readonly #handler: Dispatcher.DispatchHandler
  constructor(proxy: Proxy, handler: Dispatcher.DispatchHandler) {
    super(handler)
    this.#proxy = proxy
    this.#handler = handler
  }
  onResponseError(controller: Dispatcher.DispatchController, error: Error) {
    const isRefused = error instanceof Undici.errors.InvalidArgumentError && /\b407\b/.test(error.message)
    this.#handler.onResponseError?.(controller, isRefused ? answered(this.#proxy, 407) : error)
  }
}

/** Signals that a request has a connection. */
class SignallingHandler extends Undici.DecoratorHandler implements Dispatcher.DispatchHandler {
  readonly #signal: RequestSignal.RequestSignal
  readonly #handler: Dispatcher.DispatchHandler
  constructor(signal: RequestSignal.RequestSignal, handler: Dispatcher.DispatchHandler) {
    super(handler)
    this.#signal = signal
    this.#handler = handler
  }
  onRequestStart(controller: Dispatcher.DispatchController, context: unknown) {
    this.#handler.onRequestStart?.(controller, context)
    if (!controller.aborted) this.#signal.writing()
  }
}

/** Adds the signal to a dispatcher. */
export const signalled = (dispatcher: Dispatcher, signal: RequestSignal.RequestSignal): Dispatcher =>
  dispatcher.compose((dispatch) => (request, handler) => dispatch(request, new SignallingHandler(signal, handler)))

/** Prepares the connections of undici's own connector. */
const adopting = <Given extends object>(given: Given): Given =>
  hasProperty(given, "connect") && isConnector(given.connect)
    ? { ...given, connect: Socket.adopted(given.connect) }
    : given

const isConnector = (connect: unknown): connect is buildConnector.connector => isFunction(connect)

/** The connections to a proxy, to ask it for tunnels or to give it whole requests. `given` has how undici connects. */
const toProxy = (proxy: Proxy, origin: string | URL, given: object, options: Pool.Options) => {
  const connect = hasProperty(given, "connect") && isConnector(given.connect) ? given.connect : undefined
  return new Undici.Pool(origin, {
    ...options,
    ...(connect === undefined ? undefined : {
      connect: (to: buildConnector.Options, callback: buildConnector.Callback) =>
        connect(to, (...args) => args[0] === null ? callback(...args) : callback(unreached(proxy, args[0]), null))
    })
  })
}

/** Options of each pool. A longer keep-alive time of the host is ignored. */
const poolOf = ({ connections, keepAliveTimeout }: Options) => ({
  connections,
  keepAliveTimeout,
  keepAliveMaxTimeout: keepAliveTimeout,
  // Otherwise all requests wait for the first connection, which could be one of HTTP/2.
  allowH2: false
})

const throughProxy = (proxy: Proxy, options: Options): Dispatcher => {
  const { connect } = options
  const pool = poolOf(options)
  return new Undici.ProxyAgent({
    uri: proxy.origin,
    ...(proxy.authorization === undefined ? undefined : { token: Redacted.value(proxy.authorization) }),
    ...pool,
    requestTls: connect.service,
    proxyTls: connect.proxy,
    // What asks for tunnels. A proxy that takes the connection and says nothing is bounded by this timeout.
    clientFactory: (origin, given) =>
      toProxy(proxy, origin, given, { headersTimeout: connect.proxy.timeout, allowH2: false }).compose(
        (dispatch) => (request, handler) => dispatch(request, new TunnelHandler(proxy, handler))
      ),
    // What goes through tunnels, and, for `http:`, what gives the proxy whole requests.
    factory: (origin, given) =>
      new URL(origin).origin === proxy.origin
        ? toProxy(proxy, origin, adopting(given), pool)
        : new Undici.Pool(origin, adopting(given))
  }).compose((dispatch) => (request, handler) => dispatch(request, new RequestHandler(proxy, handler)))
}

const scoped = (make: () => Dispatcher): Effect.Effect<Dispatcher, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(make), (dispatcher) => Effect.promise(() => dispatcher.destroy()))

/** Sends each request the way that `proxies` says for its address. */
export const make = Effect.fnUntraced(function*(proxies: Proxies, options: Options) {
  const direct = yield* scoped(() =>
    new Undici.Agent({
      ...poolOf(options),
      connect: Socket.adopted(Undici.buildConnector(options.connect.service))
    })
  )
  if (proxies.all.length === 0) return direct
  const ways = new Map<Proxy, Dispatcher>()
  for (const proxy of proxies.all) ways.set(proxy, yield* scoped(() => throughProxy(proxy, options)))
  return direct.compose((dispatch) => (request, handler) => {
    const proxy = request.origin === undefined ? undefined : proxies.choose(new URL(request.origin))
    const way = proxy === undefined ? undefined : ways.get(proxy)
    return way === undefined ? dispatch(request, handler) : way.dispatch(request, handler)
  })
})
