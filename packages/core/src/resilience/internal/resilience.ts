/**
 * The sending of requests: one call as a loop of attempts.
 *
 *     tier
 *       deadline
 *         loop ( limiter ( pause ( attempt timeout, body in memory ) ) -> wait, or the end )
 */
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Struct from "effect/Struct"
import type { ClientState } from "../../client/ClientState.ts"
import * as Events from "../../client/Events.ts"
import type { Wait } from "../../client/internal/currentCall.ts"
import type { File } from "../../client/internal/plan.ts"
import { publish } from "../../client/internal/publishing.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import type { RequestSignal } from "../../client/RequestSignal.ts"
import { Sender } from "../../client/Sender.ts"
import type { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type { Cell } from "../../contract/internal/cell.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import type { KeyKind } from "../../contract/Operation.ts"
import type * as Attempts from "../../errors/Attempt.ts"
import { CircuitOpen } from "../../errors/CallError.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import { AccessDenied, InvalidKey } from "../../errors/ServiceError.ts"
import type { AdaptiveConcurrency } from "./adaptiveConcurrency.ts"
import * as AttemptRun from "./attempt.ts"
import { begin, beginFile, type Call } from "./begin.ts"
import { type Client, make as makeClient } from "./client.ts"
import type { Ending } from "./ending.ts"
import * as Ledger from "./ledger.ts"
import * as Lifetime from "./lifetime.ts"
import type * as Limiter from "./limiter.ts"
import type * as Repeat from "./repeat.ts"

/** What holds an attempt back that may be in flight. */
type Held = "rate" | "learned-rate" | "circuit"

/** Moves an attempt between the counts of the traffic. */
type Move = ReturnType<Client["traffic"]["enter"]>

/** Milliseconds that a call has waited before it is ended for lack of time: a shorter one has the time that its caller gave it. */
const waited = 100

/** The error of a call that does not wait for an unavailable service, while it is known to be. */
const refusal = ({ learned, policy }: Call<unknown, unknown>, now: number): CircuitOpen | undefined => {
  const millis = policy.whenUnavailable === "fail" ? learned?.refusal(now) : undefined
  return millis === undefined ? undefined : new CircuitOpen({ retryAfter: Duration.millis(millis) })
}

/** Milliseconds that a response to a call that has waited takes in the mean: with less time left it is not sent. */
const needed = ({ deadline, end, learned, plan }: Call<unknown, unknown>, now: number): number =>
  end - now < Duration.toMillis(deadline) - waited ? learned?.mean(plan.operation, now) ?? 0 : 0

/**
 * An attempt: the wait before it, the times of `Monotonic` at which it began, left the limiter and was sent, and its turns in the limits of the
 * client and of the tenant.
 */
class Attempt implements AttemptRun.Progress, Limiter.Turn {
  readonly client: Client
  readonly call: Call<unknown, unknown>
  readonly number: number
  readonly wait: Wait | undefined
  readonly begun: number
  /** The milliseconds of the time in the limiter that have another cause than the limit of concurrency. */
  readonly held: Partial<Record<Held, number>> = {}
  left: number | undefined = undefined
  sent: number | undefined = undefined
  /** The end of the request. What follows it within the limits can still be interrupted. */
  ended: Ending | undefined = undefined
  /** True for a sign of overload, which the client has learned from. */
  isSign = false
  #inClient: Move | undefined = undefined
  #inTenant: Move | undefined = undefined
  #signal: Cell<RequestSignal> | undefined = undefined
  constructor(
    client: Client,
    call: Call<unknown, unknown>,
    number: number,
    begun: number,
    wait: Wait | undefined
  ) {
    this.client = client
    this.call = call
    this.number = number
    this.begun = begun
    this.wait = wait
  }
  get transfers(): boolean {
    return this.call.transfers
  }
  remaining(): number {
    return this.call.end - Monotonic.nowUnsafe(this.call.clock)
  }
  needed(): number {
    return needed(this.call, Monotonic.nowUnsafe(this.call.clock))
  }
  inTime(effect: Effect.Effect<Ending>): Effect.Effect<Ending> {
    return Effect.suspend(() =>
      AttemptRun.inTime(this.call, {
        remaining: this.remaining(),
        isSent: () => this.sent !== undefined,
        ended: () => this.ended
      })(effect)
    )
  }
  waitInTime(register: (resume: () => void) => () => void) {
    return Effect.suspend(() => AttemptRun.waitInTime(this.call, this.remaining())(register))
  }
  hold(cause: Held, millis: number): void {
    this.held[cause] = (this.held[cause] ?? 0) + millis
  }
  enterTenant(): void {
    this.#inTenant = this.call.tenant?.traffic.enter()
  }
  enterClient(): void {
    this.#inClient = this.client.traffic.enter()
  }
  #move(to: Parameters<Move>[0]): void {
    this.#inClient?.(to)
    this.#inTenant?.(to)
  }
  onSignal(signal: Cell<RequestSignal>): void {
    this.#signal = signal
  }
  onSent(at: number | undefined): void {
    const { sending } = this.call
    this.#move(at === undefined ? "queued" : "inFlight")
    this.left ??= at
    this.sent = at
    if (sending !== undefined) sending.inFlight = at === undefined ? undefined : { sentAt: at, wait: this.wait }
  }
  onEnd(ending: Ending): void {
    this.#signal?.empty()
    this.ended = ending
    this.#learn(ending)
  }
  /** Learns from the end of an attempt that was sent. */
  #learn(ending: Ending): void {
    const { clock, learned, lifetime, limiter, plan: { operation }, sending, transfers } = this.call
    // A connection that fails was not written to.
    const sent = this.sent ?? (ending.failure?._tag === "ConnectionFailed" ? this.left : undefined)
    // The time of a transfer is that of its bytes.
    const teaches = !transfers && !lifetime.isReleased()
    if (teaches && learned !== undefined && limiter !== undefined && sent !== undefined) {
      const now = Monotonic.nowUnsafe(clock)
      const silence = now - (sending?.sentAt ?? sent)
      const patience = this.call.patience()
      this.isSign = learned.ended({ operation, ending, sent, now, silence, patience, ...limiter.load() })
    }
  }
  /** Ends the attempt with everything around it. The deadline may have interrupted the request. */
  onExit(exit: Exit.Exit<Ending>): void {
    this.#signal?.empty()
    this.#move(undefined)
    if (this.sent === undefined) return
    if (Exit.isFailure(exit)) {
      note(this, this.ended ?? Ledger.interrupted, Monotonic.nowUnsafe(this.call.clock), undefined)
    } else if (this.ended === undefined) this.#learn(exit.value)
  }
}

/** Runs an attempt after the pause of an overloaded service, or ends it if there is no time for a response any more. */
const paused = (
  attempt: Attempt,
  learned: AdaptiveConcurrency,
  running: Effect.Effect<Ending>
): Effect.Effect<Ending> =>
  Effect.suspend(() => {
    const { call, client } = attempt
    const { clock, deadline, end, lifetime, plan: { operation } } = call
    const now = Monotonic.nowUnsafe(clock)
    const failure = refusal(call, now)
    if (failure !== undefined) return Effect.succeed<Ending>({ failure })
    const remaining = end - now
    const until = learned.pausedUntil()
    const pause = Math.ceil(Math.max(0, until - now))
    // With none in flight an attempt shows whether responses still take so long.
    const isHopeless = pause >= remaining ||
      (remaining < needed(call, now) && client.traffic.counts.inFlight > 0)
    if (isHopeless) {
      Telemetry.update("unsent", 1, { operation }, client.context)
      return Effect.succeed<Ending>({ failure: AttemptRun.hopeless(deadline, pause > 0) })
    }
    // A transfer takes too long for a probe.
    if (pause === 0) return call.transfers ? running : learned.probing(running, now)
    // Clients that were refused together should not come back together.
    const sleeping = Effect.flatMap(Random.next, (part) => lifetime.sleep(Math.ceil(pause * (1 + part) / 2)))
    return Effect.flatMap(sleeping, () => {
      learned.resume(until)
      attempt.hold("circuit", Monotonic.nowUnsafe(clock) - now)
      return paused(attempt, learned, running)
    })
  })

/** Runs an attempt in its turn, until the deadline. */
const run = (attempt: Attempt): Effect.Effect<Ending> => {
  const { call, number } = attempt
  const { learned, limiter, policy, streams, tenant } = call
  const sending = AttemptRun.run(call, number, attempt)
  const running = learned === undefined ? sending : paused(attempt, learned, sending)
  const admitted = (queue: string) => {
    attempt.enterClient()
    const inPlace = limiter?.inTurn(attempt, policy, queue, running) ?? running
    return streams === undefined ? inPlace : attempt.inTime(streams.open(policy, inPlace))
  }
  // What is counted at its start is counted until its end, as an interruption can follow any step.
  const inTurn = Effect.suspend(() => {
    attempt.enterTenant()
    // A call waits for the limits of its tenant first, so that it takes no permit of others meanwhile.
    return tenant === undefined ? admitted(call.queue) : tenant.limiter.inTurn(
      attempt,
      { ...tenant.limits, retryAfterCap: policy.retryAfterCap },
      call.queue,
      Effect.suspend(() => admitted(tenant.queue))
    )
  })
  return Effect.onExit(inTurn, (exit) => {
    attempt.onExit(exit)
    return Effect.void
  })
}

/** Notes an attempt in the ledger, and the waits before it in the metrics. */
const note = (
  { begun, call, client: { context }, held, left = begun, number, sent, wait }: Attempt,
  ending: Ledger.Noted,
  now: number,
  stopCause: Attempts.StopCause | undefined
): void => {
  const { clock, ledger, plan: { operation, template }, request, sending, server, span } = call
  const written = sent ?? left
  const { circuit = 0, "learned-rate": learned = 0, rate = 0 } = held
  const waits = {
    concurrency: left - begun - rate - learned - circuit,
    rate,
    "learned-rate": learned,
    circuit,
    connection: written - left
  }
  let start = begun
  for (const cause of Struct.keys(waits)) {
    const millis = waits[cause]
    // Times of the clock are finer than waits.
    if (millis >= 1) Telemetry.waited({ operation, cause, millis, ago: now - start }, span, clock, context)
    start += millis
  }
  if (sending !== undefined) sending.inFlight = undefined
  const queued = left - begun + waits.connection
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
    ...(stopCause === undefined ? undefined : { stopCause })
  })
}

/** The same refusal of a key with its kind, if the operation needs a key of the other kind. */
const explained = (
  failure: Failure,
  required: KeyKind | undefined,
  key: string
): AccessDenied | InvalidKey | undefined => {
  const keyKind = key.endsWith(":adm") ? "admin" : "developer"
  if (required === undefined || required === keyKind) return undefined
  // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
  if (failure instanceof AccessDenied) return new AccessDenied({ ...failure, keyKind })
  // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
  return failure instanceof InvalidKey ? new InvalidKey({ ...failure, keyKind }) : undefined
}

/** The reason why a retry was not sent, by the failure in its place; `deadline` for any other. */
const heldBack: Readonly<Record<string, Attempts.StopCause>> = {
  ConnectionFailed: "released",
  CircuitOpen: "breaker",
  RateLimited: "limiter"
}

/** Ends the call with the failure of its last attempt, and notes in the ledger why no other follows. */
const holdBack = <E, R>({ failed, ledger }: Call<E, R>, failure: Failure, cause: Attempts.StopCause) => {
  ledger.stop(cause)
  return Effect.fail(failed(failure))
}

/** Makes an attempt, and those that follow it until one succeeds. `last` is the failure of the attempt before. */
const attemptsFrom = <E, R>(
  client: Client,
  call: Call<E, R>,
  number: number,
  wait: Wait | undefined,
  last: Failure | undefined
): Effect.Effect<unknown, E, R> =>
  call.requestOf === undefined
    ? attemptFrom(client, call, number, wait, last)
    : Effect.flatMap(
      call.requestOf(number),
      (request) => attemptFrom(client, { ...call, ...request }, number, wait, last)
    )

const attemptFrom = <E, R>(
  client: Client,
  call: Call<E, R>,
  number: number,
  wait: Wait | undefined,
  last: Failure | undefined
): Effect.Effect<unknown, E, R> => {
  const { clock, lifetime, plan } = call
  if (lifetime.isReleased()) return holdBack(call, last ?? Lifetime.failure(false), "released")
  const begun = Monotonic.nowUnsafe(clock)
  const failure = refusal(call, begun)
  if (failure !== undefined) return holdBack(call, last ?? failure, "breaker")
  const attempt = new Attempt(client, call, number, begun, wait)
  return Effect.flatMap(run(attempt), (ending) => {
    const now = Monotonic.nowUnsafe(clock)
    if (ending.failure !== undefined) return afterFailure(client, call, attempt, last, ending, ending.failure, now)
    note(attempt, ending, now, undefined)
    return ending.success === undefined ? plan.decode(ending.response) : Effect.succeed(ending.success.value)
  })
}

/** Waits after a failed attempt and makes the next one, or ends the call. */
const afterFailure = Effect.fnUntraced(function*<E, R>(
  client: Client,
  call: Call<E, R>,
  attempt: Attempt,
  last: Failure | undefined,
  ending: Ending,
  failure: Failure,
  now: number
): Effect.fn.Return<unknown, E, R> {
  const { clock, learned, lifetime, plan } = call
  const { isSign, left, number, sent } = attempt
  // Only a request that was sent, or that failed to connect, counts as an attempt.
  const isTried = left !== undefined && failure._tag === "ConnectionFailed"
  if (sent === undefined && !isTried) {
    return yield* holdBack(call, last ?? failure, heldBack[failure._tag] ?? "deadline")
  }
  const decided: Repeat.Next = lifetime.isReleased() ? { stop: "released" } : yield* call.decide(failure, now)
  const followed: Repeat.Next = decided.wait !== undefined && call.sending?.isSpent === true
    ? { stop: "source-read" }
    : decided
  note(attempt, ending, now, followed.stop)
  if (isSign) yield* client.afterFailure
  // An earlier attempt has deleted the object, and the success has no body to return.
  if (number > 1 && plan.removes && ending.response?.status === 404) return undefined
  const { wait } = followed
  if (wait === undefined) {
    // A source that could be read for an earlier attempt does not hide the error of that.
    const cause = failure._tag === "SourceFailed" ? last ?? failure : failure
    return yield* Effect.fail(call.failed(explained(cause, plan.requiredKey, client.key) ?? cause))
  }
  const { cause, millis } = wait
  if (call.policy.whenUnavailable === "fail" && learned !== undefined && learned.openUntil() > now) {
    return yield* holdBack(call, failure, "breaker")
  }
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
  Telemetry.waited({ operation: plan.operation, cause, millis, ago: 0 }, call.span, clock, client.context)
  yield* lifetime.sleep(millis)
  // A machine that was busy or asleep may wake up too late.
  if (Monotonic.nowUnsafe(clock) >= call.end) return yield* holdBack(call, failure, "deadline")
  return yield* attemptsFrom(client, call, number + 1, wait, failure)
})

/** The sender of requests, with the policy of the configuration. */
export const layer: Layer.Layer<
  Sender,
  never,
  ClientState | Events.Events | HttpClient.HttpClient | LanguageServiceConfig
> = Layer.effect(
  Sender,
  Effect.map(makeClient, (client) => ({
    send: (plan, request) =>
      Effect.contextWith((around: Context.Context<never>) =>
        Effect.flatMapEager(
          begin(client, plan, request, around),
          (call) => attemptsFrom(client, call, 1, call.wait, undefined)
        )
      ),
    transfer: <A, E, R>(file: File<A, E, R>) =>
      Effect.contextWith((around: Context.Context<R>) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the value of a transfer is that of its decoder
        attemptsFrom(client, beginFile(client, file, around), 1, undefined, undefined) as Effect.Effect<A, E, R>
      )
  }))
).pipe(Layer.provide(Lifetime.layer))
