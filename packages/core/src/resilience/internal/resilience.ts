/**
 * The sending of requests: one call as a loop of attempts.
 *
 *     tier, quota gate
 *       deadline
 *         loop ( limiter ( pause ( attempt timeout, body in memory ) ) -> wait, or the end )
 */
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Struct from "effect/Struct"
import type { ClientState } from "../../client/ClientState.ts"
import * as Events from "../../client/Events.ts"
import type { Wait } from "../../client/internal/currentCall.ts"
import { type File, Sender } from "../../client/internal/plan.ts"
import { publish } from "../../client/internal/publishing.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import type { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import type { KeyKind } from "../../contract/Operation.ts"
import type * as Attempt from "../../errors/Attempt.ts"
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

/** The wait before an attempt, and the times of `Monotonic` at which it began, left the limiter, left the middleware and was sent. */
interface Times {
  wait: Wait | undefined
  begun: number
  /** The milliseconds of the time in the limiter that have another cause than the limit of concurrency. */
  held: Partial<Record<Held, number>>
  left: number | undefined
  prepared: number | undefined
  sent: number | undefined
}

/** An attempt that has ended. */
interface Tried extends Readonly<Times> {
  readonly ending: Ending
  readonly now: number
  /** True for a sign of overload, which the client has learned from. */
  readonly isSign: boolean
}

/** Milliseconds that a call has waited before it is ended for lack of time: a shorter one has the time that its caller gave it. */
const waited = 1000

/** The error of a call that does not wait for an unavailable service, while it is known to be. */
const refusal = ({ learned, policy }: Call<unknown, unknown>, now: number): CircuitOpen | undefined => {
  const millis = policy.whenUnavailable === "fail" ? learned?.refusal(now) : undefined
  return millis === undefined ? undefined : new CircuitOpen({ retryAfter: Duration.millis(millis) })
}

/** Milliseconds that a response to a call that has waited takes in the mean: with less time left it is not sent. */
const needed = ({ deadline, end, learned, plan }: Call<unknown, unknown>, now: number): number =>
  end - now < Duration.toMillis(deadline) - waited ? learned?.mean(plan.operation, now) ?? 0 : 0

/** Runs an attempt after the pause of an overloaded service, or ends it if there is no time for a response any more. */
const paused = (
  client: Client,
  call: Call<unknown, unknown>,
  learned: AdaptiveConcurrency,
  hold: (cause: Held, millis: number) => void,
  attempt: Effect.Effect<Ending>
): Effect.Effect<Ending> =>
  Effect.suspend(() => {
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
    if (pause === 0) return call.transfers ? attempt : learned.probing(attempt, now)
    // Clients that were refused together should not come back together.
    const sleeping = Effect.flatMap(Random.next, (part) => lifetime.sleep(Math.ceil(pause * (1 + part) / 2)))
    return Effect.flatMap(sleeping, () => {
      learned.resume(until)
      hold("circuit", Monotonic.nowUnsafe(clock) - now)
      return paused(client, call, learned, hold, attempt)
    })
  })

/** Runs an attempt in its turn, until the deadline. */
const attempt = (
  client: Client,
  call: Call<unknown, unknown>,
  number: number,
  begun: number,
  before: Wait | undefined
): Effect.Effect<Tried> => {
  const { clock, learned, lifetime, limiter, plan: { operation }, policy, sending, streams, tenant } = call
  const times: Times = { wait: before, begun, held: {}, left: undefined, prepared: undefined, sent: undefined }
  let ended: Ending | undefined
  let isSign = false
  let inClient: ReturnType<Client["traffic"]["enter"]> | undefined
  const inTenant = tenant?.traffic.enter()
  const move = (to: "queued" | "inFlight" | undefined) => {
    inClient?.(to)
    inTenant?.(to)
  }
  const hold = (cause: Held, millis: number) => {
    times.held[cause] = (times.held[cause] ?? 0) + millis
  }
  const onSent = (at: number | undefined) => {
    move(at === undefined ? "queued" : "inFlight")
    times.left ??= at
    times.sent = at
    if (sending !== undefined) sending.inFlight = at === undefined ? undefined : { sentAt: at, wait: times.wait }
  }
  const onPrepared = (at: number, resent: Ledger.Noted | undefined) => {
    if (resent !== undefined) {
      note(client, call, number, { ...times, ending: resent, now: at }, undefined)
      Object.assign(times, { wait: undefined, begun: at, held: {}, left: at, sent: at })
    }
    times.prepared = at
  }
  /** Learns from the end of an attempt that was sent. */
  const learn = (ending: Ending): void => {
    // A connection that fails was not written to.
    const sent = times.sent ?? (ending.failure?._tag === "ConnectionFailed" ? times.left : undefined)
    // The time of a transfer is that of its bytes.
    const teaches = !call.transfers && !lifetime.isReleased()
    if (teaches && learned !== undefined && limiter !== undefined && sent !== undefined) {
      const now = Monotonic.nowUnsafe(clock)
      const silence = now - (sending?.sentAt ?? sent)
      isSign = learned.ended({ operation, ending, sent, now, silence, patience: call.patience(), ...limiter.load() })
    }
  }
  const running = Effect.map(AttemptRun.run(client.http.execute, call, number, { onPrepared, onSent }), (ending) => {
    ended = ending
    learn(ending)
    return ending
  })
  const remaining = () => call.end - Monotonic.nowUnsafe(clock)
  const turnOf = (queue: string): Limiter.Options => ({
    policy,
    operation: queue,
    remaining,
    inTime: (effect) =>
      Effect.suspend(() =>
        AttemptRun.inTime(call, {
          remaining: remaining(),
          isSent: () => times.sent !== undefined,
          ended: () => ended
        })(effect)
      ),
    wait: (register) => Effect.suspend(() => AttemptRun.waitInTime(call, remaining())(register)),
    transfers: call.transfers,
    needed: () => needed(call, Monotonic.nowUnsafe(clock)),
    pause: learned === undefined ? identity : (attempt) => paused(client, call, learned, hold, attempt),
    hold
  })
  const turn = turnOf(call.queue)
  const admitted = (turn: Limiter.Options) => {
    inClient = client.traffic.enter()
    const inPlace = limiter?.inTurn(turn, running) ?? running
    return streams === undefined ? inPlace : turn.inTime(streams.open(policy, inPlace))
  }
  // A call waits for the limits of its tenant first, so that it takes no permit of others meanwhile.
  const inTurn = tenant === undefined ? admitted(turn) : tenant.limiter.inTurn(
    { ...turn, pause: identity, policy: { ...tenant.limits, retryAfterCap: policy.retryAfterCap } },
    Effect.suspend(() => admitted(turnOf(tenant.queue)))
  )
  const counted = Effect.onExit(inTurn, (exit) => {
    move(undefined)
    if (Exit.isFailure(exit) && times.sent !== undefined) {
      const now = Monotonic.nowUnsafe(clock)
      note(client, call, number, { ...times, ending: ended ?? Ledger.interrupted, now }, undefined)
    }
    return Effect.void
  })
  return Effect.map(counted, (ending) => {
    // The deadline may have interrupted the attempt.
    if (times.sent !== undefined && ended === undefined) learn(ending)
    return { ...times, ending, isSign, now: Monotonic.nowUnsafe(clock) }
  })
}

/** Notes an attempt in the ledger, and the waits before it in the metrics. */
const note = (
  { context }: Client,
  { clock, ledger, middleware, plan: { operation, template }, request, sending, server, span }: Call<unknown, unknown>,
  number: number,
  { begun, ending, held, left = begun, now, prepared, sent, wait }: Omit<Tried, "ending" | "isSign"> & {
    readonly ending: Ledger.Noted
  },
  stopCause: Attempt.StopCause | undefined
): void => {
  const ready = middleware === undefined ? left : prepared ?? now
  const written = sent ?? ready
  const { circuit = 0, "learned-rate": learned = 0, rate = 0 } = held
  const waits = {
    concurrency: left - begun - rate - learned - circuit,
    rate,
    "learned-rate": learned,
    circuit,
    middleware: ready - left,
    connection: written - ready
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
    ...(waits.middleware === 0 ? undefined : { middleware: Duration.millis(waits.middleware) }),
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
const heldBack: Readonly<Record<string, Attempt.StopCause>> = {
  ConnectionFailed: "released",
  CircuitOpen: "breaker",
  RateLimited: "limiter"
}

/** Ends the call with the failure of its last attempt, and notes in the ledger why no other follows. */
const holdBack = <E, R>({ failed, ledger }: Call<E, R>, failure: Failure, cause: Attempt.StopCause) => {
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
  return Effect.flatMap(attempt(client, call, number, begun, wait), (tried) => {
    const { ending } = tried
    if (ending.failure !== undefined) return afterFailure(client, call, number, last, tried, ending.failure)
    note(client, call, number, tried, undefined)
    if (plan.repeat === "Metered") client.gate.open()
    return ending.success === undefined ? plan.decode(ending.response) : Effect.succeed(ending.success.value)
  })
}

/** Waits after a failed attempt and makes the next one, or ends the call. */
const afterFailure = Effect.fnUntraced(function*<E, R>(
  client: Client,
  call: Call<E, R>,
  number: number,
  last: Failure | undefined,
  tried: Tried,
  failure: Failure
): Effect.fn.Return<unknown, E, R> {
  const { clock, learned, lifetime, plan } = call
  const { ending, isSign, left, now, sent } = tried
  // Only a request that was sent, or that failed to connect, counts as an attempt.
  const isTried = left !== undefined && failure._tag === "ConnectionFailed"
  if (sent === undefined && !isTried) {
    return yield* holdBack(call, last ?? failure, heldBack[failure._tag] ?? "deadline")
  }
  const followed: Repeat.Next = lifetime.isReleased() ? { stop: "released" } : yield* call.decide(failure, now)
  note(client, call, number, tried, followed.stop)
  if (isSign) yield* client.afterFailure
  if (ending.response?.status === 456 && call.quotaGate !== undefined) client.gate.close(now, call.quotaGate)
  // An earlier attempt has deleted the object, and the success has no body to return.
  if (number > 1 && plan.removes && ending.response?.status === 404) return undefined
  const { wait } = followed
  if (wait === undefined) {
    return yield* Effect.fail(call.failed(explained(failure, plan.requiredKey, client.key) ?? failure))
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
