/**
 * Monotonic time, the measure of deadlines, waits and durations. The system clock can be changed, so it is used only for dates
 * of the service, and for state shared by several machines.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

const nanosPerMilli = 1_000_000n

/** Whole milliseconds since an arbitrary moment. */
export const nowUnsafe = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / nanosPerMilli)

/** Whole milliseconds since an arbitrary moment. */
export const now: Effect.Effect<number> = Effect.clockWith((clock) => Effect.sync(() => nowUnsafe(clock)))

const makeSteady = (clock: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => nowUnsafe(clock),
  currentTimeMillis: Effect.sync(() => nowUnsafe(clock)),
  currentTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  currentTimeNanos: clock.monotonicTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration)
})

const steadyClocks = new WeakMap<Clock.Clock, Clock.Clock>()

/** The same context with a clock whose time of day is monotonic time. */
const steady = <R>(context: Context.Context<R>): Context.Context<R> => {
  const clock = Context.get(context, Clock.Clock)
  const steadyClock = steadyClocks.get(clock) ?? makeSteady(clock)
  steadyClocks.set(clock, steadyClock)
  return Context.add(context, Clock.Clock, steadyClock)
}

/** Runs an effect that measures by the time of day, as some modules of Effect do, on monotonic time. */
export const measured = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(self, steady<R>)
