/** Checks Redis settings, and describes Redis errors without secrets. */
import { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import type * as NodeRedis from "@effect/platform-node/NodeRedis"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { hasProperty } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Scope from "effect/Scope"

type ClientOptions = NonNullable<Parameters<typeof NodeRedis.layer>[0]>

export type SocketOptions = ClientOptions["socket"]

export interface Address {
  readonly url?: Redacted.Redacted | undefined
  readonly username?: string | undefined
  readonly password?: Redacted.Redacted | undefined
  readonly socket?: SocketOptions
}

const invalid = (setting: string, problem: string) => new InvalidConfiguration({ setting, problem })

const shape = "is not a URL such as redis://user:password@host:6379/0"

/** Validates the URL, because the Redis client would quote an invalid URL, including the password. */
const parseUrl = Effect.fnUntraced(function*(redacted: Redacted.Redacted) {
  if (!Redacted.isRedacted(redacted)) return yield* invalid("redis.url", "is not Redacted: use Redacted.make")
  const text = Redacted.value(redacted)
  if (!URL.canParse(text)) return yield* invalid("redis.url", shape)
  const url = new URL(text)
  const decode = (part: string) =>
    Effect.mapError(
      Effect.try({ try: () => decodeURIComponent(part), catch: () => undefined }),
      () => invalid("redis.url", "has a user or password that is not percent-encoded")
    )
  if (url.protocol !== "redis:" && url.protocol !== "rediss:") {
    return yield* invalid("redis.url", `has the scheme ${url.protocol} but must be redis: or rediss:`)
  }
  if (url.hostname === "" || !/^\/?\d*$/.test(url.pathname) || url.search !== "" || url.hash !== "") {
    return yield* invalid("redis.url", shape)
  }
  const username = yield* decode(url.username)
  const password = yield* decode(url.password)
  const database = url.pathname.slice(1)
  return {
    ...(username === "" ? undefined : { username }),
    ...(password === "" ? undefined : { password }),
    ...(database === "" ? undefined : { database: Number(database) }),
    address: {
      host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? 6379 : Number(url.port),
      ...(url.protocol === "rediss:" ? { tls: true } : undefined)
    }
  }
})

const clientOptions = Effect.fnUntraced(function*(options: Address) {
  const { socket, url } = options
  if (url === undefined && socket === undefined) return yield* invalid("redis", "needs a url or a socket")
  const { address, ...parsed } = url === undefined ? { address: undefined } : yield* parseUrl(url)
  const credentials = {
    ...(options.username === undefined ? undefined : { username: options.username }),
    ...(options.password === undefined ? undefined : { password: Redacted.value(options.password) }),
    ...parsed
  }
  return (signal: AbortSignal): ClientOptions => {
    const socketOptions = Object.assign({}, socket, address, { signal })
    Reflect.deleteProperty(socketOptions, "reconnectStrategy")
    return {
      ...credentials,
      socket: socketOptions,
      // A command without a connection fails immediately.
      disableOfflineQueue: true
    }
  }
})

/** An error reply's code, such as `WRONGPASS`; the rest of the reply may quote the password. */
const replyKind = /^[A-Z]{2,}\b/

const innerCause = (error: unknown): unknown =>
  hasProperty(error, "reason")
    ? error.reason
    : hasProperty(error, "originalError")
    ? error.originalError
    : hasProperty(error, "cause")
    ? error.cause
    : undefined

export const describe = (failure: unknown): string => {
  let cause = failure
  for (let inner = innerCause(cause); inner !== undefined; inner = innerCause(cause)) cause = inner
  if (Cause.isTimeoutError(cause)) return "no response in time"
  if (!(cause instanceof Error)) return "unknown failure"
  return hasProperty(cause, "code") && typeof cause.code === "string"
    ? cause.code
    : replyKind.exec(cause.message)?.[0] ?? cause.constructor.name
}

/**
 * A connection that ends immediately with its scope. On close, the Redis client waits for responses that may never arrive,
 * so detached fibers build and close the client, and aborting the socket ends the wait.
 */
const connection = (redis: typeof NodeRedis, options: (signal: AbortSignal) => ClientOptions) =>
  Layer.effectContext(Effect.gen(function*() {
    const abort = new AbortController()
    const scope = yield* Scope.make()
    const building = yield* Effect.forkDetach(Layer.buildWithScope(redis.layer(options(abort.signal)), scope))
    yield* Effect.addFinalizer((exit) =>
      Effect.andThen(
        Effect.sync(() => abort.abort()),
        Effect.forkDetach(Effect.andThen(Fiber.await(building), Scope.close(scope, exit)))
      )
    )
    const context = yield* Fiber.join(building)
    yield* Effect.addFinalizer(() => Effect.sync(() => Context.get(context, redis.NodeRedis).client.destroy()))
    return context
  })).pipe(
    // Without logs, because the client would log connection errors with the password.
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
  )

export const connected = Effect.fnUntraced(function*(address: Address) {
  const client = yield* clientOptions(address)
  // Imported on demand, because the package redis is optional.
  const redis = yield* Effect.tryPromise({
    try: () => import("@effect/platform-node/NodeRedis"),
    catch: () => invalid("redis", "cannot be used, because the package redis is not installed: npm install redis")
  })
  return connection(redis, client)
})
