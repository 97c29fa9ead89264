/** Messages about the client during a call: long waits, and with `--verbose` all events. */
import * as Attempt from "@effect-lingua/core/client/Attempt"
import { Event, Events } from "@effect-lingua/core/client/Events"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { tell } from "../screen/screen.ts"
import * as Settings from "../settings/settings.ts"

/** The least wait that is reported without `--verbose`: the program would seem to hang. */
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

const isLongWait = (event: Event): boolean =>
  // Polls are part of the progress of a document.
  Event.$is("Waiting")(event) && event.cause !== "poll" && Duration.isGreaterThanOrEqualTo(event.wait, longWait)

/** Runs a call and reports its events, all of them before the call ends. */
export const reportingEvents = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  if (yield* Settings.Quiet) return yield* effect
  const verbose = yield* Settings.Verbose
  const { stream } = yield* Events
  const ended = yield* Deferred.make<ReadonlyArray<Event>>()
  const listener = yield* Stream.toPull(stream).pipe(
    Effect.flatMap((pull) =>
      // A pull of buffered events needs one round of the scheduler, so the end waits for one.
      Effect.raceFirst(pull, Effect.tap(Deferred.await(ended), Effect.yieldNow)).pipe(
        Effect.tap(Effect.forEach((event) => verbose || isLongWait(event) ? line(event) : Effect.void)),
        Effect.repeat({ while: ({ length }) => length > 0 })
      )
    ),
    Effect.scoped,
    Effect.forkChild({ startImmediately: true })
  )
  return yield* Effect.ensuring(effect, Effect.andThen(Deferred.succeed(ended, []), Fiber.await(listener)))
})
