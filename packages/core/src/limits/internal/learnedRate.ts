/**
 * A request rate learned from 429 and 529 responses. The rate is unlimited until refusals outweigh accepted requests. A refusal undoes the growth of
 * several accepted requests, so the share of refusals is independent of the number of clients. Notes (lab.…) name scenarios: see `learned.ts`.
 */

const second = 1000
const minute = 60_000

/**
 * A refusal is judged by the last minute's requests, at most this many. If the service refused all of them, it is down (lab.b429). If it refused half
 * of this number, its limit fell (lab.noisy).
 */
const maxEnds = 20

/** Relative growth per accepted request (lab.limit-1). */
const growth = 0.005
/** Maximum relative growth per second (lab.doc-throttle). */
const growthPerSecond = 0.02

/** Number of accepted requests that outweigh a refusal. This number in a row doubles the growth. */
const acceptedPerRefusal = 40

/** Number of refusals, not outweighed by accepted requests, that starts a rate limit. Random refusals rarely reach it (lab.flaky-1). */
const refusalsBeforeRate = 5

/** Refusals never lower the rate below this share of the measured rate, because refusals may be random (lab.rnd429). */
const floorShare = 0.75

/** After this time without a refusal the rate grows ever faster. Also the longest interval between requests. */
const quietMillis = minute / 2

/** After this time without a refusal the rate is unlimited again (lab.limit-10x-20). */
const longestQuietMillis = 3 * minute

type Lesson = "measured" | "outage" | undefined

const unlimited = Number.POSITIVE_INFINITY

/** The state after a measurement. Rates are in requests per millisecond, times in milliseconds of `Monotonic`. */
const measuredAs = (rate: number, now: number) => ({
  rate,
  floor: rate * floorShare,
  /** Attempts sent before the measurement are ignored: they did not follow the rate. */
  measuredAt: now,
  nextSlot: now,
  lastSlot: now,
  refusedAt: now,
  grownAt: now,
  missedAt: Number.NEGATIVE_INFINITY,
  maxRate: unlimited,
  /** Start of the period that the next measurement covers. */
  from: now,
  /** Number of requests accepted since `from`. */
  accepted: 0,
  acceptedInRow: 0,
  /** Number of accepted requests still needed to outweigh the refusals. */
  debt: 0,
  ends: new Array<{ readonly sent: number; readonly isAccepted: boolean }>()
})

export const make = () => {
  let state = measuredAs(unlimited, Number.NEGATIVE_INFINITY)

  const count = (sent: number, isAccepted: boolean, now: number): void => {
    const { ends } = state
    ends.push({ sent, isAccepted })
    while (ends.length > maxEnds || (ends[0]?.sent ?? now) < now - minute) ends.shift()
    state.acceptedInRow = isAccepted ? state.acceptedInRow + 1 : 0
    if (isAccepted) {
      state.accepted++
      state.debt = Math.max(0, state.debt - 1)
      return
    }
    if (state.debt === 0 || now > state.from + longestQuietMillis) {
      state.from = ends[0]?.sent ?? now
      state.accepted = ends.filter(({ isAccepted }) => isAccepted).length
    }
    state.debt += acceptedPerRefusal
  }

  const step = (): number => Math.min(growth, growthPerSecond / (state.rate * second))

  /** Raises the rate with time, because a low rate admits few requests that could raise it. */
  const growWithTime = (now: number): void => {
    const quietFor = now - Math.max(state.grownAt, state.refusedAt + quietMillis)
    if (quietFor > 0) state.rate *= (1 + growthPerSecond) ** (quietFor / second * (now - state.refusedAt) / quietMillis)
    state.grownAt = now
    if (now > state.lastSlot + minute || now > state.refusedAt + longestQuietMillis) state.rate = unlimited
  }

  return {
    /** Milliseconds between requests; zero if the rate is unlimited. */
    interval: (): number => 1 / state.rate,
    perSecond: (now: number): number => {
      growWithTime(now)
      return state.rate * second
    },
    /** Takes the next slot. Returns the milliseconds until the slot. */
    take: (now: number): number => {
      growWithTime(now)
      state.lastSlot = Math.max(now, state.nextSlot)
      if (state.rate === unlimited) return 0
      state.nextSlot = state.lastSlot + 1 / state.rate
      return state.lastSlot - now
    },
    giveBack: (taken: number): void => {
      if (taken >= state.measuredAt) state.nextSlot -= 1 / state.rate
    },
    accepted: (sent: number, now: number): void => {
      if (sent < state.measuredAt) return
      count(sent, true, now)
      if (state.rate !== unlimited) state.rate *= 1 + step() * 2 ** (state.acceptedInRow / acceptedPerRefusal)
    },
    /**
     * Raises the rate after a call failed because its slot was too late; at most doubles the rate in a second. Four such calls offset one refusal of
     * the service, because a rate that is too low loses many calls (lab.limit-20x-1).
     */
    missed: (now: number): void => {
      if (now >= state.missedAt + second) {
        state.missedAt = now
        state.maxRate = 2 * state.rate
      }
      if (state.rate < state.maxRate) state.rate *= 1 + acceptedPerRefusal / 4 * step()
    },
    refused: (sent: number, inFlight: number, now: number): Lesson => {
      // Refusals within a second after a measurement may belong to the service's previous window.
      if (sent < state.measuredAt || now < state.measuredAt + second) return undefined
      count(sent, false, now)
      state.refusedAt = now
      const { accepted, debt, ends, floor, from, rate } = state
      const refusals = ends.filter(({ isAccepted }) => !isAccepted).length
      if (refusals === ends.length) return "outage"
      if (rate === unlimited && debt <= (refusalsBeforeRate - 1) * acceptedPerRefusal) return undefined
      if (rate !== unlimited && refusals < maxEnds / 2) {
        state.rate = Math.max(floor, rate * (1 - acceptedPerRefusal * step()))
        return undefined
      }
      // Requests in flight count as accepted, because refusals arrive before other responses.
      const present = (accepted + inFlight + 1) / Math.max(second, now - from)
      state = measuredAs(Math.max(1 / quietMillis, Math.min(rate, present)), now)
      return "measured"
    }
  }
}
