/** Java `.properties`. An ASCII file may be read as ISO 8859-1, so new non-ASCII characters are escaped. */
import { Pair, parseLines } from "dot-properties"
import * as Edits from "./edits.ts"
import { formatOfLines, type Line } from "./lines.ts"

const comments: Edits.Comments = { line: /^[#!]/ }

/** True for a `MessageFormat` pattern whose apostrophes are all doubled. */
const isMessage = (raw: string): boolean => /\{\d/.test(raw) && !raw.replaceAll("''", "").includes("'")

const read = (file: string): ReadonlyArray<Line> =>
  parseLines(Edits.withoutMark(file), true).flatMap((node): ReadonlyArray<Line> => {
    if (!(node instanceof Pair) || node.range === undefined) return []
    const { key, range: [start, , from, to], value: raw } = node
    const wrong = /(?<!\\)(?:\\\\)*\\u(?![\da-f]{4})/i.exec(file.slice(start, to))
    if (wrong !== null) throw Edits.malformed(file, start + wrong.index, "an escape \\u without four digits")
    const line = Edits.lineStart(file, start)
    const range = { from: Edits.commentAbove(file, line, comments), to: Edits.nextLine(file, to) }
    return [{
      ...range,
      key,
      value: { from, to },
      raw,
      text: isMessage(raw) ? raw.replaceAll("''", "'") : raw,
      before: file.slice(line, from),
      after: "",
      context: Edits.commentOf(file, range, start, comments),
      // `brace` instead of `icu`, because `''` is already replaced. Not for choice formats, whose braces contain texts.
      placeholders: isMessage(raw) && !/,\s*choice/.test(raw) ? "brace" : undefined
    }]
  })

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f", "\\": "\\\\" }

const encoded = (text: string, isAscii: boolean): string => {
  const spelled = text.replaceAll(/[\n\t\r\f\\]/g, (found) => escapes[found] ?? found).replace(/^ /, "\\ ")
  return isAscii
    ? spelled.replaceAll(/[^\0-\x7f]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : spelled
}

export const properties = formatOfLines("icu", read, (file) => {
  // False for a file with a byte order mark.
  const isAscii = !/[^\0-\x7f]/.test(file)
  return (text, { raw }) => encoded(isMessage(raw) ? text.replaceAll("'", "''") : text, isAscii)
})
