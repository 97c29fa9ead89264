/** The simulated service, with a capacity, a rate limit and faults. */
import type { Scenario, Terms } from "./scenarios.ts"
import type { Timer, World } from "./world.ts"

/** Status 0: no connection (`isSent` is false), or a connection that broke. */
export interface Answer {
  readonly status: number
  readonly isSent: boolean
  /** Seconds; 0 if absent. */
  readonly retryAfter: number
}

export type Respond = (answer: Answer) => void

/** Milliseconds until a response that needs no work. */
const networkMillis = 25

/** Maximum milliseconds between updates of shared work, because the capacity may change in the meantime. */
const longestStep = 1000

export const make = (scenario: Scenario, world: World, random: () => number) => {
  const { from, status = 503, to, warmUp = 0 } = scenario
  const disturbed: Terms = { ...scenario, ...scenario.cause }
  let free = 0
  let jobs = 0
  let tokens: number | undefined
  let filledAt = 0
  /**
   * Processor sharing: `had` is the cumulative work per request. A request in `working` is done when `had` reaches its `end`; the next request to
   * finish is last.
   */
  let had = 0
  let hadAt = 0
  let timer: Timer | undefined
  const working: Array<{ readonly end: number; readonly done: () => void }> = []

  const termsAt = (time: number): Terms => time >= from && time < to ? disturbed : scenario

  /** Capacity in requests per second, which grows from a fifth during the warm-up. */
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

  /** Adds the work since the last update to `had`. If there are more jobs than the capacity, the jobs share the capacity. */
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
    /** True if a request would not have to wait. Only the ideal client uses this. */
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
      // The service never responds.
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
      // A lost response takes as much work as another response.
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
