/** Checks of the proxy, the network and the service. */
import type * as LanguageServiceConfig from "@effect-lingua/core/config/LanguageServiceConfig"
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import { Languages } from "@effect-lingua/core/languages/Languages"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as NodePool from "@effect-lingua/node/http/NodePool"
import * as NodeProxy from "@effect-lingua/node/http/NodeProxy"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { hasProperty, isString } from "effect/Predicate"
import { lookup as lookupAddresses } from "node:dns/promises"
import { connect as connectTcp, isIP } from "node:net"
import { connect as connectTls } from "node:tls"
import { type Finding, isLoopback, ok, problem, skipped, warning } from "./settingsChecks.ts"

/** The host cannot be found or connected to; `code` is that of the system. */
class Unreachable extends Data.TaggedError("Unreachable")<{ readonly code: string }> {}

const toUnreachable = (cause: unknown) =>
  new Unreachable({ code: hasProperty(cause, "code") && isString(cause.code) ? cause.code : "no code" })

const inTime = Effect.timeoutOrElse({
  duration: "5 seconds",
  orElse: () => Effect.fail(new Unreachable({ code: "ETIMEDOUT" }))
})

/** The addresses of a host. */
const lookup = (host: string): Effect.Effect<ReadonlyArray<string>, Unreachable> =>
  Effect.tryPromise({ try: () => lookupAddresses(host, { all: true }), catch: toUnreachable }).pipe(
    Effect.map((found) => found.map(({ address }) => address)),
    inTime
  )

/** Connects, and closes the connection. */
const connect = (host: string, port: number, tls: boolean): Effect.Effect<void, Unreachable> =>
  Effect.callback<void, Unreachable>((resume) => {
    const done = () => {
      socket.destroy()
      resume(Effect.void)
    }
    const socket = tls
      ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : undefined) }, done)
      : connectTcp({ host, port }, done)
    socket.on("error", (error) => resume(Effect.fail(toUnreachable(error))))
    return Effect.sync(() => socket.destroy())
  }).pipe(
    inTime
  )

/** The proxy for the service. */
export const checkProxy = Effect.fnUntraced(function*(option: NodePool.PoolOptions["proxy"], baseUrl: URL) {
  const found = yield* Effect.result(NodeProxy.make(option))
  if (found._tag === "Failure") {
    const finding = problem("proxy", found.failure.message, "Correct the variable, or unset it")
    return { finding, proxy: undefined, usable: false }
  }
  const { all, choose } = found.success
  const proxy = choose(baseUrl)
  const detail = proxy !== undefined
    ? `Through ${proxy.name}, by ${proxy.setting}, ${proxy.authorization === undefined ? "without" : "with"} a user`
    : all.length === 0
    ? "None is set"
    : isLoopback(baseUrl.hostname)
    ? "None, as the service is on this machine"
    : `None for this host, though ${
      all.map(({ setting }) => setting).join(" and ")
    } is set: NO_PROXY, or no proxy for ` +
      baseUrl.protocol
  return { finding: ok("proxy", detail), proxy, usable: true }
})

const portOf = ({ port, protocol }: URL): number => port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)

/** The addresses of the host, and a connection to it. With a proxy, the host is that of the proxy. */
export const checkConnection = Effect.fnUntraced(function*(baseUrl: URL, proxy: NodeProxy.Proxy | undefined) {
  const to = proxy === undefined ? baseUrl : new URL(proxy.origin)
  const host = to.hostname.replace(/^\[(.+)\]$/, "$1")
  const whose = proxy === undefined ? "LANGUAGE_SERVICE_BASE_URL" : proxy.setting
  const found = yield* Effect.result(lookup(host))
  if (found._tag === "Failure") {
    return [
      problem(
        "name",
        `${host} is not found (${found.failure.code})`,
        `Check the spelling in ${whose}, and the name servers of this machine`
      ),
      skipped("connection", "There is no address")
    ]
  }
  const name = ok("name", `${host} is ${found.success.join(", ")}`)
  const isTls = to.protocol === "https:"
  const what = `${host}:${portOf(to)}${proxy === undefined ? "" : ", the proxy,"}`
  const connection = yield* Effect.match(Effect.timed(connect(host, portOf(to), isTls)), {
    onSuccess: ([took]) =>
      ok("connection", `${what} accepts connections${isTls ? " with TLS" : ""} (${Attempt.formatDuration(took)})`),
    onFailure: ({ code }) =>
      problem(
        "connection",
        `${what} cannot be connected to (${code})`,
        code === "ECONNREFUSED"
          ? `Nothing listens there: check host and port in ${whose}`
          : code === "ETIMEDOUT"
          ? "No response: a firewall may require a proxy, see HTTPS_PROXY"
          : isTls
          ? "The certificate or TLS is not accepted: check the host; for a private authority set NODE_EXTRA_CA_CERTS"
          : "Check the network of this machine"
      )
  })
  return [name, connection]
})

/** Advice for errors whose message has none. */
const accessAdvice: Readonly<Record<string, string>> = {
  InvalidKey: "Check LANGUAGE_SERVICE_KEY, and that LANGUAGE_SERVICE_AUTH_SCHEME is the word of this service",
  WrongTier: "Each tier has its own address: set LANGUAGE_SERVICE_BASE_URL to that of the key's tier",
  MissingScope: "The key is valid; give it the scope, or use another key",
  AccessDenied: "Key, tier and address must match; a gateway in front of the service may also refuse",
  NotFound: "LANGUAGE_SERVICE_BASE_URL must be the address before /v2 and /v3 of a service with this interface",
  UnexpectedResponse: "The response may come from another program: check LANGUAGE_SERVICE_BASE_URL",
  RateLimited: "The service works; wait a moment",
  AttemptTimeout: "The host accepts connections but does not respond: check LANGUAGE_SERVICE_BASE_URL, or try later",
  ConnectionLost: "The host may run another program: check http: or https:, host and port in LANGUAGE_SERVICE_BASE_URL",
  InternalServerError: "The service fails: try later"
}

/** The tolerated difference of clocks, in seconds. */
const skew = 30

const checkClock = (date: string | undefined, now: number | undefined): Finding => {
  const then = date === undefined ? Number.NaN : Date.parse(date)
  if (now === undefined || Number.isNaN(then)) return skipped("clock", "No response had a date for comparison")
  const seconds = Math.round((now - then) / 1000)
  const apart = Math.abs(seconds)
  const detail = `The clock of this machine is ${Attempt.formatDuration(Duration.seconds(apart))} ${
    seconds > 0 ? "ahead of" : "behind"
  } that of the service`
  return apart <= skew
    ? ok("clock", "The clock of this machine agrees with that of the service")
    : warning("clock", detail, "Set the clock, preferably by NTP: certificates and shared rates depend on it")
}

/** A call with the key that consumes nothing, and the clock of its response. */
export const checkAccess = Effect.fnUntraced(function*(
  options: LanguageServiceConfig.Options,
  pool: NodePool.PoolOptions
) {
  let date: string | undefined
  let received: number | undefined
  const http = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.tap((response) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          date = response.headers["date"]
          received = now
        })
      )
    )
  ).pipe(Layer.provide(NodePool.layerHttpClient(pool)))
  const called = yield* Languages.use((languages) => languages.resources()).pipe(
    Effect.provide(Layer.provide(
      LanguageService.layer({
        ...options,
        resilience: {
          ...options.resilience,
          attempts: 1,
          attemptTimeout: Duration.seconds(10),
          deadline: Duration.seconds(15)
        }
      }),
      http
    )),
    Effect.result
  )
  const access = called._tag === "Success"
    ? ok("access", "The service accepts the key")
    : problem(
      "access",
      called.failure.message,
      accessAdvice[called.failure._tag] ?? "See the checks before this one"
    )
  return [access, checkClock(date, received)]
})
