import { Effect } from "effect"

/** Adds to a defect where the process was killed. */
export const telling = (what: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchDefect(effect, (defect) => {
    if (defect instanceof Error) defect.message = `${what}: ${defect.message}`
    return Effect.die(defect)
  })
