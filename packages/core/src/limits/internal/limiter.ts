/** Keeps a client within limits of rate and concurrency: configured ones, and those that it learns. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import type { RateLimit, ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import { Cell } from "../../contract/internal/cell.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { defined } from "../../contract/internal/optional.ts"
import { RateLimited } from "../../errors/ServiceError.ts"
import type { Learned, Timed } from "./learned.ts"
import type { LearnedRate } from "./learnedRate.ts"
import { makeSlots, SharedRates } from "./sharedRates.ts"

/**
 * Makes permits, as many as `limit` says. A free one is taken synchronously. The operations of the waiting calls take turns, so that many calls
 * of one operation do not delay those of the others. `released` is called when one is free again.
 */
const makePermits = (limit: () => number, released: () => void = constVoid) => {
  let inUse = 0
  let isServing = false
  /** The waiting calls by operation, with the operation whose turn is next at the start. */
  const waiting = new Map<string, Set<Cell<() => void>>>()

  const arrive = (operation: string, enter: () => void): () => void => {
    const call = new Cell(enter)
    const calls = waiting.get(operation) ?? new Set()
    waiting.set(operation, calls.add(call))
    return () => {
      call.empty()
      if (calls.delete(call) && calls.size === 0) waiting.delete(operation)
    }
  }

  /** Removes the next call from the queue. */
  const next = (): (() => void) | undefined => {
    for (const [operation, calls] of waiting) {
      waiting.delete(operation)
      for (const call of calls) {
        calls.delete(call)
        if (calls.size > 0) waiting.set(operation, calls)
        return call.content
      }
    }
    return undefined
  }

  /** Admits waiting calls while permits are free. */
  const serve = (): void => {
    // A call that enters may leave at once. The loop serves the next one without recursion.
    if (isServing) return
    isServing = true
    while (inUse < limit()) {
      const enter = next()
      if (enter === undefined) break
      inUse++
      enter()
    }
    isServing = false
  }

  /** Runs an attempt with a permit, for which it waits if none is free. */
  const run = <A, E>(operation: string, attempt: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      let isIn = false
      let resume = constVoid
      let leave = constVoid
      const entering = Effect.suspend(() => {
        if (inUse < limit() && waiting.size === 0) {
          inUse++
          isIn = true
          return attempt
        }
        // It waits from this step on: the last permit can be released before the next one.
        leave = arrive(operation, () => {
          isIn = true
          resume()
        })
        serve()
        const untilIn = Effect.callback<void>((resumed) => {
          if (isIn) resumed(Effect.void)
          else resume = () => resumed(Effect.void)
        })
        return isIn ? attempt : Effect.andThen(untilIn, attempt)
      })
      // Surrounds the entry, as an interruption can follow any step.
      return Effect.onExit(entering, () => {
        leave()
        if (!isIn) return Effect.void
        inUse--
        // Calls and transfers follow each other.
        released()
        serve()
        return Effect.void
      })
    })
  return { run, serve, inUse: () => inUse, isWaiting: () => waiting.size > 0 }
}

/**
 * Permits for calls and for transfers of documents, together as many as the policy has. Those of calls are as many as are learned: a transfer
 * takes minutes, so that neither waits for the other.
 */
const makeSharedPermits = (ceiling: number, learned: () => number = () => ceiling) => {
  const transfers = makePermits(() => ceiling - calls.inUse(), () => calls.serve())
  const calls: ReturnType<typeof makePermits> = makePermits(
    () => Math.min(learned(), ceiling - transfers.inUse()),
    transfers.serve
  )
  return { calls, transfers }
}

const intervalOf = (rate: RateLimit | undefined): number =>
  rate === undefined ? 0 : Duration.toMillis(rate.window) / rate.requests

/**
 * Milliseconds for which turns are taken in advance, in addition to the next one. It has to cover the round trip to a shared store.
 */
const ahead = 50

/**
 * The number of calls that may hold a turn in advance. It is small, because a held turn precedes all later ones, and is lost
 * when the process stalls.
 */
const heldTurns = (interval: number): number => 1 + Math.round(ahead / Math.max(1, interval))

/**
 * The queue before the turns: the waiting calls by operation. Operations are served in fair order, which determines the
 * earliest turn of a new call.
 */
const makeQueue = (interval: () => number) => {
  const turns = makePermits(() => heldTurns(interval()))
  const waiting = new Map<string, number>()
  let total = 0
  let held = 0
  let lastTurn = 0
  const count = (operation: string, by: number): void => {
    total += by
    const left = (waiting.get(operation) ?? 0) + by
    if (left === 0) waiting.delete(operation)
    else waiting.set(operation, left)
  }
  return {
    /** Milliseconds until the turn of a call that arrives now, at least, by the limit of a policy. */
    earliest: (operation: string, at: number, rate: RateLimit | undefined): number => {
      const own = waiting.get(operation) ?? 0
      const operations = waiting.size + (own === 0 ? 1 : 0)
      const position = Math.min(total, own * operations) + 1
      return held === 0 ? 0 : Math.max(0, lastTurn - at) + Math.max(0, position - held) * intervalOf(rate)
    },
    /** Milliseconds until the last of the waiting calls has its turn. */
    delay: (at: number): number =>
      total === 0 ? 0 : Math.max(0, lastTurn - at) + Math.max(0, total - held) * interval(),
    /** Counts a call as waiting until the returned function is called. */
    arrive: (operation: string): () => void => {
      let isWaiting = true
      count(operation, 1)
      return () => {
        if (isWaiting) count(operation, -1)
        isWaiting = false
      }
    },
    /** Runs an effect that takes a turn and waits for it, a few at a time. */
    hold: <A, E>(operation: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      turns.run(
        operation,
        Effect.acquireUseRelease(Effect.sync(() => held++), () => effect, () => Effect.sync(() => held--))
      ),
    /** Records the time of a held turn. */
    comes: (at: number): void => {
      lastTurn = Math.max(lastTurn, at)
    },
    /** Records that the last turn was given back. */
    back: (): void => {
      lastTurn -= interval()
    }
  }
}

/** What holds an attempt back that may be in flight. */
export type Held = "rate" | "learned-rate" | "circuit"

/** An attempt that asks for admission. */
export interface Entry {
  readonly call: Timed & {
    /** True for a document, whose bytes take their time. */
    readonly transfers: boolean
  }
  /** The milliseconds that it has waited for its slots, by their cause. */
  readonly held: Partial<Record<Held, number>>
}

/** The end of an attempt that gave its permit back, as fewer attempts may be in flight than when it had it. */
const crowded = Symbol("crowded")

/** One limiter for all calls of a client or of a tenant. */
export const make = Effect.fnUntraced(function*(
  clientPolicy: ResiliencePolicy,
  key: string,
  { learned, tenant }: {
    readonly tenant?: string
    /** The learned number of attempts in flight; that of the policy without one. */
    readonly learned?: Learned | undefined
  } = {}
) {
  const slots = (yield* SharedRates)?.(key) ?? makeSlots()
  const permits = Number.isFinite(clientPolicy.concurrency)
    ? makeSharedPermits(clientPolicy.concurrency, learned?.limit)
    : undefined
  const queue = makeQueue(() => Math.max(intervalOf(clientPolicy.rate), learned?.rate.interval() ?? 0))
  /** Attempts that have a permit of calls and no turn yet. */
  let early = 0

  /**
   * Takes a turn of the policy, and of the learned rate. One per interval: a whole window's requests at once would exceed the service's window.
   * A shared store falls back to a local one; if even that fails, the call proceeds.
   */
  const take = ({ rate }: ResiliencePolicy, learnedRate: LearnedRate | undefined) =>
    Effect.map(
      Effect.all([
        rate === undefined ? Effect.succeed(0) : Effect.orElseSucceed(slots(intervalOf(rate), 1), () => 0),
        Monotonic.now
      ]),
      ([own, now]) => {
        const other = learnedRate?.take(now) ?? 0
        return other > own ? { delay: other, cause: "learned-rate" as const } : { delay: own, cause: "rate" as const }
      }
    )

  /** True if a limit of rate was learned. */
  const isLimited = () => learned !== undefined && learned.rate.interval() > 0

  /** Gives back an unused turn in the background. */
  const giveBack = ({ rate }: ResiliencePolicy, learnedRate: LearnedRate | undefined, taken: number) =>
    Effect.suspend(() => {
      queue.back()
      learnedRate?.giveBack(taken)
      return rate === undefined
        ? Effect.void
        : Effect.forkDetach(Effect.exit(slots(intervalOf(rate), -1)), { startImmediately: true })
    })

  const refuse = (retryAfter: number) =>
    new RateLimited({
      description: `Nothing was sent, as ${
        tenant === undefined ? "the client's own limiter" : `the limiter of the tenant ${tenant}`
      } has no turn in time`,
      retryAfter: Duration.millis(retryAfter),
      ...defined({ tenant })
    })

  /** Waits for a turn. Fails if it would be too late for a response. */
  const turnOf = Effect.fnUntraced(function*(
    { call, held }: Entry,
    policy: ResiliencePolicy,
    learned: Learned | undefined
  ) {
    for (;;) {
      const { cause, delay } = yield* take(policy, learned?.rate)
      const taken = yield* Monotonic.now
      queue.comes(taken + delay)
      // Timers are no finer.
      if (delay < 1) return
      const left = call.end - taken - (learned?.needed(call, taken) ?? 0)
      if (delay > Math.min(left, Duration.toMillis(policy.retryAfterCap))) {
        yield* giveBack(policy, learned?.rate, taken)
        return yield* refuse(delay)
      }
      yield* Effect.onInterrupt(Effect.sleep(delay), () => giveBack(policy, learned?.rate, taken))
      const now = yield* Monotonic.now
      held[cause] = (held[cause] ?? 0) + now - taken
      // After a stall of the process the turn has expired: otherwise all held turns would be used at once, with the next ones.
      if (now - (taken + delay) <= ahead) return
    }
  })

  /**
   * Runs an attempt when the limits of concurrency and rate admit it. Queues, of operations or tenants, take turns.
   * If its turn would be after the deadline, it fails at once and uses no turn.
   */
  const admit = <A, E>(
    entry: Entry,
    given: ResiliencePolicy,
    queued: string,
    attempt: Effect.Effect<A, E>
  ): Effect.Effect<A, E | RateLimited> => {
    const { end, transfers } = entry.call
    // The numbers are the client's, as all calls share them; a region can only switch them off.
    const { rate } = given.rate === undefined ? given : clientPolicy
    const policy = rate === given.rate ? given : { ...given, rate }
    const own = policy.concurrency === Number.POSITIVE_INFINITY
      ? undefined
      : permits?.[transfers ? "transfers" : "calls"]
    if (own === undefined && rate === undefined) return attempt
    const learns = own === undefined || transfers ? undefined : learned

    /** Waits for a turn, and sends the attempt unless fewer may be in flight by then. */
    const sendInTurn = () =>
      Effect.gen(function*() {
        const waiting = queue.hold(queued, turnOf(entry, policy, learns))
        yield* learns === undefined
          ? waiting
          : Effect.acquireUseRelease(Effect.sync(() => early++), () => waiting, () => Effect.sync(() => early--))
        if (own === undefined || learns === undefined || own.inUse() <= learns.limit()) return yield* attempt
        yield* giveBack(policy, learns.rate, yield* Monotonic.now)
        return crowded
      })
    const admitted = Effect.suspend((): Effect.Effect<A | typeof crowded, E | RateLimited> =>
      rate !== undefined || (learns !== undefined && isLimited()) ? sendInTurn() : attempt
    )
    const placed: Effect.Effect<A, E | RateLimited> = Effect.flatMap(
      own === undefined ? admitted : own.run(queued, admitted),
      (result) => result === crowded ? placed : Effect.succeed(result)
    )
    if (rate === undefined) return placed
    return Effect.flatMap(Monotonic.now, (now) => {
      const earliest = queue.earliest(queued, now, rate)
      return earliest > Math.min(end - now, Duration.toMillis(policy.retryAfterCap))
        ? Effect.fail(refuse(earliest))
        : Effect.ensuring(placed, Effect.sync(queue.arrive(queued)))
    })
  }

  return {
    admit,
    /** The calls in flight, and whether others wait for them. */
    load: () => ({
      inFlight: (permits?.calls.inUse() ?? 0) - early,
      isWaiting: early === 0 && (permits?.calls.isWaiting() ?? false)
    }),
    /** Milliseconds until the last of the waiting attempts has its turn. */
    delay: queue.delay
  }
})
