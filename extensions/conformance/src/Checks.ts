/**
 * What a check of another resource is made of: claims about values and errors, and requests without the client.
 *
 * **Details**
 *
 * A check finds the services of the client, the `HttpClient` and the configuration of the host in its context, and provides a service of its own over
 * them. `Conformance.checksOf(state, checks)` has it beside those of the suite, and a run reports it like them.
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
