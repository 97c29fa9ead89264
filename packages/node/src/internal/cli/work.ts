/** Work on documents: shown while it goes on, and told how to go on with when it ends early. */
import * as DocumentJournal from "@effect-lingua/core/DocumentJournal"
import * as DocumentProgress from "@effect-lingua/core/DocumentProgress"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { advised } from "./advised.ts"
import { exitCodes, type Failure } from "./exitCodes.ts"
import { Ended, told } from "./failures.ts"
import { show } from "./progress.ts"
import { tell } from "./screen.ts"
import * as Settings from "./settings.ts"

/** One piece of work. */
export interface Job<A, E, R> {
  /** What people call it. */
  readonly name: string
  /** The id of its document or upload, where it has one from the start. */
  readonly id?: string | undefined
  /** The absolute path of the file that it uploads. */
  readonly source?: string | undefined
  readonly run: Effect.Effect<A, E, R>
}

const isFinished = <A>(
  event: DocumentProgress.DocumentProgress | DocumentProgress.Finished<A>
): event is DocumentProgress.Finished<A> => event._tag === "Finished"

/** How to go on with what the journal has. */
const next = Effect.fnUntraced(function*(entry: DocumentJournal.Entry) {
  const id = DocumentJournal.idOf(entry)
  const commandOf = yield* advised
  // Without a place to go to, resume asks for one; download takes the current folder.
  const verb = entry._tag === "Lost" ? "forget" : entry.target === undefined ? "download" : "resume"
  const command = commandOf(`document ${verb} ${id}`)
  const messages: { readonly [Tag in DocumentJournal.Entry["_tag"]]: string } = {
    // There may be two of it then, and only a download is billed.
    Uploading: `to send it again: ${command}; what the first left is never billed`,
    Uploaded: `to go on: ${command}`,
    Downloading: `to go on: ${command}`,
    Received: `to go on: ${command}`,
    Lost: `to take it off the list: ${command}`
  }
  return { id, command, message: messages[entry._tag] }
})

/** Failures after which the same again would not go on. */
const saysAll = new Set<Failure["_tag"]>(["DocumentBusy", "InvalidUsage", "NotResumable"])

/** Runs a piece of work, and shows how far it is. */
const watched = Effect.fnUntraced(function*<A, E, R>(job: Job<A, E, R>) {
  const startedAt = yield* Clock.currentTimeMillis
  let id = job.id

  const hint = Effect.gen(function*() {
    // What the fake has is gone with the process.
    if (yield* Settings.Fake) return
    const entries = yield* (yield* DocumentJournal.DocumentJournal).entries
    const entry = entries.find((entry) => DocumentJournal.idOf(entry) === id) ??
      entries.find((entry) =>
        entry._tag === "Uploading" && job.source !== undefined && entry.source === job.source &&
        DateTime.toEpochMillis(entry.startedAt) >= startedAt
      )
    if (entry === undefined) return
    const { command, id: known, message } = yield* next(entry)
    yield* tell("next", `${job.name}: ${message}`, { id: known, name: job.name, command })
  })

  const work = Effect.gen(function*() {
    const report = yield* show(job.name)
    const finished = yield* DocumentProgress.stream(job.run).pipe(
      Stream.tap((event) => {
        if (isFinished(event)) return Effect.void
        if (event._tag === "Uploaded") id = event.documentId
        return report(event)
      }),
      Stream.filter(isFinished),
      Stream.runLast
    )
    return Option.getOrThrow(finished).value
  })

  return { work: Effect.scoped(work), hint }
})

/** Runs several pieces of work, so that one that fails does not stop the others, and ends with the code of the first. */
export const each = Effect.fnUntraced(function*<A, E extends Failure, R, E2 extends Failure, R2>(
  jobs: ReadonlyArray<Job<A, E, R>>,
  concurrency: number,
  deliver: (result: A, job: Job<A, E, R>) => Effect.Effect<void, E2, R2>
) {
  const json = yield* Settings.Json
  const several = jobs.length > 1

  const run = Effect.fnUntraced(function*(job: Job<A, E, R>) {
    const { hint, work } = yield* watched(job)
    const exit = yield* work.pipe(
      Effect.flatMap((result) => deliver(result, job)),
      Effect.onInterrupt(() => hint),
      Effect.exit
    )
    if (Exit.isSuccess(exit)) return exitCodes.success
    const error = Cause.findErrorOption(exit.cause)
    if (Option.isNone(error)) return yield* Effect.failCause(exit.cause)
    const code = yield* told(error.value, json, { of: several ? job.name : undefined })
    if (!saysAll.has(error.value._tag)) yield* hint
    return code
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
