/** Keeps a client within limits of rate and concurrency: configured ones, and those that it learns. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Monotonic from "../../client/internal/monotonic.ts"
import type { RateLimit, ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import { defined } from "../../contract/internal/optional.ts"
import type { CallFailure } from "../../errors/CallError.ts"
import { RateLimited } from "../../errors/ServiceError.ts"
import type { AdaptiveConcurrency } from "./adaptiveConcurrency.ts"
import type { Ending } from "./ending.ts"
import * as Rates from "./rates.ts"
import { SharedLimits } from "./sharedLimits.ts"

/** Waits until the function that `register` receives is called, or fails. `register` returns a function that ends the registration. */
type Wait<E> = (register: (resume: () => void) => () => void) => Effect.Effect<void, E>

/**
 * Makes permits, as many as `limit` says. A free one is taken synchronously. The operations of the waiting calls take turns, so that many calls
 * of one operation do not delay those of the others. `released` is called when one is free again.
 */
const makePermits = (limit: () => number, released: () => void = () => {}) => {
  let inUse = 0
  let isServing = false
  /** The waiting calls by operation, with the operation whose turn is next at the start. */
  const waiting = new Map<string, Set<() => void>>()

  const arrive = (operation: string, enter: () => void): () => void => {
    const calls = waiting.get(operation) ?? new Set()
    waiting.set(operation, calls.add(enter))
    return () => {
      if (calls.delete(enter) && calls.size === 0) waiting.delete(operation)
    }
  }

  /** Removes the next call from the queue. */
  const next = (): (() => void) | undefined => {
    for (const [operation, calls] of waiting) {
      waiting.delete(operation)
      for (const enter of calls) {
        calls.delete(enter)
        if (calls.size > 0) waiting.set(operation, calls)
        return enter
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

  /** Runs an attempt with a permit. `wait` is used if none is free. */
  const run = <A, E, E2>(operation: string, wait: Wait<E2>, attempt: Effect.Effect<A, E>): Effect.Effect<A, E | E2> =>
    Effect.suspend(() => {
      let isIn = false
      const entering = Effect.suspend(() => {
        if (inUse < limit() && waiting.size === 0) {
          inUse++
          isIn = true
          return attempt
        }
        const waited = wait((resume) =>
          arrive(operation, () => {
            isIn = true
            resume()
          })
        )
        return Effect.andThen(waited, attempt)
      })
      // Surrounds the entry, as an interruption can follow any step.
      return Effect.onExit(entering, () => {
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

const untilCalled: Wait<never> = (register) =>
  Effect.callback((resume) => {
    const end = register(() => resume(Effect.void))
    return Effect.sync(end)
  })

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
        untilCalled,
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

const refuse = (tenant: string | undefined, retryAfter: Duration.Duration): Ending => ({
  failure: new RateLimited({
    description: `Nothing was sent, as ${
      tenant === undefined ? "the client's own limiter" : `the limiter of the tenant ${tenant}`
    } has no turn in time`,
    retryAfter,
    ...defined({ tenant })
  })
})

/** The options of an attempt; `remaining` is the time to the deadline in milliseconds. */
export interface Options {
  readonly policy: ResiliencePolicy
  /** The operation, or the tenant: the queues of both are served in fair order. */
  readonly operation: string
  readonly remaining: number
  /** Milliseconds that a response takes: a call with less time left after its turn has none. */
  readonly needed: () => number
  /** Ends an effect when the deadline passes. */
  readonly inTime: (effect: Effect.Effect<Ending>) => Effect.Effect<Ending>
  /** Waits until the deadline for a permit. */
  readonly wait: Wait<CallFailure>
  /** True for a document, whose bytes take their time. */
  readonly transfers: boolean
  /** Pauses before an attempt that has its permit, and before its turn. */
  readonly pause: (attempt: Effect.Effect<Ending>) => Effect.Effect<Ending>
}

/** One limiter for all calls of a client or of a tenant. */
export const make = Effect.fnUntraced(function*(
  clientPolicy: ResiliencePolicy,
  key: string,
  { learned, tenant }: {
    readonly tenant?: string
    /** The learned number of attempts in flight; that of the policy without one. */
    readonly learned?: AdaptiveConcurrency | undefined
  } = {}
) {
  const rates = (yield* SharedLimits)?.rates(key) ?? Rates.make()
  const permits = Number.isFinite(clientPolicy.concurrency)
    ? makeSharedPermits(clientPolicy.concurrency, learned?.limit)
    : undefined
  const rateOf = learned?.rate
  const queue = makeQueue(() => Math.max(intervalOf(clientPolicy.rate), rateOf?.interval() ?? 0))
  /** Attempts that have a permit and no turn yet. */
  let early = 0

  /**
   * Takes a turn, or with -1 gives one back. One per interval: a whole window's requests at once would exceed the service's window. The
   * stores fall back to local ones; if even that fails, the call proceeds.
   */
  const take = ({ rate }: ResiliencePolicy, turns: 1 | -1): Effect.Effect<number> =>
    Effect.map(
      Effect.all([
        rate === undefined ? Effect.succeed(0) : Effect.orElseSucceed(rates(intervalOf(rate), turns), () => 0),
        Monotonic.now
      ]),
      ([own, now]) => Math.max(own, rateOf?.take(turns, now) ?? 0)
    )

  /** Gives back an unused turn in the background. */
  const giveBack = (policy: ResiliencePolicy) =>
    Effect.suspend(() => {
      queue.back()
      return Effect.forkDetach(take(policy, -1), { startImmediately: true })
    })

  /** Waits for the turn of a call that arrived at a given time. Returns a refusal if the turn would be after the deadline. */
  const turnOf = Effect.fnUntraced(function*(
    { needed, policy, remaining }: Pick<Options, "needed" | "policy" | "remaining">,
    arrived: number
  ) {
    for (;;) {
      const delay = yield* take(policy, 1)
      const taken = yield* Monotonic.now
      queue.comes(taken + delay)
      if (delay > Math.min(remaining - (taken - arrived) - needed(), Duration.toMillis(policy.retryAfterCap))) {
        yield* giveBack(policy)
        return refuse(tenant, Duration.millis(delay))
      }
      // Timers are no finer.
      if (delay < 1) return undefined
      yield* Effect.onInterrupt(Effect.sleep(delay), () => giveBack(policy))
      // After a stall of the process the turn has expired: otherwise all held turns would be used at once, with the next ones.
      if ((yield* Monotonic.now) - (taken + delay) <= ahead) return undefined
    }
  })

  /** Runs an attempt at its turn. */
  const limited = Effect.fnUntraced(function*(
    { needed, operation, policy, remaining }: Options,
    inPlace: (effect: Effect.Effect<Ending>) => Effect.Effect<Ending>,
    attempt: Effect.Effect<Ending>
  ): Effect.fn.Return<Ending> {
    const arrived = yield* Monotonic.now
    const earliest = queue.earliest(operation, arrived, policy.rate)
    if (earliest > Math.min(remaining, Duration.toMillis(policy.retryAfterCap))) {
      return refuse(tenant, Duration.millis(earliest))
    }
    const leave = queue.arrive(operation)
    const inTurn = Effect.gen(function*() {
      const turn = queue.hold(operation, turnOf({ needed, policy, remaining }, arrived))
      const refusal = yield* Effect.acquireUseRelease(
        Effect.sync(() => early++),
        () => turn,
        () => Effect.sync(() => early--)
      )
      leave()
      return refusal ?? (yield* attempt)
    })
    return yield* Effect.ensuring(inPlace(inTurn), Effect.sync(leave))
  })

  /**
   * Runs an attempt when the limits of concurrency and rate admit it. If its turn would be after the deadline, it fails at once
   * and uses no turn.
   */
  const inTurn = (options: Options, attempt: Effect.Effect<Ending>): Effect.Effect<Ending> => {
    const { inTime, operation, pause, transfers, wait } = options
    // The numbers are the client's, as all calls share them; a region can only switch them off.
    const policy = options.policy.rate === undefined ? options.policy : { ...options.policy, rate: clientPolicy.rate }
    const inPlace = permits === undefined || policy.concurrency === Number.POSITIVE_INFINITY
      ? identity
      : (effect: Effect.Effect<Ending>): Effect.Effect<Ending> =>
        Effect.catch(
          permits[transfers ? "transfers" : "calls"].run(operation, wait, pause(effect)),
          (failure) => Effect.succeed<Ending>({ failure })
        )
    const isLearned = rateOf !== undefined && rateOf.interval() > 0 && policy.concurrency !== Number.POSITIVE_INFINITY
    return policy.rate !== undefined || isLearned
      ? inTime(limited({ ...options, policy }, inPlace, attempt))
      : inPlace(attempt)
  }

  return {
    inTurn,
    /** The calls in flight, and whether others wait for them. */
    load: () => ({ inFlight: (permits?.calls.inUse() ?? 0) - early, isWaiting: permits?.calls.isWaiting() ?? false }),
    /** Milliseconds until the last of the waiting attempts has its turn. */
    delay: queue.delay
  }
})
