/**
 * One import for tests: `it`, `describe`, `assert` and `layer` of `@effect/vitest`, and this package's modules. Requires
 * `@effect/vitest` and `vitest`.
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
import { beforeEach, it, layer as layerOfTests, type Vitest } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { FakeLanguageService } from "./fake/FakeLanguageService.ts"
import * as ModelBased from "./models/ModelBased.ts"

/**
 * The entry points of `@effect/vitest`.
 *
 * @category testing
 * @since 0.1.0
 */
export { assert, describe, it } from "@effect/vitest"

/**
 * `layer` of `@effect/vitest` for services over a fake that is reset before each test. The tests run sequentially.
 *
 * @category testing
 * @since 0.3.0
 */
export const layer = <R, E>(
  services: Layer.Layer<R | FakeLanguageService, E>,
  options?: Omit<NonNullable<Parameters<typeof layerOfTests>[1]>, "concurrent">
): ReturnType<typeof layerOfTests<R | FakeLanguageService, E>> => {
  type Tests = (it: Vitest.MethodsNonLive<R | FakeLanguageService>) => void
  let reset = Effect.void
  const watched = Layer.tap(services, (context) =>
    Effect.map(Effect.context(), (outer) => {
      reset = Effect.provideContext(Context.get(context, FakeLanguageService).reset, outer)
    }))
  const define = layerOfTests(watched, options)
  const withReset = (tests: Tests): Tests => (it) => {
    beforeEach(() => Effect.runPromise(reset))
    tests(it)
  }
  return (...args: [name: string, tests: Tests] | [tests: Tests]) =>
    args.length === 1 ? define(withReset(args[0])) : define(args[0], withReset(args[1]))
}

/**
 * Assertions on the fake's requests and effects.
 *
 * @since 0.1.0
 */
export * as FakeAssert from "./assertions/FakeAssert.ts"

/**
 * The stateful fake of the service.
 *
 * @since 0.1.0
 */
export { FakeLanguageService } from "./fake/FakeLanguageService.ts"

/**
 * Delays, error statuses, broken connections and invalid bodies.
 *
 * @since 0.1.0
 */
export * as Fault from "./faults/Fault.ts"

/**
 * Generators of requests, responses and errors.
 *
 * @since 0.1.0
 */
export * as Generators from "./generators/Generators.ts"

/**
 * Compares a system with a model of the system.
 *
 * @since 0.1.0
 */
export * as ModelBased from "./models/ModelBased.ts"

/**
 * Faults for selected calls.
 *
 * @since 0.1.0
 */
export * as Script from "./faults/Script.ts"

/**
 * Random faults at given rates.
 *
 * @since 0.1.0
 */
export * as Weather from "./faults/Weather.ts"

/**
 * Registers a test that runs `ModelBased.check`.
 *
 * @category testing
 * @since 0.1.0
 */
export const modelBased = <R>(
  name: string,
  options: ModelBased.Options<R, Scope.Scope, Scope.Scope>,
  timeout?: Parameters<typeof it.effect>[2]
): void => it.effect(name, () => ModelBased.check(options), timeout)
