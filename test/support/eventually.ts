import { Effect } from "effect"

/** Waits in real time until a condition holds, and fails with its words if it does not within a minute. */
export const eventually = <E = never, R = never>(what: string, holds: Effect.Effect<boolean, E, R> | (() => boolean)) =>
  (typeof holds === "function" ? Effect.sync(holds) : holds).pipe(
    Effect.delay("10 millis"),
    Effect.repeat({ until: (isSo) => isSo }),
    Effect.timeoutOrElse({ duration: "1 minute", orElse: () => Effect.die(new Error(`never: ${what}`)) })
  )
