/** What the client does while a command waits for it: long waits always, all of it with `--verbose`. */
import * as Attempt from "@effect-lingua/core/client/Attempt"
import { during, Event } from "@effect-lingua/core/client/Events"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { tell } from "../screen/screen.ts"
import * as Settings from "../settings/settings.ts"

/** A wait that is told without being asked for: a person would think that it hangs. */
const longWait = Duration.seconds(2)

const causes = { backoff: "backoff", "retry-after": "the service asked for it", poll: "not ready yet" }

const seconds = (duration: Duration.Duration) => Duration.toSeconds(duration)

const line = (event: Event) =>
  Event.$match(event, {
    AttemptEnded: ({ attempt }) => {
      const { failure, number, operation, status, took, traceId } = attempt
      return tell("attempt", `${operation}: ${Attempt.format([attempt])}, took ${Attempt.formatDuration(took)}`, {
        operation,
        number,
        status,
        error: failure,
        traceId,
        took: seconds(took)
      })
    },
    Waiting: ({ cause, operation, wait }) =>
      tell("waiting", `${operation}: waiting ${Attempt.formatDuration(wait)} (${causes[cause]})`, {
        operation,
        cause,
        seconds: seconds(wait)
      }),
    BreakerChanged: ({ from, to }) => tell("breaker", `the circuit breaker went from ${from} to ${to}`, { from, to }),
    BudgetSpent: ({ operation }) => tell("budget", `${operation}: the retry budget is empty`, { operation })
  })

/** Runs a call and prints its events, all of them before the call ends. */
export const told = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  if (yield* Settings.Quiet) return yield* effect
  const verbose = yield* Settings.Verbose
  return yield* during((event) =>
    verbose ||
      // The progress of a document shows its polls.
      (event._tag === "Waiting" && event.cause !== "poll" && Duration.isGreaterThanOrEqualTo(event.wait, longWait))
      ? line(event)
      : Effect.void
  )(effect)
})
