/**
 * Building blocks for checks of another resource: claims about values and errors, and requests without the client.
 *
 * **Details**
 *
 * A check has the client's services, the `HttpClient` and the host's configuration in its context, and provides its service over them.
 * `Conformance.checksOf(state, checks)` adds it to the suite.
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
 * A name for an object of this run on the host.
 *
 * @category constructors
 * @since 0.3.0
 */
export { nameOf } from "./internal/lists.ts"
