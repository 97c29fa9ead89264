/** Progress lines at the bottom of a terminal, which are overwritten while work is in progress. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import { variable } from "../settings/settings.ts"

/** Progress lines that stay below all other output. */
export interface Board {
  /** Adds a line until the scope closes, and returns a function that sets its text. The text must fit the terminal. */
  readonly line: Effect.Effect<(text: string) => Effect.Effect<void>, never, Scope.Scope>
  /** Runs an effect that writes above the lines. */
  readonly aside: <A, E, R>(write: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Returns the text that erases the lines, for synchronous output. The next update draws the lines again. */
  readonly clear: () => string
}

export const Current = Context.Reference<Board | undefined>("effect-lingua/Board", { defaultValue: () => undefined })

/** The columns of the terminal, even if only standard error is a terminal, and standard output a pipe. */
export const columns: Effect.Effect<number, never, Terminal.Terminal> = Terminal.Terminal.use((terminal) =>
  Effect.map(terminal.columns, (columns) => columns || process.stderr.columns || 80)
)

const rows = Terminal.Terminal.use((terminal) => Effect.map(terminal.rows, (rows) => rows || process.stderr.rows || 24))

const make = Effect.gen(function*() {
  const stdio = yield* Stdio.Stdio
  const lock = yield* Semaphore.make(1)
  const shownRows = Effect.provideService(rows, Terminal.Terminal, yield* Terminal.Terminal)
  const lines = new Map<object, string>()
  let drawn = 0

  const write = (text: string) => Effect.ignore(Stream.run(Stream.make(text), stdio.stderr()))

  const clear = () => {
    const text = `\r${drawn > 1 ? `\x1b[${drawn - 1}A` : ""}\x1b[J`
    drawn = 0
    return text
  }

  const draw = Effect.flatMap(shownRows, (rows) => {
    const shown = [...lines.values()].filter((line) => line !== "").slice(0, Math.max(1, rows - 1))
    if (shown.length === 0 && drawn === 0) return Effect.void
    const text = clear() + shown.join("\n")
    drawn = shown.length
    return write(text)
  })

  return {
    clear: () => drawn === 0 ? "" : clear(),
    line: Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          const line = {}
          lines.set(line, "")
          return line
        }),
        (line) => lock.withPermit(Effect.andThen(Effect.sync(() => lines.delete(line)), draw))
      ),
      (line) => (text) => lock.withPermit(Effect.andThen(Effect.sync(() => lines.set(line, text)), draw))
    ),
    aside: (effect) =>
      lock.withPermit(
        Effect.suspend(() => drawn === 0 ? effect : Effect.ensuring(Effect.andThen(write(clear()), effect), draw))
      )
  } satisfies Board
})

/** True for a terminal without control sequences, such as an editor's. */
export const isDumb: Effect.Effect<boolean> = Effect.map(variable("TERM"), (terminal) => terminal === "dumb")

/** Provides progress lines if standard error is a terminal that supports overwriting. */
export const provide = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Stdio.Stdio,
    ({ stderrIsTerminal }) =>
      Effect.flatMap(Effect.all([stderrIsTerminal, isDumb]), ([isTerminal, dumb]) =>
        isTerminal && !dumb
          ? Effect.flatMap(make, (board) => Effect.provideService(effect, Current, board))
          : effect)
  )
