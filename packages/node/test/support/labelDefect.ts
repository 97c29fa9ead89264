import { Effect } from "effect"

/** Puts a label before the message of a defect. */
export const labelDefect = (label: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchDefect(effect, (defect) => {
    if (defect instanceof Error) defect.message = `${label}: ${defect.message}`
    return Effect.die(defect)
  })
