/**
 * Virtual time for waits, retries, polls and deadlines.
 *
 * @since 0.3.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Scheduler from "effect/Scheduler"
import type * as TestClock from "effect/testing/TestClock"

interface Sleep {
  readonly at: number
  wake: (() => void) | undefined
}

/** Inserts in descending order of wake-up, before equal sleeps, so that the last element wakes next. */
const insert = (sleeps: Array<Sleep>, sleep: Sleep): void => {
  let [start, end] = [0, sleeps.length]
  while (start < end) {
    const middle = (start + end) >> 1
    if ((sleeps[middle]?.at ?? 0) > sleep.at) start = middle + 1
    else end = middle
  }
  sleeps.splice(start, 0, sleep)
}

const nanosPerMilli = 1_000_000

/** Implements `TestClock`, for programs that call `TestClock.adjust`. */
class VirtualClock implements TestClock.TestClock {
  readonly #sleeps: Array<Sleep> = []
  readonly #start: number
  readonly #monotonic: bigint
  #elapsed = 0

  constructor(start: Clock.Clock) {
    this.#start = start.currentTimeMillisUnsafe()
    this.#monotonic = start.monotonicTimeNanosUnsafe()
  }
  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  currentTimeMillisUnsafe(): number {
    return this.#start + this.#elapsed
  }
  currentTimeNanosUnsafe(): bigint {
    return BigInt(Math.round(this.currentTimeMillisUnsafe() * nanosPerMilli))
  }
  monotonicTimeNanosUnsafe(): bigint {
    return this.#monotonic + BigInt(Math.round(this.#elapsed * nanosPerMilli))
  }
  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const millis = Duration.toMillis(duration)
    if (millis <= 0) return Effect.yieldNow
    if (millis === Number.POSITIVE_INFINITY) return Effect.never
    return Effect.callback<void>((resume) => {
      const sleep: Sleep = { at: this.#elapsed + millis, wake: () => resume(Effect.void) }
      insert(this.#sleeps, sleep)
      return Effect.sync(() => {
        sleep.wake = undefined
      })
    })
  }
  adjust(duration: Duration.Input): Effect.Effect<void> {
    return Effect.suspend(() => this.sleep(Duration.fromInputUnsafe(duration)))
  }
  setTime(timestamp: number): Effect.Effect<void> {
    return Effect.suspend(() => this.sleep(Duration.millis(timestamp - this.currentTimeMillisUnsafe())))
  }
  withLive<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.provideService(effect, Clock.Clock, Context.get(Context.empty(), Clock.Clock))
  }
  get elapsed(): Duration.Duration {
    return Duration.millis(this.#elapsed)
  }
  /** Advances to the next wake-up; false if nothing sleeps. */
  advance(): boolean {
    for (;;) {
      const next = this.#sleeps.pop()
      if (next === undefined) return false
      if (next.wake === undefined) continue
      this.#elapsed = next.at
      next.wake()
      return true
    }
  }
}

/** Schedules a task after the callbacks of settled promises. */
const soon: (task: () => void) => void = "setImmediate" in globalThis ? globalThis.setImmediate : setTimeout

/**
 * Number of idle event loop rounds after which a program counts as waiting; a digest or a body takes several rounds.
 */
const quietRounds = 5

/** Number of idle rounds without a sleep, about a second, after which a program counts as stuck. */
const deadRounds = 500_000

/** Maximum rounds of tasks before the event loop continues, so that a busy program can be interrupted. */
const busyRounds = 10_000

/** Notices running fibers: a settled promise resumes a fiber without a scheduled task. */
class Noticing extends Scheduler.MixedScheduler {
  /** Idle rounds since a fiber ran. */
  quiet = 0

  override shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    this.quiet = 0
    return super.shouldYield(fiber)
  }
}

const isTestClock = (clock: Clock.Clock): clock is TestClock.TestClock => Predicate.hasProperty(clock, "adjust")

/**
 * Runs a program on virtual time: whenever all its fibers wait, the clock advances to the next wake-up, so that hours
 * take milliseconds.
 *
 * **Details**
 *
 * Time starts at the context clock's time; a `TestClock` in the context is adjusted to the end time. In the program,
 * `TestClock.adjust` sleeps instead of advancing the clock. A program that waits too long for anything but time, such as a
 * callback, dies. Only for in-process services: the clock does not wait for sockets and files.
 *
 * @category running
 * @since 0.3.0
 */
export const run = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.contextWith((context: Context.Context<R>) => {
    const outer = Context.get(context, Clock.Clock)
    const clock = new VirtualClock(outer)
    const driven = Effect.callback<A, E>((resume) => {
      let ready: Array<() => void> = []
      const scheduler = new Noticing("async", (task) => {
        let isScheduled = true
        ready.push(() => {
          if (isScheduled) task()
        })
        return () => {
          isScheduled = false
        }
      })
      const fiber = Effect.runForkWith(Context.add(context, Clock.Clock, clock))(program, { scheduler })
      let isOver = false
      fiber.addObserver((exit) => {
        isOver = true
        resume(exit)
      })
      const drive = (): void => {
        if (isOver) return
        if (ready.length > 0) scheduler.quiet = 0
        else if (++scheduler.quiet > quietRounds && clock.advance()) scheduler.quiet = 0
        else if (scheduler.quiet > deadRounds) {
          isOver = true
          return resume(
            Effect.die(new Error("The program waits for something other than time: VirtualTime cannot advance"))
          )
        }
        for (let round = 0; ready.length > 0 && round < busyRounds; round++) {
          const tasks = ready
          ready = []
          for (const task of tasks) task()
        }
        soon(drive)
      }
      drive()
      return Fiber.interrupt(fiber)
    })
    return isTestClock(outer) ? Effect.ensuring(driven, Effect.suspend(() => outer.adjust(clock.elapsed))) : driven
  })
