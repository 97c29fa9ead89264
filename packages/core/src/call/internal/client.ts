/** The state that the calls of a client share, and its lifetime: calls and streams under way end at once when its layer is released. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import { secretsOf } from "../../config/internal/headers.ts"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type * as ResiliencePolicy from "../../config/ResiliencePolicy.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import * as Sanitizer from "../../contract/internal/sanitizer.ts"
import { Cell } from "../../contract/internal/values.ts"
import * as Learned from "../../limits/internal/learned.ts"
import * as Limiter from "../../limits/internal/limiter.ts"
import type { Traffic } from "../../limits/internal/tenants.ts"
import { ClientState } from "../../telemetry/ClientState.ts"
import * as Events from "../../telemetry/Events.ts"
import * as StateParts from "../../telemetry/internal/stateParts.ts"
import * as Telemetry from "../../telemetry/internal/telemetry.ts"

const makeLifetime = Effect.gen(function*() {
  const listeners = new Set<Cell<() => void>>()
  const state = { isReleased: false }
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      state.isReleased = true
      for (const { content } of listeners) content?.()
    })
  )

  /** Calls a function when the client is released, until the returned function is called. */
  const onRelease = (listener: () => void): () => void => {
    const entry = new Cell(listener)
    if (state.isReleased) listener()
    else listeners.add(entry)
    return () => {
      listeners.delete(entry)
      entry.content = undefined
    }
  }

  /** Ends when the client is released. */
  const released = Effect.callback<void>((resume) => {
    const stop = onRelease(() => resume(Effect.void))
    return Effect.sync(stop)
  })

  return {
    /** True once the client is released. */
    state: state as { readonly isReleased: boolean },
    onRelease,
    released,
    /** Sleeps; the release of the client ends the sleep. */
    sleep: (millis: number): Effect.Effect<void> => Effect.raceFirst(Effect.sleep(millis), released)
  }
})

/** The lifetime shared by all services of a client. */
export class Lifetime extends Context.Service<Lifetime, Effect.Success<typeof makeLifetime>>()(
  "@effect-lingua/core/call/internal/client/Lifetime"
) {}

export const layerLifetime = Layer.effect(Lifetime, makeLifetime)

/** A server, as in the attributes of spans and metrics. */
export const serverOf = ({ hostname, port, protocol }: URL) => ({
  address: hostname,
  port: Number(port) || (protocol === "http:" ? 80 : 443)
})

/** Adds the headers of the configuration to a request, whose own take precedence. */
const makeAuthorization = ({ authScheme, headers, key, userAgent }: LanguageServiceConfig["Service"]) => {
  const configured = Headers.fromInput({
    ...Record.map(headers, Redacted.value),
    "user-agent": userAgent,
    authorization: `${authScheme} ${Redacted.value(key)}`
  })
  return ({ body, hash, headers, method, url, urlParams }: HttpClientRequest.HttpClientRequest) =>
    HttpClientRequest.makeWith(method, url, urlParams, hash, Headers.merge(configured, headers), body)
}

const stateNumber = { Closed: 0, HalfOpen: 1, Open: 2 }

/** Makes what a client learns, and an effect for each sign of overload, which shows the circuit when its pause ends. */
const makeLearned = Effect.fnUntraced(function*(ceiling: number) {
  const context = yield* Telemetry.clientContext
  const events = Telemetry.publisherOf(yield* Events.Events)
  const scope = yield* Effect.scope
  Telemetry.update("breakerState", stateNumber.Closed, {}, context)
  const learned = Learned.make(ceiling, {
    limit: (limit) => Telemetry.update("concurrency", limit, {}, context),
    // A format of metrics in JSON has no number for a limit that does not exist.
    rate: (rate) => Telemetry.update("rate", Number.isFinite(rate) ? rate : 0, {}, context),
    cut: (sign) => Telemetry.update("cuts", 1, { sign }, context),
    circuit: (from, to) => {
      Telemetry.update("breakerState", stateNumber[to], {}, context)
      events?.publish(() => Events.Event.BreakerChanged({ from, to }))
    }
  })
  /** The end of the last pause that is shown. */
  let shownUntil = 0
  const afterSign = Effect.flatMap(Monotonic.now, (now) => {
    const { retryAfter, state } = learned.circuitAt(now)
    const end = now + Duration.toMillis(retryAfter)
    if (state !== "Open" || shownUntil === end) return Effect.void
    shownUntil = end
    const showing = Effect.flatMap(Effect.sleep(retryAfter), () => Effect.map(Monotonic.now, learned.circuitAt))
    return Effect.forkIn(showing, scope, { startImmediately: true })
  })
  return { learned, afterSign: Effect.asVoid(afterSign) }
})

export const make = Effect.gen(function*() {
  const config = yield* LanguageServiceConfig
  const context = yield* Telemetry.clientContext
  const { baseUrl, resilience, transformClient = identity } = config
  const http = yield* HttpClient.HttpClient
  const { execute } = transformClient(http)
  const key = Redacted.value(config.key)
  const secrets = [key, ...secretsOf(Object.values(config.headers).map(Redacted.value))]
  const { afterSign = Effect.void, learned } = Number.isFinite(resilience.concurrency)
    ? yield* makeLearned(resilience.concurrency)
    : {}
  const traffic: Traffic = { queued: 0, inFlight: 0 }
  const client = {
    config,
    server: serverOf(config.baseUrl),
    context,
    key,
    secrets,
    sanitizer: Sanitizer.make(secrets),
    policies: new Map<string, ResiliencePolicy.ResiliencePolicy>(Object.entries(config.serviceResilience)),
    http,
    // In one piece, so that what a region does to a request precedes what the client does to it.
    transformed: HttpClient.makeWith(Effect.flatMap(execute), Effect.succeed<HttpClientRequest.HttpClientRequest>),
    events: Telemetry.publisherOf(yield* Events.Events),
    lifetime: yield* Lifetime,
    learned,
    afterSign,
    limiter: yield* Limiter.make(resilience, `${baseUrl.origin}${baseUrl.pathname}`, { learned }),
    traffic,
    authorize: makeAuthorization(config)
  }
  StateParts.report(yield* ClientState, {
    resilience: (now) => ({
      breaker: client.learned?.circuitAt(now),
      ...client.traffic,
      concurrency: client.learned?.limit() ?? Number.POSITIVE_INFINITY,
      rate: client.learned?.rate.perSecond(now) ?? Number.POSITIVE_INFINITY,
      rateDelay: Duration.millis(client.limiter.delay(now)),
      isClosing: client.lifetime.state.isReleased
    })
  })
  return client
})

export type Client = Effect.Success<typeof make>
