/**
 * The rate of requests that 429 and 529 responses teach to a client, with `Retry-After` or without. Times are milliseconds of `Monotonic`, the rate is
 * requests in each.
 *
 * A limit refuses a large share of what exceeds it, chance refuses a small one: so a rate begins with several refusals among a few ends.
 * From then on it grows with each accepted request, and a refused one takes back what several have given, so that the share of refused requests
 * is the same for one client and for many that have a limit in common.
 */

/**
 * The last ends that tell a limit from chance, the refusals among them that begin a rate, and those that measure it anew, if they are also most
 * ends of a second or two: a window that is used up refuses many in a row.
 */
const ends = 20
const beginning = 5
const measuring = 10

/** Growth with each accepted request, and at most in a second. */
const growth = 0.005
const growthPerSecond = 0.02

/** The accepted requests whose growth a refusal takes back. In balance one request in 36 is refused; rarer refusals by chance do nothing. */
const perRefusal = 35

/** Growth doubles with so many accepted requests in a row, up to 32 times, as the limit was raised. With ten times as many there is none. */
const doubling = 40
const mostDoublings = 5

/**
 * The share of the measured rate that refusals leave. If so many of the ends near that floor are refusals still, they come by chance, as they do
 * not depend on the rate: then the client has no limit, and learns none for a while.
 */
const least = 0.25
const near = 1.5
const endsAtFloor = 200
const byChance = 10

/**
 * The shortest time in which a rate is measured, and in which refusals after that may still be those of a window before. A hint to wait that is no
 * longer may be rounded up, and concerns one call.
 */
const second = 1000

/** The longest time between two requests, that in which a rate is measured again, and that for which it is kept without a request. */
const slowest = 20_000
const recently = 120_000
const kept = 60_000

/** The longest wait that a response asks of all calls. */
const longestHint = 3_600_000

/** A request that was refused: when it was sent, the wait that the response asks for, and the other requests in flight. */
export interface Refused {
  readonly sent: number
  readonly hint: number
  readonly inFlight: number
}

/** What a refusal says: a rate is measured by it, or it is no matter of a rate, as nothing was accepted since then. */
export type Lesson = "measured" | "outage" | undefined

const unlimited = Number.POSITIVE_INFINITY

/** Makes the rate of one client, which is unlimited at first. */
export const make = () => {
  let rate = unlimited
  let floor = 0
  /** The ends near the floor, and the refusals among them. */
  let endsSeen = 0
  let refusalsSeen = 0
  /** The time of the next turn, and of the last request. */
  let next = 0
  let used = 0
  /** The time from which on attempts count, and the accepted ones since: the earlier ones did not know the present rate. */
  let since = Number.NEGATIVE_INFINITY
  let accepted = 0
  /** The accepted ones since the last refusal. */
  let row = 0
  /** The last ends: the times at which they were sent, and whether they were accepted. */
  const last: Array<{ readonly sent: number; readonly isAccepted: boolean }> = []
  /** The ends of the present second of work, and of the one before it. */
  let present = { from: 0, accepted: 0, refused: 0 }
  let before = { accepted: 0, refused: 0 }

  const countSecond = (isAccepted: boolean, now: number): void => {
    if (now >= present.from + second) {
      before = now < present.from + 2 * second ? present : { accepted: 0, refused: 0 }
      present = { from: now, accepted: 0, refused: 0 }
    }
    if (isAccepted) present.accepted++
    else present.refused++
  }

  const startAt = (time: number): void => {
    since = time
    accepted = 0
    last.length = 0
    endsSeen = refusalsSeen = 0
  }

  const note = (sent: number, isAccepted: boolean, now: number): void => {
    countSecond(isAccepted, now)
    if (last.push({ sent, isAccepted }) > ends) last.shift()
    row = isAccepted ? row + 1 : 0
    if (isAccepted) accepted++
    if (rate >= near * floor) {
      endsSeen = refusalsSeen = 0
      return
    }
    endsSeen++
    if (!isAccepted) refusalsSeen++
    if (endsSeen < endsAtFloor) return
    const isByChance = refusalsSeen >= byChance
    endsSeen = refusalsSeen = 0
    if (!isByChance) return
    rate = unlimited
    startAt(now + recently)
  }

  const step = (): number => Math.min(growth, growthPerSecond / (rate * second))

  /** The rate of what is accepted. A request in flight is taken for accepted, as refusals come sooner. */
  const measured = (inFlight: number, wait: number, now: number): number => {
    const isRecent = now - since < recently
    const ok = isRecent ? accepted : last.filter(({ isAccepted }) => isAccepted).length
    const time = isRecent ? now - since + wait : now - (last[0]?.sent ?? now)
    const inSecond = wait > 0 ? 0 : Math.max(before.accepted, present.accepted)
    return Math.max((ok + inFlight + 1) / Math.max(second, time), inSecond / second)
  }

  return {
    /** Milliseconds between two requests; zero without a limit. */
    interval: (): number => 1 / rate,
    /** Takes a turn, or with -1 gives one back, and returns the milliseconds until then. */
    take: (turns: 1 | -1, now: number): number => {
      if (now > used + kept) rate = unlimited
      used = Math.max(now, next)
      if (rate === unlimited) return 0
      const turn = Math.max(next, now)
      next = turn + turns / rate
      return turn - now
    },
    accepted: (sent: number, now: number): void => {
      if (sent < since) return
      note(sent, true, now)
      if (row > 10 * doubling) rate = unlimited
      rate *= 1 + step() * 2 ** Math.min(mostDoublings, row / doubling)
    },
    refused: ({ hint, inFlight, sent }: Refused, now: number): Lesson => {
      if (sent < since || now < since + second) return undefined
      if (accepted === 0) return "outage"
      note(sent, false, now)
      const refusals = last.filter(({ isAccepted }) => !isAccepted).length
      const areMost = present.refused + before.refused >= present.accepted + before.accepted
      if (rate === unlimited) {
        if (refusals < beginning) return undefined
      } else if (refusals < measuring || !areMost) {
        rate = Math.max(floor, rate * (1 - perRefusal * step()))
        return undefined
      }
      const wait = hint > second ? Math.min(hint, longestHint) : 0
      rate = Math.max(1 / slowest, Math.min(rate, measured(inFlight, wait, now)))
      floor = rate * least
      next = now + wait
      used = next
      startAt(next)
      return "measured"
    }
  }
}
