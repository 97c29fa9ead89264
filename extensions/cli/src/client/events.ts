/** Messages about the client during a call: long waits, and with `--verbose` all events. */
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import { during, Event } from "@effect-lingua/core/telemetry/Events"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { tell } from "../screen/screen.ts"
import * as Settings from "../settings/settings.ts"

/** The least wait that is reported without `--verbose`: the program would seem to hang. */
const longWait = Duration.seconds(2)

const causes = { backoff: "backoff", "retry-after": "requested by the service", poll: "not ready yet" }

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
        took: Duration.toSeconds(took)
      })
    },
    Waiting: ({ cause, operation, wait }) =>
      tell("waiting", `${operation}: waiting ${Attempt.formatDuration(wait)} (${causes[cause]})`, {
        operation,
        cause,
        seconds: Duration.toSeconds(wait)
      }),
    BreakerChanged: ({ from, to }) => tell("breaker", `the circuit breaker went from ${from} to ${to}`, { from, to })
  })

const isLongWait = (event: Event): boolean =>
  // Polls are part of the progress of a document.
  Event.$is("Waiting")(event) && event.cause !== "poll" && Duration.isGreaterThanOrEqualTo(event.wait, longWait)

/** Runs a call and reports its events, all of them before the call ends. */
export const reportingEvents = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  if (yield* Settings.Quiet) return yield* effect
  const verbose = yield* Settings.Verbose
  return yield* during((event) => verbose || isLongWait(event) ? line(event) : Effect.void)(effect)
})
