/** Shared engine of `plan` and `apply` for glossaries and style rule lists. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { UnexpectedResponse } from "../../errors/CallError.ts"
import { checkItems, invalid, isId } from "../../errors/internal/checks.ts"
import { concerning } from "./operation.ts"

const concurrency = 4

interface Named {
  readonly name: string
  /** Present if names are unique per language only. */
  readonly language?: string | undefined
}

/** The key that identifies a resource without an id. */
const keyOf = ({ language, name }: Named): string => JSON.stringify([name, language?.toLowerCase()])

type Identified<IdName extends string> = { readonly [_ in IdName]?: string | undefined }

type Creation<Step> = Extract<Step, { readonly _tag: "Create" }>

export type Change<Step> = Exclude<Step, { readonly _tag: "Create" }>

/** Fails for a resource with unreadable contents: a plan could duplicate or delete the resource. */
export const unreadable = (operation: string, description: string): Effect.Effect<never, UnexpectedResponse> =>
  Effect.fail(new UnexpectedResponse({ operation, description, status: 200, outcome: "refused", isTransient: false }))

/** The index of the first item that equals an earlier item, or -1. */
export const repeated = <A>(items: ReadonlyArray<A>, same: (one: A, other: A) => boolean): number =>
  items.findIndex((item, index) => items.slice(0, index).some((before) => same(before, item)))

/** Makes `plan` and `apply` for one kind of resource, with up to four requests in flight. */
export const make = <PlanError, ApplyError>() =>
<
  const IdName extends string,
  Desired extends Named & Identified<IdName>,
  Checked extends Desired,
  Existing extends Named & Identified<IdName>,
  Step extends { readonly _tag: string } & Identified<IdName>,
  Planned extends Named & Identified<IdName>
>(kind: {
  readonly option: string
  readonly noun: string
  readonly idName: IdName
  readonly key: ReadonlyArray<"name" | "language">
  readonly check: (path: string, desired: Desired) => Effect.Effect<Checked, PlanError>
  readonly listOperation: string
  readonly list: (options?: { readonly detailed: boolean }) => Stream.Stream<Existing, PlanError & ApplyError>
  readonly duplicate: (desired: Checked, found: ReadonlyArray<Existing>) => PlanError
  readonly creation: (desired: Checked) => Creation<Step>
  readonly changes: (
    existing: Existing,
    desired: Checked,
    path: string
  ) => Effect.Effect<ReadonlyArray<Step>, PlanError>
  readonly removal: (existing: Existing) => Step
  readonly planned: (desired: Checked, existing: Pick<Existing, IdName> | undefined) => Planned
  readonly format: (plan: { readonly steps: ReadonlyArray<Step> }) => ReadonlyArray<string>
  readonly desiredOf: (creation: Creation<Step>) => Checked
  readonly create: (desired: Checked) => Effect.Effect<Pick<Existing, IdName>, ApplyError>
  /** True if a create request for `desired`, whose response was lost, may have made `existing`. */
  readonly canBe?: (existing: Existing, desired: Checked) => boolean
  readonly change: (step: Change<Step>) => Effect.Effect<unknown, ApplyError>
}) => {
  const { idName, noun, option } = kind
  const key = kind.key.join(" and ")
  const isSameId = (one: Identified<IdName>, other: Identified<IdName>) => isId(one[idName], other[idName])

  const plan = Effect.fnUntraced(function*(desired: ReadonlyArray<Desired>, removeOthers = false) {
    yield* checkItems(option, option, desired)
    const checked = yield* Effect.forEach(desired, (one, index) => kind.check(`${option}[${index}].`, one))
    const again = repeated(checked, (one, other) => keyOf(one) === keyOf(other) || isSameId(one, other))
    if (again !== -1) {
      return yield* invalid(`${option}[${again}]`, `a repeated ${noun}`, `each ${key}, and each id, once`)
    }
    const present = yield* Stream.runCollect(kind.list({ detailed: true }))
    const found = yield* Effect.forEach(
      checked,
      Effect.fnUntraced(function*(one, index) {
        if (one[idName] !== undefined) {
          return present.find((other) => isSameId(one, other)) ??
            (yield* invalid(`${option}[${index}].${idName}`, "an unknown id", `the id of an existing ${noun}`))
        }
        const [existing, ...more] = present.filter((other) =>
          keyOf(other) === keyOf(one) && !checked.some((another) => isSameId(another, other))
        )
        return existing === undefined || more.length === 0
          ? existing
          : yield* Effect.fail(kind.duplicate(one, [existing, ...more]))
      })
    )
    const unnamed = present.find((other) => kind.key.some((field) => (other[field] ?? "") === ""))
    if (unnamed !== undefined && (removeOthers || found.includes(undefined))) {
      return yield* unreadable(kind.listOperation, `the ${noun} ${unnamed[idName]} has no readable ${key}`)
    }
    const changes = yield* Effect.forEach(checked, (one, index) => {
      const existing = found[index]
      return existing === undefined
        ? Effect.succeed([])
        : kind.changes(existing, one, `${option}[${index}].`)
    }, { concurrency })
    const steps: ReadonlyArray<Step> = [
      ...checked.filter((_, index) => found[index] === undefined).map(kind.creation),
      ...changes.flat(),
      ...(removeOthers ? present.filter((other) => !found.includes(other)).map(kind.removal) : [])
    ]
    return { steps, resources: checked.map((one, index) => kind.planned(one, found[index])) }
  })

  const isCreation = (step: Step): step is Creation<Step> => step._tag === "Create"
  const isChange = (step: Step): step is Change<Step> => step._tag !== "Create"
  const isCreated = (one: Planned): one is Planned & { readonly [_ in IdName]: string } => one[idName] !== undefined

  /**
   * Finds the resource that a create request with a lost response made. Fails with the request's error unless exactly one resource matches: the
   * resource may appear later.
   */
  const lookUp = (desired: Checked, resources: ReadonlyArray<Planned>, error: ApplyError) =>
    kind.list().pipe(
      Stream.filter((one) =>
        keyOf(one) === keyOf(desired) && !resources.some((planned) => isSameId(planned, one)) &&
        kind.canBe?.(one, desired) !== false
      ),
      Stream.runCollect,
      Effect.mapError(() => error),
      Effect.flatMap(([found, another]) =>
        found === undefined || another !== undefined ? Effect.fail(error) : Effect.succeed(found)
      )
    )

  /** Creates first and removes last, so that nothing is removed after a failure. After a failure no call starts. */
  const apply = Effect.fnUntraced(function*(steps: ReadonlyArray<Step>, resources: ReadonlyArray<Planned>) {
    const done = new Set<Step>()
    const created = new Map<string, Planned>()
    const failures = new Map<Step, ApplyError>()

    const create = Effect.fnUntraced(function*(step: Creation<Step>) {
      const desired = kind.desiredOf(step)
      const made = yield* Effect.catch(
        kind.create(desired),
        (error) => Predicate.isTagged(error, "OutcomeUnknown") ? lookUp(desired, resources, error) : Effect.fail(error)
      )
      created.set(keyOf(desired), kind.planned(desired, made))
    })

    const change = (step: Change<Step>) =>
      Effect.catch(
        kind.change(step),
        (error) =>
          Predicate.isTagged(error, "NotFound") && step._tag.startsWith("Remove") ? Effect.void : Effect.fail(error)
      )

    const run = <One extends Step>(some: ReadonlyArray<One>, call: (step: One) => Effect.Effect<unknown, ApplyError>) =>
      Effect.forEach(
        Map.groupBy(some, (step) => step[idName] ?? step).values(),
        Effect.forEach((step) =>
          failures.size > 0 ? Effect.void : Effect.match(call(step), {
            onSuccess: () => done.add(step),
            onFailure: (error) => failures.set(step, error)
          })
        ),
        { concurrency, discard: true }
      )

    const changes = steps.filter(isChange)
    yield* run(steps.filter(isCreation), create)
    yield* run(changes.filter(({ _tag }) => _tag !== "Remove"), change)
    yield* run(changes.filter(({ _tag }) => _tag === "Remove"), change)
    for (const [step, error] of failures) {
      return yield* Effect.fail(concerning(error, {
        plan: {
          failed: kind.format({ steps: [step] }).join(),
          done: kind.format({ steps: steps.filter((other) => done.has(other)) }),
          left: kind.format({ steps: steps.filter((other) => other !== step && !done.has(other)) })
        }
      }))
    }
    return resources.map((one) => isCreated(one) ? one : created.get(keyOf(one)) ?? one).filter(isCreated)
  })

  return { plan, apply }
}
