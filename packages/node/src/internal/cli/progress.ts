/** The progress of long work: a bar on a terminal, lines elsewhere, nothing with `--quiet`. */
import * as CliOutput from "effect/cli/CliOutput"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { oneLine, stderrStyle, tell, toStderr } from "./screen.ts"
import * as Settings from "./settings.ts"

/** How far the work on a document is. */
export type Step = Data.TaggedEnum<{
  Uploaded: {}
  Queued: {}
  Translating: { readonly remaining?: Duration.Duration | undefined }
  Ready: {}
  Received: { readonly bytes: number; readonly total?: number | undefined }
  Saved: {}
}>

/** Constructors of steps. */
export const Step = Data.taggedEnum<Step>()

const units = ["KiB", "MiB", "GiB"]

const size = (bytes: number): string => {
  if (bytes < 1024) return `${Math.round(bytes)} B`
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length)
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`
}

/** Whole seconds: less is of no use to a person who waits. */
const time = (millis: number): string =>
  millis <= 0 ? "0s" : Duration.format(Duration.seconds(Math.ceil(millis / 1000)))

const cells = 20

const bar = (share: number): string => {
  const full = Math.floor(share * cells)
  return `[${"#".repeat(full)}${"-".repeat(cells - full)}]`
}

interface State {
  readonly step: Step
  /** When this step came. */
  readonly since: number
  /** When the first bytes came, and how many. */
  readonly first: { readonly time: number; readonly bytes: number } | undefined
}

const received = ({ bytes, total }: { readonly bytes: number; readonly total?: number | undefined }, state: State) => {
  const { first = { time: state.since, bytes }, since } = state
  const rate = since > first.time ? (bytes - first.bytes) / (since - first.time) : 0
  const known = total !== undefined && total >= bytes && total > 0
  return [
    ...(known ? [bar(bytes / total), `${Math.floor(100 * bytes / total)}%`] : []),
    known ? `${size(bytes)} of ${size(total)}` : size(bytes),
    ...(rate > 0 ? [`${size(rate * 1000)}/s`] : []),
    ...(rate > 0 && known && bytes < total ? [`${time((total - bytes) / rate)} left`] : [])
  ].join("  ")
}

const words = (state: State, now: number): string =>
  Step.$match(state.step, {
    Uploaded: () => "uploaded",
    Queued: () => `waiting for its turn (${time(now - state.since)})`,
    Translating: ({ remaining }) =>
      remaining === undefined
        ? `translating (${time(now - state.since)})`
        : `translating, about ${time(Duration.toMillis(remaining) - (now - state.since))} left`,
    Ready: () => "translated",
    Received: (step) => received(step, state),
    Saved: () => "saved"
  })

/** What stays the same while a step goes on, for machines. */
const fields = (name: string, step: Step) => ({
  name,
  state: step._tag,
  ...(step._tag === "Translating" && step.remaining !== undefined
    ? { remaining: Duration.toSeconds(step.remaining) }
    : undefined),
  ...(step._tag === "Received" ? { bytes: step.bytes, total: step.total } : undefined)
})

const clear = "\r\x1b[2K"

/** The beginning of a line that fits. */
const fit = (text: string, columns: number): string => {
  let line = text
  while (line !== "" && CliOutput.displayWidth(line) > columns) line = line.slice(0, -1)
  return line
}

/** A change of state is told at once; within one, no more often than this. */
const pauses = { json: 1000, plain: 5000, terminal: 100 }

/** Shows what it is given, until the scope is closed. */
export const show = Effect.fnUntraced(function*(name: string): Effect.fn.Return<
  (step: Step) => Effect.Effect<void>,
  never,
  Effect.Services<ReturnType<typeof tell>> | Scope.Scope | Terminal.Terminal
> {
  if (yield* Settings.Quiet) return () => Effect.void
  const json = yield* Settings.Json
  const stdio = yield* Stdio.Stdio
  const animated = !json && (yield* stdio.stderrIsTerminal)
  const pause = pauses[json ? "json" : animated ? "terminal" : "plain"]
  const { dim } = yield* stderrStyle
  const terminal = yield* Terminal.Terminal
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof tell>>>()
  let state: State | undefined
  let last = Number.NEGATIVE_INFINITY

  const draw = Effect.fnUntraced(function*(state: State, now: number) {
    last = now
    const text = `${oneLine(name)}: ${words(state, now)}`
    if (!animated) return yield* tell("progress", text, fields(name, state.step))
    const columns = (yield* terminal.columns) || 80
    yield* toStderr(clear + dim(fit(text, columns - 1)))
  })

  const redraw = Effect.flatMap(Clock.currentTimeMillis, (now) => state === undefined ? Effect.void : draw(state, now))

  if (animated) {
    yield* Effect.addFinalizer(() => state === undefined ? Effect.void : toStderr(clear))
    // Waits have nothing to tell but that they go on.
    yield* Effect.forkScoped(Effect.forever(Effect.delay(redraw, "1 second")))
  }

  return (step: Step) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const changed = state?.step._tag !== step._tag
      const goesOn = step._tag === "Queued" || (step._tag === "Translating" && step.remaining === undefined)
      const since = changed || !goesOn ? now : state?.since ?? now
      const first = state?.first ?? (step._tag === "Received" ? { time: now, bytes: step.bytes } : undefined)
      state = { step, since, first }
      return changed || now - last >= pause ? draw(state, now) : Effect.void
    }).pipe(Effect.provideContext(context))
})
