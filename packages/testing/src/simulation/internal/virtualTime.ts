/** Runs a program on virtual time: whenever all of its fibers wait, the clock goes on to the first that wakes. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

interface Sleep {
  readonly at: number
  readonly order: number
  wake: (() => void) | undefined
}

const isBefore = (a: Sleep, b: Sleep): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Sleeps by the time at which they end: a binary heap. */
const makeHeap = () => {
  const heap: Array<Sleep> = []
  const swap = (i: number, j: number): void => {
    const [a, b] = [heap[i], heap[j]]
    if (a !== undefined && b !== undefined) [heap[i], heap[j]] = [b, a]
  }
  const before = (i: number, j: number): boolean => {
    const [a, b] = [heap[i], heap[j]]
    return a !== undefined && b !== undefined && isBefore(a, b)
  }
  return {
    push: (sleep: Sleep): void => {
      heap.push(sleep)
      for (let at = heap.length - 1; at > 0;) {
        const parent = (at - 1) >> 1
        if (!before(at, parent)) return
        swap(at, parent)
        at = parent
      }
    },
    pop: (): Sleep | undefined => {
      swap(0, heap.length - 1)
      const first = heap.pop()
      for (let at = 0;;) {
        const left = 2 * at + 1
        const least = before(left + 1, left) ? left + 1 : left
        if (!before(least, at)) return first
        swap(at, least)
        at = least
      }
    }
  }
}

class VirtualClock implements Clock.Clock {
  readonly sleeps = makeHeap()
  #now = 0
  #order = 0
  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  currentTimeMillisUnsafe(): number {
    return this.#now
  }
  currentTimeNanosUnsafe(): bigint {
    return BigInt(Math.round(this.#now * 1_000_000))
  }
  monotonicTimeNanosUnsafe(): bigint {
    return this.currentTimeNanosUnsafe()
  }
  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const millis = Duration.toMillis(duration)
    if (millis <= 0) return Effect.yieldNow
    if (millis === Number.POSITIVE_INFINITY) return Effect.never
    return Effect.callback<void>((resume) => {
      const sleep: Sleep = { at: this.#now + millis, order: this.#order++, wake: () => resume(Effect.void) }
      this.sleeps.push(sleep)
      return Effect.sync(() => {
        sleep.wake = undefined
      })
    })
  }
  /** Wakes the first that sleeps, and returns whether there was one. */
  advance(): boolean {
    for (;;) {
      const next = this.sleeps.pop()
      if (next === undefined) return false
      if (next.wake === undefined) continue
      this.#now = next.at
      next.wake()
      return true
    }
  }
}

/** Calls back when the promises that are settled have called back. */
const soon: (task: () => void) => void = "setImmediate" in globalThis ? globalThis.setImmediate : setTimeout

/** Fails as a defect if the program waits for something other than time. */
export const run = <A, E>(program: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.callback((resume) => {
    const clock = new VirtualClock()
    let ready: Array<() => void> = []
    const scheduler = new Scheduler.MixedScheduler("async", (task) => {
      let isWanted = true
      ready.push(() => {
        if (isWanted) task()
      })
      return () => {
        isWanted = false
      }
    })
    const fiber = Effect.runFork(Effect.provideService(program, Clock.Clock, clock), { scheduler })
    let isOver = false
    fiber.addObserver((exit) => {
      isOver = true
      resume(exit)
    })
    const drive = (): void => {
      if (isOver) return
      if (ready.length === 0 && !clock.advance()) {
        resume(Effect.die(new Error("a simulated program waits for something other than time")))
        return
      }
      while (ready.length > 0) {
        const tasks = ready
        ready = []
        for (const task of tasks) task()
      }
      soon(drive)
    }
    drive()
    // Nothing that the program holds outlives it: it is not driven any more.
    return Effect.sync(() => {
      isOver = true
    })
  })
