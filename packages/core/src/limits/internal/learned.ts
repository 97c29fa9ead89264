/**
 * The concurrency limit of a client, learned from the ends of its attempts: additive increase, multiplicative decrease. At a limit of one it is a
 * circuit breaker: the client pauses.
 *
 * A service that queues instead of refusing shows its overload only by time. Attempts that are given up leave their work in the service's
 * queue, and retries add to it, so that an outage outlasts its cause. A call that is given up in the client's queue costs nothing.
 *
 * Each setting names what it is needed for: an outage, a slow service with a queue, a rate limit, or failures by chance.
 */
import * as Duration from "effect/Duration"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import { type Failure, mayBeRepeated } from "../../errors/internal/failure.ts"
import type * as ClientState from "../../telemetry/ClientState.ts"
import type { BreakerState } from "../../telemetry/Events.ts"
import * as LearnedRate from "./learnedRate.ts"

/** The limit of a new client. A hundred clients that begin with ten fill the queue of a slow service before its first sign. */
const initialLimit = 2

/** Consecutive signs of overload from which on each cuts the limit. Failures by chance rarely give three in a row. */
const signsBeforeCut = 3

/** The pause of a client at a limit of one, which each further sign doubles: fewer requests during an outage. */
const firstPauseMillis = 1000
const longestPauseMillis = 20_000
const maxPauseDoublings = 5

/** Slower responses do not raise the limit: they may have waited in the queue of a slow service. */
const slowResponseMillis = 15_000

/** Silence after which an attempt that its deadline cuts is a sign: callers with less time than a slow service takes. */
const silentMillis = 2000

/**
 * The weight of the last response in an operation's mean time, by which a slow service gets no call that would come too late. A mean is forgotten
 * after a minute without a response, so that it does not outlast an outage while other operations are in flight.
 */
const meanWeight = 0.2
const meanKeptMillis = 60_000

/**
 * An operation whose mean time is this many times its best one is slow: its 429 and 529 responses come from a full queue and not from a rate
 * limit. The best time is at least some milliseconds, and rises by a share with each response, so that it is forgotten.
 */
const slowdown = 3
const leastBestMillis = 50
const bestTimeGrowth = 0.01

/** The most operations with times: more than the contract has, with room for custom ones. */
const maxOperations = 256

/** How an attempt ended, as far as it says something about the service. */
interface Ending {
  readonly response?: unknown
  readonly failure?: Failure | undefined
}

type Health = "works" | "refuses" | "fails" | "unclear"

/** The deadline passed in the client's queue. */
const isUnsent = ({ _tag, outcome }: Failure): boolean => _tag === "DeadlineExceeded" && outcome === "refused"

/**
 * 429 and 529 refuse one request of too many; documents have a limit of their own. No connection, an unknown outcome and 503 are signs of a service
 * in trouble. Any other response is deliberate, including documents that are not ready.
 */
const healthOf = ({ failure, response }: Ending): Health => {
  if (failure === undefined || failure.outcome === "pending") return "works"
  if (response !== undefined && (failure._tag === "RateLimited" || failure._tag === "Overloaded")) return "refuses"
  if (failure.status === 429 || isUnsent(failure)) return "unclear"
  if (mayBeRepeated(failure)) return "fails"
  return response === undefined ? "unclear" : "works"
}

/** The end of an attempt that was sent, with times of `Monotonic`. */
export interface End {
  readonly operation: string
  readonly ending: Ending
  readonly sent: number
  readonly now: number
  /** Milliseconds without any response before the end. */
  readonly silence: number
  /** The policy of the client, with the milliseconds after which it gives up. */
  readonly policy: ResiliencePolicy
  /** The attempts that have a permit, and whether others wait for one. */
  readonly inFlight: number
  readonly isWaiting: boolean
}

const isTimeout = ({ _tag }: Failure): boolean => _tag === "AttemptTimeout" || _tag === "DeadlineExceeded"

/** Receives each new limit and rate, the error that cut the limit, and each change of the circuit. */
export interface Gauges {
  readonly limit: (limit: number) => void
  readonly rate: (perSecond: number) => void
  readonly cut: (sign: string) => void
  readonly circuit: (from: BreakerState, to: BreakerState) => void
}

/** Makes the limit of one client, at most `ceiling`. It doubles in each round until the first cut, and then grows by one in each round. */
export const make = (ceiling: number, gauges: Gauges) => {
  let size = Math.min(initialLimit, ceiling)
  let shown = 0
  let lastCut = Number.NEGATIVE_INFINITY
  let signs = 0
  let pauses = 0
  let pausedUntil = 0
  let isOpen = false
  let circuit: BreakerState = "Closed"
  let shownRate: number | undefined
  const rate = LearnedRate.make()
  const times = new Map<string, { readonly mean: number; readonly best: number; readonly at: number }>()

  const limit = () => Math.max(1, Math.floor(size))
  const resize = (to: number) => {
    size = to
    if (limit() !== shown) gauges.limit(shown = limit())
  }
  resize(size)

  const showRate = (now: number) => {
    const perSecond = rate.perSecond(now)
    if (perSecond !== shownRate) gauges.rate(shownRate = perSecond)
  }
  showRate(0)

  const recordTime = (operation: string, millis: number, now: number) => {
    const before = times.get(operation)
    if (before === undefined && times.size >= maxOperations) {
      const [oldest = ""] = times.keys()
      times.delete(oldest)
    }
    const mean = before === undefined ? millis : before.mean + (millis - before.mean) * meanWeight
    times.set(operation, { mean, best: Math.min(mean, (before?.best ?? mean) * (1 + bestTimeGrowth)), at: now })
  }

  const timeOf = (operation: string, now: number) => {
    const time = times.get(operation)
    return time === undefined || now - time.at > meanKeptMillis ? undefined : time
  }

  const isSlow = (operation: string, now: number): boolean => {
    const { best = 0, mean = 0 } = timeOf(operation, now) ?? {}
    return mean > slowdown * Math.max(best, leastBestMillis)
  }

  /** The circuit at a time. After its pause an open circuit is half open: the attempt at a limit of one is the probe. */
  const circuitAt = (now: number): ClientState.Breaker => {
    const from = circuit
    circuit = isOpen ? now < pausedUntil ? "Open" : "HalfOpen" : "Closed"
    if (circuit !== from) gauges.circuit(from, circuit)
    return { state: circuit, retryAfter: Duration.millis(circuit === "Open" ? pausedUntil - now : 0) }
  }

  /**
   * Halves the limit from what is in flight, and pauses if that is one attempt. A first pause, which failures by chance can cause, does not
   * open the circuit.
   */
  const cut = (failure: Failure | undefined, inFlight: number, now: number) => {
    const used = Math.min(size, inFlight)
    if (used <= 1) {
      const hint = Duration.toMillis(failure?.retryAfter ?? 0)
      pausedUntil = now + Math.min(longestPauseMillis, Math.max(hint, firstPauseMillis * 2 ** pauses))
      isOpen = pauses > 0
      pauses = Math.min(pauses + 1, maxPauseDoublings)
      circuitAt(now)
    }
    lastCut = now
    resize(Math.max(1, used / 2))
    if (failure !== undefined) gauges.cut(failure._tag)
  }

  /** A success ends a row of signs, closes the circuit, makes up for one pause, and raises a limit that is in use. */
  const succeed = ({ inFlight, isWaiting, now, sent }: End) => {
    signs = 0
    if (isOpen && now >= pausedUntil) {
      isOpen = false
      circuitAt(now)
    }
    if (pauses > 0) pauses--
    else if (now - sent <= slowResponseMillis && (isWaiting || inFlight >= limit())) {
      resize(Math.min(ceiling, size + (lastCut === Number.NEGATIVE_INFINITY ? 1 : 1 / size)))
    }
  }

  return {
    limit,
    circuitAt,
    /** The rate that 429 and 529 responses have taught. */
    rate,
    /** Milliseconds that a response of an operation takes in the mean: a call with less time left is not sent. */
    meanTime: (operation: string, now: number): number => timeOf(operation, now)?.mean ?? 0,
    /** Learns from the end of an attempt. Returns whether it is a sign of overload. */
    ended: (end: End): boolean => {
      const { ending, inFlight, now, operation, policy: { attemptTimeout, bodyIdleTimeout }, sent, silence } = end
      const { failure } = ending
      const health = healthOf(ending)
      if (health === "works") {
        rate.accepted(sent, now)
        if (shownRate !== Number.POSITIVE_INFINITY) showRate(now)
      }
      // A document that is not ready says nothing about the service.
      if (failure?.outcome === "pending") return false
      const isCut = failure !== undefined && isTimeout(failure)
      const patience = Math.min(silentMillis, Duration.toMillis(attemptTimeout), Duration.toMillis(bodyIdleTimeout))
      // A short deadline is the caller's, unless the operation has become slow.
      const isEarly = isCut && silence < patience
      if (isEarly ? now - sent > (timeOf(operation, now)?.mean ?? now) : isCut || health === "works") {
        recordTime(operation, now - sent, now)
      }
      if (isEarly && !isSlow(operation, now)) return false
      if (failure !== undefined && health === "refuses" && !isSlow(operation, now)) {
        const lesson = rate.refused({ sent, inFlight: inFlight - 1 }, now)
        showRate(now)
        if (lesson === "measured") gauges.cut(failure._tag)
        if (lesson !== "outage") return false
      }
      // Responses of 500 concern one operation and say nothing about the others.
      if (health === "refuses" || (health === "fails" && failure?.status !== 500)) {
        signs++
        // Attempts that were sent before the last cut are signs of the same overload.
        if (signs >= signsBeforeCut && sent >= lastCut) cut(failure, inFlight, now)
        return true
      }
      if (health === "works") succeed(end)
      return false
    },
    /** The time until which the client pauses. */
    pausedUntil: (): number => pausedUntil,
    /** Ends the pause until a time, unless another has begun. */
    resume: (until: number): void => {
      if (pausedUntil === until) pausedUntil = 0
    }
  }
}

/** The learned limits of a client. */
export type Learned = ReturnType<typeof make>
