/** The record of one call of a service method: its operation makes it, and passes it to each request. */
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { RepeatKind } from "../../contract/internal/operation.ts"
import * as Sanitizer from "../../contract/internal/sanitizer.ts"
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
export class Sending {
  /** True to take the SHA-256 digest of the content while it is sent. */
  readonly isHashed: boolean
  /** The time at which the last bytes were sent, as a time of `Monotonic`. */
  sentAt: number | undefined = undefined
  /** True while the body has bytes left to send. */
  isSending = false
  /** True if the body was read and cannot be read again. */
  isSpent = false
  /** The failure of the source of the body, which ends the upload. */
  sourceFailure: SourceFailed | undefined = undefined
  contentHash: string | undefined = undefined
  constructor(isHashed = false) {
    this.isHashed = isHashed
  }
}

/** The record of one call, which belongs to one fiber at a time. */
export class CallRecord {
  readonly operation: string
  /** Secrets of the call, in addition to those of the client. */
  readonly secrets: ReadonlyArray<string>
  /** The attempts of all requests of the call. Instances of `Attempt` are created from these on demand, which is rare. */
  readonly attempts: Array<AttemptFields> = []
  /** The last response. */
  response: HttpClientResponse.HttpClientResponse | undefined = undefined
  /** Removes the secrets of the last request from texts of the service. */
  sanitizer: Sanitizer.Sanitizer
  /** What repeating the last request does. */
  repeat: RepeatKind | undefined = undefined
  /** The characters that each attempt of a metered call may add to the usage. */
  characters: (() => number) | undefined = undefined
  /** The state of the request body, if it streams. */
  sending: Sending | undefined = undefined
  constructor(operation: string, secrets: ReadonlyArray<string> = []) {
    this.operation = operation
    this.secrets = secrets
    this.sanitizer = secrets.length === 0 ? Sanitizer.withoutSecrets : Sanitizer.make(secrets)
  }
}

/** True if the service may have counted an attempt: it succeeded, or its outcome is unknown. */
export const isCounted = ({ outcome, status = 200 }: AttemptFields): boolean =>
  outcome === "unknown" || (outcome === undefined && status < 300)

/** The number of attempts that the service may have counted. */
export const countedAttempts = (attempts: ReadonlyArray<AttemptFields>): number => attempts.filter(isCounted).length

/** The characters that the service may have counted for the attempts of a call. */
export const countedCharacters = ({ attempts, characters }: CallRecord): number => {
  const counted = characters === undefined ? 0 : countedAttempts(attempts)
  return characters === undefined || counted === 0 ? 0 : counted * characters()
}

/** The trace id of the last response, as a field, if it has one. */
export const traceOf = ({ response, sanitizer }: CallRecord) => Sanitizer.traceOf(response, sanitizer)

/** The ledger of a call. */
export const ledger = ({ attempts }: CallRecord): ReadonlyArray<Attempt.Attempt> =>
  attempts.map((fields) => new Attempt.Attempt(fields))
