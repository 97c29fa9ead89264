/** Long-running work: its progress, and how to resume it after a failure. */
import type { Journal } from "@effect-lingua/core/documents/Journal"
import * as Progress from "@effect-lingua/core/jobs/Progress"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { advised } from "../screen/advised.ts"
import { Ended, exitCodes, type Failure, reported } from "../screen/failures.ts"
import { show } from "../screen/progress.ts"
import { tell } from "../screen/screen.ts"
import * as Settings from "../settings/settings.ts"

export interface Job<A, E, R> {
  readonly name: string
  /** The job's id in the journal, if it already has an id. */
  readonly id?: string | undefined
  /** The absolute path of the uploaded file. */
  readonly source?: string | undefined
  readonly run: Effect.Effect<A, E, R>
}

interface Hint {
  readonly id: string
  readonly command: string
  readonly message: string
}

/** Finds the command that continues a job, from the job's id, or from file and start time. */
export type Next = (
  job: { readonly id: string | undefined; readonly source: string | undefined; readonly startedAt: number },
  commandOf: (args: string) => string
) => Effect.Effect<Hint | undefined, never, Journal>

/** Failures that resuming does not repair. */
const notResumable: ReadonlyArray<Failure["_tag"]> = ["Busy", "InvalidUsage", "NotResumable"]

/**
 * Runs a job and delivers its result. Reports a failure with a hint (the command that continues the job), and fails with an exit code. Prints the
 * hint after an interruption too.
 */
const settled = Effect.fnUntraced(function*<A, B, E extends Failure, R, E2 extends Failure, R2, R3>(
  { id: knownId, name, run }: Job<A, E, R>,
  { deliver, final = [], hintOf, interrupted, of }: {
    readonly deliver: (result: A) => Effect.Effect<B, E2, R2>
    readonly hintOf: (
      id: string | undefined,
      commandOf: (args: string) => string
    ) => Effect.Effect<Hint | undefined, never, R3>
    /** Additional failures after which no hint is printed. */
    readonly final?: ReadonlyArray<Failure["_tag"]>
    /** The job's name in the report of its failure, if there are several jobs. */
    readonly of?: string | undefined
    /** Runs instead of the hint after an interruption. */
    readonly interrupted?: Effect.Effect<void> | undefined
  }
) {
  let id = knownId
  const hint = Effect.gen(function*() {
    const found = (yield* Settings.Fake) ? undefined : yield* hintOf(id, yield* advised)
    if (found !== undefined) {
      yield* tell("next", `${name}: ${found.message}`, { id: found.id, name, command: found.command })
    }
  })
  const work = Effect.scoped(Effect.gen(function*() {
    const report = yield* show(name)
    let result: Option.Option<A> = Option.none()
    yield* Stream.runForEach(Progress.stream(run), (event) => {
      if (event._tag === "Started") id = event.id
      if (event._tag !== "Finished") return report(event)
      result = Option.some(event.value)
      return Effect.void
    })
    return Option.getOrThrow(result)
  }))
  return yield* Effect.flatMap(work, deliver).pipe(
    Effect.onInterrupt(() => interrupted ?? hint),
    Effect.catch(Effect.fnUntraced(function*(error: E | E2) {
      const code = yield* reported(error, yield* Settings.Json, { of })
      if (![...notResumable, ...final].includes(error._tag)) yield* hint
      return yield* new Ended({ code })
    }))
  )
})

/** Runs a job. After a failure, a message names the command that continues the job. */
export const continued = <A, E extends Failure, R>(
  name: string,
  run: Effect.Effect<A, E, R>,
  argsOf: (id: string) => string
) =>
  settled({ name, run }, {
    deliver: Effect.succeed,
    final: ["JobFailed"],
    hintOf: (id, commandOf) => {
      if (id === undefined) return Effect.undefined
      const command = commandOf(argsOf(id))
      return Effect.succeed({ id, command, message: `to continue its job: ${command}` })
    }
  })

/**
 * Runs all jobs and ends with the exit code of the first failure. After an interruption of several jobs, one command with the arguments `all`
 * (if set) replaces the hints.
 */
export const each = (next: Next, all?: string) =>
  Effect.fnUntraced(function*<A, E extends Failure, R, E2 extends Failure, R2>(
    jobs: ReadonlyArray<Job<A, E, R>>,
    concurrency: number,
    deliver: (result: A, job: Job<A, E, R>) => Effect.Effect<void, E2, R2>
  ) {
    const several = jobs.length > 1
    const run = Effect.fnUntraced(function*(job: Job<A, E, R>) {
      const startedAt = yield* Clock.currentTimeMillis
      const ended = settled(job, {
        deliver: (result) => deliver(result, job),
        hintOf: (id, commandOf) => next({ id, source: job.source, startedAt }, commandOf),
        of: several ? job.name : undefined,
        interrupted: several && all !== undefined ? Effect.void : undefined
      })
      return yield* Effect.match(ended, { onSuccess: () => exitCodes.success, onFailure: ({ code }) => code })
    })
    const resumeAll = Effect.gen(function*() {
      if (!several || all === undefined || (yield* Settings.Fake)) return
      const command = (yield* advised)(all)
      yield* tell("next", `to resume all that were started: ${command}`, { command })
    })
    const codes = yield* Effect.onInterrupt(Effect.forEach(jobs, run, { concurrency }), () => resumeAll)
    const failed = codes.filter((code) => code !== exitCodes.success)
    const [first] = failed
    if (first === undefined) return
    if (several) {
      yield* tell("failed", `${failed.length} of ${jobs.length} failed`, { failed: failed.length, of: jobs.length })
    }
    return yield* new Ended({ code: first })
  })
