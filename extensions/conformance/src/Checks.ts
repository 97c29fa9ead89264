/**
 * Building blocks for custom checks: assertions about values and errors, and raw HTTP requests.
 *
 * **Details**
 *
 * A check's context contains the client's services, the `HttpClient` and the host's configuration. A check of a custom service provides that
 * service's layer. `Conformance.checksOf(state, checks)` adds checks to the suite.
 *
 * **Example** (A check of a custom request)
 *
 * ```ts import.meta.vitest
 * import { Checks, Conformance } from "@effect-lingua/conformance"
 * import { Effect, Schema } from "effect"
 *
 * const limit = Checks.Claims.check("Usage: the period has a limit", {}, function*() {
 *   const answer = yield* Checks.Requests.send("GET", "/v2/usage")
 *   yield* Checks.Requests.read(Schema.Struct({ character_limit: Schema.Int }), answer)
 * })
 * const checks = Conformance.checksOf("spec", [limit]).filter(({ name }) => name.startsWith("Usage: "))
 * const report = await Conformance.run({ checks }).pipe(Effect.provide(Conformance.layerFake()), Effect.runPromise)
 * report.passed.some(({ check }) => check === limit) // => true
 * ```
 *
 * @since 0.3.0
 */
export * as Claims from "./internal/check.ts"
export * as Requests from "./internal/host.ts"
/**
 * Creates a name, with the run's id, for a resource of a check.
 *
 * @category constructors
 * @since 0.3.0
 */
export { nameOf } from "./internal/lists.ts"
