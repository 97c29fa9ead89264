/** Long-running work: its progress, and how to resume it after a failure. */
import type { Journal } from "@effect-lingua/core/documents/Journal"
import * as Progress from "@effect-lingua/core/jobs/Progress"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { advised } from "../screen/advised.ts"
import { exitCodes, type Failure } from "../screen/exitCodes.ts"
import { Ended, reported } from "../screen/failures.ts"
import { show } from "../screen/progress.ts"
import { tell } from "../screen/screen.ts"
import * as Settings from "../settings/settings.ts"

/** One piece of work. */
export interface Job<A, E, R> {
  /** Its name for people. */
  readonly name: string
  /** Its id in the journal, if it has one from the start. */
  readonly id?: string | undefined
  /** Its subject: the absolute path of an uploaded file. */
  readonly source?: string | undefined
  readonly run: Effect.Effect<A, E, R>
}

/** The command that continues a piece of work: by its id, or by its subject and start. */
export type Next = (
  piece: { readonly id: string | undefined; readonly source: string | undefined; readonly startedAt: number },
  commandOf: (args: string) => string
) => Effect.Effect<
  { readonly id: string; readonly command: string; readonly message: string } | undefined,
  never,
  Journal
>

const isFinished = <A>(event: Progress.Progress | Progress.Finished<A>): event is Progress.Finished<A> =>
  event._tag === "Finished"

/** Failures after which resuming is no remedy. */
const notResumable = new Set<Failure["_tag"]>(["Busy", "InvalidUsage", "NotResumable"])

/** Runs work to its end and shows each step. */
const shown = <A, E, R>(
  name: string,
  events: Stream.Stream<Progress.Progress | Progress.Finished<A>, E, R>,
  seen: (step: Progress.Progress) => void = () => {}
) =>
  Effect.scoped(Effect.gen(function*() {
    const report = yield* show(name)
    const finished = yield* events.pipe(
      Stream.tap((event) => {
        if (isFinished(event)) return Effect.void
        seen(event)
        return report(event)
      }),
      Stream.filter(isFinished),
      Stream.runLast
    )
    return Option.getOrThrow(finished).value
  }))

/** The result of work or, once its failure is reported, the exit code. The next step follows a failure and an interruption. */
const settled = Effect.fnUntraced(function*<A, E extends Failure, R, R2>(
  work: Effect.Effect<A, E, R>,
  next: Effect.Effect<void, never, R2>,
  of?: string
) {
  const exit = yield* Effect.exit(Effect.onInterrupt(work, () => next))
  if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
  const error = Cause.findErrorOption(exit.cause)
  if (Option.isNone(error)) return yield* Effect.failCause(exit.cause)
  const code = yield* reported(error.value, yield* Settings.Json, { of })
  if (!notResumable.has(error.value._tag)) yield* next
  return Result.fail(code)
})

/** Runs one piece of work. After a failure it names the command that continues its job. */
export const continued = Effect.fnUntraced(function*<A, E extends Failure, R>(
  name: string,
  run: Effect.Effect<A, E, R>,
  argsOf: (id: string) => string
) {
  let id: string | undefined
  const next = Effect.gen(function*() {
    // The state of the fake ends with the process.
    if (id === undefined || (yield* Settings.Fake)) return
    const command = (yield* advised)(argsOf(id))
    yield* tell("next", `${name}: to continue its job: ${command}`, { id, name, command })
  })
  const work = shown(name, Progress.stream(run), (step) => {
    if (step._tag === "Started") id = step.id
  }).pipe(Effect.tapError(({ _tag }) =>
    Effect.sync(() => {
      // There is nothing to continue.
      if (_tag === "JobFailed") id = undefined
    })
  ))
  const result = yield* settled(work, next)
  return Result.isSuccess(result) ? result.success : yield* new Ended({ code: result.failure })
})

/** Runs pieces of work, also after the failure of one, and ends with the exit code of the first failure. */
export const each = (next: Next) =>
  Effect.fnUntraced(function*<A, E extends Failure, R, E2 extends Failure, R2>(
    jobs: ReadonlyArray<Job<A, E, R>>,
    concurrency: number,
    deliver: (result: A, job: Job<A, E, R>) => Effect.Effect<void, E2, R2>
  ) {
    const several = jobs.length > 1

    const run = Effect.fnUntraced(function*(job: Job<A, E, R>) {
      const { name, source } = job
      const startedAt = yield* Clock.currentTimeMillis
      let id = job.id
      const hint = Effect.gen(function*() {
        // The state of the fake ends with the process.
        if (yield* Settings.Fake) return
        const hinted = yield* next({ id, source, startedAt }, yield* advised)
        if (hinted === undefined) return
        const { command, id: known, message } = hinted
        yield* tell("next", `${name}: ${message}`, { id: known, name, command })
      })
      const work = shown(name, Progress.stream(job.run), (step) => {
        if (step._tag === "Started") id = step.id
      })
      const delivered = Effect.flatMap(work, (result) => deliver(result, job))
      const result = yield* settled(delivered, hint, several ? name : undefined)
      return Result.isSuccess(result) ? exitCodes.success : result.failure
    })

    const codes = yield* Effect.forEach(jobs, run, { concurrency })
    const failed = codes.filter((code) => code !== exitCodes.success)
    const [first] = failed
    if (first === undefined) return
    if (several) {
      yield* tell("failed", `${failed.length} of ${jobs.length} failed`, { failed: failed.length, of: jobs.length })
    }
    return yield* new Ended({ code: first })
  })
