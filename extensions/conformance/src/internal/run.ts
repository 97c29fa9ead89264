import * as ServiceError from "@effect-lingua/core/errors/ServiceError"
import { Operations } from "@effect-lingua/testing/extension/Checks"
import type { OperationName } from "@effect-lingua/testing/faults/Fault"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Struct from "effect/Struct"
import { probe } from "./access.ts"
import { Called, lacks, show } from "./check.ts"
import { sweep, sweepGlossaries } from "./lists.ts"
import { type Check, CheckFailed, type ErrorName, type Requirements, type Seen, Subject } from "./model.ts"

export type Outcome = Data.TaggedEnum<{
  Passed: Seen & { readonly check: Check }
  Failed: { readonly check: Check; readonly failure: CheckFailed }
  Skipped: { readonly check: Check; readonly reason: string }
}>

const Outcome = Data.taggedEnum<Outcome>()

type Ended<Tag extends Outcome["_tag"]> = Data.TaggedEnum.Value<Outcome, Tag>

export interface Report {
  /** The run's id, which is part of all resource names. */
  readonly runId: string
  readonly passed: ReadonlyArray<Ended<"Passed">>
  readonly failed: ReadonlyArray<Ended<"Failed">>
  readonly skipped: ReadonlyArray<Ended<"Skipped">>
  /** Sum of the planned checks' characters. */
  readonly characters: number
  /** Operations and errors, seen and unseen in passed checks. */
  readonly coverage: Seen & {
    readonly unseenOperations: ReadonlyArray<OperationName>
    readonly unseenErrors: ReadonlyArray<ErrorName>
  }
}

/** A planned run: checks to run, their sum of characters, and skipped checks with reasons. */
export interface Plan {
  readonly checks: ReadonlyArray<Check>
  readonly skipped: ReadonlyArray<Ended<"Skipped">>
  readonly characters: number
}

export const plan = (checks: ReadonlyArray<Check>): Effect.Effect<Plan, never, Subject> =>
  Effect.map(Subject, ({ offers }) => {
    const running = checks.filter((check) => lacks(check, offers) === undefined)
    return {
      checks: running,
      skipped: checks.flatMap((check) => {
        const reason = lacks(check, offers)?.reason
        return reason === undefined ? [] : [Outcome.Skipped({ check, reason })]
      }),
      characters: running.reduce((sum, { characters }) => sum + characters, 0)
    }
  })

/** Converts a defect to a failed check, because a host's response must never crash the client. */
const defect = ({ name, source }: Check, cause: Cause.Cause<unknown>) =>
  new CheckFailed({
    check: name,
    source,
    expected: "a response that the client can handle",
    got: show(Cause.pretty(cause))
  })

const judge = (check: Check): Effect.Effect<Outcome, never, Requirements> =>
  check.effect.pipe(
    Effect.map((seen) => Outcome.Passed({ check, ...seen })),
    Effect.catchTags({
      CheckFailed: (failure) => Effect.succeed(Outcome.Failed({ check, failure })),
      NotOffered: ({ reason }) => Effect.succeed(Outcome.Skipped({ check, reason }))
    }),
    Effect.exit,
    Effect.map((exit) =>
      Exit.isSuccess(exit) ? exit.value : Outcome.Failed({ check, failure: defect(check, exit.cause) })
    )
  )

const errorNames = Struct.keys(ServiceError)

const reportOf = (runId: string, characters: number, outcomes: ReadonlyArray<Outcome>): Report => {
  const passed = outcomes.filter(Outcome.$is("Passed"))
  const operations = new Set(passed.flatMap((outcome) => outcome.operations))
  const errors = new Set(passed.flatMap((outcome) => outcome.errors))
  return {
    runId,
    passed,
    failed: outcomes.filter(Outcome.$is("Failed")),
    skipped: outcomes.filter(Outcome.$is("Skipped")),
    characters,
    coverage: {
      operations: Operations.allNames().filter((name) => operations.has(name)),
      errors: errorNames.filter((name) => errors.has(name)),
      unseenOperations: Operations.operationNames.filter((name) => !operations.has(name)),
      unseenErrors: errorNames.filter((name) => !errors.has(name))
    }
  }
}

/** Removes leftovers; logs a failure instead of failing. */
const swept = <E extends { readonly message: string }, R>(what: string, sweep: Effect.Effect<unknown, E, R>) =>
  Effect.catch(
    sweep,
    ({ message }) => Effect.logWarning(`It is unknown whether ${what} of this run are left. ${message}`)
  )

const tidy = Effect.flatMap(Called, (called) =>
  Effect.gen(function*() {
    if (called.has("Glossaries.create") || called.has("GlossariesV2.create")) {
      yield* swept("glossaries", sweepGlossaries)
    }
    if (called.has("StyleRules.create")) yield* swept("style rule lists", sweep)
  }))

export const run = Effect.fnUntraced(function*(
  checks: ReadonlyArray<Check>,
  onOutcome: (outcome: Outcome) => Effect.Effect<void>
): Effect.fn.Return<Report, never, Requirements> {
  const { runId } = yield* Subject
  const planned = yield* plan(checks)
  const first = yield* judge(probe)
  if (first._tag === "Failed") {
    const reason = `the host cannot be checked, it does not pass "${probe.name}"`
    const outcomes = [first, ...checks.map((check) => Outcome.Skipped({ check, reason }))]
    yield* Effect.forEach(outcomes, onOutcome)
    return reportOf(runId, 0, outcomes)
  }
  const outcomes = yield* Effect.forEach(checks, (check) => {
    const outcome = planned.skipped.find((skip) => skip.check === check)
    return Effect.tap(outcome === undefined ? judge(check) : Effect.succeed(outcome), onOutcome)
  }).pipe(Effect.ensuring(tidy), Effect.provideServiceEffect(Called, Effect.sync(() => new Set())))
  return reportOf(runId, planned.characters, outcomes)
})

/** Formats a check's outcome as one line, with the reason. */
export const format: (outcome: Outcome) => string = Outcome.$match({
  Passed: ({ check }) => `passed   ${check.name}`,
  Failed: ({ failure }) => `FAILED   ${failure.message}`,
  Skipped: ({ check, reason }) => `skipped  ${check.name}: ${reason}`
})
