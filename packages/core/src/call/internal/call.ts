/** One call: the retry loop, and the policies around each attempt. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { CurrentPolicy } from "../../config/internal/region.ts"
import type { OperationFacts } from "../../contract/internal/endpoint.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { CurrentSanitizer } from "../../contract/internal/sanitizer.ts"
import type * as Attempts from "../../errors/Attempt.ts"
import { CircuitOpen, DeadlineExceeded } from "../../errors/CallError.ts"
import { deadlineTooNear, type Failure } from "../../errors/internal/failure.ts"
import { AccessDenied, InvalidKey, type RateLimited } from "../../errors/ServiceError.ts"
import { firstPauseMillis, type Learned } from "../../limits/internal/learned.ts"
import * as Telemetry from "../../telemetry/internal/telemetry.ts"
import { Sender } from "../Sender.ts"
import { Attempt, inTime, send } from "./attempt.ts"
import { begin, beginFile, type Call, type File } from "./callRecord.ts"
import { make as makeClient } from "./client.ts"
import { type Ending, released } from "./ending.ts"
import * as Observer from "./observer.ts"
import { withFields } from "./operation.ts"
import * as Repeat from "./repeat.ts"

type Policy = (attempt: Attempt, run: Effect.Effect<Ending>) => Effect.Effect<Ending>

const refused = (failure: RateLimited): Effect.Effect<Ending> => Effect.succeed({ failure })

/**
 * Applies the tenant's limits before the client's limits: a call that waits for its tenant does not count toward the
 * client's `concurrency`.
 */
const inTenant: Policy = (attempt, run) => {
  const { client, policy: { retryAfterCap }, queue, tenant } = attempt.call
  const inClient = Effect.suspend(() => {
    attempt.enter(client.traffic)
    return run
  })
  if (tenant === undefined) return inClient
  return Effect.suspend(() => {
    attempt.enter(tenant.traffic)
    return Effect.catchEager(
      tenant.limiter.admit(attempt, { ...tenant.limits, retryAfterCap }, queue, inClient),
      refused
    )
  })
}

const inOpenStreams: Policy = ({ call: { policy, streams } }, run) => streams?.open(policy, run) ?? run

const inLimits: Policy = (attempt, run) => {
  const { limiter, policy, queue, tenant } = attempt.call
  return limiter === undefined
    ? run
    : Effect.catchEager(limiter.admit(attempt, policy, tenant?.queue ?? queue, run), refused)
}

/** Delays an attempt while the circuit is open. The limits learn from the attempt before `inLimits` releases its permit. */
const inHealth: Policy = (attempt, run) => {
  const { learned } = attempt.call
  return learned === undefined ? run : afterPause(attempt, learned, Effect.onExit(run, () => learn(attempt, learned)))
}

/** Outermost first. */
const policies: ReadonlyArray<Policy> = [inTime, inTenant, inOpenStreams, inLimits, inHealth]

/** Returns `CircuitOpen` if the policy does not wait and the circuit is open, or, without `mayProbe`, half open with a probe in flight. */
const refusal = (
  { learned, limiter, policy }: Call<unknown, unknown>,
  now: number,
  mayProbe: boolean
): CircuitOpen | undefined => {
  if (policy.whenUnavailable === "wait" || learned === undefined) return undefined
  const { retryAfter, state } = learned.circuitAt(now)
  if (state === "Open") return new CircuitOpen({ retryAfter })
  return state === "Closed" || mayProbe || limiter === undefined || limiter.load().permits === 0
    ? undefined
    // By then the probe in flight may have ended.
    : new CircuitOpen({ retryAfter: Duration.millis(firstPauseMillis) })
}

/** Runs an attempt after the circuit breaker's pause, if enough time is left for a response. */
const afterPause = (attempt: Attempt, learned: Learned, run: Effect.Effect<Ending>): Effect.Effect<Ending> =>
  Effect.suspend(() => {
    const { client, deadline, end, plan: { operation } } = attempt.call
    const now = attempt.now()
    const failure = refusal(attempt.call, now, true)
    if (failure !== undefined) return Effect.succeed<Ending>({ failure })
    const until = learned.pausedUntil()
    const pause = Math.ceil(Math.max(0, until - now))
    const needed = learned.neededTime(operation, now, Duration.toMillis(deadline), client.traffic.inFlight === 0)
    if (pause >= end - now || end - now < needed) {
      const description = pause > 0 ? deadlineTooNear.pause : deadlineTooNear.response
      Telemetry.update("unsent", 1, { operation }, attempt.call.context)
      return Effect.succeed<Ending>({ failure: new DeadlineExceeded({ deadline, outcome: "refused", description }) })
    }
    if (pause === 0) return run
    // Jitter spreads the retries of clients that failed together.
    const sleep = Effect.flatMap(Random.next, (part) => Effect.sleep(Math.ceil(pause * (1 + part) / 2)))
    return Effect.flatMap(sleep, () => {
      learned.resume(until)
      attempt.delays.circuit = (attempt.delays.circuit ?? 0) + attempt.now() - now
      return afterPause(attempt, learned, run)
    })
  })

const learn = (attempt: Attempt, learned: Learned): Effect.Effect<void> => {
  const { admittedAt, call: { client, configured, limiter, plan: { operation }, transfers }, ending } = attempt
  // An attempt that failed to connect has no `sentAt`, so its admission counts.
  const sent = attempt.sentAt ?? (ending?.failure?._tag === "ConnectionFailed" ? admittedAt : undefined)
  // File transfers are ignored because their time depends on their size.
  if (sent === undefined || ending === undefined || transfers || client.lifetime.isReleased) return Effect.void
  const now = attempt.now()
  const isOverloadSign = learned.ended({
    operation,
    ending,
    sent,
    now,
    silence: attempt.silence(now),
    policy: configured,
    ...limiter?.load() ?? { permits: 1, isWaiting: false }
  })
  return isOverloadSign ? client.afterOverloadSign : Effect.void
}

/** Adds the key's kind to the error of an operation that requires the other kind. */
const withKeyKind = (failure: Failure, required: OperationFacts["key"], key: string): Failure => {
  const keyKind = key.endsWith(":adm") ? "admin" : "developer"
  if (required === undefined || required === keyKind) return failure
  return failure instanceof AccessDenied || failure instanceof InvalidKey ? withFields(failure, { keyKind }) : failure
}

/** Why a retry was not sent, keyed by the error's tag; for other tags, `deadline`. */
const unsentCauses: Readonly<Record<string, Attempts.StopCause>> = {
  ConnectionFailed: "released",
  CircuitOpen: "breaker",
  RateLimited: "limiter"
}

const stop = <E, R>(call: Call<E, R>, failure: Failure, cause: Attempts.StopCause) => {
  Observer.stopped(call, cause)
  return Effect.fail(call.failed(failure))
}

const execute = Effect.fnUntraced(function*<E, R>(call: Call<E, R>): Effect.fn.Return<unknown, E, R> {
  const { client: { key, lifetime }, clock, end, plan, policy, record } = call
  let { wait } = call
  let decide: ReturnType<typeof Repeat.make> | undefined
  let lastFailure: Failure | undefined
  for (let number = 1;; number++) {
    const target = yield* call.target(number)
    const startedAt = Monotonic.nowUnsafe(clock)
    if (lifetime.isReleased) return yield* stop(call, lastFailure ?? released(false), "released")
    const unavailable = refusal(call, startedAt, false)
    if (unavailable !== undefined) return yield* stop(call, lastFailure ?? unavailable, "breaker")

    const attempt = new Attempt(call, target, number, wait, startedAt)
    const admitted = policies.reduceRight((run, policy) => policy(attempt, run), send(attempt))
    const ending = yield* Effect.onExit(admitted, (exit) => {
      attempt.leave()
      if (Exit.isFailure(exit) && attempt.sentAt !== undefined) {
        Observer.ended(attempt, attempt.ending ?? Observer.interrupted)
      }
      return Effect.void
    })
    const { failure } = ending
    if (failure === undefined) {
      Observer.ended(attempt, ending)
      if (ending.success !== undefined) return ending.success.value
      return yield* Effect.provideService(plan.decode(ending.response), CurrentSanitizer, call)
    }
    // The error lists attempts that were sent or failed to connect.
    const isTried = attempt.admittedAt !== undefined && failure._tag === "ConnectionFailed"
    if (attempt.sentAt === undefined && !isTried) {
      return yield* stop(call, lastFailure ?? failure, unsentCauses[failure._tag] ?? "deadline")
    }

    const now = Monotonic.nowUnsafe(clock)
    decide ??= Repeat.make(plan.repeat, policy, end, Context.get(call.context, CurrentPolicy).schedules ?? {})
    const decision: Repeat.Next = lifetime.isReleased ? { stop: "released" } : yield* decide(failure, now)
    const next: Repeat.Next = decision.wait !== undefined && record.sending?.isSpent === true
      ? { stop: "source-read" }
      : decision
    Observer.ended(attempt, ending, next.stop)
    // A 404 after a retried DELETE: an earlier attempt deleted the object.
    if (number > 1 && plan.removes === true && ending.response?.status === 404) return undefined
    if (next.wait === undefined) {
      // If the body's source fails in a retry, the call reports the earlier failure.
      const cause = failure._tag === "SourceFailed" ? lastFailure ?? failure : failure
      return yield* Effect.fail(call.failed(withKeyKind(cause, plan.key, key)))
    }
    if (refusal(call, now, true) !== undefined) return yield* stop(call, failure, "breaker")

    wait = next.wait
    lastFailure = failure
    Observer.waiting(call, wait)
    yield* lifetime.sleep(wait.millis)
    // On a busy or suspended machine the sleep may end after the deadline.
    if (Monotonic.nowUnsafe(clock) >= end) return yield* stop(call, failure, "deadline")
  }
})

export const layer = Layer.effect(
  Sender,
  Effect.map(makeClient, (client) => ({
    send: (record, plan, request, wait) =>
      Effect.contextWith((context: Context.Context<never>) =>
        Effect.flatMapEager(Effect.fromResult(begin(client, record, plan, request, wait, context)), execute)
      ),
    transfer: <A, E, R>(file: File<A, E, R>) =>
      Effect.contextWith((context: Context.Context<R>) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the decoder of a transfer returns `A`
        execute(beginFile(client, file, context)) as Effect.Effect<A, E, R>
      ),
    lifetime: client.lifetime
  }))
)
