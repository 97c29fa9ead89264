import { Clock, Duration, Effect } from "effect"

/** Runs an effect with a faster clock, so that a minute of a policy passes in a second over real sockets. */
export const faster = (times: number) => <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.clockWith((clock) => {
    const start = clock.currentTimeMillisUnsafe()
    const startNanos = clock.currentTimeNanosUnsafe()
    const millis = () => start + (clock.currentTimeMillisUnsafe() - start) * times
    const nanos = () => startNanos + (clock.currentTimeNanosUnsafe() - startNanos) * BigInt(times)
    const monotonic = () => clock.monotonicTimeNanosUnsafe() * BigInt(times)
    return Effect.provideService(self, Clock.Clock, {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: monotonic,
      monotonicTimeNanos: Effect.sync(monotonic),
      sleep: (duration) => clock.sleep(Duration.millis(Duration.toMillis(duration) / times))
    })
  })
