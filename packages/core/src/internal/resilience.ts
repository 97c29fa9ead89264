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
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Attempt from "../Attempt.ts"
import { CircuitOpen, DeadlineExceeded, InvalidInput, UnexpectedResponse } from "../CallError.ts"
import * as Events from "../Events.ts"
import { LanguageServiceConfig } from "../LanguageServiceConfig.ts"
import * as Operation from "../Operation.ts"
import { Resilience } from "../Resilience.ts"
import * as ResiliencePolicy from "../ResiliencePolicy.ts"
import { WrongTier } from "../ServiceError.ts"
import type { Outcome } from "./answer.ts"
import * as AttemptRun from "./attempt.ts"
import * as Authorization from "./authorization.ts"
import * as Breaker from "./breaker.ts"
import * as Budget from "./budget.ts"
import { type AttemptFields, CurrentCall } from "./currentCall.ts"
import { secretsOf } from "./headers.ts"
import * as Health from "./health.ts"
import * as KeyKind from "./keyKind.ts"
import * as Lifetime from "./lifetime.ts"
import * as Limiter from "./limiter.ts"
import * as Monotonic from "./monotonic.ts"
import * as OpenStreams from "./openStreams.ts"
import * as QuotaGate from "./quotaGate.ts"
import * as Repeat from "./repeat.ts"
import * as Telemetry from "./telemetry.ts"
import * as Words from "./words.ts"

/** Whether a success needs no body. None is described where it has none. */
const mayBeEmpty = ({ success }: HttpApiEndpoint.Top): boolean =>
  success.size === 0 || Array.from(success).some(({ ast }) => HttpApiSchema.isNoContent(ast))

/** What an endpoint says of its calls. */
const planOf = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top) => ({
  operation: `${group.identifier}.${endpoint.identifier}`,
  /** The path as OpenAPI writes it. */
  template: endpoint.path.replace(/:(\w+)/g, "{$1}"),
  repeat: Context.get(endpoint.annotations, Operation.Repeat),
  requiredTier: Context.get(endpoint.annotations, Operation.RequiredTier),
  transfers: Context.get(endpoint.annotations, Operation.Transfers),
  /** Whether a repeat of it that finds nothing has done its work. */
  removes: endpoint.method === "DELETE" && mayBeEmpty(endpoint),
  decode: AttemptRun.makeDecoder(group, endpoint.identifier)
})

/** What held back a repeat that was not sent. */
const heldBack = (failure: string): Attempt.StopCause =>
  failure === "ConnectionFailed"
    ? "released"
    : failure === "CircuitOpen"
    ? "breaker"
    : failure === "RateLimited"
    ? "limiter"
    : "deadline"

/** Ends a call with an attempt. An error that the contract has is decoded from its answer once more, as its type. */
const conclude = (ending: AttemptRun.Ending) =>
  ending.failure instanceof UnexpectedResponse
    ? Effect.fail(ending.failure)
    : ending.response === undefined
    ? Effect.fail(ending.failure)
    : Effect.succeed(ending.response)

const throttling = new Set([429, 456, 529])

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
    const policies = new Map<string, ResiliencePolicy.ResiliencePolicy>(
      Object.entries(serviceResilience).map((
        [service, fields]
      ) => [service, ResiliencePolicy.override(resilience, fields)])
    )

    const budgetOf = resilience.retryBudget === undefined ? constUndefined : Budget.makeAll(
      resilience.retryBudget,
      (operation, tokens) => Telemetry.update("retryBudget", tokens, { operation }, context)
    )

    // Weak, as a request outside of the contract has an endpoint of its own.
    const plans = new WeakMap<HttpApiEndpoint.Top, ReturnType<typeof planOf>>()
    const planFor = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top) => {
      const plan = plans.get(endpoint) ?? planOf(group, endpoint)
      plans.set(endpoint, plan)
      return plan
    }

    return Effect.fnUntraced(function*({ endpoint, group, next, request }) {
      const { decode, operation, removes, repeat, requiredTier, template, transfers } = planFor(group, endpoint)
      if (config.tier === "free" && requiredTier === "paid") {
        return yield* new WrongTier({
          description: "Nothing was sent, as the operation needs the paid tier and the client is set to the free one"
        })
      }
      // What a call reads again and again is read once.
      const around = yield* Effect.context()
      const clock = Context.get(around, Clock.Clock)
      const call = Context.get(around, CurrentCall)
      const recorder = Context.get(around, Attempt.Recorder)
      const fields = Context.get(around, ResiliencePolicy.Override)
      const base = policies.get(group.identifier) ?? resilience
      const isOverridden = Object.keys(fields).length > 0
      const policy = isOverridden ? ResiliencePolicy.override(base, fields) : base
      // Only that of a region can be over before it begins.
      const over = [policy.deadline, policy.documentDeadline].find((time) => Duration.toMillis(time) <= 0)
      if (over !== undefined) return yield* new DeadlineExceeded({ deadline: over, outcome: "refused" })
      const problem = isOverridden ? ResiliencePolicy.findProblem(policy) : undefined
      if (problem !== undefined) {
        return yield* new InvalidInput({
          parameter: `ResiliencePolicy.Override.${problem.field}`,
          given: "a value that makes no sense",
          allowed: `one that does: it ${problem.problem}`
        })
      }
      const start = Monotonic.nowUnsafe(clock)
      const gated = repeat === "Metered" && !Duration.isZero(policy.quotaGate) && !Duration.isZero(base.quotaGate)
      const refused = gated ? gate.check(start) : undefined
      if (refused !== undefined) {
        // As an answer, so that it takes the way of every 456.
        return HttpClientResponse.fromWeb(
          request,
          Response.json({ message: refused.description }, {
            status: 456,
            headers: { "retry-after": String(Math.ceil(Duration.toSeconds(refused.retryAfter ?? 0))) }
          })
        )
      }
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
        if (!spent) events.publish(() => Events.Event.BudgetSpent({ operation }))
        return spent
      }
      const follow = Repeat.make(repeat, policy, end, spend)

      const note = (
        ending: AttemptRun.Ending,
        about: Pick<Attempt.Attempt, "number" | "waited" | "took"> & Partial<Attempt.Attempt>
      ) => {
        const { failure, response } = ending
        const noted: AttemptFields = {
          operation,
          ...about,
          ...(response === undefined ? undefined : { status: response.status }),
          ...(failure === undefined ? undefined : { failure: failure._tag, outcome: failure.outcome }),
          ...(response === undefined ? undefined : Words.traceOf(response, words))
        }
        call?.attempts.push(noted)
        if (call !== undefined) call.response = response
        recorder?.(new Attempt.Attempt(noted))
        events.publish(() => Events.Event.AttemptEnded({ attempt: new Attempt.Attempt(noted) }))
        const result = failure?._tag ?? "success"
        Telemetry.update("attempts", 1, { operation, result }, context)
        if (failure?.outcome === "pending") Telemetry.update("polls", 1, { operation }, context)
        if (response !== undefined && throttling.has(response.status)) {
          Telemetry.update("throttles", 1, { operation, status: String(response.status) }, context)
        }
      }

      let wait = call?.wait
      if (call !== undefined) call.wait = undefined
      let last: AttemptRun.Ending | undefined

      /** Ends the call with what the last attempt said, and the ledger with what held back the next. */
      const holdBack = (reason: AttemptRun.Ending, cause: Attempt.StopCause) => {
        const final = last ?? reason
        const entry = call?.attempts.pop()
        if (entry !== undefined) call?.attempts.push({ ...entry, stopCause: cause })
        return conclude(final)
      }

      for (let number = 1;; number++) {
        if (lifetime.isReleased()) return yield* holdBack({ failure: Lifetime.failure(false) }, "released")
        const begun = Monotonic.nowUnsafe(clock)
        const openFor = policy.breaker === undefined ? 0 : (breaker?.isOpenUntil() ?? 0) - begun
        if (openFor > 0) {
          return yield* holdBack({ failure: new CircuitOpen({ retryAfter: Duration.millis(openFor) }) }, "breaker")
        }
        let left: number | undefined
        let sent: number | undefined
        let ended: AttemptRun.Ending | undefined
        const remaining = end - begun
        const judged = (ending: AttemptRun.Ending): AttemptRun.Ending =>
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
            lastSent: () => call?.sentAt,
            isSending: () => call?.isSending ?? false,
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
          // A store that is slow to note how an attempt ended does not take that end away.
          ended: () => ended
        })
        const guarded = breaker === undefined || policy.breaker === undefined
          ? attempt
          : breaker.isShared
          ? inTime(breaker.execute(attempt))
          : breaker.execute(attempt)
        const inPlace = inTurn({ policy, operation, remaining, inTime }, guarded)
        const ending: AttemptRun.Ending = yield* isStreamed ? inTime(streams.open(policy, inPlace)) : inPlace
        if (breaker !== undefined && policy.breaker !== undefined && sent !== undefined && ended === undefined) {
          // The deadline has cut the attempt, which has not told the breaker of its end.
          yield* Effect.forkDetach(breaker.execute(Effect.succeed(judged(ending))), { startImmediately: true })
        }
        const now = Monotonic.nowUnsafe(clock)
        // What was not sent is no attempt, unless it was tried.
        const isTried = left !== undefined && ending.failure?._tag === "ConnectionFailed"
        if (sent === undefined && ending.failure !== undefined && !isTried) {
          return yield* holdBack(ending, heldBack(ending.failure._tag))
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
        if (policy.breaker !== undefined && breaker !== undefined && breaker.isOpenUntil() > now + millis) {
          return yield* holdBack(ending, "breaker")
        }
        events.publish(() => Events.Event.Waiting({ operation, wait: Duration.millis(millis), cause }))
        Telemetry.update("waitDuration", millis / 1000, { operation, cause }, context)
        yield* lifetime.sleep(millis)
        // A machine that was busy or asleep may wake up too late.
        if (Monotonic.nowUnsafe(clock) >= end) return yield* holdBack(ending, "deadline")
      }
    })
  })
).pipe(Layer.provide([Lifetime.layer, OpenStreams.layer]))
