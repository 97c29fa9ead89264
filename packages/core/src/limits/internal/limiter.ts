/** The limits of rate and concurrency of a client or of a tenant: configured ones, and those that a client learns. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import type { RateLimiterError } from "effect/persistence/RateLimiter"
import type { RateLimit, ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { Cell, defined } from "../../contract/internal/values.ts"
import { RateLimited } from "../../errors/ServiceError.ts"
import type { Learned } from "./learned.ts"

/** Takes a slot, of which there is one per interval in milliseconds, and returns its delay; `-1` gives one back. */
export type Slots = (interval: number, slots: 1 | -1) => Effect.Effect<number, RateLimiterError>

/** The slots of one client. */
const makeSlots = (): Slots => {
  let next = 0
  return (interval, slots) =>
    Effect.map(Monotonic.now, (now) => {
      const slot = Math.max(next, now)
      next = slot + interval * slots
      return slot - now
    })
}

/** The slots that all clients with a key share. */
export const SharedRates = Context.Reference<((key: string) => Slots) | undefined>(
  "@effect-lingua/core/limits/internal/limiter/SharedRates",
  { defaultValue: () => undefined }
)

/**
 * Permits, at most `limit` in use. A free one is taken synchronously. Operations with waiting calls are served in rotation, so that many
 * calls of one operation do not delay those of the others. `onRelease` runs when a permit is free again.
 */
const makePermits = (limit: () => number, onRelease: () => void = constVoid) => {
  /** The waiting calls by operation; the next operation to be served is the first. */
  const queues = new Map<string, Set<Cell<() => void>>>()
  let isServing = false

  const enqueue = (operation: string, enter: () => void): () => void => {
    const call = new Cell(enter)
    const calls = queues.get(operation) ?? new Set()
    queues.set(operation, calls.add(call))
    return () => {
      call.content = undefined
      if (calls.delete(call) && calls.size === 0) queues.delete(operation)
    }
  }

  /** Removes the next call from its queue, and moves its operation to the end. */
  const dequeue = (): (() => void) | undefined => {
    for (const [operation, calls] of queues) {
      queues.delete(operation)
      for (const call of calls) {
        calls.delete(call)
        if (calls.size > 0) queues.set(operation, calls)
        return call.content
      }
    }
    return undefined
  }

  const permits = {
    inUse: 0,
    /** The waiting calls by operation. */
    queues,
    /** Admits waiting calls while permits are free. */
    serve: (): void => {
      // A call that enters may leave at once. The loop serves the next one without recursion.
      if (isServing || queues.size === 0) return
      isServing = true
      while (permits.inUse < limit()) {
        const enter = dequeue()
        if (enter === undefined) break
        permits.inUse++
        enter()
      }
      isServing = false
    },
    /** The effect that runs an attempt once with a permit, for which it waits if none is free. */
    run: <A, E>(operation: string, attempt: Effect.Effect<A, E>): Effect.Effect<A, E> => {
      let hasPermit = false
      let leave = constVoid
      const entered = Effect.suspend(() => {
        if (permits.inUse < limit() && queues.size === 0) {
          permits.inUse++
          hasPermit = true
          return attempt
        }
        const untilEntered = Effect.callback<void>((resume) => {
          leave = enqueue(operation, () => {
            hasPermit = true
            resume(Effect.void)
          })
          permits.serve()
        })
        return Effect.andThen(untilEntered, attempt)
      })
      // Registered before the entry, so that an interruption at any point releases the permit.
      return Effect.onExit(entered, () => {
        leave()
        if (!hasPermit) return Effect.void
        permits.inUse--
        onRelease()
        permits.serve()
        return Effect.void
      })
    }
  }
  return permits
}

/**
 * Permits for calls and for transfers of documents, together at most `ceiling`. Those of calls are bounded by the learned limit too: a transfer
 * takes minutes and says nothing about the time of a call. A freed permit may admit a waiting transfer, and the reverse.
 */
const makeSharedPermits = (ceiling: number, learned: () => number = () => ceiling) => {
  const transfers = makePermits(() => ceiling - calls.inUse, () => calls.serve())
  const calls: ReturnType<typeof makePermits> = makePermits(
    () => Math.min(learned(), ceiling - transfers.inUse),
    transfers.serve
  )
  return { calls, transfers }
}

const intervalOf = (rate: RateLimit | undefined): number =>
  rate === undefined ? 0 : Duration.toMillis(rate.window) / rate.requests

/** Milliseconds for which slots are taken in advance, in addition to the next one: the round trip to a shared store has to fit in. */
const aheadMillis = 50

/** The number of calls that may have a slot in advance: a slot that is taken precedes all later ones, and is lost when the process stalls. */
const slotsAhead = (interval: number): number => 1 + Math.round(aheadMillis / Math.max(1, interval))

/** The calls that wait for a slot of a rate, by operation. Operations are served in rotation, which bounds the earliest slot of a new call. */
const makeSlotQueue = (interval: () => number) => {
  const permits = makePermits(() => slotsAhead(interval()))
  const waiting = new Map<string, number>()
  let total = 0
  let lastSlot = 0
  const count = (operation: string, by: number): void => {
    total += by
    const left = (waiting.get(operation) ?? 0) + by
    if (left === 0) waiting.delete(operation)
    else waiting.set(operation, left)
  }
  return {
    /** Milliseconds until the slot of a call that arrives now, at least. */
    earliest: (operation: string, now: number, rate: RateLimit): number => {
      const ofOperation = waiting.get(operation) ?? 0
      const operations = waiting.size + (ofOperation === 0 ? 1 : 0)
      const position = Math.min(total, ofOperation * operations) + 1
      return permits.inUse === 0
        ? 0
        : Math.max(0, lastSlot - now) + Math.max(0, position - permits.inUse) * intervalOf(rate)
    },
    /** Milliseconds until the slot of the last waiting call. */
    delay: (now: number): number =>
      total === 0 ? 0 : Math.max(0, lastSlot - now) + Math.max(0, total - permits.inUse) * interval(),
    /** Counts a call as waiting until the returned function is called. */
    arrive: (operation: string): () => void => {
      let isWaiting = true
      count(operation, 1)
      return () => {
        if (isWaiting) count(operation, -1)
        isWaiting = false
      }
    },
    /** Runs an effect that takes a slot and waits for it, a few at a time. */
    run: permits.run,
    /** Records the time of a slot that was taken. */
    taken: (at: number): void => {
      lastSlot = Math.max(lastSlot, at)
    },
    /** Records that the last slot was given back. */
    givenBack: (): void => {
      lastSlot -= interval()
    }
  }
}

/** Why an attempt that has a permit is not sent yet. */
export type DelayCause = "rate" | "learned-rate" | "circuit"

/** An attempt that waits for admission. */
export interface Entry {
  readonly call: {
    /** The time of `Monotonic` at which its deadline passes. */
    readonly end: number
    /** True for a document, whose bytes take their time. */
    readonly transfers: boolean
  }
  /** Milliseconds of delay, by cause. */
  readonly delays: Partial<Record<DelayCause, number>>
}

/** One limiter for all calls of a client or of a tenant. */
export const make = Effect.fnUntraced(function*(
  clientPolicy: ResiliencePolicy,
  key: string,
  { learned, tenant }: {
    readonly tenant?: string
    /** The learned limits of a client. */
    readonly learned?: Learned | undefined
  } = {}
) {
  const slots = (yield* SharedRates)?.(key) ?? makeSlots()
  const permits = Number.isFinite(clientPolicy.concurrency)
    ? makeSharedPermits(clientPolicy.concurrency, learned?.limit)
    : undefined
  const queue = makeSlotQueue(() => Math.max(intervalOf(clientPolicy.rate), learned?.rate.interval() ?? 0))

  const refuse = (retryAfter: number) =>
    new RateLimited({
      description: `Nothing was sent: ${
        tenant === undefined ? "the client's own rate limit" : `the rate limit of the tenant ${tenant}`
      } has no free slot in time`,
      retryAfter: Duration.millis(retryAfter),
      ...defined({ tenant })
    })

  /** Waits for a slot of the configured rate and of the learned one. Fails if it would be too late for a response. */
  const untilSlot = Effect.fnUntraced(function*(
    { call, delays }: Entry,
    { rate, retryAfterCap }: ResiliencePolicy,
    learned: Learned | undefined
  ) {
    for (;;) {
      // A shared store falls back to a local one; if even that fails, the call proceeds.
      const configured = rate === undefined ? 0 : yield* Effect.orElseSucceed(slots(intervalOf(rate), 1), () => 0)
      const taken = yield* Monotonic.now
      const delay = Math.max(configured, learned?.rate.take(taken) ?? 0)
      queue.taken(taken + delay)
      // Timers are no finer.
      if (delay < 1) return
      const giveBack = Effect.suspend(() => {
        queue.givenBack()
        learned?.rate.giveBack(taken)
        return rate === undefined
          ? Effect.void
          : Effect.forkDetach(Effect.exit(slots(intervalOf(rate), -1)), { startImmediately: true })
      })
      if (delay > Math.min(call.end - taken, Duration.toMillis(retryAfterCap))) {
        yield* giveBack
        return yield* refuse(delay)
      }
      yield* Effect.onInterrupt(Effect.sleep(delay), () => giveBack)
      const now = yield* Monotonic.now
      const cause = delay > configured ? "learned-rate" : "rate"
      delays[cause] = (delays[cause] ?? 0) + now - taken
      // After a stall of the process the slot has expired: otherwise all slots taken in advance would be used at once, with the next ones.
      if (now - (taken + delay) <= aheadMillis) return
    }
  })

  /**
   * Runs an attempt when the limits of concurrency and rate admit it. Queues, of operations or tenants, are served in rotation.
   * If its slot would be after the deadline, it fails at once and uses no slot.
   */
  const admit = <A, E>(
    entry: Entry,
    callPolicy: ResiliencePolicy,
    queueName: string,
    attempt: Effect.Effect<A, E>
  ): Effect.Effect<A, E | RateLimited> => {
    const { end, transfers } = entry.call
    // The numbers are the client's, because all calls share them; a region can only switch them off.
    const rate = callPolicy.rate && clientPolicy.rate
    const policy = rate === callPolicy.rate ? callPolicy : { ...callPolicy, rate }
    const ofKind = policy.concurrency === Number.POSITIVE_INFINITY
      ? undefined
      : permits?.[transfers ? "transfers" : "calls"]
    if (ofKind === undefined && rate === undefined) return attempt
    const learns = ofKind === undefined || transfers ? undefined : learned
    let leaveQueue = constVoid
    const inSlot = Effect.suspend((): Effect.Effect<A, E | RateLimited> =>
      rate === undefined && (learns?.rate.interval() ?? 0) === 0
        ? attempt
        : Effect.flatMap(queue.run(queueName, untilSlot(entry, policy, learns)), () => {
          leaveQueue()
          return attempt
        })
    )
    const admitted = ofKind?.run(queueName, inSlot) ?? inSlot
    if (rate === undefined) return admitted
    return Effect.flatMap(Monotonic.now, (now) => {
      const earliest = queue.earliest(queueName, now, rate)
      if (earliest > Math.min(end - now, Duration.toMillis(policy.retryAfterCap))) return Effect.fail(refuse(earliest))
      leaveQueue = queue.arrive(queueName)
      return Effect.ensuring(admitted, Effect.sync(leaveQueue))
    })
  }

  return {
    admit,
    /** The calls that have a permit, and whether others wait for one. */
    load: () => ({
      inFlight: permits?.calls.inUse ?? 0,
      isWaiting: permits !== undefined && permits.calls.queues.size > 0
    }),
    /** Milliseconds until the slot of the last waiting attempt. */
    delay: queue.delay
  }
})
