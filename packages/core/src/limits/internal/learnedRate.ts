/**
 * The rate of requests that 429 and 529 responses teach to a client, with `Retry-After` or without. Times are milliseconds of `Monotonic`, the
 * rate is requests in each.
 *
 * A limit refuses a large share of what exceeds it, chance refuses a small one: so a rate begins with refusals that accepted requests do not
 * outweigh. From then on it grows with each accepted request, and a refused one takes back what several have given, so that the share of refused requests
 * is the same for one client and for many that have a limit in common.
 */

/**
 * The last ends, of a minute, and the refusals among them that measure a rate anew, if they are also most ends of a second or two: a window that
 * is used up refuses many in a row.
 */
const mostEnds = 20
const minute = 60_000
const measuring = 10

/** Growth with each accepted request, and at most in a second. */
const growth = 0.005
const growthPerSecond = 0.02

/**
 * The accepted requests that outweigh a refusal: it takes back the growth of as many, and a rate begins when so many refusals are not outweighed.
 * So rarer refusals do nothing, and in balance nearly as many are refused: more while the growth doubles.
 */
const perRefusal = 40
const beginning = 5

/** Growth doubles with so many accepted requests in a row, up to 32 times, as the limit was raised. With ten times as many there is none. */
const doubling = 40
const mostDoublings = 5

/**
 * The share of the measured rate that refusals leave. If so many of the ends near that floor are refusals still, they come by chance, as they do
 * not depend on the rate: then they leave the measured rate for a while.
 */
const least = 0.25
const nearFloor = 1.5
const endsAtFloor = 200
const mostAtFloor = 12

/**
 * The shortest time in which a rate is measured, and in which refusals after that may still be those of a window before. A hint to wait that is no
 * longer may be rounded up, and concerns one call.
 */
const second = 1000

/** The longest time between two requests, and that in which a rate is measured, or refusals are taken for chance. */
const slowest = 20_000
const recently = 120_000

/** The longest wait of all calls that a response can ask for, and the time for which a rate is kept without a request. */
const longestHint = minute
const kept = minute

/** Milliseconds without a refusal after which a rate grows by a share in each second too, and after which there is none. */
const quietMillis = 30_000
const growthInQuiet = 0.02
const longestQuietMillis = 3 * minute

/** A request that was refused: when it was sent, the wait that the response asks for, and the other requests in flight. */
export interface Refused {
  readonly sent: number
  readonly hint: number
  readonly inFlight: number
}

/** What a refusal says: a rate is measured by it, or it is no matter of a rate, as nothing was accepted lately. */
export type Lesson = "measured" | "outage" | undefined

const unlimited = Number.POSITIVE_INFINITY

/** Makes the rate of one client, which is unlimited at first. */
export const make = () => {
  let rate = unlimited
  let floor = 0
  /** The ends near the floor, and the refusals among them. */
  let endsSeen = 0
  let refusalsSeen = 0
  let byChanceUntil = 0
  /** The time of the next turn, and of the last one. */
  let next = 0
  let lastTurn = 0
  let measuredAt = 0
  /** The times of the last refusal and of the last growth with time. */
  let refusedAt = 0
  let agedAt = 0
  /** The time from which on attempts count, as the earlier ones did not know the present rate. */
  let since = Number.NEGATIVE_INFINITY
  /** The time from which on a rate is measured, and the accepted ones since. */
  let from = Number.NEGATIVE_INFINITY
  let accepted = 0
  /** The accepted ones since the last refusal. */
  let acceptedInRow = 0
  /** The accepted ones that are still missing until they outweigh the refusals. */
  let debt = 0
  /** The last ends: the times at which they were sent, and whether they were accepted. */
  const last: Array<{ readonly sent: number; readonly isAccepted: boolean }> = []
  /** The ends of the present second of work, and of the one before it. */
  let present = { from: 0, accepted: 0, refused: 0 }
  let before = { accepted: 0, refused: 0 }

  const countInSecond = (isAccepted: boolean, now: number): void => {
    if (now >= present.from + second) {
      before = now < present.from + 2 * second ? present : { accepted: 0, refused: 0 }
      present = { from: now, accepted: 0, refused: 0 }
    }
    if (isAccepted) present.accepted++
    else present.refused++
  }

  const countAtFloor = (isAccepted: boolean, now: number): void => {
    const isNear = rate < nearFloor * floor
    endsSeen = isNear ? endsSeen + 1 : 0
    refusalsSeen = isNear ? refusalsSeen + (isAccepted ? 0 : 1) : 0
    if (endsSeen < endsAtFloor) return
    if (refusalsSeen >= mostAtFloor) {
      rate = floor / least
      byChanceUntil = now + recently
    }
    endsSeen = refusalsSeen = 0
  }

  /** Measures from the last ends on, or from the present second on, if that has more. */
  const countAnew = (): void => {
    const first = last[0]?.sent ?? present.from
    from = Math.min(first, present.from)
    accepted = first < present.from ? last.filter(({ isAccepted }) => isAccepted).length : present.accepted
  }

  const count = (sent: number, isAccepted: boolean, now: number): void => {
    countInSecond(isAccepted, now)
    last.push({ sent, isAccepted })
    while (last.length > mostEnds || (last[0]?.sent ?? now) < now - minute) last.shift()
    countAtFloor(isAccepted, now)
    acceptedInRow = isAccepted ? acceptedInRow + 1 : 0
    if (isAccepted) {
      accepted++
      debt = Math.max(0, debt - 1)
      return
    }
    if (debt === 0 && (rate === unlimited || now > from + recently)) countAnew()
    debt += perRefusal
  }

  const step = (): number => Math.min(growth, growthPerSecond / (rate * second))

  /** The rate of what is accepted. A request in flight is taken for accepted, as refusals come sooner. */
  const measured = (inFlight: number, wait: number, now: number): number =>
    (accepted + inFlight + 1) / Math.max(second, now - from + (from === since ? wait : 0))

  /** Raises the rate with time, as a low one has few accepted requests that would raise it. */
  const age = (now: number): void => {
    const quietFor = now - Math.max(agedAt, refusedAt + quietMillis)
    if (quietFor > 0) rate *= (1 + growthInQuiet) ** (quietFor / second)
    agedAt = now
    if (now > lastTurn + kept || now > refusedAt + longestQuietMillis) rate = unlimited
  }

  return {
    /** Milliseconds between two requests; zero without a limit. */
    interval: (): number => 1 / rate,
    perSecond: (now: number): number => {
      age(now)
      return rate * second
    },
    /** Takes a turn, and returns the milliseconds until then. */
    take: (now: number): number => {
      age(now)
      lastTurn = Math.max(now, next)
      if (rate === unlimited) return 0
      next = lastTurn + 1 / rate
      return lastTurn - now
    },
    /** Gives back a turn that was taken at a time. */
    giveBack: (taken: number): void => {
      if (taken >= measuredAt) next -= 1 / rate
    },
    accepted: (sent: number, now: number): void => {
      if (sent < since) return
      count(sent, true, now)
      if (acceptedInRow > 10 * doubling) rate = unlimited
      rate *= 1 + step() * 2 ** Math.min(mostDoublings, acceptedInRow / doubling)
    },
    refused: ({ hint, inFlight, sent }: Refused, now: number): Lesson => {
      if (sent < since || now < since + second) return undefined
      count(sent, false, now)
      refusedAt = now
      const refusals = last.filter(({ isAccepted }) => !isAccepted).length
      if (refusals === last.length) return "outage"
      const areMost = present.refused + before.refused >= present.accepted + before.accepted
      if (rate === unlimited) {
        if (debt <= (beginning - 1) * perRefusal) return undefined
      } else if (refusals < measuring || !areMost) {
        rate = Math.max(now < byChanceUntil ? floor / least : floor, rate * (1 - perRefusal * step()))
        return undefined
      }
      const wait = hint > second ? Math.min(hint, longestHint) : 0
      rate = Math.max(1 / slowest, Math.min(rate, measured(inFlight, wait, now)))
      floor = rate * least
      measuredAt = now
      since = now + wait
      from =
        next =
        lastTurn =
        refusedAt =
          since
      accepted = 0
      last.length = 0
      byChanceUntil = 0
      endsSeen = refusalsSeen = debt = 0
      return "measured"
    }
  }
}

/** The learned rate of a client. */
export type LearnedRate = ReturnType<typeof make>
