/** Limits of rate and concurrency, configured or learned, of a client or tenant. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import type { RateLimiterError } from "effect/persistence/RateLimiter"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { Cell, defined } from "../../contract/internal/values.ts"
import { RateLimited } from "../../errors/ServiceError.ts"
import type { Learned } from "./learned.ts"

/** Takes a slot of a rate with this interval in milliseconds, and returns the milliseconds until then; `-1` gives one back. */
export type Slots = (interval: number, slots: 1 | -1) => Effect.Effect<number, RateLimiterError>

const makeSlots = (): Slots => {
  let next = 0
  return (interval, slots) =>
    Effect.map(Monotonic.now, (now) => {
      const slot = Math.max(next, now)
      next = slot + interval * slots
      return slot - now
    })
}

/** The slots that clients share, by address. */
export const SharedRates = Context.Reference<((key: string) => Slots) | undefined>(
  "@effect-lingua/core/limits/internal/limiter/SharedRates",
  { defaultValue: () => undefined }
)

/** Permits, at most `limit` in use. Queues are served in rotation, so that many calls of one operation do not delay other operations. */
const makePermits = (limit: () => number, onRelease: () => void = constVoid) => {
  const queues = new Map<string, Set<Cell<() => void>>>()
  let isServing = false
  const permits = {
    inUse: 0,
    queues,
    /** Admits waiting calls while permits are free. */
    serve: (): void => {
      // An admitted call may release its permit at once.
      if (isServing) return
      isServing = true
      for (const [queue, calls] of queues) {
        const [call] = calls
        if (call === undefined || permits.inUse >= limit()) break
        // The loop reaches a queue again that moves to the end.
        queues.delete(queue)
        calls.delete(call)
        if (calls.size > 0) queues.set(queue, calls)
        permits.inUse++
        call.content?.()
      }
      isServing = false
    },
    /** Runs an attempt once, with a permit. */
    run: <A, E>(queue: string, attempt: Effect.Effect<A, E>): Effect.Effect<A, E> => {
      let hasPermit = false
      let leave = constVoid
      const admitted = Effect.suspend(() => {
        if (permits.inUse < limit() && queues.size === 0) {
          permits.inUse++
          hasPermit = true
          return attempt
        }
        const untilServed = Effect.callback<void>((resume) => {
          const call = new Cell(() => {
            hasPermit = true
            resume(Effect.void)
          })
          const calls = queues.get(queue) ?? new Set()
          queues.set(queue, calls.add(call))
          leave = () => {
            call.content = undefined
            if (calls.delete(call) && calls.size === 0) queues.delete(queue)
          }
          permits.serve()
        })
        return Effect.andThen(untilServed, attempt)
      })
      // Registered before waiting, so that an interruption at any point releases the permit.
      return Effect.onExit(admitted, () => {
        leave()
        if (hasPermit) {
          permits.inUse--
          onRelease()
          permits.serve()
        }
        return Effect.void
      })
    }
  }
  return permits
}

/**
 * Permits for calls and for transfers of documents, together at most `ceiling`. The learned limit is for calls alone, because a transfer's time
 * depends on its size. A freed permit may admit a waiting transfer, and the reverse.
 */
const makeSharedPermits = (ceiling: number, learned: () => number = () => ceiling) => {
  const transfers = makePermits(() => ceiling - calls.inUse, () => calls.serve())
  const calls: ReturnType<typeof makePermits> = makePermits(
    () => Math.min(learned(), ceiling - transfers.inUse),
    transfers.serve
  )
  return { calls, transfers }
}

/** Slots are taken at most this long in advance, plus one: enough for a shared store's round trip. A slot expires as late. */
const aheadMillis = 50

/** Counts waiting calls by queue. */
const makeWaiting = () => {
  const queues = new Map<string, number>()
  let total = 0
  const count = (queue: string, by: 1 | -1): void => {
    total += by
    const left = (queues.get(queue) ?? 0) + by
    if (left === 0) queues.delete(queue)
    else queues.set(queue, left)
  }
  return {
    total: () => total,
    /** The position of a new call if queues are served in rotation. */
    position: (queue: string): number => {
      const ahead = queues.get(queue) ?? 0
      return Math.min(total, ahead * (queues.size + (ahead === 0 ? 1 : 0))) + 1
    },
    /** Counts a call until the returned function runs, which may run twice. */
    arrive: (queue: string): () => void => {
      let isWaiting = true
      count(queue, 1)
      return () => {
        if (isWaiting) count(queue, -1)
        isWaiting = false
      }
    }
  }
}

/** Why an attempt that has a permit is not sent yet. */
export type DelayCause = "rate" | "learned-rate" | "circuit"

/** An attempt that waits for admission. */
export interface Entry {
  readonly call: {
    /** The call's deadline, in milliseconds of `Monotonic`. */
    readonly end: number
    /** True for the upload or download of a document. */
    readonly transfers: boolean
  }
  /** Milliseconds of delay by cause. */
  readonly delays: Partial<Record<DelayCause, number>>
}

/** Makes the limiter of a client, with its learned limits, or of a tenant. */
export const make = Effect.fnUntraced(function*(
  { concurrency, rate }: ResiliencePolicy,
  key: string,
  { learned, tenant }: { readonly tenant?: string; readonly learned?: Learned | undefined } = {}
) {
  const slots = (yield* SharedRates)?.(key) ?? makeSlots()
  const permits = Number.isFinite(concurrency) ? makeSharedPermits(concurrency, learned?.limit) : undefined
  /** Milliseconds between two slots of the configured rate, and of the lower one of both rates. */
  const interval = rate === undefined ? 0 : Duration.toMillis(rate.window) / rate.requests
  const longestInterval = () => Math.max(interval, learned?.rate.interval() ?? 0)
  const ahead = makePermits(() => 1 + Math.round(aheadMillis / Math.max(1, longestInterval())))
  const waiting = makeWaiting()
  let lastSlot = 0

  /** Milliseconds until the slot of the waiting call at a position. */
  const millisUntil = (position: number, interval: number, now: number) =>
    Math.max(0, lastSlot - now) + Math.max(0, position - ahead.inUse) * interval

  const refuse = (retryAfter: number) =>
    new RateLimited({
      description: `Nothing was sent: ${
        tenant === undefined ? "the client's own rate limit" : `the rate limit of the tenant ${tenant}`
      } has no free slot in time`,
      retryAfter: Duration.millis(retryAfter),
      ...defined({ tenant })
    })

  /** Waits for a slot of the configured rate and of the learned one. Fails if the slot is after `latest`. */
  const untilSlot = Effect.fnUntraced(function*(
    { delays }: Entry,
    latest: (now: number) => number,
    isRated: boolean,
    learned: Learned | undefined
  ) {
    for (;;) {
      // Without the shared store and its local replacement, the attempt is sent anyway.
      const configured = isRated ? yield* Effect.orElseSucceed(slots(interval, 1), () => 0) : 0
      const taken = yield* Monotonic.now
      const delay = Math.max(configured, learned?.rate.take(taken) ?? 0)
      lastSlot = Math.max(lastSlot, taken + delay)
      // The resolution of timers.
      if (delay < 1) return
      const giveBack = Effect.suspend(() => {
        lastSlot -= longestInterval()
        learned?.rate.giveBack(taken)
        return isRated
          ? Effect.forkDetach(Effect.exit(slots(interval, -1)), { startImmediately: true })
          : Effect.void
      })
      if (delay > latest(taken)) {
        yield* giveBack
        return yield* refuse(delay)
      }
      yield* Effect.onInterrupt(Effect.sleep(delay), () => giveBack)
      const now = yield* Monotonic.now
      const cause = delay > configured ? "learned-rate" : "rate"
      delays[cause] = (delays[cause] ?? 0) + now - taken
      // After a stall of the process, all expired slots would be used at once.
      if (now - (taken + delay) <= aheadMillis) return
    }
  })

  /**
   * Runs an attempt when concurrency and rate admit it. Queues, named for operations or tenants, are served in rotation. An attempt whose
   * slot would be after its deadline fails at once and uses no slot.
   */
  const admit = <A, E>(
    entry: Entry,
    policy: Pick<ResiliencePolicy, "concurrency" | "rate" | "retryAfterCap">,
    queue: string,
    attempt: Effect.Effect<A, E>
  ): Effect.Effect<A, E | RateLimited> => {
    const { end, transfers } = entry.call
    // All calls share the client's limits, which a region can only switch off.
    const isRated = rate !== undefined && policy.rate !== undefined
    const ofKind = policy.concurrency === Number.POSITIVE_INFINITY
      ? undefined
      : permits?.[transfers ? "transfers" : "calls"]
    if (ofKind === undefined && !isRated) return attempt
    const learns = ofKind === undefined || transfers ? undefined : learned
    const latest = (now: number) => Math.min(end - now, Duration.toMillis(policy.retryAfterCap))
    let leave = constVoid
    const inSlot = Effect.suspend((): Effect.Effect<A, E | RateLimited> =>
      !isRated && (learns?.rate.interval() ?? 0) === 0
        ? attempt
        : Effect.flatMap(ahead.run(queue, untilSlot(entry, latest, isRated, learns)), () => {
          leave()
          return attempt
        })
    )
    const admitted = ofKind?.run(queue, inSlot) ?? inSlot
    if (!isRated) return admitted
    return Effect.flatMap(Monotonic.now, (now) => {
      const earliest = ahead.inUse === 0 ? 0 : millisUntil(waiting.position(queue), interval, now)
      if (earliest > latest(now)) return Effect.fail(refuse(earliest))
      leave = waiting.arrive(queue)
      return Effect.ensuring(admitted, Effect.sync(leave))
    })
  }

  return {
    admit,
    /** The number of calls with a permit, and whether others wait for one. */
    load: () => ({ inFlight: permits?.calls.inUse ?? 0, isWaiting: (permits?.calls.queues.size ?? 0) > 0 }),
    /** Milliseconds until the last waiting attempt's slot. */
    delay: (now: number): number => waiting.total() === 0 ? 0 : millisUntil(waiting.total(), longestInterval(), now)
  }
})
