/** Records the attempts of a call: on its error, for a recorder, as events, in metrics. */
import type * as Context from "effect/Context"
import * as Events from "../../client/Events.ts"
import type { AttemptFields, CurrentCall } from "../../client/internal/currentCall.ts"
import { publish } from "../../client/internal/publishing.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import { type Sanitizer, traceOf } from "../../contract/internal/sanitizer.ts"
import * as Attempt from "../../errors/Attempt.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import type { Ending } from "./ending.ts"

const throttling = new Set([429, 456, 529])

/** The end of an attempt that a caller interrupted. */
export const interrupted = { failure: { _tag: "interrupted", outcome: "unknown" } } as const

/** The end of an attempt, as far as it is recorded. */
export type Noted = Pick<Ending, "response"> & { readonly failure?: Pick<Failure, "_tag" | "outcome"> | undefined }

/** Makes the ledger of one call. */
export const make = ({ annotations, call, context, events, operation, recorder, sanitizer }: {
  readonly operation: string
  readonly sanitizer: Sanitizer
  readonly call: CurrentCall | undefined
  readonly recorder: ((attempt: Attempt.Attempt) => void) | undefined
  readonly events: Events.Events["Service"]
  /** The log annotations of the caller. */
  readonly annotations: () => Events.Annotations
  readonly context: Context.Context<never>
}) => ({
  /** Records an attempt that has ended. */
  note: (
    ending: Noted,
    about: Pick<Attempt.Attempt, "number" | "waited" | "took"> & Partial<Attempt.Attempt>
  ): void => {
    const { failure, response } = ending
    const noted: AttemptFields = {
      operation,
      ...about,
      ...(response === undefined ? undefined : { status: response.status }),
      ...(failure === undefined ? undefined : { failure: failure._tag, outcome: failure.outcome }),
      ...traceOf(response, sanitizer)
    }
    const counted = call?.characters?.(call.attempts) ?? 0
    call?.attempts.push(noted)
    if (call !== undefined) call.response = response
    recorder?.(new Attempt.Attempt(noted))
    publish(
      events,
      () => Events.Event.AttemptEnded({ attempt: new Attempt.Attempt(noted), annotations: annotations() })
    )
    const characters = (call?.characters?.(call.attempts) ?? 0) - counted
    if (characters > 0) Telemetry.update("characters", characters, { operation }, context)
    const result = failure?._tag ?? "success"
    Telemetry.update("attempts", 1, { operation, result }, context)
    if (failure?.outcome === "pending") Telemetry.update("polls", 1, { operation }, context)
    if (response !== undefined && throttling.has(response.status)) {
      Telemetry.update("throttles", 1, { operation, status: String(response.status) }, context)
    }
  },
  /** Adds to the last attempt the reason why no other follows. */
  stop: (cause: Attempt.StopCause): void => {
    const entry = call?.attempts.pop()
    if (entry !== undefined) call?.attempts.push({ ...entry, stopCause: cause })
  }
})
