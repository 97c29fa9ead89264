/** The simulated service: its capacity, its limit and its faults decide on each request. */
import type { Scenario, Terms } from "./scenarios.ts"
import type { Timer, World } from "./world.ts"

/** Status 0: no connection (`isSent` is false), or a connection that broke. */
export interface Answer {
  readonly status: number
  readonly isSent: boolean
  /** Seconds; 0 is none. */
  readonly retryAfter: number
}

export type Respond = (answer: Answer) => void

/** Milliseconds for a response that needs no work. */
const networkMillis = 25

/** The longest time after which work with a speed that may have changed is computed again. */
const longestStep = 1000

export const make = (scenario: Scenario, world: World, random: () => number) => {
  const { from, status = 503, to, warmUp = 0 } = scenario
  const disturbed: Terms = { ...scenario, ...scenario.cause }
  let free = 0
  let jobs = 0
  let tokens: number | undefined
  let filledAt = 0
  /** Processor sharing: the work that each request has had since the beginning, and the ends of those at work, the first one last. */
  let had = 0
  let hadAt = 0
  let timer: Timer | undefined
  const working: Array<{ readonly end: number; readonly done: () => void }> = []

  const termsAt = (time: number): Terms => time >= from && time < to ? disturbed : scenario

  /** Requests per second; after a restart a fifth at first. */
  const capacityAt = (time: number): number => {
    const { capacity = Number.POSITIVE_INFINITY } = termsAt(time)
    return time >= to && time < to + warmUp ? capacity * (0.2 + 0.8 * (time - to) / warmUp) : capacity
  }

  const hasToken = (): boolean => {
    const now = world.now()
    const { limit } = termsAt(now)
    if (limit === undefined) return true
    tokens = Math.min(Math.max(1, limit), (tokens ?? limit) + (now - filledAt) * limit / 1000)
    filledAt = now
    return tokens >= 1
  }

  /** Each job alone takes its size in seconds; more jobs than the capacity share it. */
  const advance = (): void => {
    const now = world.now()
    if (working.length > 0) had += Math.min(1, capacityAt(hadAt) / working.length) * (now - hadAt)
    hadAt = now
  }
  const reschedule = (): void => {
    if (timer !== undefined) timer.run = undefined
    const first = working.at(-1)
    if (first === undefined) return
    const left = (first.end - had) / Math.min(1, capacityAt(world.now()) / working.length)
    timer = world.at(world.now() + Math.min(longestStep, Math.max(0, left)), () => {
      advance()
      while ((working.at(-1)?.end ?? Number.POSITIVE_INFINITY) <= had + 1e-6) working.pop()?.done()
      reschedule()
    })
  }

  const work = (size: number, done: () => void): void => {
    if (scenario.isSharing !== true) {
      const start = Math.max(free, world.now())
      free = start + size / capacityAt(start)
      world.at(free, done)
      return
    }
    advance()
    const end = had + size
    const index = working.findIndex((other) => other.end <= end)
    working.splice(index === -1 ? working.length : index, 0, { end, done })
    reschedule()
  }

  return {
    termsAt,
    capacityAt,
    hasToken,
    /** True if a request would not wait, for a client that knows the service. */
    hasRoom: (): boolean =>
      scenario.isSharing === true
        ? jobs < Math.max(1, Math.floor(capacityAt(world.now())))
        : free <= world.now() + 100,
    arrive: (operation: number, respond: Respond): void => {
      const now = world.now()
      const { faults = {}, latency = 50, retryAfter = 0, waiting = Number.POSITIVE_INFINITY } = termsAt(now)
      const soon = (answer: Partial<Answer>): void => {
        world.at(now + networkMillis, () => respond({ status: 0, isSent: true, retryAfter: 0, ...answer }))
      }
      let chance = random()
      const hits = (share = 0): boolean => (chance -= share) < 0
      if (hits(faults.unreachable)) return soon({ isSent: false })
      // No answer at all.
      if (hits(faults.silent)) return
      if (operation === 0 && faults.oneOperation === true) return soon({ status: 500 })
      if (!hasToken()) return soon({ status: 429, retryAfter })
      if (tokens !== undefined) tokens--
      if (hits(faults.status503)) return soon({ status: 503 })
      if (hits(faults.status429)) return soon({ status: 429 })
      if (hits(faults.reset)) return soon({})
      if (hits(faults.status500)) return soon({ status: 500 })
      const extra = hits(faults.slow15) ? 15_000 : 0
      if (jobs > waiting) return soon({ status, retryAfter })
      // A response that is lost took its work.
      const answer: Answer = { status: hits(faults.lost) ? 0 : 200, isSent: true, retryAfter: 0 }
      jobs++
      work(-Math.log(1 - random()) * 1000, () => {
        jobs--
        world.at(world.now() + latency + extra, () => respond(answer))
      })
    }
  }
}

export type Service = ReturnType<typeof make>
