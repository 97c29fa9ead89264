import { Effect } from "effect"

/** What says where a kill was, when something else is wrong after it. */
export const telling = (what: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchDefect(effect, (defect) => {
    if (defect instanceof Error) defect.message = `${what}: ${defect.message}`
    return Effect.die(defect)
  })
