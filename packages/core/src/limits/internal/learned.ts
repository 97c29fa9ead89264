/**
 * The number of attempts that a client has in flight, learned from the ends of its attempts: additive increase, multiplicative decrease.
 * Below one attempt it is a circuit breaker: the client pauses, and then probes.
 *
 * A service that queues instead of refusing shows its overload only by time. Attempts that give up leave their work in its queue,
 * and retries add to it, so that an outage outlasts its cause. A client that holds its calls back instead waits in its own queue,
 * where a call that is given up costs nothing.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import { type Failure, mayBeRepeated } from "../../errors/internal/failure.ts"
import type * as ClientState from "../../telemetry/ClientState.ts"
import type { BreakerState } from "../../telemetry/Events.ts"
import * as LearnedRate from "./learnedRate.ts"

/** The attempts of a client that begins: with ten, a hundred clients fill the queue of an overloaded service before its first sign. */
const first = 2

/** The sign of overload in a row from which on each cuts: chance alone gives three of them too rarely to hold a client down. */
const cuttingSign = 3

/** The first pause of a client that has one attempt in flight and gets further signs, and the longest. Each doubles the one before. */
const firstPause = 1000
const longestPause = 20_000

/** Responses that took longer do not let the number grow: they may have waited in a queue. */
const slow = 15_000

/** Silence of an attempt, when its deadline cuts it, that is a sign of overload: a shorter deadline is the caller's. */
const silent = 2000

/** The weight of the last response in the mean time of an operation. */
const weight = 0.2

/** Doublings of a pause, after which it is as long as it gets. */
const mostPauses = 5

/** Milliseconds for which the mean time of an operation counts, so that an old one ends no call. */
const keptMean = 60_000

/**
 * A 429 or 529 whose operation takes this many times as long as at best is one of a full queue, a sign of overload. Otherwise it is one of a limit of
 * rate. The best time, of so many milliseconds at least, is forgotten by this share with each response.
 */
const slowdown = 3
const leastBest = 50
const forgotten = 0.01

/** An operation with so many responses of 500 and no success for a while is down: repeats would add to its load and to the wait of callers. */
const failuresOfDown = 10

/** Upper limit of the operations with a mean: more than the contract has, with room for custom ones. */
const maxOperations = 256

/** Estimated milliseconds until the end of another call's probe. */
const probeTime = 1000

/** Milliseconds that a call has waited before it is ended for lack of time: a shorter one has the time that its caller gave it. */
const waited = 100

/** A call with its deadline, and the time of `Monotonic` at which that passes. */
export interface Timed {
  readonly deadline: Duration.Duration
  readonly end: number
  readonly plan: { readonly operation: string }
}

/** How an attempt ended, as far as the service shows in it. */
interface Ending {
  readonly response?: unknown
  readonly failure?: Failure | undefined
}

type Health = "works" | "fails" | "unclear"

/** The deadline passed in the client's own queue. */
const isUnsent = ({ _tag, outcome }: Failure): boolean => _tag === "DeadlineExceeded" && outcome === "refused"

/**
 * No connection, an unknown outcome, 503 and 529 are signs of a service in trouble. Any other response is deliberate, a refusal and
 * a document that is not ready included. A 429 is no evidence either way.
 */
const healthOf = ({ failure, response }: Ending): Health => {
  if (failure === undefined || failure.outcome === "pending") return "works"
  if (failure.status === 429 || isUnsent(failure)) return "unclear"
  if (mayBeRepeated(failure)) return "fails"
  return response === undefined ? "unclear" : "works"
}

/** Milliseconds for which the client itself waits without receiving anything. */
export const patienceOf = ({ attemptTimeout, bodyIdleTimeout }: ResiliencePolicy): number =>
  Math.min(Duration.toMillis(attemptTimeout), Duration.toMillis(bodyIdleTimeout))

/** The end of an attempt that was sent, with times of `Monotonic`. */
export interface End {
  readonly operation: string
  readonly ending: Ending
  readonly sent: number
  readonly now: number
  /** Milliseconds without any response before the end, and those after which the client itself gives up. */
  readonly silence: number
  readonly patience: number
  /** The attempts in flight with this one, and whether others wait. */
  readonly inFlight: number
  readonly isWaiting: boolean
}

/** A request that the service refuses as one of too many. Those of documents have a limit of their own. */
const isOfLimit = ({ failure, response }: Ending): boolean =>
  response !== undefined && (failure?._tag === "RateLimited" || failure?._tag === "Overloaded")

/** A response of one operation that fails says nothing about the others. */
const isSign = (ending: Ending): boolean =>
  isOfLimit(ending) || (ending.failure?.status !== 500 && healthOf(ending) === "fails")

const isTimeout = ({ _tag }: Failure): boolean => _tag === "AttemptTimeout" || _tag === "DeadlineExceeded"

/** Called with each new number, with the error that cut it, and with each new state of the circuit. */
export interface Shown {
  readonly limit: (limit: number) => void
  /** Called with each new rate, in requests a second. */
  readonly rate: (perSecond: number) => void
  readonly cut: (sign: string) => void
  readonly circuit: (from: BreakerState, to: BreakerState) => void
}

/**
 * Makes the number of one client, which the `ceiling` bounds. It doubles in each round until the first cut, and grows by one in each round
 * after it.
 */
export const make = (ceiling: number, show: Shown) => {
  let size = Math.min(first, ceiling)
  let signs = 0
  let pauses = 0
  let pausedUntil = 0
  let isOpen = false
  let probes = 0
  let lastCut = Number.NEGATIVE_INFINITY
  let shown = 0
  let shownRate: number | undefined
  let circuit: BreakerState = "Closed"
  const rate = LearnedRate.make()
  const means = new Map<string, { readonly millis: number; readonly best: number; readonly at: number }>()
  const failing = new Map<string, { readonly since: number; readonly last: number; readonly count: number }>()
  const limit = () => Math.max(1, Math.floor(size))
  const change = (to: number) => {
    size = to
    if (limit() !== shown) show.limit(shown = limit())
  }
  change(size)

  const showRate = (now: number) => {
    const perSecond = rate.perSecond(now)
    if (perSecond !== shownRate) show.rate(shownRate = perSecond)
  }
  showRate(0)

  const took = (operation: string, time: number, now: number) => {
    const before = means.get(operation)
    if (before === undefined && means.size >= maxOperations) {
      const [oldest = ""] = means.keys()
      means.delete(oldest)
    }
    const millis = before === undefined ? time : before.millis + (time - before.millis) * weight
    const best = before === undefined ? time : Math.min(millis, before.best * (1 + forgotten))
    means.set(operation, { millis, best, at: now })
  }

  /** The mean time of a response of an operation, and the best one; none if it is long ago. */
  const mean = (operation: string, now: number) => {
    const found = means.get(operation)
    return found === undefined || now - found.at > keptMean ? undefined : found
  }

  const failed = (operation: string, now: number) => {
    const before = failing.get(operation)
    if (before === undefined && failing.size >= maxOperations) return
    const { count, since } = before === undefined || now - before.last > keptMean ? { count: 0, since: now } : before
    failing.set(operation, { since, last: now, count: count + 1 })
  }

  const isSlow = (operation: string, now: number): boolean => {
    const { best = 0, millis = 0 } = mean(operation, now) ?? {}
    return millis > slowdown * Math.max(best, leastBest)
  }

  /** The circuit at a time, which is shown: after its pause an open one admits a probe. */
  const standing = (now: number): ClientState.Breaker => {
    const from = circuit
    circuit = isOpen ? now < pausedUntil ? "Open" : "HalfOpen" : "Closed"
    if (circuit !== from) show.circuit(from, circuit)
    return { state: circuit, retryAfter: Duration.millis(circuit === "Open" ? pausedUntil - now : 0) }
  }

  /** A pause that follows no other, which three failures by chance can cause, does not open the circuit. Successes make up for pauses. */
  const pauseUntil = (until: number, now: number) => {
    pausedUntil = until
    isOpen = pauses > 0
    pauses = Math.min(pauses + 1, mostPauses)
    standing(now)
  }

  return {
    limit,
    standing,
    /** The rate that 429 and 529 responses have taught. */
    rate,
    /** Milliseconds that a response to a call that has waited takes in the mean: with less time left it is not sent. */
    needed: ({ deadline, end, plan: { operation } }: Timed, now: number): number =>
      end - now < Duration.toMillis(deadline) - waited ? mean(operation, now)?.millis ?? 0 : 0,
    /** Learns from the end of an attempt. Returns whether it is a sign of overload. */
    ended: ({ ending, inFlight, isWaiting, now, operation, patience, sent, silence }: End): boolean => {
      const { failure } = ending
      if (failure?.status === 500) failed(operation, now)
      if (healthOf(ending) === "works") {
        failing.delete(operation)
        rate.accepted(sent, now)
        showRate(now)
      }
      // A document that is not ready says nothing about the service.
      if (failure?.outcome === "pending") return false
      const isCut = failure !== undefined && isTimeout(failure)
      // A short deadline is the caller's, unless the operation has become slow.
      const isEarly = isCut && silence < Math.min(silent, patience)
      const isKnown = isEarly
        ? now - sent > (mean(operation, now)?.millis ?? now)
        : isCut || healthOf(ending) === "works"
      if (isKnown) took(operation, now - sent, now)
      if (isEarly && !isSlow(operation, now)) return false
      if (failure !== undefined && isOfLimit(ending) && !isSlow(operation, now)) {
        const lesson = rate.refused(
          { sent, inFlight: inFlight - 1, hint: Duration.toMillis(failure.retryAfter ?? 0) },
          now
        )
        showRate(now)
        if (lesson === "measured") show.cut(failure._tag)
        if (lesson !== "outage") return false
      }
      if (isSign(ending)) {
        signs++
        if (signs < cuttingSign || sent < lastCut) return true
        const used = Math.min(size, inFlight)
        if (used <= 1) {
          const hint = Duration.toMillis(failure?.retryAfter ?? 0)
          pauseUntil(now + Math.min(longestPause, Math.max(hint, firstPause * 2 ** pauses)), now)
        }
        lastCut = now
        change(Math.max(1, used / 2))
        if (failure !== undefined) show.cut(failure._tag)
        return true
      }
      if (healthOf(ending) !== "works") return false
      signs = 0
      if (isOpen && now >= pausedUntil) {
        isOpen = false
        standing(now)
      }
      if (pauses > 0) pauses--
      else if (now - sent <= slow && (isWaiting || inFlight >= limit())) {
        change(Math.min(ceiling, size + (lastCut === Number.NEGATIVE_INFINITY ? 1 : 1 / size)))
      }
      return false
    },
    /** The milliseconds for which an operation has answered nothing but 500. */
    downFor: (operation: string, now: number): number => {
      const { count = 0, since = now } = failing.get(operation) ?? {}
      return count < failuresOfDown ? 0 : now - since
    },
    /** The time until which the client pauses, at most. */
    pausedUntil: (): number => pausedUntil,
    /** Ends the pause until a time, unless another has begun. */
    resume: (until: number): void => {
      if (pausedUntil === until) pausedUntil = 0
    },
    /** The time until which the circuit is open. */
    openUntil: (): number => isOpen ? pausedUntil : 0,
    /** Milliseconds until the next probe, for a call that does not wait for it. */
    refusal: (now: number): number | undefined => {
      if (!isOpen) return undefined
      if (now < pausedUntil) return pausedUntil - now
      return probes > 0 ? probeTime : undefined
    },
    /** Runs an attempt, which is a probe if the circuit is not closed. */
    probing: <A>(attempt: Effect.Effect<A>, now: number): Effect.Effect<A> => {
      if (!isOpen) return attempt
      standing(now)
      return Effect.acquireUseRelease(Effect.sync(() => probes++), () => attempt, () => Effect.sync(() => probes--))
    }
  }
}

/** The learned number of a client. */
export type Learned = ReturnType<typeof make>
