/** Types of errors and values, for tests of the types of methods. */
import type { Effect, Stream } from "effect"

export type ErrorOf<R> = R extends Effect.Effect<infer _, infer E, infer _> | Stream.Stream<infer _, infer E, infer _> ?
  E
  : never

/** The values of an open set that an editor completes. */
export type Known<A extends string> = A extends string ? string extends A ? never : A : never

/** The errors of any call. */
export type Refused =
  | "BadRequest"
  | "InvalidKey"
  | "MissingScope"
  | "WrongTier"
  | "AccessDenied"
  | "ServiceUnavailable"
  | "PayloadTooLarge"
  | "RateLimited"
  | "Overloaded"
  | "CircuitOpen"
  | "ConnectionFailed"
  | "InvalidInput"
export type Unknown = "InternalServerError" | "BadGateway" | "GatewayTimeout" | "ConnectionLost" | "AttemptTimeout"
/** Errors whose outcome is known only at run time. */
export type Either = "DeadlineExceeded" | "UnexpectedResponse"
export type Common = Refused | Unknown | Either
