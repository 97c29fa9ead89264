/** Output to terminals and pipes. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import type * as Terminal from "effect/Terminal"
import { PipeClosed, systemCode, unwritable } from "../settings/errors.ts"
import * as Settings from "../settings/settings.ts"
import * as Board from "./board.ts"

/** Characters that change the direction of the text after them: embeddings, overrides and isolates. */
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/g

const withoutControls = (text: string): string => text.replace(/(?![\n\t])\p{Cc}/gu, "").replace(bidiControls, "")

/** One line without control characters. */
export const oneLine = (text: string): string => text.replace(bidiControls, "").replace(/[\p{Cc}\s]+/gu, " ").trim()

/** Writes above the progress lines. */
const above = <A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Board.Current, (board) => board === undefined ? write : board.aside(write))

/** Writes results. `onWrite` runs right before the write, but not if an interruption prevents the write. */
export const toStdout = Effect.fnUntraced(function*(text: string, onWrite?: () => void) {
  const stdio = yield* Stdio.Stdio
  const pulled = Stream.sync(() => {
    onWrite?.()
    return text
  })
  yield* above(Stream.run(pulled, stdio.stdout())).pipe(
    Effect.mapError((error) =>
      systemCode(error) === "EPIPE"
        ? new PipeClosed()
        : unwritable("standard output")(error)
    )
  )
})

/** Writes to standard error. Failures are ignored. */
export const toStderr = (text: string): Effect.Effect<void, never, Stdio.Stdio> =>
  Stdio.Stdio.use((stdio) => above(Effect.ignore(Stream.run(Stream.make(text), stdio.stderr()))))

export interface Style {
  /** Removes control characters from the service's texts, on terminals only. */
  readonly clean: (text: string) => string
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  /** The columns of the terminal; `undefined` for a pipe. */
  readonly columns?: number
}

const same = (text: string) => text
const sgr = (code: number) => (text: string) => `\x1b[${code}m${text}\x1b[0m`

export const plain: Style = { clean: same, bold: same, dim: same, red: same }
const terminal: Style = { ...plain, clean: withoutControls }
const colours = { bold: sgr(1), dim: sgr(2), red: sgr(31) }

/** True for a terminal, or with `FORCE_COLOR` (https://force-color.org); false with `NO_COLOR`. */
const hasColours = Effect.fnUntraced(function*(isTerminal: boolean) {
  if ((yield* Settings.variable("NO_COLOR")) !== "" || (yield* Board.isDumb)) return false
  return isTerminal || !["", "0", "false"].includes(yield* Settings.variable("FORCE_COLOR"))
})

const styleOf = Effect.fnUntraced(function*(isTerminal: boolean): Effect.fn.Return<Style, never, Terminal.Terminal> {
  const style = isTerminal ? { ...terminal, columns: yield* Board.columns } : plain
  return (yield* hasColours(isTerminal)) ? { ...style, ...colours } : style
})

export const stdoutStyle = Stdio.Stdio.use(({ stdoutIsTerminal }) => Effect.flatMap(stdoutIsTerminal, styleOf))

export const stderrStyle = Stdio.Stdio.use(({ stderrIsTerminal }) => Effect.flatMap(stderrIsTerminal, styleOf))

export const helpHasColours: Effect.Effect<boolean, never, Stdio.Stdio> = Stdio.Stdio.use(({ stdoutIsTerminal }) =>
  Effect.flatMap(stdoutIsTerminal, hasColours)
)

/** The program's name, which begins each line on standard error. */
export const name = "effect-lingua"

/** Writes a message to standard error: a dim line, with `--json` an object, with `--quiet` nothing. */
export const tell = Effect.fnUntraced(function*(
  type: string,
  message: string,
  fields: Readonly<Record<string, unknown>> = {}
) {
  if (yield* Settings.Quiet) return
  if (yield* Settings.Json) return yield* toStderr(`${JSON.stringify({ type, message, ...fields })}\n`)
  const { dim } = yield* stderrStyle
  yield* toStderr(`${dim(`${name}: ${oneLine(message)}`)}\n`)
})

const isSet = (fiber: Logger.Options<unknown>["fiber"], setting: typeof Settings.Json | typeof Settings.Quiet) =>
  Option.getOrElse(Context.getOption(fiber.context, setting), () => false)

const written = Logger.make(({ fiber, message }) => {
  const text = oneLine((Array.isArray(message) ? message : [message]).map(String).join(" "))
    .replace(/^[A-Z]\w+\.\w+: /, "")
  const line = isSet(fiber, Settings.Json) ? JSON.stringify({ type: "warning", message: text }) : `${name}: ${text}`
  return `${fiber.getRef(Board.Current)?.clear() ?? ""}${line}`
})

// Synchronous, because the process may exit right after a message.
const toConsole = Logger.withConsoleError(written)

/** Prints the client's log messages, except with `--quiet`. */
export const logger: Layer.Layer<never> = Logger.layer([
  Logger.make((options) => isSet(options.fiber, Settings.Quiet) ? undefined : toConsole.log(options))
])
