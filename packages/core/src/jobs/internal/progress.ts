/** Progress as a stream: what a reporter is told while an effect runs, and its value at the end. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { Finished } from "../Progress.ts"

/** Byte counts that nobody reads are left out from here on. */
const backlog = 256

const isCount = ({ _tag }: { readonly _tag: string }): boolean => _tag === "Received" || _tag === "Sent"

/** Runs an effect and gives what its reporter is told. */
export const stream =
  <Event extends { readonly _tag: string }>(reporter: Context.Reference<((event: Event) => void) | undefined>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Stream.Stream<Event | Finished<A>, E, R> =>
    Stream.callback<Event | Finished<A>, E, R>((queue) =>
      effect.pipe(
        Effect.provideService(reporter, (event) => {
          if (!isCount(event) || Queue.sizeUnsafe(queue) < backlog) Queue.offerUnsafe(queue, event)
        }),
        Effect.onExit((exit) => {
          if (Exit.isFailure(exit)) return Queue.failCause(queue, exit.cause)
          Queue.offerUnsafe(queue, { _tag: "Finished", value: exit.value })
          return Queue.end(queue)
        })
      ), { bufferSize: Number.POSITIVE_INFINITY })
