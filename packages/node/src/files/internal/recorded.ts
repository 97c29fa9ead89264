/** The ledger of an operation that consists of calls. */
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import * as Effect from "effect/Effect"

/** Runs an effect with access to the attempts of its calls so far. */
export const recorded = <A, E, R>(
  effect: (attempts: () => ReadonlyArray<Attempt.Attempt>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(Attempt.Recorder, (outer) => {
    const attempts: Array<Attempt.Attempt> = []
    return Effect.provideService(effect(() => [...attempts]), Attempt.Recorder, (attempt) => {
      attempts.push(attempt)
      outer?.(attempt)
    })
  })
