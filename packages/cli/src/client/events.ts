/** What the client does while a command waits for it: long waits always, all of it with `--verbose`. */
import * as Attempt from "@effect-lingua/core/client/Attempt"
import { Event, Events } from "@effect-lingua/core/client/Events"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
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

/** Runs a call and tells what happens meanwhile, all of it before the call is over. */
export const told = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  if (yield* Settings.Quiet) return yield* effect
  const verbose = yield* Settings.Verbose
  const { publish, stream } = yield* Events
  const last = Event.BudgetSpent({ operation: "" })
  const listener = yield* stream.pipe(
    Stream.takeWhile((event) => event !== last),
    Stream.filter((event) =>
      verbose ||
      // How far a document is, is told by its progress.
      (Event.$is("Waiting")(event) && event.cause !== "poll" &&
        Duration.isGreaterThanOrEqualTo(event.wait, longWait))
    ),
    Stream.runForEach(line),
    Effect.forkChild({ startImmediately: true })
  )
  return yield* Effect.ensuring(
    effect,
    Effect.andThen(Effect.sync(() => publish(() => last)), Fiber.await(listener))
  )
})
