/** The lifetime of a client: calls and streams under way end at once when its layer is released. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { ConnectionFailed, ConnectionLost } from "../../client/CallError.ts"
import { releasedCode } from "../../client/internal/failure.ts"

const fields = { description: "The layer of the client was released", code: releasedCode }

/** The error of a call on a released client. */
export const failure = (isSent: boolean): ConnectionFailed | ConnectionLost =>
  isSent ? new ConnectionLost(fields) : new ConnectionFailed({ ...fields, isTransient: false })

const make = Effect.gen(function*() {
  const fibers = new Set<Fiber.Fiber<unknown, unknown>>()
  let isReleased = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isReleased = true
      for (const fiber of fibers) fiber.interruptUnsafe()
    })
  )

  /** Interrupts the fiber of an effect when the client is released. The fiber must be one of a race. */
  const bound = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      if (isReleased) return Effect.interrupt
      fibers.add(fiber)
      return Effect.ensuring(self, Effect.sync(() => fibers.delete(fiber)))
    })

  /** Continues with another effect if the release interrupted a race. */
  const orElse =
    <A2, E2, R2>(onRelease: () => Effect.Effect<A2, E2, R2>) =>
    <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A | A2, E | E2, R | R2> =>
      Effect.catchCause(
        self,
        (cause): Effect.Effect<A2, E | E2, R2> =>
          isReleased && Cause.hasInterruptsOnly(cause) ? onRelease() : Effect.failCause(cause)
      )

  return {
    isReleased: () => isReleased,
    bound,
    orElse,
    /** Sleeps; the release of the client ends the sleep. */
    sleep: (millis: number): Effect.Effect<void> =>
      Effect.raceFirst(bound(Effect.sleep(millis)), Effect.never).pipe(orElse(() => Effect.void))
  }
})

/** The lifetime shared by all services of a client. */
export class Lifetime extends Context.Service<Lifetime, Effect.Success<typeof make>>()(
  "@effect-lingua/core/resilience/internal/lifetime"
) {}

export const layer = Layer.effect(Lifetime, make)
