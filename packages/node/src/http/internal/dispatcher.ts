/** Connection pools, direct or through a proxy. */
import type * as RequestSignal from "@effect-lingua/core/call/RequestSignal"
import Undici, { type buildConnector, type Dispatcher, type Pool } from "@effect/platform-node/Undici"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { hasProperty, isError, isFunction, isString } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { Proxies, Proxy } from "../NodeProxy.ts"
import type { Connect } from "./connector.ts"
import * as Socket from "./socket.ts"

interface Options {
  /** Connections per host; `null` for no limit. */
  readonly connections: number | null
  readonly connect: Connect
  readonly keepAliveTimeout: number
}

/**
 * A proxy failed before the request was sent. Core recognizes the error by `proxy`, and decides from `code` whether to
 * retry.
 */
class ProxyFailure extends Data.TaggedError("ProxyFailure")<{
  readonly message: string
  readonly proxy: string
  readonly code: string
  readonly cause?: unknown
}> {}

const refused = (proxy: Proxy, status: number): ProxyFailure => {
  const credentials = proxy.authorization === undefined ? "a user and a password" : "another user or password"
  const problem = status === 407 ? `requires ${credentials}` : "refused the connection to the service"
  return new ProxyFailure({
    message: `The proxy ${proxy.name} ${problem} (status ${status})`,
    proxy: proxy.name,
    code: status >= 500 ? "ERR_PROXY_UNAVAILABLE" : "ERR_PROXY_REFUSED"
  })
}

/** Maps error codes for which undici would wrap the error to other codes. */
const codes: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: "ERR_PROXY_UNAVAILABLE",
  ERR_TLS_CERT_ALTNAME_INVALID: "HOSTNAME_MISMATCH"
}

const unusable = (proxy: Proxy, cause: unknown): ProxyFailure => {
  if (cause instanceof ProxyFailure) return cause
  const code = hasProperty(cause, "code") && isString(cause.code) ? cause.code : "ERR_PROXY_UNAVAILABLE"
  const reason = isError(cause) && cause.message !== "" ? cause.message : code
  return new ProxyFailure({
    message: `The proxy ${proxy.name} cannot be used: ${reason}`,
    proxy: proxy.name,
    code: codes[code] ?? code,
    cause
  })
}

const decorated = (handler: Dispatcher.DispatchHandler, methods: Dispatcher.DispatchHandler) =>
  Object.assign(new Undici.DecoratorHandler(handler), methods)

/** Turns a proxy's failure, or any `CONNECT` response other than 200, into a `ProxyFailure`. */
const inTunnel = (proxy: Proxy, handler: Dispatcher.DispatchHandler) =>
  decorated(handler, {
    onRequestUpgrade: (controller, status, headers, socket) => {
      if (status === 200) return handler.onRequestUpgrade?.(controller, status, headers, socket)
      socket.on("error", () => undefined).destroy()
      handler.onResponseError?.(controller, refused(proxy, status))
    },
    onResponseError: (controller, error) => handler.onResponseError?.(controller, unusable(proxy, error))
  })

/** Turns undici's error for a status 407, recognizable only by its message, into a `ProxyFailure`. */
const withRefusals = (proxy: Proxy, handler: Dispatcher.DispatchHandler) =>
  decorated(handler, {
    onResponseError: (controller, error) => {
      const isRefused = error instanceof Undici.errors.InvalidArgumentError && /\b407\b/.test(error.message)
      handler.onResponseError?.(controller, isRefused ? refused(proxy, 407) : error)
    }
  })

const signalling = (signal: RequestSignal.RequestSignal, handler: Dispatcher.DispatchHandler) =>
  decorated(handler, {
    onRequestStart: (controller, context) => {
      handler.onRequestStart?.(controller, context)
      if (!controller.aborted) signal.writing()
    }
  })

export const signalled = (dispatcher: Dispatcher, signal: RequestSignal.RequestSignal): Dispatcher =>
  dispatcher.compose((dispatch) => (request, handler) => dispatch(request, signalling(signal, handler)))

const adopting = <Given extends object>(given: Given): Given =>
  hasProperty(given, "connect") && isConnector(given.connect)
    ? { ...given, connect: Socket.adopted(given.connect) }
    : given

const isConnector = (connect: unknown): connect is buildConnector.connector => isFunction(connect)

/** A pool of connections to a proxy. `defaults` are undici's options, including its connector. */
const toProxy = (proxy: Proxy, origin: string | URL, defaults: object, options: Pool.Options) => {
  const connect = hasProperty(defaults, "connect") && isConnector(defaults.connect) ? defaults.connect : undefined
  return new Undici.Pool(origin, {
    ...options,
    ...(connect === undefined ? undefined : {
      connect: (to: buildConnector.Options, callback: buildConnector.Callback) =>
        connect(to, (...args) => args[0] === null ? callback(...args) : callback(unusable(proxy, args[0]), null))
    })
  })
}

/** Pool options that do not let a host extend the keep-alive time. */
const poolOf = ({ connections, keepAliveTimeout }: Options) => ({
  connections,
  keepAliveTimeout,
  keepAliveMaxTimeout: keepAliveTimeout,
  // Without HTTP/2, because all requests would wait for the first connection.
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
    // Opens `CONNECT` tunnels. The timeout limits the wait for a proxy that never responds.
    clientFactory: (origin, given) =>
      toProxy(proxy, origin, given, { headersTimeout: connect.proxy.timeout, allowH2: false }).compose(
        (dispatch) => (request, handler) => dispatch(request, inTunnel(proxy, handler))
      ),
    // Sends requests through a tunnel, or, for `http:`, to the proxy.
    factory: (origin, given) =>
      new URL(origin).origin === proxy.origin
        ? toProxy(proxy, origin, adopting(given), pool)
        : new Undici.Pool(origin, adopting(given))
  }).compose((dispatch) => (request, handler) => dispatch(request, withRefusals(proxy, handler)))
}

const scoped = (make: () => Dispatcher): Effect.Effect<Dispatcher, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(make), (dispatcher) => Effect.promise(() => dispatcher.destroy()))

export const make = Effect.fnUntraced(function*(proxies: Proxies, options: Options) {
  const direct = yield* scoped(() =>
    new Undici.Agent({
      ...poolOf(options),
      connect: Socket.adopted(Undici.buildConnector(options.connect.service))
    })
  )
  if (proxies.all.length === 0) return direct
  const dispatchers = new Map<Proxy, Dispatcher>()
  for (const proxy of proxies.all) dispatchers.set(proxy, yield* scoped(() => throughProxy(proxy, options)))
  return direct.compose((dispatch) => (request, handler) => {
    const proxy = request.origin === undefined ? undefined : proxies.choose(new URL(request.origin))
    const proxied = proxy === undefined ? undefined : dispatchers.get(proxy)
    return proxied === undefined ? dispatch(request, handler) : proxied.dispatch(request, handler)
  })
})
