/**
 * The contract's resilience middleware. The client retries and waits; the fake server injects faults.
 *
 * @since 0.1.0
 */
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type { ResilienceError } from "./internal/plan.ts"

/**
 * Adds the errors of every call to each endpoint.
 *
 * @category middleware
 * @since 0.1.0
 */
export class Resilience extends HttpApiMiddleware.Service<Resilience, { clientError: ResilienceError }>()(
  "@effect-lingua/core/call/Resilience",
  { requiredForClient: true }
) {}
