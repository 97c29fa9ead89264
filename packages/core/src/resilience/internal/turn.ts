/** An attempt in its turn, and its entry in the ledger and the metrics. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Struct from "effect/Struct"
import type * as Attempt from "../../client/Attempt.ts"
import type { Wait } from "../../client/internal/currentCall.ts"
import * as Monotonic from "../../client/internal/monotonic.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import * as AttemptRun from "./attempt.ts"
import type { Call } from "./begin.ts"
import type { Client } from "./client.ts"
import type { Ending } from "./ending.ts"
import * as Health from "./health.ts"
import * as Ledger from "./ledger.ts"
import type * as Limiter from "./limiter.ts"

/** An attempt, with the wait before it and the times of `Monotonic` at which it began, left the limiter, left the middleware, was sent and ended. */
export interface Tried {
  readonly ending: Ending
  readonly wait: Wait | undefined
  readonly begun: number
  readonly left: number | undefined
  readonly prepared: number | undefined
  readonly sent: number | undefined
  readonly now: number
}

/** Runs an attempt in its turn, through the circuit, until the deadline. */
export const attempt = (
  client: Client,
  call: Call<unknown, unknown>,
  number: number,
  begun: number,
  before: Wait | undefined
): Effect.Effect<Tried> => {
  const { breaker, clock, lifetime, limiter, plan: { operation }, policy, sending, streams, tenant } = call
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
    const inPlace = limiter?.inTurn(turn, guarded) ?? guarded
    return streams === undefined ? inPlace : turn.inTime(streams.open(policy, inPlace))
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
export const note = (
  { context }: Client,
  { ledger, middleware, plan: { operation, template }, request, sending, server }: Call<unknown, unknown>,
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
