/**
 * The conformance suite as tests of `@effect/vitest`. Needs `@effect/vitest` and `vitest`.
 *
 * **Example** (A test for each check)
 *
 * ```ts
 * import { Conformance } from "@effect-lingua/conformance"
 * import { conformance } from "@effect-lingua/conformance/Vitest"
 * import { TestClock } from "effect/testing"
 *
 * conformance("the fake", Conformance.layerFake({ advance: TestClock.adjust }))
 * ```
 *
 * @since 0.3.0
 */
import { layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Conformance from "./Conformance.ts"

/**
 * Registers a test for each check of the conformance suite, in a test group `name`, against one host. A check that the host does not support is
 * skipped, with the reason.
 *
 * @category testing
 * @since 0.3.0
 */
export const conformance = <E>(
  name: string,
  host: Layer.Layer<Conformance.Requirements, E>,
  checks: ReadonlyArray<Conformance.Check> = Conformance.checks
): void =>
  layer(host)(name, (it) => {
    for (const { effect, name } of checks) {
      it.effect(name, (context) =>
        Effect.catchTag(effect, "NotOffered", ({ message }) => Effect.sync(() => context.skip(message))))
    }
  })
