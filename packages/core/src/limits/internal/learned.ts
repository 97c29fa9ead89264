/**
 * An adaptive concurrency limit that doubles as the circuit breaker: additive increase, multiplicative decrease, pauses at a limit of one.
 *
 * A service that queues shows overload only by slow responses. Abandoned attempts and their retries fill the service's queue, so an outage outlasts
 * its cause. Waiting in the client's queue costs the service nothing.
 */
import * as Duration from "effect/Duration"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import { type Failure, mayBeRepeated } from "../../errors/internal/failure.ts"
import type { ClientState } from "../../telemetry/ClientState.ts"
import type { BreakerState } from "../../telemetry/internal/stateParts.ts"
import * as LearnedRate from "./learnedRate.ts"

// A note such as "(lab.q3-300)" names a scenario of `tools/lab` that requires the setting.

/** The concurrency limit of a new client (lab.q3-300). */
const initialLimit = 2

/**
 * Number of consecutive signs of overload, such as failed attempts, that cut the limit: random failures are rarely consecutive (lab.flaky-1). An
 * attempt without a response can count as three signs (lab.ps3-100-d15, lab.hang3-1). If fast responses and failures alternate, a cut takes more
 * signs (lab.half503-1-always).
 */
const signsBeforeCut = 3

/** The first pause of the client. Each cut at a limit of one doubles the next pause (lab.out5). */
export const firstPauseMillis = 1000
const longestPauseMillis = 20_000

/** If a deadline ended the attempt, the pause is at least this share of the attempt's duration (lab.q3-300-d15). */
const pauseShare = 0.75

/** Slower responses do not raise the limit, because the service may have queued the request (lab.q10-100). */
const slowResponseMillis = 15_000

/** A timeout after this many milliseconds without a response is a sign of overload, even if the deadline was short (lab.q1-1-d5-hot). */
const silentMillis = 2000

/** Weight of the last response in an operation's mean response time (lab.q10-100). */
const meanWeight = 0.2

/** Older mean response times are ignored, so that an operation is tried again after its outage (lab.one-op). */
const meanKeptMillis = 60_000

/**
 * An operation is slow if its mean response time exceeds three times its best time. A full queue, not a rate limit, then causes its 429 and 529
 * responses (lab.b429).
 */
const slowdown = 3
const minBestMillis = 50
/** The best time grows by 1 % with each response, to follow lasting changes. */
const bestTimeGrowth = 0.01

interface Ending {
  readonly response?: { readonly status: number } | undefined
  readonly failure?: Failure | undefined
}

type Health = "works" | "refuses" | "fails" | "unclear"

/** The service's health after an attempt. */
const healthOf = ({ failure, response }: Ending): Health => {
  if (failure === undefined || failure.outcome === "pending") return "works"
  const { _tag, outcome } = failure
  if (response !== undefined && (_tag === "RateLimited" || _tag === "Overloaded")) return "refuses"
  if (_tag === "DeadlineExceeded" && outcome === "refused") return "unclear"
  if (mayBeRepeated(failure)) return "fails"
  return response === undefined ? "unclear" : "works"
}

/** A finished attempt. `sent` and `now` are in milliseconds of `Monotonic`. */
export interface End {
  readonly operation: string
  readonly ending: Ending
  readonly sent: number
  readonly now: number
  /** Milliseconds since the request's last bytes were sent. */
  readonly silence: number
  readonly policy: Pick<ResiliencePolicy, "attemptTimeout" | "bodyIdleTimeout">
  /** Number of permits in use, including the attempt's permit. */
  readonly permits: number
  readonly isWaiting: boolean
}

/** Receives each change of the limits. `cut` receives the error's tag. */
interface Gauges {
  readonly limit: (limit: number) => void
  readonly rate: (perSecond: number) => void
  readonly cut: (sign: string) => void
  readonly circuit: (from: BreakerState, to: BreakerState) => void
}

/** Makes a client's limit. Each round of responses doubles the limit until the first cut, and adds one afterwards. */
export const make = (ceiling: number, gauges: Gauges) => {
  let size = Math.min(initialLimit, ceiling)
  let shownLimit = 0
  let shownRate: number | undefined
  let lastCut = Number.NEGATIVE_INFINITY
  let signs = 0
  let signsPerSuccess = 0
  /** Milliseconds that timed-out attempts have waited since the last response. */
  let silentFor = 0
  /** When the last timed-out attempt ended. */
  let silentUntil = Number.NEGATIVE_INFINITY
  let succeededAt = Number.NEGATIVE_INFINITY
  let pause = 0
  let pausedUntil = 0
  let isOpen = false
  let circuit: BreakerState = "Closed"
  const rate = LearnedRate.make()
  const times = new Map<string, { readonly mean: number; readonly best: number | undefined; readonly at: number }>()

  const limit = () => Math.max(1, Math.floor(size))
  const resize = (to: number) => {
    size = to
    if (limit() !== shownLimit) gauges.limit(shownLimit = limit())
  }
  const showRate = (now: number) => {
    const perSecond = rate.perSecond(now)
    if (perSecond !== shownRate) gauges.rate(shownRate = perSecond)
  }
  resize(size)
  showRate(0)

  const recordTime = (operation: string, millis: number, now: number, isResponse: boolean) => {
    const before = times.get(operation)
    const mean = before === undefined ? millis : before.mean + (millis - before.mean) * meanWeight
    const best = isResponse ? Math.min(mean, (before?.best ?? mean) * (1 + bestTimeGrowth)) : before?.best
    times.set(operation, { mean, best, at: now })
  }

  const timesOf = (operation: string, now: number) => {
    const time = times.get(operation)
    return time === undefined || now - time.at > meanKeptMillis ? undefined : time
  }

  const isSlow = (operation: string, now: number): boolean => {
    const { mean = 0, best = mean } = timesOf(operation, now) ?? {}
    return mean > slowdown * Math.max(best, minBestMillis)
  }

  /** The circuit's state; half open after a pause: the next attempt is the probe. */
  const circuitAt = (now: number): ClientState.Breaker => {
    const from = circuit
    circuit = isOpen ? now < pausedUntil ? "Open" : "HalfOpen" : "Closed"
    if (circuit !== from) gauges.circuit(from, circuit)
    return { state: circuit, retryAfter: Duration.millis(circuit === "Open" ? pausedUntil - now : 0) }
  }

  /**
   * Sets the limit to half of the permits in use; at one permit, pauses the client. The first pause does not open the circuit, because the failures
   * may be random.
   */
  const cut = ({ ending: { failure }, now, permits, sent }: End) => {
    const used = Math.min(size, permits)
    if (used <= 1) {
      isOpen = pause > 0
      const deadlineMillis = failure?._tag === "DeadlineExceeded" ? now - sent : 0
      pause = Math.min(longestPauseMillis, Math.max(firstPauseMillis, 2 * pause, deadlineMillis * pauseShare))
      pausedUntil = now + Math.min(longestPauseMillis, Math.max(pause, Duration.toMillis(failure?.retryAfter ?? 0)))
      circuitAt(now)
    }
    lastCut = now
    resize(Math.max(1, used / 2))
    if (failure !== undefined) gauges.cut(failure._tag)
  }

  /**
   * Records a success. Closes the circuit if its pause has ended. After a pause, halves the next pause; otherwise raises the limit while calls wait
   * for permits.
   */
  const succeed = ({ isWaiting, now, sent }: End) => {
    signsPerSuccess += (Math.min(signs, signsBeforeCut) - signsPerSuccess) * meanWeight
    signs = 0
    succeededAt = now
    if (isOpen && now >= pausedUntil) {
      isOpen = false
      circuitAt(now)
    }
    if (pause > 0) pause = pause > firstPauseMillis ? pause / 2 : 0
    else if (isWaiting && now - sent <= slowResponseMillis) {
      resize(Math.min(ceiling, size + (lastCut === Number.NEGATIVE_INFINITY ? 1 : 1 / size)))
    }
  }

  return {
    limit,
    circuitAt,
    rate,
    /**
     * Milliseconds that must be left before the deadline to send an attempt: the mean response time. An attempt alone in flight needs only the best
     * time, at most half of the deadline, because it measures the current response time.
     */
    neededTime: (operation: string, now: number, deadline: number, isAlone: boolean): number => {
      const { mean = 0, best = 0 } = timesOf(operation, now) ?? {}
      return isAlone ? Math.min(best, deadline / 2) : mean
    },
    /** Records an attempt. Returns true for a sign of overload. */
    ended: (end: End): boolean => {
      const { ending, now, operation, permits, policy: { attemptTimeout, bodyIdleTimeout }, sent, silence } = end
      const { failure } = ending
      const health = healthOf(ending)
      if (health === "works") {
        rate.accepted(sent, now)
        if (shownRate !== Number.POSITIVE_INFINITY) showRate(now)
      }
      if (failure?.outcome === "pending") return false
      const isCut = failure?._tag === "AttemptTimeout" || failure?._tag === "DeadlineExceeded"
      const patience = Math.min(silentMillis, Duration.toMillis(attemptTimeout), Duration.toMillis(bodyIdleTimeout))
      if (ending.response !== undefined) silentFor = 0
      else if (isCut) {
        silentFor += now - Math.max(now - silence, silentUntil)
        silentUntil = now
      }
      // A timeout after a short silence is due to a short deadline, unless the operation is slow or earlier attempts had no response either.
      const isEarly = isCut && silence < patience && silentFor < silentMillis
      const time = times.get(operation)
      // An attempt that ended before its usual response time measured nothing: it only keeps the recorded times from expiring.
      if (isEarly ? now - sent > (time?.mean ?? now) : isCut || health === "works") {
        recordTime(operation, now - sent, now, !isCut)
      } else if (isEarly && time !== undefined) times.set(operation, { ...time, at: now })
      if (isEarly && !isSlow(operation, now)) return false
      if (failure !== undefined && health === "refuses" && !isSlow(operation, now)) {
        const lesson = rate.refused(sent, permits - 1, now)
        showRate(now)
        if (lesson === "measured") gauges.cut(failure._tag)
        if (lesson !== "outage") return false
      }
      const isSilent = failure?._tag === "AttemptTimeout"
        ? permits > 1
        : isCut && succeededAt <= sent && (permits > 1 || silence >= longestPauseMillis / 2)
      // A 500 is one operation's failure, not overload.
      if (health === "refuses" || (health === "fails" && failure?.status !== 500)) {
        signs += isSilent ? signsBeforeCut : 1
        const chance = isSlow(operation, now) ? 0 : signsBeforeCut * signsPerSuccess
        // Attempts sent before the last cut belong to the same overload.
        if (signs >= signsBeforeCut * (1 + chance) && sent >= lastCut) cut(end)
        return true
      }
      if (health === "works") succeed(end)
      return false
    },
    pausedUntil: (): number => pausedUntil,
    /** Ends a pause, unless a newer pause has begun. */
    resume: (until: number): void => {
      if (pausedUntil === until) pausedUntil = 0
    }
  }
}

export type Learned = ReturnType<typeof make>
