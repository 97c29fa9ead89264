/**
 * One import for tests with `@effect/vitest`: its `it`, `describe`, `assert` and `layer`, and this package's modules.
 * Needs `@effect/vitest` and `vitest`.
 *
 * **Example** (A property and a model in one file)
 *
 * ```ts
 * import { StyleRules } from "@effect-lingua/core"
 * import { assert, FakeLanguageService, Generators, it, ModelBased, modelBased } from "@effect-lingua/testing/Vitest"
 * import { Effect } from "effect"
 *
 * it.effect.prop("is a property of every translation", [Generators.request("Translation.translate")], ([request]) =>
 *   Effect.sync(() => assert.isAtMost(request.text.length, 50)))
 *
 * modelBased("my style rules behave like the fake's", {
 *   commands: ModelBased.operations(StyleRules),
 *   // Replace it by your layer.
 *   host: FakeLanguageService.layerServices(),
 *   model: FakeLanguageService.layerServices()
 * })
 * ```
 *
 * @since 0.1.0
 */
import { it } from "@effect/vitest"
import type * as Scope from "effect/Scope"
import * as ModelBased from "./models/ModelBased.ts"

/**
 * The entry points of `@effect/vitest`.
 *
 * @category testing
 * @since 0.1.0
 */
export { assert, describe, it, layer } from "@effect/vitest"

/**
 * Assertions on the fake.
 *
 * @since 0.1.0
 */
export * as FakeAssert from "./assertions/FakeAssert.ts"

/**
 * The fake.
 *
 * @since 0.1.0
 */
export { FakeLanguageService } from "./fake/FakeLanguageService.ts"

/**
 * Faults as data.
 *
 * @since 0.1.0
 */
export * as Fault from "./faults/Fault.ts"

/**
 * Generators of all parts of the contract.
 *
 * @since 0.1.0
 */
export * as Generators from "./generators/Generators.ts"

/**
 * Model-based tests.
 *
 * @since 0.1.0
 */
export * as ModelBased from "./models/ModelBased.ts"

/**
 * Faults of selected calls.
 *
 * @since 0.1.0
 */
export * as Script from "./faults/Script.ts"

/**
 * Random faults.
 *
 * @since 0.1.0
 */
export * as Weather from "./faults/Weather.ts"

/**
 * Registers a model-based test.
 *
 * @category testing
 * @since 0.1.0
 */
export const modelBased = <R extends HostOut | Scope.Scope, HostOut, ResetR extends HostOut | Scope.Scope = never>(
  name: string,
  options: ModelBased.Options<R, HostOut, Scope.Scope, Scope.Scope, ResetR>,
  timeout?: Parameters<typeof it.effect>[2]
): void => it.effect(name, () => ModelBased.check(options), timeout)
