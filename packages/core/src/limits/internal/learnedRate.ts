/**
 * The request rate that 429 and 529 responses teach a client. It begins when refusals outweigh accepted requests, because chance refuses a small
 * share only. Each refusal takes back several raises by accepted requests, so that one client and many see the same share of refusals.
 */

const second = 1000
const minute = 60_000

/** Ends kept for a measurement, for a minute at most. All refused: an outage (b429). Half of them: the limit fell (noisy). */
const maxEnds = 20

/** Relative growth with each accepted request (limit-1), and its maximum per second (doc-throttle). */
const growth = 0.005
const growthPerSecond = 0.02

/**
 * Accepted requests that outweigh a refusal, and outweighing refusals that begin a rate: chance refuses less (flaky-1). As many accepted in a row
 * double the growth.
 */
const acceptedPerRefusal = 40
const refusalsBeforeRate = 5

/** Refusals lower a rate to this share of its measurement: they may come by chance (rnd429). */
const floorShare = 0.75

/**
 * Without a refusal the rate grows ever faster after half a minute, also its longest interval, and is dropped after three minutes (limit-10x-20).
 */
const quietMillis = minute / 2
const longestQuietMillis = 3 * minute

type Lesson = "measured" | "outage" | undefined

const unlimited = Number.POSITIVE_INFINITY

/** The state after a measurement. Rates are requests per millisecond, times milliseconds of `Monotonic`. */
const measuredAs = (rate: number, now: number) => ({
  rate,
  floor: rate * floorShare,
  /** Attempts sent before, without the rate, are ignored. */
  measuredAt: now,
  nextSlot: now,
  lastSlot: now,
  refusedAt: now,
  grownAt: now,
  /** Start of the next measurement, and the requests accepted since. */
  from: now,
  accepted: 0,
  acceptedInRow: 0,
  /** Accepted requests until they outweigh the refusals. */
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

  /** A low rate has few accepted requests to raise it. */
  const growWithTime = (now: number): void => {
    const quietFor = now - Math.max(state.grownAt, state.refusedAt + quietMillis)
    if (quietFor > 0) state.rate *= (1 + growthPerSecond) ** (quietFor / second * (now - state.refusedAt) / quietMillis)
    state.grownAt = now
    if (now > state.lastSlot + minute || now > state.refusedAt + longestQuietMillis) state.rate = unlimited
  }

  return {
    /** Milliseconds between two requests; zero without a limit. */
    interval: (): number => 1 / state.rate,
    perSecond: (now: number): number => {
      growWithTime(now)
      return state.rate * second
    },
    /** Takes a slot. Returns the milliseconds until then. */
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
    refused: (sent: number, inFlight: number, now: number): Lesson => {
      // Refusals of the next second may belong to the service's previous window.
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
      // Requests in flight count as accepted: refusals arrive sooner.
      const present = (accepted + inFlight + 1) / Math.max(second, now - from)
      state = measuredAs(Math.max(1 / quietMillis, Math.min(rate, present)), now)
      return "measured"
    }
  }
}
