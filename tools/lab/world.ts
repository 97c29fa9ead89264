/** A simulation's event loop, which runs timers and real clients' fibers in virtual time. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as Scheduler from "effect/Scheduler"

/** A seeded random number generator (mulberry32). */
export const randomOf = (seed: number): () => number => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface Timer {
  readonly at: number
  run: (() => void) | undefined
}

/** Times are in milliseconds. Timers of the same time run in the order in which they were set. */
export interface World {
  readonly now: () => number
  readonly at: (time: number, run: () => void) => Timer
}

const nanosPerMilli = 1_000_000

const clockOf = ({ at, now }: World): Clock.Clock => {
  const nanos = () => BigInt(Math.round(now() * nanosPerMilli))
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) => {
      const millis = Duration.toMillis(duration)
      if (millis <= 0) return Effect.yieldNow
      if (millis === Number.POSITIVE_INFINITY) return Effect.never
      return Effect.callback<void>((resume) => {
        const timer = at(now() + millis, () => resume(Effect.void))
        return Effect.sync(() => {
          timer.run = undefined
        })
      })
    }
  }
}

export const make = (seed: number) => {
  /** Sorted by time; the next timer is last. */
  const timers: Array<Timer> = []
  let ready: Array<() => void> = []
  let time = 0

  const at = (at: number, run: () => void): Timer => {
    const timer: Timer = { at: Math.max(at, time), run }
    let [low, high] = [0, timers.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (timer.at < (timers[middle]?.at ?? 0)) low = middle + 1
      else high = middle
    }
    timers.splice(low, 0, timer)
    return timer
  }

  const world: World = { now: () => time, at }
  const scheduler = new Scheduler.MixedScheduler("async", (task) => {
    let isScheduled = true
    ready.push(() => {
      if (isScheduled) task()
    })
    return () => {
      isScheduled = false
    }
  })
  const services = Context.make(Clock.Clock, clockOf(world)).pipe(
    Context.add(Random.Random, Effect.runSync(Random.withSeed(Effect.service(Random.Random), `${seed}`)))
  )
  return {
    ...world,
    /** Runs an effect on this loop. */
    fork: <A, E>(effect: Effect.Effect<A, E>, onEnd: (exit: Exit.Exit<A, E>) => void): void => {
      Effect.runForkWith(services)(effect, { scheduler }).addObserver(onEnd)
    },
    /** Runs until the condition holds or no timer is left. */
    run: (isOver: () => boolean): void => {
      while (!isOver()) {
        while (ready.length > 0) {
          const tasks = ready
          ready = []
          for (const task of tasks) task()
        }
        const timer = timers.pop()
        if (timer === undefined) return
        if (timer.run === undefined) continue
        time = timer.at
        timer.run()
      }
    }
  }
}
