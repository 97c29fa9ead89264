/** The state of a call that a service method shares with the middleware below it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import { Cell } from "../../contract/internal/cell.ts"
import * as Sanitizer from "../../contract/internal/sanitizer.ts"
import type { RepeatKind } from "../../contract/Operation.ts"
import * as Attempt from "../../errors/Attempt.ts"
import type { SourceFailed } from "../../errors/CallError.ts"

/** The fields of an attempt. */
export type AttemptFields = ConstructorParameters<typeof Attempt.Attempt>[0]

/** A wait in whole milliseconds and its reason. */
export interface Wait {
  readonly millis: number
  readonly cause: Attempt.WaitCause
}

/** The state of a request body that streams. */
export interface Sending {
  /** The time at which the last bytes were sent, as a time of `Monotonic`. */
  sentAt: number | undefined
  /** True while the body has bytes left to send. */
  isSending: boolean
  /** True if the body was read and cannot be read again. */
  isSpent: boolean
  /** The failure of the source of the body, which ends the upload. */
  sourceFailure: SourceFailed | undefined
  /** Set to take the SHA-256 digest of the content while it is sent. */
  isHashed?: boolean
  contentHash?: string | undefined
}

/** The state of one call. It belongs to one fiber at a time, so it is plain and mutable. */
export interface CurrentCall extends Sending {
  /** Instances of `Attempt` are created from these on demand, which is rare. */
  readonly attempts: Array<AttemptFields>
  response: HttpClientResponse.HttpClientResponse | undefined
  /** Secrets of the call, in addition to those of the client. */
  readonly secrets: ReadonlyArray<string>
  /** Removes the secrets of the call from texts of the service; from the start of the middleware also those of the client. */
  sanitizer: Sanitizer.Sanitizer
  /** The wait before the next request of an operation that makes several. */
  wait: Wait | undefined
  /** The attempt whose request is sent and has not ended. */
  inFlight: { readonly sentAt: number; readonly wait: Wait | undefined } | undefined
  /** The characters that the service may have counted for attempts of a metered call. */
  characters: ((attempts: ReadonlyArray<AttemptFields>) => number) | undefined
  /** The policy of the call, set by the middleware. */
  policy: ResiliencePolicy | undefined
  /** The effect of repeating the call, set together with the policy. */
  repeat: RepeatKind | undefined
  /** The lifetime of the client, set together with the policy. */
  lifetime: { readonly sleep: (millis: number) => Effect.Effect<void> } | undefined
}

/** The state of a new call. `secrets` are its own. */
export const begin = (secrets: ReadonlyArray<string> = []): CurrentCall => ({
  attempts: [],
  response: undefined,
  secrets,
  sanitizer: secrets.length === 0 ? Sanitizer.withoutSecrets : Sanitizer.make(secrets),
  sentAt: undefined,
  isSending: false,
  isSpent: false,
  sourceFailure: undefined,
  wait: undefined,
  inFlight: undefined,
  characters: undefined,
  policy: undefined,
  lifetime: undefined,
  repeat: undefined
})

/** The place of a call in the contexts of its effects, until it ends. */
export class Place extends Cell<CurrentCall> {
  get sanitizer(): Sanitizer.Sanitizer {
    return this.content?.sanitizer ?? Sanitizer.withoutSecrets
  }
}

const CurrentPlace = Context.Reference<Place | undefined>(
  "@effect-lingua/core/client/internal/currentCall/CurrentPlace",
  {
    defaultValue: () => undefined
  }
)

/** The call of a context, if a service method made it. */
export const callOf = (context: Context.Context<never>): CurrentCall | undefined =>
  Context.get(context, CurrentPlace)?.content

/** The call of the current fiber, if a service method made it. */
export const currentCall: Effect.Effect<CurrentCall | undefined> = Effect.map(CurrentPlace, (place) => place?.content)

/** Runs an effect as a part of the call in a place. */
export const within = <A, E, R>(place: Place, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  // Two entries on top of a context cost less than to merge it with another.
  Effect.updateContext(effect, (context: Context.Context<R>) =>
    Context.add(Context.add(context, CurrentPlace, place), Sanitizer.CurrentSanitizer, place))

/** Sleeps between the requests of a call; the release of its client ends the sleep. */
export const sleep = (millis: number): Effect.Effect<void> =>
  Effect.flatMap(currentCall, (call) => call?.lifetime?.sleep(millis) ?? Effect.sleep(millis))

/** The number of attempts that the service may have counted: those that succeeded, and those of unknown outcome. */
export const countedAttempts = (attempts: ReadonlyArray<AttemptFields>): number =>
  attempts.filter(({ outcome, status = 200 }) => outcome === "unknown" || (outcome === undefined && status < 300))
    .length

/** The trace id of the last response, as a field, if it has one. */
export const trace: Effect.Effect<{ readonly traceId: string } | undefined> = Effect.map(
  currentCall,
  (call) => call && Sanitizer.traceOf(call.response, call.sanitizer)
)

/** The ledger of a call. */
export const ledger = (
  call: { readonly attempts: ReadonlyArray<AttemptFields> } | undefined
): ReadonlyArray<Attempt.Attempt> => call?.attempts.map((fields) => new Attempt.Attempt(fields)) ?? []
