/** The state that the calls of a client share. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Latch from "effect/Latch"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import { ClientState } from "../../client/ClientState.ts"
import * as Events from "../../client/Events.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"
import * as Reporting from "../../client/internal/reporting.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import { secretsOf } from "../../config/internal/headers.ts"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type * as ResiliencePolicy from "../../config/ResiliencePolicy.ts"
import * as Sanitizer from "../../contract/internal/sanitizer.ts"
import { QuotaExceeded } from "../../errors/ServiceError.ts"
import * as AdaptiveConcurrency from "./adaptiveConcurrency.ts"
import * as AttemptRun from "./attempt.ts"
import * as Breaker from "./breaker.ts"
import * as Budget from "./budget.ts"
import * as Lifetime from "./lifetime.ts"
import * as Limiter from "./limiter.ts"
import { makeTraffic } from "./tenants.ts"

/** Adds the headers of the configuration and of the call to a request; those of the call take precedence. */
const makeAuthorization = ({ authScheme, headers, key, userAgent }: LanguageServiceConfig["Service"]) => {
  const configured = Headers.fromInput({
    ...Record.map(headers, Redacted.value),
    "user-agent": userAgent,
    authorization: `${authScheme} ${Redacted.value(key)}`
  })
  return (request: HttpClientRequest.HttpClientRequest, ofCall: Readonly<Record<string, string>> | undefined) => {
    const all = Headers.merge(request.headers, configured)
    return HttpClientRequest.makeWith(
      request.method,
      request.url,
      request.urlParams,
      request.hash,
      ofCall === undefined ? all : Headers.setAll(all, ofCall),
      request.body
    )
  }
}

const shownInterval = Duration.seconds(1)

/** The parts that are shown. */
interface Parts {
  readonly breaker: Effect.Success<ReturnType<typeof Breaker.make>> | undefined
  readonly budgets: ReturnType<typeof Budget.makeAll> | undefined
}

/** Makes an effect that is run after each failure. A fiber of the client then shows the state until nothing changes by itself anymore. */
const keepShown = Effect.fnUntraced(function*({ breaker, budgets }: Parts) {
  const changes = yield* Latch.make()
  const isChanging = (now: number): boolean => {
    const isOpen = breaker?.standing(now).state === "Open"
    const isFilling = budgets?.all(now).some(({ capacity, tokens }) => tokens < capacity) === true
    return isOpen || (isFilling && budgets?.perSecond !== 0)
  }
  // By itself, as `Effect.repeat` brings schedules into a bundle.
  const showing: Effect.Effect<void> = Effect.flatMap(
    Effect.andThen(Effect.sleep(shownInterval), Monotonic.now),
    (now) => isChanging(now) ? showing : Effect.void
  )
  // A failure during the last look is followed by another one.
  const round = changes.await.pipe(Effect.andThen(changes.close), Effect.andThen(showing))
  yield* Effect.forkScoped(Effect.forever(round), { startImmediately: true })
  return Effect.asVoid(changes.open)
})

/** The gate of one client. The caller passes the `Monotonic` time. */
const makeQuotaGate = () => {
  let closedUntil = 0
  return {
    /** The failure of a call that finds the gate closed. */
    check: (now: number): QuotaExceeded | undefined =>
      now < closedUntil
        ? new QuotaExceeded({
          description: "Nothing was sent, as the service said so a short while ago",
          status: 456,
          retryAfter: Duration.seconds(Math.ceil((closedUntil - now) / 1000))
        })
        : undefined,
    close: (now: number, gate: Duration.Duration): void => {
      closedUntil = now + Duration.toMillis(gate)
    },
    open: (): void => {
      closedUntil = 0
    }
  }
}

export const make = Effect.gen(function*() {
  const config = yield* LanguageServiceConfig
  const context = yield* Telemetry.clientContext
  const { resilience } = config
  const shared = `${config.baseUrl.origin}${config.baseUrl.pathname}`
  const key = Redacted.value(config.key)
  const secrets = [key, ...secretsOf(Object.values(config.headers).map(Redacted.value))]
  const learned = Number.isFinite(resilience.concurrency)
    ? AdaptiveConcurrency.make(resilience.concurrency, (limit) => Telemetry.update("concurrency", limit, {}, context))
    : undefined
  const client = {
    config,
    server: AttemptRun.serverOf(config.baseUrl),
    context,
    key,
    secrets,
    sanitizer: Sanitizer.make(secrets),
    policies: new Map<string, ResiliencePolicy.ResiliencePolicy>(Object.entries(config.serviceResilience)),
    http: yield* HttpClient.HttpClient,
    events: yield* Events.Events,
    lifetime: yield* Lifetime.Lifetime,
    learned,
    breaker: resilience.breaker === undefined ? undefined : yield* Breaker.make(resilience.breaker, shared),
    limiter: yield* Limiter.make(resilience, shared, { learned }),
    traffic: makeTraffic(),
    gate: makeQuotaGate(),
    authorize: makeAuthorization(config),
    budgets: resilience.retryBudget === undefined ? undefined : Budget.makeAll(
      resilience.retryBudget,
      (operation, tokens) => Telemetry.update("retryBudget", tokens, { operation }, context)
    )
  }
  Reporting.report(yield* ClientState, {
    resilience: (now) => ({
      breaker: client.breaker?.standing(now),
      retryTokens: client.budgets?.all(now) ?? [],
      ...client.traffic.counts,
      concurrency: client.learned?.limit() ?? Number.POSITIVE_INFINITY,
      rateDelay: Duration.millis(client.limiter.delay(now)),
      isClosing: client.lifetime.isReleased()
    })
  })
  return { ...client, keepShown: yield* keepShown(client) }
})

export type Client = Effect.Success<typeof make>
