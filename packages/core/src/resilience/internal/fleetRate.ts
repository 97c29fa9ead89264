/**
 * The rate of requests that the clients of a fleet learn together, in a store: of many small clients none sees enough of a limit to learn it
 * alone. It is one number, so that they agree: it grows with time until it is no limit, and each refusal takes a part of it back. So the share of
 * refused requests is the same for any number of clients.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { RateLimiterError } from "effect/persistence/RateLimiter"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import * as Monotonic from "../../contract/internal/monotonic.ts"

/** The store of the rates of fleets. */
export interface Store {
  /** Takes a turn that is due, of which there is one per interval; else returns the milliseconds until the next one. `-1` gives one back. */
  readonly turn: (key: string) => (interval: number, turns: 1 | -1) => Effect.Effect<number, RateLimiterError>
  /**
   * Adds to a number, which is `most` at first, and returns the sum; `undefined` while the store is down. Below `most` it grows by one in each
   * `growth`, by default in ten minutes.
   */
  readonly sum: (key: string, most: number, growth?: Duration.Duration) => (
    by: number
  ) => Effect.Effect<number | undefined>
}

/** The time between two exchanges of a client with the store, in milliseconds. */
const pause = 1000

/** The longest time until a waiting call looks for its turn again, in milliseconds. */
const longestWait = 1000

/** The lowest and the highest rate in the store, in requests a second: the highest one is no limit. */
const lowest = 0.05
const unlimited = 10_000

/** The number in the store is the logarithm of the rate in millionths, so that changes add up. */
const levelOf = (rate: number): number => Math.round(Math.log(rate) * 1e6)
const rateOf = (level: number): number => Math.exp(level / 1e6)
const highest = levelOf(unlimited)

/** Growth of the rate in a second, and the accepted requests that outweigh a refusal: in balance one of so many is refused. */
const growth = 0.02
const perRefusal = 40

/** A rate begins when so many refusals are so large a share: what is refused by chance is less. */
const beginning = 15
const leastShare = 0.05

/** So many refusals in a row are no matter of a rate: the service is down. */
const manyInRow = 8

/** The accepted requests without a refusal after which each raises the rate further, and the most by which they raise it in a second. */
const inRow = 120
const growthInRow = 0.04
const growthByOne = 0.005

/** The most that a refusal takes back. */
const most = 0.5

/**
 * The share of the measured rate that refusals leave. If they are still many there, the limit is lower, and the rate is measured again. If not,
 * they come by chance, as they do not depend on the rate: then it grows slowly. Refusals that are not near it take that growth back, so that it
 * stays below a limit.
 */
const least = 0.25
const nearFloor = 1.5
const growthOfLeast = 0.005
const manyShare = 0.2
const many = 30

/** If the rate has fallen to this part since a client looked at it, its refusals are older than that. */
const fallen = 0.7

/** The most ends that a measurement counts, and the milliseconds that it takes at most. */
const mostEnds = 200
const longest = 120_000

/** The ends that are counted before the counts begin anew: the larger they are, the longer a store keeps them. */
const mostCounted = 100_000

/** What the store has about a fleet: the sums of the ends, the rate, and the one that was measured last. */
interface Sums<Value> {
  readonly accepted: Value
  readonly refused: Value
  /** The refused ones since the last accepted one. */
  readonly inRow: Value
  readonly level: Value
  readonly measured: Value
}

const isKnown = (sums: Sums<number | undefined>): sums is Sums<number> =>
  Object.values(sums).every((sum) => sum !== undefined)

/** What a client knew at a time. */
interface Known extends Sums<number> {
  readonly at: number
}

/** What a client changes in the store, where `level` is at least `floor`, also with the changes of others at the same time. */
interface Change {
  readonly level: number
  readonly measured: number
  readonly floor: number
  readonly isMeasurement: boolean
}

/** What the refusals of a client change, by the ends since an earlier time. */
const changeOf = (refused: number, before: Known, last: Known, now: Known): Change | undefined => {
  if (refused === 0 || now.inRow >= manyInRow) return undefined
  const ends = { accepted: now.accepted - before.accepted, refused: now.refused - before.refused }
  const share = ends.refused < beginning ? 0 : ends.refused / (ends.accepted + ends.refused)
  const measure = (most: number): Change => {
    const rate = ends.accepted * 1000 / Math.max(pause, now.at - before.at)
    const level = Math.min(most, levelOf(Math.max(lowest, rate)))
    return { level, measured: level, floor: level, isMeasurement: true }
  }
  if (now.level >= highest) return share > leastShare ? measure(highest) : undefined
  if (now.level - last.level < levelOf(fallen)) return undefined
  const floor = Math.max(levelOf(lowest), now.measured + levelOf(least))
  const cut = refused * levelOf(1 - Math.min(most, growth * perRefusal / rateOf(now.level)))
  if (now.level + cut < floor && share > manyShare && ends.refused >= many) return measure(now.level)
  if (now.level <= floor) return undefined
  const level = Math.max(floor, now.level + cut)
  const isNearFloor = level < floor + levelOf(nearFloor)
  const measured = isNearFloor ? now.measured : now.measured + Math.round(cut * growthOfLeast / growth)
  return { level, measured, floor, isMeasurement: false }
}

/** The time in which a level grows by one. */
const timeOf = (growth: number) => Duration.millis(1 / (growth * 1000))

/** Makes the part of one client. */
export const make = (key: string, shared: Store, scope: Scope.Scope, show: (rate: number) => void) => {
  const counting = (name: string) => {
    const sum = shared.sum(`${key}:${name}`, 0)
    return (ends: number) => Effect.map(sum(-ends), (left) => left === undefined ? undefined : -left)
  }
  const accepting = counting("accepted")
  const refusing = counting("refused")
  const missing = counting("in-row")
  const level = shared.sum(`${key}:level`, highest, timeOf(growth))
  const measured = shared.sum(`${key}:measured`, highest, timeOf(growthOfLeast))
  /** Moves a number in the store. What this and the changes of others move beyond the bound, each gives back of its own. */
  const move = (sum: typeof level, by: number, bound: number) =>
    Effect.flatMap(sum(by), (moved = bound) => {
      const beyond = Math.min(Math.abs(by), Math.sign(by) * (moved - bound))
      return beyond > 0 ? sum(-Math.sign(by) * beyond) : Effect.succeed(moved)
    })
  const turn = shared.turn(`${key}:learned`)
  let own = { accepted: 0, refused: 0 }
  let known: Known | undefined
  /** The start of the present measurement. */
  let start: Known | undefined
  /** When more had been refused last. */
  let quiet: Known | undefined
  let nextExchange = Number.NEGATIVE_INFINITY
  let isTelling = false

  const rate = () => known === undefined || known.level >= highest ? Number.POSITIVE_INFINITY : rateOf(known.level)
  const interval = () => 1000 / rate()

  /** Tells the others and learns from them. */
  const exchange = Effect.gen(function*() {
    const at = yield* Monotonic.now
    nextExchange = at + pause
    const { accepted, refused } = own
    own = { accepted: 0, refused: 0 }
    const sums = yield* Effect.all({
      accepted: accepting(accepted),
      refused: refusing(refused),
      inRow: missing(accepted > 0 ? 0 : refused),
      level: level(0),
      measured: measured(0)
    }, { concurrency: "unbounded" })
    const now = isKnown(sums) ? { at, ...sums } : undefined
    if (now === undefined) {
      known = start = undefined
      return
    }
    if (accepted > 0 && now.inRow !== 0) now.inRow = (yield* missing(-now.inRow)) ?? 0
    if (now.refused !== quiet?.refused) quiet = now
    if (start !== undefined && at > start.at + longest) start = undefined
    const change = start && known && changeOf(refused, start, known, now)
    const accepts = now.accepted - (start?.accepted ?? 0)
    const refuses = now.refused - (start?.refused ?? 0)
    // Fewer than before are those of another store, or of one that has lost them.
    const isOver = accepts + refuses >= mostEnds || accepts < 0 || refuses < 0
    if (start === undefined || isOver) start = now
    known = now
    if (now.accepted + now.refused > mostCounted) yield* Effect.all([accepting(-now.accepted), refusing(-now.refused)])
    if (change === undefined) {
      if (now.level >= highest || now.accepted - quiet.accepted < inRow) return
      const raised = accepted * Math.log1p(Math.min(growthByOne, growthInRow / rateOf(now.level))) * 1e6
      known = { ...now, level: (yield* level(Math.round(raised))) ?? highest }
      return
    }
    if (change.isMeasurement) start = now
    yield* move(measured, change.measured - now.measured, change.floor)
    known = { ...now, level: (yield* move(level, change.level - now.level, change.floor)) ?? highest }
  })

  const tell = Effect.gen(function*() {
    do {
      const wait = nextExchange - (yield* Monotonic.now)
      if (wait > 0) yield* Effect.sleep(wait)
      yield* exchange
      show(rate())
    } while (own.accepted + own.refused > 0)
  })

  /**
   * In the background, so that neither a slow store delays a call nor a call that ends leaves a change half made. What ends within the pause is told
   * at its end, as what is told later is taken for news of that time.
   */
  const told = Effect.suspend((): Effect.Effect<unknown> => {
    if (isTelling) return Effect.void
    isTelling = true
    return tell.pipe(
      Effect.ensuring(Effect.sync(() => {
        isTelling = false
      })),
      Effect.forkIn(scope, { startImmediately: true })
    )
  })

  return {
    /** Counts an attempt that the service accepted, or refused for a limit of rate. */
    ended: (isAccepted: boolean): void => {
      if (isAccepted) own.accepted++
      else own.refused++
    },
    /** Requests a second of the whole fleet, and milliseconds between two of them; without a limit they are infinite and zero. */
    rate,
    interval,
    /** Tells the others in the background how attempts have ended, and learns from them. */
    told,
    /**
     * Waits for a turn of the fleet, whose rate may change meanwhile. Returns the milliseconds of the next wait if `time`, the milliseconds that are
     * left, is too short for it.
     */
    turn: (time: () => number): Effect.Effect<number> =>
      Effect.gen(function*() {
        for (let tries = 0;; tries++) {
          yield* told
          if (interval() === 0) return 0
          const due = yield* Effect.orElseSucceed(turn(interval(), 1), () => 0)
          if (due === 0) return 0
          // Others wait for the same turn.
          const wait = Math.min(longestWait, due + (yield* Random.next) * interval() * 2 ** Math.min(tries, 10))
          if (wait > time()) return wait
          yield* Effect.sleep(wait)
        }
      }),
    /** Gives a turn back. */
    back: Effect.suspend(() => interval() === 0 ? Effect.void : Effect.ignore(turn(interval(), -1)))
  }
}

export type FleetRate = ReturnType<typeof make>
