/** Shared engine of `plan` and `apply`. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type InvalidInput, UnexpectedResponse } from "../../errors/CallError.ts"
import { invalid, isId } from "../../errors/internal/checks.ts"
import { concerning } from "./operation.ts"

export const concurrency = 4

/** How desired and existing resources are compared. */
interface Kind<Desired, Existing, Duplicate> {
  /** The option with the desired resources. */
  readonly option: string
  readonly noun: string
  readonly idName: string
  readonly idOf: (resource: Desired | Existing) => string | undefined
  /** Compares resources without an id, such as by name. */
  readonly isSame: (one: Desired | Existing, other: Desired | Existing) => boolean
  /** The rule of {@link isSame} in messages. */
  readonly unique: string
  readonly duplicate: (desired: Desired, found: ReadonlyArray<Existing>) => Duplicate
  /** The operation that lists existing resources. */
  readonly listed: string
  /** The missing field of an existing resource that {@link isSame} needs. */
  readonly lacks: (existing: Existing) => string | undefined
}

/** Fails for a resource that is desired twice. */
export const checkUnique = <Desired, Existing, Duplicate>(
  { idOf, isSame, noun, option, unique }: Kind<Desired, Existing, Duplicate>,
  desired: ReadonlyArray<Desired>
): Effect.Effect<void, InvalidInput> => {
  const index = repeated(desired, (one, other) => isSame(one, other) || isId(idOf(one), idOf(other)))
  return index === -1 ? Effect.void : invalid(`${option}[${index}]`, `a repeated ${noun}`, unique)
}

/** Finds the existing resource of each desired one, and the other existing ones if they are to be removed. */
export const match = Effect.fnUntraced(function*<Desired, Existing, Duplicate>(
  { duplicate, idName, idOf, isSame, lacks, listed, noun, option }: Kind<Desired, Existing, Duplicate>,
  desired: ReadonlyArray<Desired>,
  present: ReadonlyArray<Existing>,
  removeOthers: boolean
) {
  const existingOf = Effect.fnUntraced(function*(one: Desired, index: number) {
    const id = idOf(one)
    if (id !== undefined) {
      const existing = present.find((other) => isId(id, idOf(other)))
      return existing ??
        (yield* invalid(`${option}[${index}].${idName}`, `an id that no ${noun} has`, `one of a ${noun}`))
    }
    const [existing, ...more] = present.filter((other) =>
      isSame(other, one) && !desired.some((another) => isId(idOf(another), idOf(other)))
    )
    return existing === undefined || more.length === 0
      ? existing
      : yield* Effect.fail(duplicate(one, [existing, ...more]))
  })
  const found = yield* Effect.forEach(
    desired,
    (one, index) => Effect.map(existingOf(one, index), (existing) => ({ desired: one, existing }))
  )
  const anonymous = present.find((other) => lacks(other) !== undefined)
  if (anonymous !== undefined && (removeOthers || found.some(({ existing }) => existing === undefined))) {
    return yield* unreadable(listed, `the ${noun} ${idOf(anonymous)} has no ${lacks(anonymous)}`)
  }
  const kept = new Set(found.map(({ existing }) => existing))
  return { found, others: removeOthers ? present.filter((other) => !kept.has(other)) : [] }
})

/** Refuses a comparison with unreadable contents, which a plan could duplicate or delete. */
export const unreadable = (operation: string, description: string): Effect.Effect<never, UnexpectedResponse> =>
  Effect.fail(new UnexpectedResponse({ operation, description, status: 200, outcome: "refused", isTransient: false }))

/** The index of the first item that equals an earlier one, or -1. */
export const repeated = <A>(items: ReadonlyArray<A>, same: (one: A, other: A) => boolean): number =>
  items.findIndex((item, index) => items.slice(0, index).some((before) => same(before, item)))

/** Runs effects concurrently. After a failure the running ones finish, and no other starts. */
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

/** Finds the only resource that a creation with a lost response can have created. Fails with the creation's error: the resource may appear later. */
export const createdIn = <A, E, E2>(list: Stream.Stream<A, E2>, error: E, isCreated: (one: A) => boolean) =>
  Effect.matchEffect(Stream.runCollect(Stream.filter(list, isCreated)), {
    onFailure: () => Effect.fail(error),
    onSuccess: ([found, another]) =>
      found === undefined || another !== undefined ? Effect.fail(error) : Effect.succeed(found)
  })

type CreateOf<Step> = Extract<Step, { readonly _tag: "Create" }>
type RemoveOf<Step> = Extract<Step, { readonly _tag: "Remove" }>

export const creationsFirst = <Step extends { readonly _tag: string }>(steps: ReadonlyArray<Step>): Array<Step> =>
  steps.toSorted((one, other) => Number(other._tag === "Create") - Number(one._tag === "Create"))

export type ChangeOf<Step> = Exclude<Step, { readonly _tag: "Create" | "Remove" }>

/** Applies a plan, and returns the created objects. A failure has the plan's progress. */
export const makeCalls = <Step extends { readonly _tag: string }, Made, E1, E2, E3>(
  steps: ReadonlyArray<Step>,
  format: (plan: { readonly steps: ReadonlyArray<Step> }) => ReadonlyArray<string>,
  { change, create, idOf, remove }: {
    readonly create: (step: CreateOf<Step>) => Effect.Effect<Made, E1>
    readonly change: (step: ChangeOf<Step>) => Effect.Effect<void, E2>
    readonly remove: (step: RemoveOf<Step>) => Effect.Effect<void, E3>
    /** Changes of the same id run in order. */
    readonly idOf: (step: ChangeOf<Step>) => string
  }
): Effect.Effect<Array<Made>, E1 | E2 | E3> =>
  Effect.suspend(() => {
    const isCreate = (step: Step): step is CreateOf<Step> => step._tag === "Create"
    const isRemove = (step: Step): step is RemoveOf<Step> => step._tag === "Remove"
    const isChange = (step: Step): step is ChangeOf<Step> => !isCreate(step) && !isRemove(step)
    const done = new Set<Step>()
    const failed = new Map<unknown, Step>()
    const one = <A, E>(step: Step, call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      call.pipe(
        Effect.tap(() => Effect.sync(() => done.add(step))),
        Effect.tapError((error) => Effect.sync(() => failed.set(error, step)))
      )
    return Effect.gen(function*() {
      const created = yield* runAll(steps.filter(isCreate), (step) => one(step, create(step)))
      yield* runAll(
        [...Map.groupBy(steps.filter(isChange), idOf).values()],
        (changes) => Effect.forEach(changes, (step) => one(step, change(step)), { discard: true })
      )
      // Last, so that an earlier failure removes nothing.
      yield* runAll(steps.filter(isRemove), (step) => one(step, remove(step)))
      return created
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
