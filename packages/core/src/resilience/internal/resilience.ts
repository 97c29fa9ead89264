/**
 * The sending of requests: one call as a loop of attempts.
 *
 *     tier, quota gate
 *       deadline
 *         loop ( limiter ( breaker ( attempt timeout, body in memory ) ) -> wait, or the end )
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import * as Attempt from "../../client/Attempt.ts"
import * as AttemptMiddleware from "../../client/AttemptMiddleware.ts"
import { CircuitOpen } from "../../client/CallError.ts"
import { ClientState } from "../../client/ClientState.ts"
import * as Events from "../../client/Events.ts"
import * as Authorization from "../../client/internal/authorization.ts"
import { CurrentCall, type Wait } from "../../client/internal/currentCall.ts"
import type { Failure } from "../../client/internal/failure.ts"
import { secretsOf } from "../../client/internal/headers.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"
import type { Outcome } from "../../client/internal/outcome.ts"
import { type Plan, Sender } from "../../client/internal/plan.ts"
import { publish } from "../../client/internal/publishing.ts"
import * as Region from "../../client/internal/region.ts"
import * as Reporting from "../../client/internal/reporting.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import * as Words from "../../client/internal/words.ts"
import { LanguageServiceConfig } from "../../client/LanguageServiceConfig.ts"
import * as ResiliencePolicy from "../../client/ResiliencePolicy.ts"
import { WrongTier } from "../../client/ServiceError.ts"
import * as AttemptRun from "./attempt.ts"
import * as Breaker from "./breaker.ts"
import * as Budget from "./budget.ts"
import type { Ending } from "./ending.ts"
import * as Health from "./health.ts"
import * as KeyKind from "./keyKind.ts"
import * as Ledger from "./ledger.ts"
import * as Lifetime from "./lifetime.ts"
import * as Limiter from "./limiter.ts"
import * as Middleware from "./middleware.ts"
import * as OpenStreams from "./openStreams.ts"
import * as QuotaGate from "./quotaGate.ts"
import * as Repeat from "./repeat.ts"
import * as Shown from "./shown.ts"
import { CurrentTenant, stateOf } from "./tenants.ts"
import * as Traffic from "./traffic.ts"

/** The reason why a retry was not sent, by the failure in its place; `deadline` for any other. */
const heldBack: Readonly<Record<string, Attempt.StopCause>> = {
  ConnectionFailed: "released",
  CircuitOpen: "breaker",
  RateLimited: "limiter"
}

/** The state that the calls of a client share. */
const makeClient = Effect.gen(function*() {
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
    streams: yield* OpenStreams.OpenStreams,
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
      openStreams: client.streams.count(),
      isClosing: client.lifetime.isReleased()
    })
  })
  return { ...client, keepShown: yield* Shown.make(client) }
})

type Client = Effect.Success<typeof makeClient>

const refuse = (failure: Failure) => Effect.fail(failure)

/** Starts a call: its policy, its times, and the parts that decide and record. */
const begin = (
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
    tenant: stateOf(Context.get(around, CurrentTenant)),
    server: client.server,
    client: config.name,
    streamed: repeat === "Consume",
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

type Call = Effect.Success<ReturnType<typeof begin>>

/** An attempt, with the wait before it and the times of `Monotonic` at which it began, left the limiter, left the middleware, was sent and ended. */
interface Tried {
  readonly ending: Ending
  readonly wait: Wait | undefined
  readonly begun: number
  readonly left: number | undefined
  readonly prepared: number | undefined
  readonly sent: number | undefined
  readonly now: number
}

/** Runs an attempt in its turn, through the circuit, until the deadline. */
const attempt = (
  client: Client,
  call: Call,
  number: number,
  begun: number,
  before: Wait | undefined
): Effect.Effect<Tried> => {
  const { breaker, clock, lifetime, plan: { operation }, policy, sending, streamed, tenant } = call
  let times: Omit<Tried, "ending" | "now"> = {
    wait: before,
    begun,
    left: undefined,
    prepared: undefined,
    sent: undefined
  }
  let ended: Ending | undefined
  let inClient: ReturnType<Client["traffic"]["enter"]> | undefined
  const inTenant = tenant?.traffic.enter()
  const judged = (ending: Ending): Ending => {
    if (ending.failure === undefined) return ending
    const silence = Monotonic.nowUnsafe(clock) - (sending?.sentAt ?? times.sent ?? begun)
    return lifetime.isReleased() || Health.isCutShort(ending.failure, silence, call.patience())
      ? { ...ending, isCut: true }
      : ending
  }
  const move = (to: "queued" | "inFlight" | undefined) => {
    inClient?.(to)
    inTenant?.(to)
  }
  const onSent = (at: number | undefined) => {
    move(at === undefined ? "queued" : "inFlight")
    times = { ...times, left: times.left ?? at, sent: at }
    if (sending !== undefined) sending.inFlight = at === undefined ? undefined : { sentAt: at, wait: times.wait }
  }
  const onPrepared = (at: number, resent: Ledger.Noted | undefined) => {
    if (resent === undefined) times = { ...times, prepared: at }
    else {
      note(client, call, number, { ...times, ending: resent, now: at }, undefined)
      times = { wait: undefined, begun: at, left: at, prepared: at, sent: at }
    }
  }
  const running = Effect.map(AttemptRun.run(client.http.execute, call, number, { onPrepared, onSent }), (ending) => {
    ended = judged(ending)
    return ended
  })
  const turnWithin = (remaining: number, queue: string): Limiter.Options => ({
    policy,
    operation: queue,
    remaining,
    inTime: AttemptRun.inTime(call, { remaining, isSent: () => times.sent !== undefined, ended: () => ended }),
    wait: AttemptRun.waitInTime(call, remaining)
  })
  const turn = turnWithin(call.end - begun, operation)
  // A shared store that is slow to record the end of an attempt does not replace that end.
  const throughCircuit = breaker?.execute(running) ?? running
  const guarded = breaker?.isShared === true ? turn.inTime(throughCircuit) : throughCircuit
  const admitted = (turn: Limiter.Options) => {
    inClient = client.traffic.enter()
    const inPlace = client.limiter.inTurn(turn, guarded)
    return streamed ? turn.inTime(client.streams.open(policy, inPlace)) : inPlace
  }
  // A call waits for the limits of its tenant first, so that it takes no place of others meanwhile.
  const inTurn = tenant === undefined ? admitted(turn) : tenant.limiter.inTurn(
    { ...turn, policy: { ...tenant.limits, retryAfterCap: policy.retryAfterCap } },
    Effect.suspend(() => admitted(turnWithin(call.end - Monotonic.nowUnsafe(clock), tenant.queue)))
  )
  const counted = Effect.onExit(inTurn, (exit) => {
    move(undefined)
    if (Exit.isFailure(exit) && times.sent !== undefined) {
      const now = Monotonic.nowUnsafe(clock)
      note(client, call, number, { ...times, ending: ended ?? Ledger.interrupted, now }, undefined)
    }
    return Effect.void
  })
  return Effect.flatMap(counted, (ending) => {
    // The deadline may have interrupted the attempt before the breaker recorded its end.
    const recorded = breaker === undefined || times.sent === undefined || ended !== undefined
      ? Effect.void
      : Effect.forkDetach(breaker.execute(Effect.succeed(judged(ending))), { startImmediately: true })
    return Effect.mapEager(recorded, () => ({ ...times, ending, now: Monotonic.nowUnsafe(clock) }))
  })
}

/** Notes an attempt in the ledger, and the waits before it in the metrics. */
const note = (
  { context }: Client,
  { ledger, middleware, plan: { operation, template }, request, sending, server }: Call,
  number: number,
  { begun, ending, left = begun, now, prepared, sent, wait }: Omit<Tried, "ending"> & { readonly ending: Ledger.Noted },
  stopCause: Attempt.StopCause | undefined
): void => {
  const ready = middleware === undefined ? left : prepared ?? now
  const written = sent ?? ready
  const waits = { limiter: left - begun, middleware: ready - left, connection: written - ready }
  for (const cause of Struct.keys(waits)) {
    if (waits[cause] > 0) Telemetry.update("waitDuration", waits[cause] / 1000, { operation, cause }, context)
  }
  if (sending !== undefined) sending.inFlight = undefined
  const queued = waits.limiter + waits.connection
  const took = now - written
  Telemetry.update("httpDuration", took / 1000, {
    "http.request.method": request.method,
    "url.template": template,
    "server.address": server.address,
    "server.port": String(server.port),
    "http.response.status_code": ending.response === undefined ? undefined : String(ending.response.status),
    "error.type": AttemptRun.errorType(ending)
  }, context)
  ledger.note(ending, {
    // An operation may make several requests, which are one ledger.
    number: (sending?.attempts.length ?? number - 1) + 1,
    waited: Duration.millis(wait?.millis ?? 0),
    took: Duration.millis(took),
    ...(wait === undefined ? undefined : { waitCause: wait.cause }),
    ...(queued === 0 ? undefined : { queued: Duration.millis(queued) }),
    ...(waits.middleware === 0 ? undefined : { middleware: Duration.millis(waits.middleware) }),
    ...(stopCause === undefined ? undefined : { stopCause })
  })
}

/** Ends the call with the failure of its last attempt, and notes in the ledger why no other follows. */
const holdBack = ({ ledger }: Call, failure: Failure, cause: Attempt.StopCause) => {
  ledger.stop(cause)
  return Effect.fail(failure)
}

type Answer = ReturnType<Plan["decode"]>

/** Makes an attempt, and those that follow it until one succeeds. `last` is the failure of the attempt before. */
const attemptsFrom = (
  client: Client,
  call: Call,
  number: number,
  wait: Wait | undefined,
  last: Failure | undefined
): Answer => {
  const { breaker, clock, lifetime, plan } = call
  if (lifetime.isReleased()) return holdBack(call, last ?? Lifetime.failure(false), "released")
  const begun = Monotonic.nowUnsafe(clock)
  const openFor = (breaker?.openUntil() ?? 0) - begun
  if (openFor > 0) return holdBack(call, last ?? new CircuitOpen({ retryAfter: Duration.millis(openFor) }), "breaker")
  return Effect.flatMap(attempt(client, call, number, begun, wait), (tried) => {
    const { ending, now } = tried
    if (ending.failure !== undefined) return afterFailure(client, call, number, last, tried, ending.failure)
    note(client, call, number, tried, undefined)
    call.budget?.earn(now)
    if (plan.repeat === "Metered") client.gate.open()
    return ending.success === undefined ? plan.decode(ending.response) : Effect.succeed(ending.success.value)
  })
}

/** Waits after a failed attempt and makes the next one, or ends the call. */
const afterFailure = Effect.fnUntraced(function*(
  client: Client,
  call: Call,
  number: number,
  last: Failure | undefined,
  tried: Tried,
  failure: Failure
): Effect.fn.Return<unknown, Effect.Error<Answer>> {
  const { breaker, clock, lifetime, plan } = call
  const { ending, left, now, sent } = tried
  // Only a request that was sent, or that failed to connect, counts as an attempt.
  const isTried = left !== undefined && failure._tag === "ConnectionFailed"
  if (sent === undefined && !isTried) {
    return yield* holdBack(call, last ?? failure, heldBack[failure._tag] ?? "deadline")
  }
  const followed: Repeat.Next = lifetime.isReleased() ? { stop: "released" } : yield* call.decide(failure, now)
  note(client, call, number, tried, followed.stop)
  yield* client.keepShown
  if (Health.healthOf(ending) === "works") call.budget?.earn(now)
  if (ending.response?.status === 456 && call.quotaGate !== undefined) client.gate.close(now, call.quotaGate)
  // An earlier attempt has deleted the object, and the success has no body to return.
  if (number > 1 && plan.removes && ending.response?.status === 404) return undefined
  const { wait } = followed
  if (wait === undefined) {
    return yield* Effect.fail(KeyKind.explained(failure, plan.requiredKey, client.key) ?? failure)
  }
  const { cause, millis } = wait
  if (breaker !== undefined && breaker.openUntil() > now + millis) return yield* holdBack(call, failure, "breaker")
  publish(
    client.events,
    () =>
      Events.Event.Waiting({
        operation: plan.operation,
        wait: Duration.millis(millis),
        cause,
        annotations: call.annotations()
      })
  )
  Telemetry.update("waitDuration", millis / 1000, { operation: plan.operation, cause }, client.context)
  yield* lifetime.sleep(millis)
  // A machine that was busy or asleep may wake up too late.
  if (Monotonic.nowUnsafe(clock) >= call.end) return yield* holdBack(call, failure, "deadline")
  return yield* attemptsFrom(client, call, number + 1, wait, failure)
})

/** Sends a request, until an attempt succeeds or no other follows. */
const send = (client: Client, plan: Plan, request: HttpClientRequest.HttpClientRequest): Answer =>
  Effect.contextWith((around: Context.Context<never>) =>
    Effect.flatMapEager(
      begin(client, plan, request, around),
      (call): Answer => attemptsFrom(client, call, 1, call.wait, undefined)
    )
  )

/** The sender of requests, with the policy of the configuration. */
export const layer: Layer.Layer<
  Sender,
  never,
  ClientState | Events.Events | HttpClient.HttpClient | LanguageServiceConfig
> = Layer.effect(
  Sender,
  Effect.map(
    makeClient,
    (client) => (plan: Plan, request: HttpClientRequest.HttpClientRequest) => send(client, plan, request)
  )
).pipe(Layer.provide([Lifetime.layer, OpenStreams.layer]))
