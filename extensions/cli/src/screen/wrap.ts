/** Wraps lines between words. */
import * as CliOutput from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Board from "./board.ts"

/** Minimum width of wrapped text: continuation lines are indented less if necessary. */
const minTextWidth = 32

/** Colour codes. `stripVTControlCharacters` is not used, because `node:util` loads worker threads. */
// oxlint-disable-next-line no-control-regex
const sgr = /\x1b\[[\d;]*m/g

/** Wraps a line. Continuation lines begin below the last table cell; two or more spaces separate cells. */
const broken = (line: string, columns: number, minWidth: number): string => {
  if (CliOutput.displayWidth(line) <= columns) return line
  const [begin = ""] = /^(?: *\S+(?: \S+)*? {2,})*(?=\S)| */.exec(line.replace(sgr, "")) ?? []
  const indent = Math.min(begin.length, Math.max(0, columns - minWidth))
  const lines = [""]
  let width = 0
  for (const [, spaces = "", word = ""] of line.matchAll(/( *)([^ ]+)/g)) {
    const more = spaces.length + CliOutput.displayWidth(word)
    // The cells before the last cell stay on the first line.
    const isBegin = lines.length === 1 && (width === 0 || width + more <= begin.length)
    const fits = isBegin || width + more <= columns
    lines[lines.length - 1] += fits ? `${spaces}${word}` : ""
    if (!fits) lines.push(`${" ".repeat(indent)}${word}`)
    width = fits ? width + more : indent + more - spaces.length
  }
  return lines.join("\n")
}

export const wrap = (text: string, columns = Infinity, minWidth = minTextWidth): string =>
  text.split("\n").map((line) => broken(line, columns, minWidth)).join("\n")

/** Longer lines are hard to read. */
const maxColumns = 100

export const textColumns = Effect.map(Board.columns, (columns) => Math.min(columns, maxColumns))

/** Wraps lines on a terminal, but not in a pipe. */
export const forTerminal = Effect.flatMap(Stdio.Stdio, ({ stdoutIsTerminal }) =>
  Effect.map(
    Effect.all([stdoutIsTerminal, textColumns]),
    ([isTerminal, columns]) => (text: string) => isTerminal ? wrap(text, columns) : text
  ))

/** Wraps the help to `columns`. Examples stay on one line, so that they can be copied. */
export const formatter = (colors: boolean, columns: number): CliOutput.Formatter => {
  const formatter = CliOutput.defaultFormatter({ colors, globalFlags: "summary" })
  return {
    formatCliError: (error) => formatter.formatCliError(error),
    formatError: (error) => formatter.formatError(error),
    formatErrors: (errors) => formatter.formatErrors(errors),
    formatVersion: (name, version) => formatter.formatVersion(name, version),
    formatHelpDoc: (doc) => {
      const help = formatter.formatHelpDoc(doc)
      const examples = help.search(/^.*EXAMPLES/m)
      return examples === -1 ? wrap(help, columns) : wrap(help.slice(0, examples), columns) + help.slice(examples)
    }
  }
}
