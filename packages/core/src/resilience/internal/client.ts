/** The state that the calls of a client share. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Redacted from "effect/Redacted"
import { ClientState } from "../../client/ClientState.ts"
import * as Events from "../../client/Events.ts"
import * as Authorization from "../../client/internal/authorization.ts"
import { secretsOf } from "../../client/internal/headers.ts"
import * as Reporting from "../../client/internal/reporting.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import * as Words from "../../client/internal/words.ts"
import { LanguageServiceConfig } from "../../client/LanguageServiceConfig.ts"
import type * as ResiliencePolicy from "../../client/ResiliencePolicy.ts"
import * as AttemptRun from "./attempt.ts"
import * as Breaker from "./breaker.ts"
import * as Budget from "./budget.ts"
import * as Lifetime from "./lifetime.ts"
import * as Limiter from "./limiter.ts"
import * as QuotaGate from "./quotaGate.ts"
import * as Shown from "./shown.ts"
import * as Traffic from "./traffic.ts"

export const make = Effect.gen(function*() {
  const config = yield* LanguageServiceConfig
  const context = yield* Telemetry.clientContext
  const { resilience } = config
  const shared = `${config.baseUrl.origin}${config.baseUrl.pathname}`
  const key = Redacted.value(config.key)
  const secrets = [key, ...secretsOf(Object.values(config.headers).map(Redacted.value))]
  const client = {
    config,
    server: AttemptRun.serverOf(config.baseUrl),
    context,
    key,
    secrets,
    words: Words.make(secrets),
    policies: new Map<string, ResiliencePolicy.ResiliencePolicy>(Object.entries(config.serviceResilience)),
    http: yield* HttpClient.HttpClient,
    events: yield* Events.Events,
    lifetime: yield* Lifetime.Lifetime,
    breaker: resilience.breaker === undefined ? undefined : yield* Breaker.make(resilience.breaker, shared),
    limiter: yield* Limiter.make(resilience, shared),
    traffic: Traffic.make(),
    gate: QuotaGate.make(),
    authorize: Authorization.make(config),
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
      rateDelay: Duration.millis(client.limiter.delay(now)),
      isClosing: client.lifetime.isReleased()
    })
  })
  return { ...client, keepShown: yield* Shown.make(client) }
})

export type Client = Effect.Success<typeof make>
