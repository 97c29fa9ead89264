/**
 * The middleware of the contract around every call. Its client half retries and waits by policy; its server half, in the fake,
 * injects faults.
 *
 * @since 0.1.0
 */
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type { ResilienceError } from "./internal/plan.ts"

/**
 * The resilience middleware of the contract.
 *
 * @category middleware
 * @since 0.1.0
 */
export class Resilience extends HttpApiMiddleware.Service<Resilience, { clientError: ResilienceError }>()(
  "@effect-lingua/core/call/Resilience",
  { requiredForClient: true }
) {}
