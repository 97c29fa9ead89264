/** What making things as they are wanted has in common, whatever the things are. */
import * as Effect from "effect/Effect"
import { InvalidInput } from "../CallError.ts"
import { concerning } from "./call.ts"

/** How many things are worked at at the same time. */
export const concurrency = 4

export const invalid = (parameter: string, given: string, allowed: string) =>
  new InvalidInput({ parameter, given, allowed })

/** The index of the first item that is the same as one before it, or -1. */
export const repeated = <A>(items: ReadonlyArray<A>, same: (one: A, other: A) => boolean): number =>
  items.findIndex((item, index) => items.slice(0, index).some((before) => same(before, item)))

/** Runs all, some at a time. After a failure what has begun comes to its end, and nothing new begins. */
export const runAll = <A, B, E>(
  items: ReadonlyArray<A>,
  run: (item: A) => Effect.Effect<B, E>
): Effect.Effect<Array<B>, E> =>
  Effect.suspend(() => {
    const failures: Array<E> = []
    const one = (item: A) =>
      Effect.suspend(() =>
        failures.length > 0 ? Effect.undefined : Effect.catch(run(item), (error) => {
          failures.push(error)
          return Effect.undefined
        })
      )
    return Effect.flatMap(
      Effect.forEach(items, one, { concurrency }),
      (done) =>
        failures[0] === undefined ? Effect.succeed(done.flatMap((result) => result ?? [])) : Effect.fail(failures[0])
    )
  })

/** Follows the calls of a plan, so that the failure of one says which of them were made. */
export const follow = <Step>(
  steps: ReadonlyArray<Step>,
  format: (plan: { readonly steps: ReadonlyArray<Step> }) => ReadonlyArray<string>
) => {
  const done = new Set<Step>()
  const failed = new Map<unknown, Step>()
  return {
    /** A call. */
    one: <A, E, R>(step: Step, call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      call.pipe(
        Effect.tap(() => Effect.sync(() => done.add(step))),
        Effect.tapError((error) => Effect.sync(() => failed.set(error, step)))
      ),
    /** Some or all of them. */
    all: <A, E, R>(calls: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.mapError(calls, (error) => {
        const step = failed.get(error)
        if (step === undefined) return error
        const left = steps.filter((other) => other !== step && !done.has(other))
        return concerning(error, {
          plan: {
            failed: format({ steps: [step] }).join(),
            done: format({ steps: steps.filter((other) => done.has(other)) }),
            left: format({ steps: left })
          }
        })
      })
  }
}
