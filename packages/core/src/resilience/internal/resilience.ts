/**
 * The sending of requests: one call as a loop of attempts.
 *
 *     tier, quota gate
 *       deadline
 *         loop ( limiter ( breaker ( attempt timeout, body in memory ) ) -> wait, or the end )
 */
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Attempt from "../../client/Attempt.ts"
import { CircuitOpen } from "../../client/CallError.ts"
import type { ClientState } from "../../client/ClientState.ts"
import * as Events from "../../client/Events.ts"
import type { Wait } from "../../client/internal/currentCall.ts"
import type { Failure } from "../../client/internal/failure.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"
import { type File, Sender } from "../../client/internal/plan.ts"
import { publish } from "../../client/internal/publishing.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import type { LanguageServiceConfig } from "../../client/LanguageServiceConfig.ts"
import { begin, beginFile, type Call } from "./begin.ts"
import * as Client from "./client.ts"
import * as Health from "./health.ts"
import * as KeyKind from "./keyKind.ts"
import * as Lifetime from "./lifetime.ts"
import type * as Repeat from "./repeat.ts"
import { attempt, note, type Tried } from "./turn.ts"

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
  client: Client.Client,
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
  client: Client.Client,
  call: Call<E, R>,
  number: number,
  wait: Wait | undefined,
  last: Failure | undefined
): Effect.Effect<unknown, E, R> => {
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
const afterFailure = Effect.fnUntraced(function*<E, R>(
  client: Client.Client,
  call: Call<E, R>,
  number: number,
  last: Failure | undefined,
  tried: Tried,
  failure: Failure
): Effect.fn.Return<unknown, E, R> {
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
    return yield* Effect.fail(call.failed(KeyKind.explained(failure, plan.requiredKey, client.key) ?? failure))
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

/** The sender of requests, with the policy of the configuration. */
export const layer: Layer.Layer<
  Sender,
  never,
  ClientState | Events.Events | HttpClient.HttpClient | LanguageServiceConfig
> = Layer.effect(
  Sender,
  Effect.map(Client.make, (client) => ({
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
