/** The start of a call. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Attempt from "../../client/Attempt.ts"
import * as AttemptMiddleware from "../../client/AttemptMiddleware.ts"
import * as Events from "../../client/Events.ts"
import { invalid } from "../../client/internal/checks.ts"
import { CurrentCall } from "../../client/internal/currentCall.ts"
import type { Failure } from "../../client/internal/failure.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"
import type { Outcome } from "../../client/internal/outcome.ts"
import type { Plan } from "../../client/internal/plan.ts"
import { publish } from "../../client/internal/publishing.ts"
import * as Region from "../../client/internal/region.ts"
import * as Words from "../../client/internal/words.ts"
import * as ResiliencePolicy from "../../client/ResiliencePolicy.ts"
import { WrongTier } from "../../client/ServiceError.ts"
import type { Client } from "./client.ts"
import * as Health from "./health.ts"
import * as Ledger from "./ledger.ts"
import * as Middleware from "./middleware.ts"
import { OpenStreams } from "./openStreams.ts"
import * as Repeat from "./repeat.ts"
import { CurrentTenant, stateOf } from "./tenants.ts"

const refuse = (failure: Failure) => Effect.fail(failure)

/** Starts a call: its policy, its times, and the parts that decide and record. */
export const begin = (
  client: Client,
  plan: Plan,
  request: HttpClientRequest.HttpClientRequest,
  around: Context.Context<never>
) => {
  const { config, events } = client
  const { operation, repeat, transfers } = plan
  if (config.tier === "free" && plan.requiredTier === "paid") {
    return refuse(
      new WrongTier({
        description: "Nothing was sent, as the operation needs the paid tier and the client is set to the free one"
      })
    )
  }
  const clock = Context.get(around, Clock.Clock)
  const current = Context.get(around, CurrentCall)
  const base = client.policies.get(plan.group) ?? config.resilience
  const annotations = () => Context.get(around, References.CurrentLogAnnotations)
  const overridden = Region.override(base, Context.get(around, ResiliencePolicy.Override))
  if (Result.isFailure(overridden)) return refuse(overridden.failure)
  const policy = overridden.success
  const currentTenant = Context.get(around, CurrentTenant)
  const tenant = stateOf(currentTenant)
  if (currentTenant !== undefined && tenant === undefined) {
    return refuse(
      invalid("Tenant.Current", "an object without limits", "a tenant that Tenant.make returned, not a copy")
    )
  }
  const start = Monotonic.nowUnsafe(clock)
  const isGated = repeat === "Metered" && !Duration.isZero(policy.quotaGate) && !Duration.isZero(base.quotaGate)
  const refusal = isGated ? client.gate.check(start) : undefined
  if (refusal !== undefined) return refuse(refusal)
  const deadline = transfers ? policy.jobDeadline : policy.deadline
  const end = start + Duration.toMillis(deadline)
  const combined = Middleware.combine(config.attemptMiddleware, Context.get(around, AttemptMiddleware.Current))
  const ofCall = current === undefined || current.secrets.length === 0
    ? client.words
    : Words.make([...client.secrets, ...current.secrets])
  const extensible = combined === undefined ? undefined : Words.extensible(ofCall)
  const words = extensible ?? ofCall
  const middleware = combined === undefined || extensible === undefined
    ? undefined
    : { around: combined, addSecrets: extensible.add }
  const wait = current?.wait
  if (current !== undefined) {
    current.policy = policy
    current.repeat = repeat
    current.lifetime = client.lifetime
    current.words = words
    current.wait = undefined
  }
  const budget = client.budgets?.of(operation, start)
  const spend = (outcome: Outcome, now: number): boolean => {
    if (budget === undefined || policy.retryBudget === undefined) return true
    const spent = budget.spend(outcome, now)
    if (!spent) publish(events, () => Events.Event.BudgetSpent({ operation, annotations: annotations() }))
    return spent
  }
  let decide: ReturnType<typeof Repeat.make> | undefined
  return Effect.succeed({
    plan,
    clock,
    policy,
    deadline,
    end,
    words,
    budget,
    lifetime: client.lifetime,
    tenant,
    server: client.server,
    client: config.name,
    // A call that a middleware of a download makes has its context too.
    streams: repeat === "Consume" ? Context.getOrUndefined(around, OpenStreams) : undefined,
    timeout: transfers ? policy.documentTimeout : policy.attemptTimeout,
    sending: current,
    middleware,
    request: client.authorize(
      current?.body === undefined ? request : HttpClientRequest.setBody(request, current.body),
      current?.headers
    ),
    /** The wait before the first attempt. */
    wait,
    breaker: policy.breaker === undefined ? undefined : client.breaker,
    /** The time for which a 456 closes the quota gate. */
    quotaGate: isGated ? base.quotaGate : undefined,
    patience: () => Health.patienceOf(base, transfers),
    /** Decides about a failure. Most calls have none. */
    decide: (failure: Failure, now: number) => (decide ??= Repeat.make(repeat, policy, end, spend))(failure, now),
    annotations,
    ledger: Ledger.make({
      operation,
      words,
      call: current,
      recorder: Context.get(around, Attempt.Recorder),
      events,
      annotations,
      context: client.context
    })
  })
}

export type Call = Effect.Success<ReturnType<typeof begin>>
