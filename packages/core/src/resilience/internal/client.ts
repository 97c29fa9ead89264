/** The state that the calls of a client share. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import { ClientState } from "../../client/ClientState.ts"
import * as Events from "../../client/Events.ts"
import { publish } from "../../client/internal/publishing.ts"
import * as StateParts from "../../client/internal/stateParts.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import { secretsOf } from "../../config/internal/headers.ts"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type * as ResiliencePolicy from "../../config/ResiliencePolicy.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import * as Sanitizer from "../../contract/internal/sanitizer.ts"
import * as AdaptiveConcurrency from "./adaptiveConcurrency.ts"
import * as AttemptRun from "./attempt.ts"
import * as Lifetime from "./lifetime.ts"
import * as Limiter from "./limiter.ts"
import { makeTraffic } from "./tenants.ts"

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

/** Makes the learned number of a client, and an effect for each failure, which shows the circuit when its pause ends. */
const makeLearned = Effect.fnUntraced(function*(ceiling: number) {
  const context = yield* Telemetry.clientContext
  const events = yield* Events.Events
  const scope = yield* Effect.scope
  Telemetry.update("breakerState", stateNumber.Closed, {}, context)
  const learned = AdaptiveConcurrency.make(ceiling, {
    limit: (limit) => Telemetry.update("concurrency", limit, {}, context),
    // A format of metrics in JSON has no number for a limit that does not exist.
    rate: (rate) => Telemetry.update("rate", Number.isFinite(rate) ? rate : 0, {}, context),
    cut: (sign) => Telemetry.update("cuts", 1, { sign }, context),
    circuit: (from, to) => {
      Telemetry.update("breakerState", stateNumber[to], {}, context)
      publish(events, () => Events.Event.BreakerChanged({ from, to }))
    }
  })
  /** The end of the last pause that is shown. */
  let shownUntil = 0
  const afterFailure = Effect.flatMap(Monotonic.now, (now) => {
    const { retryAfter, state } = learned.standing(now)
    if (state !== "Open" || shownUntil === learned.pausedUntil()) return Effect.void
    shownUntil = learned.pausedUntil()
    const showing = Effect.flatMap(Effect.sleep(retryAfter), () => Effect.map(Monotonic.now, learned.standing))
    return Effect.forkIn(showing, scope, { startImmediately: true })
  })
  return { learned, afterFailure: Effect.asVoid(afterFailure) }
})

export const make = Effect.gen(function*() {
  const config = yield* LanguageServiceConfig
  const context = yield* Telemetry.clientContext
  const { baseUrl, resilience, transformClient = identity } = config
  const http = yield* HttpClient.HttpClient
  const { execute } = transformClient(http)
  const key = Redacted.value(config.key)
  const secrets = [key, ...secretsOf(Object.values(config.headers).map(Redacted.value))]
  const { afterFailure = Effect.void, learned } = Number.isFinite(resilience.concurrency)
    ? yield* makeLearned(resilience.concurrency)
    : {}
  const client = {
    config,
    server: AttemptRun.serverOf(config.baseUrl),
    context,
    key,
    secrets,
    sanitizer: Sanitizer.make(secrets),
    policies: new Map<string, ResiliencePolicy.ResiliencePolicy>(Object.entries(config.serviceResilience)),
    http,
    // In one piece, so that what a region does to a request precedes what the client does to it.
    transformed: HttpClient.makeWith(Effect.flatMap(execute), Effect.succeed<HttpClientRequest.HttpClientRequest>),
    events: yield* Events.Events,
    lifetime: yield* Lifetime.Lifetime,
    learned,
    afterFailure,
    limiter: yield* Limiter.make(resilience, `${baseUrl.origin}${baseUrl.pathname}`, { learned }),
    traffic: makeTraffic(),
    authorize: makeAuthorization(config)
  }
  StateParts.report(yield* ClientState, {
    resilience: (now) => ({
      breaker: client.learned?.standing(now),
      ...client.traffic.counts,
      concurrency: client.learned?.limit() ?? Number.POSITIVE_INFINITY,
      rate: client.learned?.rate.perSecond(now) ?? Number.POSITIVE_INFINITY,
      rateDelay: Duration.millis(client.limiter.delay(now)),
      isClosing: client.lifetime.isReleased()
    })
  })
  return client
})

export type Client = Effect.Success<typeof make>
