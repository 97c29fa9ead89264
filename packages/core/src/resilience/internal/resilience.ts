/**
 * The client half of the resilience middleware: one call as a loop of attempts.
 *
 *     tier, quota gate
 *       deadline
 *         loop ( limiter ( breaker ( attempt timeout, body in memory ) ) -> wait, or the end )
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constUndefined } from "effect/Function"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Attempt from "../../client/Attempt.ts"
import { CircuitOpen, UnexpectedResponse } from "../../client/CallError.ts"
import * as Events from "../../client/Events.ts"
import * as Authorization from "../../client/internal/authorization.ts"
import { CurrentCall } from "../../client/internal/currentCall.ts"
import { secretsOf } from "../../client/internal/headers.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"
import type { Outcome } from "../../client/internal/outcome.ts"
import { publish } from "../../client/internal/publishing.ts"
import * as Region from "../../client/internal/region.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import * as Words from "../../client/internal/words.ts"
import { LanguageServiceConfig } from "../../client/LanguageServiceConfig.ts"
import { Resilience } from "../../client/Resilience.ts"
import * as ResiliencePolicy from "../../client/ResiliencePolicy.ts"
import { WrongTier } from "../../client/ServiceError.ts"
import * as AttemptRun from "./attempt.ts"
import * as Breaker from "./breaker.ts"
import * as Budget from "./budget.ts"
import type { Ending } from "./ending.ts"
import * as EndpointPlan from "./endpointPlan.ts"
import * as Health from "./health.ts"
import * as KeyKind from "./keyKind.ts"
import * as Ledger from "./ledger.ts"
import * as Lifetime from "./lifetime.ts"
import * as Limiter from "./limiter.ts"
import * as OpenStreams from "./openStreams.ts"
import * as QuotaGate from "./quotaGate.ts"
import * as Repeat from "./repeat.ts"

/** The reason for which a repeat was not sent, by the failure in its place; `deadline` for any other. */
const heldBack: Readonly<Record<string, Attempt.StopCause>> = {
  ConnectionFailed: "released",
  CircuitOpen: "breaker",
  RateLimited: "limiter"
}

/** Ends a call with its last attempt. The contract client decodes an error of the contract from the response again. */
const conclude = (ending: Ending) =>
  ending.failure instanceof UnexpectedResponse
    ? Effect.fail(ending.failure)
    : ending.response === undefined
    ? Effect.fail(ending.failure)
    : Effect.succeed(ending.response)

/** The client half, with the policy of the configuration. */
export const layer: Layer.Layer<
  HttpApiMiddleware.ForClient<Resilience>,
  never,
  LanguageServiceConfig | Events.Events
> = HttpApiMiddleware.layerClient(
  Resilience,
  Effect.gen(function*() {
    const config = yield* LanguageServiceConfig
    const events = yield* Events.Events
    const lifetime = yield* Lifetime.Lifetime
    const streams = yield* OpenStreams.OpenStreams
    const context = yield* Effect.context()
    const { resilience, serviceResilience } = config
    const shared = `${config.baseUrl.origin}${config.baseUrl.pathname}`
    const breaker = resilience.breaker === undefined ? undefined : yield* Breaker.make(resilience.breaker, shared)
    const inTurn = yield* Limiter.make(resilience, shared)
    const gate = QuotaGate.make()
    const secret = Redacted.value(config.key)
    const secrets = [secret, ...secretsOf(Object.values(config.headers).map(Redacted.value))]
    const wordsOfClient = Words.make(secrets)
    const authorize = Authorization.make(config)
    const policies = new Map<string, ResiliencePolicy.ResiliencePolicy>(Object.entries(serviceResilience))

    const budgetOf = resilience.retryBudget === undefined ? constUndefined : Budget.makeAll(
      resilience.retryBudget,
      (operation, tokens) => Telemetry.update("retryBudget", tokens, { operation }, context)
    )

    const planFor = EndpointPlan.make()

    return Effect.fnUntraced(function*({ endpoint, group, next, request }) {
      const { decode, operation, removes, repeat, requiredTier, template, transfers } = planFor(group, endpoint)
      if (config.tier === "free" && requiredTier === "paid") {
        return yield* new WrongTier({
          description: "Nothing was sent, as the operation needs the paid tier and the client is set to the free one"
        })
      }
      // Read once, as the loop below needs them often.
      const around = yield* Effect.context()
      const clock = Context.get(around, Clock.Clock)
      const call = Context.get(around, CurrentCall)
      const recorder = Context.get(around, Attempt.Recorder)
      const fields = Context.get(around, ResiliencePolicy.Override)
      const base = policies.get(group.identifier) ?? resilience
      const policy = yield* Region.override(base, fields)
      const start = Monotonic.nowUnsafe(clock)
      const gated = repeat === "Metered" && !Duration.isZero(policy.quotaGate) && !Duration.isZero(base.quotaGate)
      const refused = gated ? gate.check(request, start) : undefined
      if (refused !== undefined) return refused
      const isStreamed = repeat === "Consume"
      const deadline = transfers ? policy.documentDeadline : policy.deadline
      const patience = Health.patienceOf(base, transfers)
      const end = start + Duration.toMillis(deadline)
      const words = call === undefined || call.secrets.length === 0
        ? wordsOfClient
        : Words.make([...secrets, ...call.secrets])
      if (call !== undefined) {
        call.policy = policy
        call.lifetime = lifetime
        call.words = words
        call.success = undefined
      }
      const outgoing = authorize(
        call?.body === undefined ? request : HttpClientRequest.setBody(request, call.body),
        call?.headers
      )

      const budget = budgetOf(operation, start)
      const spend = (outcome: Outcome, now: number): boolean => {
        if (budget === undefined || policy.retryBudget === undefined) return true
        const spent = budget.spend(outcome, now)
        if (!spent) publish(events, () => Events.Event.BudgetSpent({ operation }))
        return spent
      }
      const follow = Repeat.make(repeat, policy, end, spend)

      const { note, stop } = Ledger.make({ operation, words, call, recorder, events, context })

      let wait = call?.wait
      if (call !== undefined) call.wait = undefined
      let last: Ending | undefined

      /** Ends the call with its last attempt, and notes in the ledger why no other follows. */
      const holdBack = (reason: Ending, cause: Attempt.StopCause) => {
        stop(cause)
        return conclude(last ?? reason)
      }

      for (let number = 1;; number++) {
        if (lifetime.isReleased()) return yield* holdBack({ failure: Lifetime.failure(false) }, "released")
        const begun = Monotonic.nowUnsafe(clock)
        const openFor = policy.breaker === undefined ? 0 : (breaker?.openUntil() ?? 0) - begun
        if (openFor > 0) {
          return yield* holdBack({ failure: new CircuitOpen({ retryAfter: Duration.millis(openFor) }) }, "breaker")
        }
        let left: number | undefined
        let sent: number | undefined
        let ended: Ending | undefined
        const remaining = end - begun
        const judged = (ending: Ending): Ending =>
          lifetime.isReleased() ||
            Health.isCutShort(ending.failure, Monotonic.nowUnsafe(clock) - (call?.sentAt ?? sent ?? begun), patience)
            ? { ...ending, isCut: true }
            : ending
        const attempt = Effect.map(
          AttemptRun.run(next, {
            request: outgoing,
            template,
            server: config.baseUrl,
            number,
            decode,
            policy,
            clock,
            lifetime,
            deadline,
            end,
            words,
            streamed: isStreamed,
            timeout: transfers ? policy.documentTimeout : policy.attemptTimeout,
            sending: call,
            onSent: (at) => {
              left ??= at
              sent = at
            }
          }),
          (ending) => {
            ended = judged(ending)
            return ended
          }
        )
        const inTime = AttemptRun.inTime({
          deadline,
          remaining,
          lifetime,
          isSent: () => sent !== undefined,
          // A shared store that is slow to record the end of an attempt does not replace that end.
          ended: () => ended
        })
        const guarded = breaker === undefined || policy.breaker === undefined
          ? attempt
          : breaker.isShared
          ? inTime(breaker.execute(attempt))
          : breaker.execute(attempt)
        const inPlace = inTurn({ policy, operation, remaining, inTime }, guarded)
        const ending: Ending = yield* isStreamed ? inTime(streams.open(policy, inPlace)) : inPlace
        if (breaker !== undefined && policy.breaker !== undefined && sent !== undefined && ended === undefined) {
          // The deadline has interrupted the attempt before the breaker recorded its end.
          yield* Effect.forkDetach(breaker.execute(Effect.succeed(judged(ending))), { startImmediately: true })
        }
        const now = Monotonic.nowUnsafe(clock)
        // Only a request that was sent, or that failed to connect, counts as an attempt.
        const isTried = left !== undefined && ending.failure?._tag === "ConnectionFailed"
        if (sent === undefined && ending.failure !== undefined && !isTried) {
          return yield* holdBack(ending, heldBack[ending.failure._tag] ?? "deadline")
        }
        const followed: Repeat.Next | undefined = ending.failure === undefined
          ? undefined
          : lifetime.isReleased()
          ? { stop: "released" }
          : yield* follow(ending.failure, now)
        const limited = (left ?? begun) - begun
        const queued = (sent ?? left ?? begun) - begun
        if (limited > 0) Telemetry.update("waitDuration", limited / 1000, { operation, cause: "limiter" }, context)
        if (queued > limited) {
          Telemetry.update("waitDuration", (queued - limited) / 1000, { operation, cause: "connection" }, context)
        }
        note(ending, {
          // An operation may make several requests, which are one ledger.
          number: (call?.attempts.length ?? number - 1) + 1,
          waited: Duration.millis(wait?.millis ?? 0),
          took: Duration.millis(now - begun - queued),
          ...(wait === undefined ? undefined : { waitCause: wait.cause }),
          ...(queued === 0 ? undefined : { queued: Duration.millis(queued) }),
          ...(followed?.stop === undefined ? undefined : { stopCause: followed.stop })
        })
        if (Health.healthOf(ending) === "works") budget?.earn(now)
        if (ending.failure === undefined) {
          if (repeat === "Metered") gate.open()
          if (call !== undefined) call.success = ending.success
          return ending.response
        }
        if (ending.response?.status === 456 && gated) gate.close(now, base.quotaGate)
        // As its answer has no more to say than that.
        if (number > 1 && removes && ending.response?.status === 404) {
          return HttpClientResponse.fromWeb(request, new Response(null, { status: 204 }))
        }
        wait = followed?.wait
        if (wait === undefined) {
          const explained = KeyKind.explained(ending.failure, group.identifier, secret)
          if (explained !== undefined) return yield* explained
          return yield* conclude(ending)
        }
        last = ending
        const { cause, millis } = wait
        if (policy.breaker !== undefined && breaker !== undefined && breaker.openUntil() > now + millis) {
          return yield* holdBack(ending, "breaker")
        }
        publish(events, () => Events.Event.Waiting({ operation, wait: Duration.millis(millis), cause }))
        Telemetry.update("waitDuration", millis / 1000, { operation, cause }, context)
        yield* lifetime.sleep(millis)
        // A machine that was busy or asleep may wake up too late.
        if (Monotonic.nowUnsafe(clock) >= end) return yield* holdBack(ending, "deadline")
      }
    })
  })
).pipe(Layer.provide([Lifetime.layer, OpenStreams.layer]))
