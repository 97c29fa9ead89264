/**
 * The number of attempts that a client has in flight, learned from the ends of its attempts: additive increase, multiplicative decrease.
 *
 * A service that queues instead of refusing shows its overload only by time. Attempts that give up leave their work in its queue,
 * and retries add to it, so that an outage outlasts its cause. A client that holds its calls back instead waits in its own queue,
 * where a call that is given up costs nothing.
 */
import * as Duration from "effect/Duration"
import type { Failure } from "../../errors/internal/failure.ts"
import type { Ending } from "./ending.ts"
import { healthOf } from "./health.ts"

/** Signs of overload in a row before a cut: chance alone gives three of them too rarely to hold a client down. */
const signsPerCut = 3

/** The first pause of a client that has one attempt in flight and gets further signs, and the longest. Each doubles the one before. */
const firstPause = 1000
const longestPause = 20_000

/** Responses that took longer do not let the number grow: they may have waited in a queue. */
const slow = 15_000

/** Silence of an attempt, when its deadline cuts it, that is a sign of overload: a shorter deadline is the caller's. */
const silent = 10_000

/** The weight of the last response in the mean time of an operation. */
const weight = 0.2

/** Doublings of a pause, after which it is as long as it gets. */
const mostPauses = 5

/** Milliseconds for which the mean time of an operation counts, so that an old one ends no call. */
const keptMean = 60_000

/** Upper limit of the operations with a mean: more than the contract has, with room for custom ones. */
const maxOperations = 256

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

/** A response of one operation that fails says nothing about the others. */
const isSign = (ending: Ending): boolean =>
  ending.failure !== undefined && ending.failure.status !== 500 && ending.failure._tag !== "TooManyDocuments" &&
  (ending.response?.status === 429 || healthOf(ending) === "fails")

const isTimeout = ({ _tag }: Failure): boolean => _tag === "AttemptTimeout" || _tag === "DeadlineExceeded"

/** Makes the number of one client. It begins with the `ceiling`, which bounds it, and `show` is called with each new one. */
export const make = (ceiling: number, show: (limit: number) => void) => {
  let size = ceiling
  let signs = 0
  let pauses = 0
  let pausedUntil = 0
  let lastCut = Number.NEGATIVE_INFINITY
  let shown = 0
  const means = new Map<string, { readonly millis: number; readonly at: number }>()
  const limit = () => Math.max(1, Math.floor(size))
  const change = (to: number) => {
    size = to
    if (limit() !== shown) show(shown = limit())
  }
  change(size)

  const took = (operation: string, millis: number, now: number) => {
    const mean = means.get(operation)?.millis
    const [oldest] = means.keys()
    if (mean === undefined && oldest !== undefined && means.size >= maxOperations) means.delete(oldest)
    means.set(operation, { millis: mean === undefined ? millis : mean + (millis - mean) * weight, at: now })
  }

  return {
    limit,
    /** The mean time of a response of an operation. */
    mean: (operation: string, now: number): number => {
      const mean = means.get(operation)
      return mean === undefined || now - mean.at > keptMean ? 0 : mean.millis
    },
    /** Learns from the end of an attempt. */
    ended: ({ ending, inFlight, isWaiting, now, operation, patience, sent, silence }: End): void => {
      const { failure } = ending
      // A document that is not ready says nothing about the service.
      if (failure?.outcome === "pending") return
      const isCut = failure !== undefined && isTimeout(failure)
      if (isCut && silence < Math.min(silent, patience)) return
      if (isCut || healthOf(ending) === "works") took(operation, now - sent, now)
      if (isSign(ending)) {
        signs++
        if (signs < signsPerCut || sent < lastCut) return
        const used = Math.min(size, inFlight)
        if (used <= 1) {
          const hint = Duration.toMillis(failure?.retryAfter ?? 0)
          pausedUntil = now + Math.min(longestPause, Math.max(hint, firstPause * 2 ** pauses))
          pauses = Math.min(pauses + 1, mostPauses)
        }
        lastCut = now
        change(Math.max(1, used / 2))
        return
      }
      if (healthOf(ending) !== "works") return
      signs = 0
      if (pauses > 0) pauses--
      else if (now - sent <= slow && (isWaiting || inFlight >= limit())) {
        change(Math.min(ceiling, size + 1 / size))
      }
    },
    /** The time until which the client pauses, at most. */
    pausedUntil: (): number => pausedUntil,
    /** Ends the pause until a time, unless another has begun. */
    resume: (until: number): void => {
      if (pausedUntil === until) pausedUntil = 0
    }
  }
}

/** The learned number of a client. */
export type AdaptiveConcurrency = ReturnType<typeof make>
