/** Progress: an overwritten line at a terminal, lines elsewhere, nothing with `--quiet`. */
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import type { Progress } from "@effect-lingua/core/jobs/Progress"
import * as CliOutput from "effect/cli/CliOutput"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Terminal from "effect/Terminal"
import * as Settings from "../settings/settings.ts"
import * as Board from "./board.ts"
import { oneLine, stderrStyle, tell } from "./screen.ts"

const units = ["KiB", "MiB", "GiB"]

const size = (bytes: number): string => {
  if (bytes < 1024) return `${Math.round(bytes)} B`
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length)
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`
}

const time = (millis: number): string => Attempt.formatDuration(Duration.seconds(Math.max(0, Math.ceil(millis / 1000))))

const bar = (share: number, cells: number): string => {
  const full = Math.floor(share * cells)
  return `[${"#".repeat(full)}${"-".repeat(cells - full)}]`
}

interface State {
  readonly step: Progress
  /** When the last step arrived, in milliseconds; during a wait without an estimate, when the wait started. */
  readonly since: number
  readonly first: { readonly time: number; readonly bytes: number } | undefined
}

const phaseOf = (step: Progress): string => step._tag === "Waiting" ? `Waiting ${step.state}` : step._tag

/** A text in several widths, the widest first. */
type Widths = ReadonlyArray<string>

const transferred = (
  verb: string,
  { bytes, total }: { readonly bytes: number; readonly total?: number },
  state: State
): Widths => {
  const { first = { time: state.since, bytes }, since } = state
  const rate = since > first.time ? (bytes - first.bytes) / (since - first.time) : 0
  const speed = rate > 0 ? [`${size(rate * 1000)}/s`] : []
  if (total === undefined || total < bytes || total <= 0) return [[verb, size(bytes), ...speed].join("  ")]
  const share = bytes / total
  const percent = `${Math.floor(100 * share)}%`
  const left = rate > 0 && bytes < total ? [`${time((total - bytes) / rate)} left`] : []
  const of = `${size(bytes)} of ${size(total)}`
  return [
    [verb, bar(share, 20), percent, of, ...speed, ...left],
    [bar(share, 20), percent, of, ...speed, ...left],
    [bar(share, 10), percent, of, ...speed, ...left],
    [bar(share, 10), percent, ...speed, ...left],
    [bar(share, 10), percent, ...left],
    [percent, ...left],
    [percent]
  ].map((parts) => parts.join("  "))
}

const states: ReadonlyMap<string, string> = new Map(Object.entries({
  queued: "waiting for its turn",
  translating: "translating",
  awaiting_input: "waiting for the service to notice the file",
  pending: "waiting",
  uploaded: "waiting for its turn",
  processing: "processing"
}))

const describe = (state: State, now: number): Widths => {
  const { step } = state
  const waited = time(now - state.since)
  switch (step._tag) {
    case "Started":
      return [`started as ${step.id}`, "started"]
    case "Sent":
      return transferred("uploading", step, state)
    case "Waiting": {
      const known = states.get(step.state) ?? `the service calls it ${JSON.stringify(step.state)}`
      return step.remaining === undefined
        ? [`${known} (${waited})`, `waiting (${waited})`, "waiting"]
        : [`${known}, about ${time(Duration.toMillis(step.remaining) - (now - state.since))} left`, known]
    }
    case "Completed":
      return ["completed"]
    case "Received":
      return transferred("downloading", step, state)
    case "Saved":
      return ["saved"]
  }
}

/** A step's fields for `--json`. */
const fields = (name: string, { _tag, ...step }: Progress) => ({
  name,
  state: _tag,
  ...step,
  ...("remaining" in step && step.remaining !== undefined
    ? { remaining: Duration.toSeconds(step.remaining) }
    : undefined)
})

/** The longest beginning of a text that fits. */
const fit = (text: string, columns: number): string => {
  let line = text
  while (line !== "" && CliOutput.displayWidth(line) > columns) line = line.slice(0, -1)
  return line
}

/** Shortens a long name in the middle; beginning and extension are the most informative. */
const short = (name: string, columns: number): string => {
  if (CliOutput.displayWidth(name) <= columns) return name
  const half = Math.floor((columns - 3) / 2)
  return `${fit(name, columns - 3 - half)}...${name.slice(-half)}`
}

const line = (name: string, widths: Widths, columns: number): string => {
  const lines = widths.map((text) => `${short(name, Math.max(8, Math.floor(columns / 3)))}: ${text}`)
  return lines.find((text) => CliOutput.displayWidth(text) <= columns) ?? fit(widths.at(-1) ?? "", columns)
}

/** Minimum milliseconds between reports of one phase. */
const pauses = { json: 1000, plain: 5000, terminal: 100 }

type Services = Effect.Services<ReturnType<typeof tell>>

/** Shows the progress of work until the scope closes, in a terminal's progress line if possible. */
export const show = Effect.fnUntraced(function*(rawName: string): Effect.fn.Return<
  (step: Progress) => Effect.Effect<void>,
  never,
  Services | Scope.Scope | Terminal.Terminal
> {
  if (yield* Settings.Quiet) return () => Effect.void
  const name = oneLine(rawName)
  const json = yield* Settings.Json
  const board = json ? undefined : yield* Board.Current
  const write = board === undefined ? undefined : yield* board.line
  const pause = pauses[json ? "json" : write === undefined ? "plain" : "terminal"]
  const { dim } = yield* stderrStyle
  const context = yield* Effect.context<Services | Terminal.Terminal>()
  let state: State | undefined
  let last = Number.NEGATIVE_INFINITY

  const draw = Effect.fnUntraced(function*(state: State, now: number) {
    last = now
    const widths = describe(state, now)
    if (write === undefined) {
      return yield* tell("progress", `${name}: ${widths[0] ?? ""}`, fields(name, state.step))
    }
    yield* write(dim(line(name, widths, (yield* Board.columns) - 1)))
  })

  if (write !== undefined) {
    const redraw = Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => state === undefined ? Effect.void : draw(state, now)
    )
    // Redraws every second, because a wait's elapsed time changes without steps.
    yield* Effect.forkScoped(Effect.forever(Effect.delay(redraw, "1 second")))
  }

  return (step) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const changed = state === undefined || phaseOf(state.step) !== phaseOf(step)
      const isOpenWait = step._tag === "Waiting" && step.remaining === undefined
      const since = changed || !isOpenWait ? now : state?.since ?? now
      const isCount = step._tag === "Received" || step._tag === "Sent"
      const first = changed ? isCount ? { time: now, bytes: step.bytes } : undefined : state?.first
      state = { step, since, first }
      return changed || now - last >= pause ? draw(state, now) : Effect.void
    }).pipe(Effect.provideContext(context))
})

/** Shows counts by name in one line of a terminal until the scope ends. */
export const counts = Effect.gen(function*() {
  const board = yield* Board.Current
  if (board === undefined || (yield* Settings.Quiet) || (yield* Settings.Json)) return () => Effect.void
  const write = yield* board.line
  const { dim } = yield* stderrStyle
  const columns = yield* Board.columns
  const open = new Map<string, string>()
  let last = Number.NEGATIVE_INFINITY
  return (name: string, done: number, total: number): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const isNew = !open.has(name)
      if (done < total) open.set(name, `${oneLine(name)}: ${done} of ${total}`)
      else open.delete(name)
      if (!isNew && now - last < pauses.terminal) return Effect.void
      last = now
      return write(dim(fit([...open.values()].join("  "), columns - 1)))
    })
})
