/** Tests as generators: `live` in real time and `effect` on virtual time, each with a scope and the services of a layer. */
// @effect-diagnostics anyUnknownInErrorContext:off -- a test fails with any error
import { it } from "@effect/vitest"
import { Context, Effect, Layer, Scope } from "effect"

type Steps<R> = Generator<Effect.Effect<unknown, unknown, R>, unknown, never>

/** Runs steps with the services of a layer. Their scope closes before the layer's. */
const withServices = <R, E>(layer: Layer.Layer<R, E>, steps: () => Steps<R | Scope.Scope>) =>
  Effect.flatMap(
    Layer.build(layer),
    (services) =>
      Effect.scopedWith((scope) =>
        Effect.updateContext(Effect.gen(steps), (own: Context.Context<never>) =>
          Context.merge(own, Context.add(services, Scope.Scope, scope)))
      )
  )

const testsOf = (tester: typeof it.live) => <R, E>(layer: Layer.Layer<R, E>) => {
  const testBy =
    (test: (name: string, run: () => Effect.Effect<unknown, unknown, Scope.Scope>) => void) =>
    (name: string, steps: () => Steps<R | Scope.Scope>): void => test(name, () => withServices(layer, steps))
  return Object.assign(
    testBy(tester),
    {
      skipIf: (condition: boolean) => testBy(tester.skipIf(condition)),
      each:
        <const Case>(cases: ReadonlyArray<Case>) =>
        (name: string, steps: (one: Case) => Steps<R | Scope.Scope>): void =>
          tester.each(cases)(name, (one) => withServices(layer, () => steps(one)))
    }
  )
}

export const liveWith = testsOf(it.live)
export const effectWith = testsOf(it.effect)
export const live = liveWith(Layer.empty)
export const effect = effectWith(Layer.empty)
