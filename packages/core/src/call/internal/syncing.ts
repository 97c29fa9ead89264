/** Shared engine of `plan` and `apply`. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { UnexpectedResponse } from "../../errors/CallError.ts"
import { concerning } from "./operation.ts"

/** The number of resources processed at the same time. */
export const concurrency = 4

/** Fails a comparison with unreadable contents: a plan could create them a second time, or delete them. */
export const unreadable = (operation: string, description: string): Effect.Effect<never, UnexpectedResponse> =>
  Effect.fail(new UnexpectedResponse({ operation, description, status: 200, outcome: "refused", isTransient: false }))

/** The index of the first item that equals an earlier one, or -1. */
export const repeated = <A>(items: ReadonlyArray<A>, same: (one: A, other: A) => boolean): number =>
  items.findIndex((item, index) => items.slice(0, index).some((before) => same(before, item)))

/** Runs all effects with bounded concurrency. After a failure the running ones finish, and no other is started. */
const runAll = <A, B, E>(
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

/**
 * The one resource of a list that a creation made whose response was lost, or the error of the creation. A missing resource may still
 * appear.
 */
export const createdIn = <A, E, E2>(list: Stream.Stream<A, E2>, error: E, isCreated: (one: A) => boolean) =>
  Effect.matchEffect(Stream.runCollect(Stream.filter(list, isCreated)), {
    onFailure: () => Effect.fail(error),
    onSuccess: ([found, another]) =>
      found === undefined || another !== undefined ? Effect.fail(error) : Effect.succeed(found)
  })

/** The steps of a plan by their kinds, and the call that each makes. */
interface Calls<Create, Change, Remove, Made, E1, E2, E3> {
  readonly creates: ReadonlyArray<Create>
  readonly create: (step: Create) => Effect.Effect<Made, E1>
  readonly changes: ReadonlyArray<Change>
  /** The resource of a change. The changes of one resource are made in order. */
  readonly idOf: (step: Change) => string
  readonly change: (step: Change) => Effect.Effect<void, E2>
  readonly removes: ReadonlyArray<Remove>
  readonly remove: (step: Remove) => Effect.Effect<void, E3>
}

/** Makes the calls of a plan, and returns the created objects. A failure has the progress of the plan. */
export const makeCalls = <Step, Create extends Step, Change extends Step, Remove extends Step, Made, E1, E2, E3>(
  steps: ReadonlyArray<Step>,
  format: (plan: { readonly steps: ReadonlyArray<Step> }) => ReadonlyArray<string>,
  { change, changes, create, creates, idOf, remove, removes }: Calls<Create, Change, Remove, Made, E1, E2, E3>
): Effect.Effect<Array<Made>, E1 | E2 | E3> =>
  Effect.suspend(() => {
    const done = new Set<Step>()
    const failed = new Map<unknown, Step>()
    const one = <A, E>(step: Step, call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      call.pipe(
        Effect.tap(() => Effect.sync(() => done.add(step))),
        Effect.tapError((error) => Effect.sync(() => failed.set(error, step)))
      )
    return Effect.gen(function*() {
      const made = yield* runAll(creates, (step) => one(step, create(step)))
      yield* runAll(
        [...Map.groupBy(changes, idOf).values()],
        (own) => Effect.forEach(own, (step) => one(step, change(step)), { discard: true })
      )
      // Last, so that a failure before it removes nothing.
      yield* runAll(removes, (step) => one(step, remove(step)))
      return made
    }).pipe(Effect.mapError((error) => {
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
    }))
  })
