/** The shared state of a client's calls, and the client's lifetime: releasing the layer ends calls and streams at once. */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import { secretsOf } from "../../config/internal/settings.ts"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type * as ResiliencePolicy from "../../config/ResiliencePolicy.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import * as Sanitizer from "../../contract/internal/sanitizer.ts"
import * as Learned from "../../limits/internal/learned.ts"
import * as Limiter from "../../limits/internal/limiter.ts"
import type { Traffic } from "../../limits/internal/tenants.ts"
import { ClientState } from "../../telemetry/ClientState.ts"
import { Event, Events } from "../../telemetry/Events.ts"
import * as StateParts from "../../telemetry/internal/stateParts.ts"
import * as Telemetry from "../../telemetry/internal/telemetry.ts"

const makeLifetime = Effect.gen(function*() {
  const release = Deferred.makeUnsafe<void>()
  const released = Deferred.await(release)
  const lifetime = {
    isReleased: false,
    listeners: new Set<Limiter.Cell<() => void>>(),
    released,
    /** Sleeps; ends early if the client is released. */
    sleep: (millis: number): Effect.Effect<void> => Effect.raceFirst(Effect.sleep(millis), released)
  }
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      lifetime.isReleased = true
      Deferred.doneUnsafe(release, Effect.void)
      for (const { content } of lifetime.listeners) content?.()
    })
  )
  return lifetime
})

export type Lifetime = Effect.Success<typeof makeLifetime>

export const serverOf = ({ hostname, port, protocol }: URL) => ({
  address: hostname,
  port: Number(port) || (protocol === "http:" ? 80 : 443)
})

const circuitNumber = { Closed: 0, HalfOpen: 1, Open: 2 }

/**
 * Makes the limits learned from signs of overload. Run `afterOverloadSign` after each sign: when the open circuit's pause ends,
 * it reports the circuit's new state.
 */
const makeLearned = Effect.fnUntraced(function*(ceiling: number, name: string | undefined) {
  const context = Telemetry.labelled(name)(yield* Effect.context())
  const events = Telemetry.publisherOf(yield* Events)
  const scope = yield* Effect.scope
  Telemetry.update("breakerState", circuitNumber.Closed, {}, context)
  const learned = Learned.make(ceiling, {
    limit: (limit) => Telemetry.update("concurrency", limit, {}, context),
    // 0 for no limit, because JSON has no infinity.
    rate: (rate) => Telemetry.update("rate", Number.isFinite(rate) ? rate : 0, {}, context),
    cut: (sign) => Telemetry.update("cuts", 1, { sign }, context),
    circuit: (from, to) => {
      Telemetry.update("breakerState", circuitNumber[to], {}, context)
      events?.publish(() => Event.BreakerChanged({ from, to }))
    }
  })
  let reportedUntil = 0
  const afterOverloadSign = Effect.flatMap(Monotonic.now, (now) => {
    const { retryAfter, state } = learned.circuitAt(now)
    const end = now + Duration.toMillis(retryAfter)
    if (state !== "Open" || reportedUntil === end) return Effect.void
    reportedUntil = end
    const report = Effect.flatMap(Effect.sleep(retryAfter), () => Effect.map(Monotonic.now, learned.circuitAt))
    return Effect.forkIn(report, scope, { startImmediately: true })
  })
  return { learned, afterOverloadSign: Effect.asVoid(afterOverloadSign) }
})

export const make = Effect.gen(function*() {
  const config = yield* LanguageServiceConfig
  // Made first, so that its finalizer runs last.
  const lifetime = yield* makeLifetime
  const { baseUrl, resilience, transformClient = identity } = config
  const http = yield* HttpClient.HttpClient
  const { execute } = transformClient(http)
  const key = Redacted.value(config.key)
  const headers = Record.map(config.headers, Redacted.value)
  const secrets = [key, ...secretsOf(Object.values(headers))]
  const { afterOverloadSign = Effect.void, learned } = Number.isFinite(resilience.concurrency)
    ? yield* makeLearned(resilience.concurrency, config.name)
    : {}
  const traffic: Traffic = { queued: 0, inFlight: 0 }
  const client = {
    config,
    server: serverOf(config.baseUrl),
    key,
    secrets,
    sanitizer: Sanitizer.make(secrets),
    policies: new Map<string, ResiliencePolicy.ResiliencePolicy>(Object.entries(config.serviceResilience)),
    http,
    // The client's transform runs in `postprocess`, after a transform of `withClientTransform`.
    transformed: HttpClient.makeWith(Effect.flatMap(execute), Effect.succeed<HttpClientRequest.HttpClientRequest>),
    events: Telemetry.publisherOf(yield* Events),
    lifetime,
    learned,
    afterOverloadSign,
    limiter: yield* Limiter.make(resilience, `${baseUrl.origin}${baseUrl.pathname}`, { learned }),
    traffic,
    headers: Headers.fromInput({
      ...headers,
      "user-agent": config.userAgent,
      authorization: `${config.authScheme} ${key}`
    })
  }
  StateParts.report(yield* ClientState, {
    resilience: (now) => ({
      breaker: client.learned?.circuitAt(now),
      ...client.traffic,
      concurrency: client.learned?.limit() ?? Number.POSITIVE_INFINITY,
      rate: client.learned?.rate.perSecond(now) ?? Number.POSITIVE_INFINITY,
      rateDelay: Duration.millis(client.limiter.delay(now)),
      isClosing: client.lifetime.isReleased
    })
  })
  return client
})

export type Client = Effect.Success<typeof make>
