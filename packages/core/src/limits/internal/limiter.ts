import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import type { RateLimiterError } from "effect/persistence/RateLimiter"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { defined } from "../../contract/internal/values.ts"
import { RateLimited } from "../../errors/ServiceError.ts"
import type { Learned } from "./learned.ts"

/**
 * A reference that is cleared after its last use. V8 keeps some containers, such as the previous table of a grown `Set`, until a full garbage
 * collection; an uncleared reference would retain whole calls. A class, because V8 may allocate object literals in the old generation.
 */
export class Cell<A> {
  declare content: A | undefined
  constructor(content: A) {
    this.content = content
  }
}

/** Takes (`1`) or returns (`-1`) a slot of a rate with `interval` milliseconds between slots. Succeeds with the milliseconds until the slot. */
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

/** Returns the slots that clients share under a key: the base URL or tenant. `undefined` without a `SharedRate`. */
export const SharedRates = Context.Reference<((key: string) => Slots) | undefined>(
  "@effect-lingua/core/limits/internal/limiter/SharedRates",
  { defaultValue: () => undefined }
)

const makeQueues = <A>() => {
  const queues = new Map<string, Set<A>>()
  return {
    queues,
    /** Adds an item. The returned function removes the item and is idempotent. */
    add: (queue: string, item: A): () => void => {
      const items = queues.get(queue) ?? new Set()
      queues.set(queue, items.add(item))
      return () => {
        if (items.delete(item) && items.size === 0) queues.delete(queue)
      }
    }
  }
}

/** A semaphore that serves queues in rotation, so that a long queue does not delay other queues. */
const makePermits = (limit: () => number, onRelease: () => void = constVoid) => {
  const { add, queues } = makeQueues<Cell<() => void>>()
  let isServing = false
  const permits = {
    inUse: 0,
    queues,
    serve: (): void => {
      // An admitted call may end synchronously and call `serve`, while the loop below still serves.
      if (isServing) return
      isServing = true
      for (const [queue, calls] of queues) {
        const [call] = calls
        if (call === undefined || permits.inUse >= limit()) break
        // Moves the queue to the end of the rotation.
        queues.delete(queue)
        calls.delete(call)
        if (calls.size > 0) queues.set(queue, calls)
        permits.inUse++
        call.content?.()
      }
      isServing = false
    },
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
          const remove = add(queue, call)
          leave = () => {
            call.content = undefined
            remove()
          }
          permits.serve()
        })
        return Effect.andThen(untilServed, attempt)
      })
      // Registered before the wait, so an interruption at any point releases the permit.
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
 * Permits for calls and file transfers in flight, together at most `ceiling`. The learned limit does not apply to transfers, because their duration
 * depends on the file's size. A freed permit may admit a call or transfer.
 */
const makeSharedPermits = (ceiling: number, learned: () => number = () => ceiling) => {
  const transfers = makePermits(() => ceiling - calls.inUse, () => calls.serve())
  const calls: ReturnType<typeof makePermits> = makePermits(
    () => Math.min(learned(), ceiling - transfers.inUse),
    transfers.serve
  )
  return { calls, transfers }
}

/** Slots are taken this long in advance, to cover a shared store's round trip, and expire this long after their time. */
const aheadMillis = 50

/** Why an attempt with a permit is not sent yet. */
export type DelayCause = "rate" | "learned-rate" | "circuit"

/** An attempt. `end` is the call's deadline in milliseconds of `Monotonic`. `transfers` is true for an upload or download. */
export interface Entry {
  readonly call: {
    readonly deadline: Duration.Duration
    readonly end: number
    readonly transfers: boolean
    readonly plan: { readonly operation: string }
  }
  readonly delays: Partial<Record<DelayCause, number>>
}

export const make = Effect.fnUntraced(function*(
  { concurrency, rate }: ResiliencePolicy,
  key: string,
  { learned, tenant }: { readonly tenant?: string; readonly learned?: Learned | undefined } = {}
) {
  const slots = (yield* SharedRates)?.(key) ?? makeSlots()
  const permits = Number.isFinite(concurrency) ? makeSharedPermits(concurrency, learned?.limit) : undefined
  const interval = rate === undefined ? 0 : Duration.toMillis(rate.window) / rate.requests
  const longestInterval = () => Math.max(interval, learned?.rate.interval() ?? 0)
  const ahead = makePermits(() => 1 + Math.round(aheadMillis / Math.max(1, longestInterval())))
  /** Attempts that wait for a permit or a slot. */
  const waiting = makeQueues<object>()
  let lastSlot = 0

  const totalWaiting = () => Array.from(waiting.queues.values()).reduce((total, { size }) => total + size, 0)

  /** The position of a new attempt in the rotation of queues. */
  const positionIn = (queue: string) =>
    Math.min(totalWaiting(), (waiting.queues.get(queue)?.size ?? 0) * waiting.queues.size) + 1

  const millisUntil = (position: number, interval: number, now: number) =>
    Math.max(0, lastSlot - now) + Math.max(0, position - ahead.inUse) * interval

  const name = tenant === undefined ? "the client's rate limit" : `the rate limit of the tenant ${tenant}`
  const refuse = (retryAfter: number) =>
    new RateLimited({
      description: `Nothing was sent: ${name} has no free slot in time`,
      retryAfter: Duration.millis(retryAfter),
      ...defined({ tenant })
    })

  /** Waits for a slot of the configured and learned rate. Fails if the slot is more than `latest` milliseconds away. */
  const untilSlot = Effect.fnUntraced(function*(
    { delays }: Entry,
    latest: (now: number) => number,
    isRated: boolean,
    learned: Learned | undefined
  ) {
    for (;;) {
      // If the rate's store fails, the attempt is sent without a slot.
      const configured = isRated ? yield* Effect.orElseSucceed(slots(interval, 1), () => 0) : 0
      const taken = yield* Monotonic.now
      const delay = Math.max(configured, learned?.rate.take(taken) ?? 0)
      lastSlot = Math.max(lastSlot, taken + delay)
      const giveBack = Effect.suspend(() => {
        lastSlot -= longestInterval()
        learned?.rate.giveBack(taken)
        if (!isRated) return Effect.void
        return Effect.forkDetach(Effect.exit(slots(interval, -1)), { startImmediately: true })
      })
      const longest = latest(taken)
      if (delay > longest) {
        yield* giveBack
        if (longest > 0 && configured <= longest) learned?.rate.missed(taken)
        return yield* refuse(delay)
      }
      // Timers cannot wait less than a millisecond.
      if (delay < 1) return
      yield* Effect.onInterrupt(Effect.sleep(delay), () => giveBack)
      const now = yield* Monotonic.now
      const cause = delay > configured ? "learned-rate" : "rate"
      delays[cause] = (delays[cause] ?? 0) + now - taken
      // After a stall, attempts take new slots, because expired slots would all be used at once.
      if (now - (taken + delay) <= aheadMillis) return
    }
  })

  /** Runs an attempt when concurrency and rate allow. Fails at once, without using a slot, if the slot would be too late. */
  const admit = <A, E>(
    entry: Entry,
    policy: Pick<ResiliencePolicy, "concurrency" | "rate" | "retryAfterCap">,
    queue: string,
    attempt: Effect.Effect<A, E>
  ): Effect.Effect<A, E | RateLimited> => {
    const { deadline, end, plan: { operation }, transfers } = entry.call
    // All calls share the client's limits; `policy` can only switch them off.
    const isRated = rate !== undefined && policy.rate !== undefined
    const pool = Number.isFinite(policy.concurrency) ? permits?.[transfers ? "transfers" : "calls"] : undefined
    if (pool === undefined && !isRated) return attempt
    const learnedLimits = pool === undefined || transfers ? undefined : learned
    // An attempt that would have too little time left for a response, as at the end of a long wait, fails without using a
    // slot.
    const latest = (now: number) =>
      Math.min(
        end - now - (learnedLimits?.neededTime(operation, now, Duration.toMillis(deadline), true) ?? 0),
        Duration.toMillis(policy.retryAfterCap)
      )
    let leave = constVoid
    const enter = () => {
      leave = waiting.add(queue, {})
    }
    const inSlot = Effect.suspend((): Effect.Effect<A, E | RateLimited> => {
      if (!isRated && (learnedLimits?.rate.interval() ?? 0) === 0) return attempt
      if (!isRated) enter()
      const takeSlot = ahead.run(queue, untilSlot(entry, latest, isRated, learnedLimits))
      return Effect.andThen(Effect.ensuring(takeSlot, Effect.sync(leave)), attempt)
    })
    const admitted = pool?.run(queue, inSlot) ?? inSlot
    if (!isRated) return admitted
    return Effect.flatMap(Monotonic.now, (now) => {
      const earliest = ahead.inUse === 0 ? 0 : millisUntil(positionIn(queue), interval, now)
      if (earliest > latest(now)) return Effect.fail(refuse(earliest))
      enter()
      return Effect.ensuring(admitted, Effect.sync(leave))
    })
  }

  return {
    admit,
    load: () => ({ permits: permits?.calls.inUse ?? 0, isWaiting: (permits?.calls.queues.size ?? 0) > 0 }),
    /** Milliseconds until the last waiting attempt's slot. */
    delay: (now: number): number => waiting.queues.size === 0 ? 0 : millisUntil(totalWaiting(), longestInterval(), now)
  }
})
