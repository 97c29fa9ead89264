/**
 * The rate of requests that 429 and 529 responses teach to a client, with `Retry-After` or without. Times are milliseconds of `Monotonic`; the
 * rate is requests per millisecond.
 *
 * A rate limit refuses a large share of what exceeds it, chance refuses a small one: a rate begins with refusals that accepted requests do not
 * outweigh. From then on the rate grows with each accepted request, and a refused one takes back the growth of several, so that the share of
 * refused requests is the same for one client and for many that share a limit.
 */

const second = 1000
const minute = 60_000

/**
 * The last ends that are kept, at most of a minute, and the refusals among them with which a rate is measured again: a limit that falls. If all
 * of them are refusals, the cause is an outage and not a rate.
 */
const maxEnds = 20
const refusalsBeforeMeasurement = 10

/** Growth with each accepted request, and at most in a second. */
const growth = 0.005
const growthPerSecond = 0.02

/** The accepted requests that outweigh one refusal, and the refusals that are not outweighed with which a rate begins. */
const acceptedPerRefusal = 40
const refusalsBeforeRate = 5

/**
 * Growth doubles every 40 consecutive acceptances (at most 32 times): the limit has probably been raised. After 400 the rate is dropped. Needed
 * by failures by chance.
 */
const acceptedPerDoubling = 40
const maxDoublings = 5

/**
 * The share of a measured rate below which refusals do not lower it. If 12 of 200 ends near that floor are refusals still, the refusals come by
 * chance and do not depend on the rate: they leave the measured rate for two minutes.
 */
const floorShare = 0.25
const nearFloor = 1.5
const endsAtFloor = 200
const refusalsAtFloor = 12
const chanceMillis = 2 * minute

/** The lowest rate: a request in 20 seconds. */
const longestInterval = 20_000

/** Without a refusal for half a minute a rate grows with time too, and after three minutes it is dropped: a limit that comes back. */
const quietMillis = minute / 2
const growthInQuietSecond = 0.02
const longestQuietMillis = 3 * minute

/** A request that was refused: the time at which it was sent, and the other requests in flight. */
export interface Refused {
  readonly sent: number
  readonly inFlight: number
}

/** What a refusal says: a rate is measured by it, or the cause is an outage, because nothing was accepted lately. */
export type Lesson = "measured" | "outage" | undefined

const unlimited = Number.POSITIVE_INFINITY

/** Makes the rate of one client, which is unlimited at first. */
export const make = () => {
  let rate = unlimited
  let floor = 0
  /** The ends near the floor, and the refusals among them. */
  let atFloor = { ends: 0, refusals: 0 }
  let byChanceUntil = 0
  /** The next slot, and the last one that was taken. */
  let nextSlot = 0
  let lastSlot = 0
  /** The time of the last measurement. Attempts that were sent before do not count: they did not know the rate. */
  let measuredAt = Number.NEGATIVE_INFINITY
  /** The times of the last refusal and of the last growth with time. */
  let refusedAt = 0
  let agedAt = 0
  /** The time from which on a rate is measured, and the accepted requests since. */
  let from = Number.NEGATIVE_INFINITY
  let accepted = 0
  /** The accepted requests since the last refusal. */
  let acceptedInRow = 0
  /** The accepted requests that are still missing until they outweigh the refusals. */
  let debt = 0
  const ends: Array<{ readonly sent: number; readonly isAccepted: boolean }> = []

  const countAtFloor = (isAccepted: boolean, now: number): void => {
    if (rate >= nearFloor * floor) {
      atFloor = { ends: 0, refusals: 0 }
      return
    }
    atFloor.ends++
    if (!isAccepted) atFloor.refusals++
    if (atFloor.ends < endsAtFloor) return
    if (atFloor.refusals >= refusalsAtFloor) {
      rate = floor / floorShare
      byChanceUntil = now + chanceMillis
    }
    atFloor = { ends: 0, refusals: 0 }
  }

  const count = (sent: number, isAccepted: boolean, now: number): void => {
    ends.push({ sent, isAccepted })
    while (ends.length > maxEnds || (ends[0]?.sent ?? now) < now - minute) ends.shift()
    countAtFloor(isAccepted, now)
    acceptedInRow = isAccepted ? acceptedInRow + 1 : 0
    if (isAccepted) {
      accepted++
      debt = Math.max(0, debt - 1)
      return
    }
    if (debt === 0 && (rate === unlimited || now > from + chanceMillis)) {
      from = ends[0]?.sent ?? now
      accepted = ends.filter(({ isAccepted }) => isAccepted).length
    }
    debt += acceptedPerRefusal
  }

  const step = (): number => Math.min(growth, growthPerSecond / (rate * second))

  /** Raises the rate with time, because a low one has few accepted requests that would raise it. */
  const age = (now: number): void => {
    const quietFor = now - Math.max(agedAt, refusedAt + quietMillis)
    if (quietFor > 0) rate *= (1 + growthInQuietSecond) ** (quietFor / second)
    agedAt = now
    if (now > lastSlot + minute || now > refusedAt + longestQuietMillis) rate = unlimited
  }

  return {
    /** Milliseconds between two requests; zero without a limit. */
    interval: (): number => 1 / rate,
    perSecond: (now: number): number => {
      age(now)
      return rate * second
    },
    /** Takes a slot, and returns the milliseconds until then. */
    take: (now: number): number => {
      age(now)
      lastSlot = Math.max(now, nextSlot)
      if (rate === unlimited) return 0
      nextSlot = lastSlot + 1 / rate
      return lastSlot - now
    },
    /** Gives back a slot that was taken at a time. */
    giveBack: (taken: number): void => {
      if (taken >= measuredAt) nextSlot -= 1 / rate
    },
    accepted: (sent: number, now: number): void => {
      if (sent < measuredAt) return
      count(sent, true, now)
      if (acceptedInRow > 10 * acceptedPerDoubling) rate = unlimited
      if (rate === unlimited) return
      rate *= 1 + step() * 2 ** Math.min(maxDoublings, acceptedInRow / acceptedPerDoubling)
    },
    refused: ({ inFlight, sent }: Refused, now: number): Lesson => {
      // Refusals in the second after a measurement may still be those of the window before.
      if (sent < measuredAt || now < measuredAt + second) return undefined
      count(sent, false, now)
      refusedAt = now
      const refusals = ends.filter(({ isAccepted }) => !isAccepted).length
      if (refusals === ends.length) return "outage"
      if (rate === unlimited && debt <= (refusalsBeforeRate - 1) * acceptedPerRefusal) return undefined
      if (rate !== unlimited && refusals < refusalsBeforeMeasurement) {
        rate = Math.max(now < byChanceUntil ? floor / floorShare : floor, rate * (1 - acceptedPerRefusal * step()))
        return undefined
      }
      // A request in flight counts as accepted, because refusals come sooner.
      const measured = (accepted + inFlight + 1) / Math.max(second, now - from)
      rate = Math.max(1 / longestInterval, Math.min(rate, measured))
      floor = rate * floorShare
      measuredAt =
        nextSlot =
        lastSlot =
        refusedAt =
        from =
          now
      accepted =
        acceptedInRow =
        debt =
        byChanceUntil =
          0
      ends.length = 0
      atFloor = { ends: 0, refusals: 0 }
      return "measured"
    }
  }
}
