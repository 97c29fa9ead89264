/**
 * The middleware of the contract around every call. Its client half retries and waits by policy; its server half, in the fake,
 * injects faults.
 *
 * @since 0.1.0
 */
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type {
  AttemptTimeout,
  CircuitOpen,
  ConnectionFailed,
  ConnectionLost,
  DeadlineExceeded,
  InvalidInput,
  UnexpectedResponse
} from "./CallError.ts"
import type { AccessDenied, CommonError, InvalidKey, RateLimited, WrongTier } from "./ServiceError.ts"

/**
 * The errors of a call without a response that the contract describes.
 *
 * @category errors
 * @since 0.1.0
 */
export type CallFailure =
  | AttemptTimeout
  | CircuitOpen
  | ConnectionFailed
  | ConnectionLost
  | DeadlineExceeded
  | UnexpectedResponse

/**
 * The errors of every call, whether it reads, changes or creates.
 *
 * @category errors
 * @since 0.1.0
 */
export type AnyCallError = Exclude<CallFailure | CommonError | InvalidInput, UnknownOutcomeError>

/**
 * The errors that leave open whether the call had an effect. A creation fails with `OutcomeUnknown` in their place.
 *
 * @category errors
 * @since 0.1.0
 */
export type UnknownOutcomeError = Extract<CallFailure | CommonError, { readonly outcome: "unknown" }>

/**
 * The resilience middleware of the contract.
 *
 * @category middleware
 * @since 0.1.0
 */
export class Resilience extends HttpApiMiddleware.Service<
  Resilience,
  { clientError: AccessDenied | CallFailure | InvalidInput | InvalidKey | RateLimited | WrongTier }
>()(
  "@effect-lingua/core/client/Resilience",
  { requiredForClient: true }
) {}
