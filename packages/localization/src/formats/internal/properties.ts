/** `.properties` of Java. Characters beyond ASCII are escapes where the file has no such characters, as it may be of ISO 8859-1. */
import { Malformed } from "../Format.ts"
import { commentAbove, commentOf, type Comments, nextLine, positionOf } from "./edits.ts"
import { formatOfLines, type Line } from "./lines.ts"

const comments: Comments = { line: /^[#!]/ }

const characters: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f" }

const decoded = (raw: string, fail: () => never): string =>
  raw.replaceAll(/\\(?:u([\da-fA-F]{4})|\r?\n[ \t\f]*|([^]?))/g, (_, code?: string, escape?: string) => {
    if (escape === "u") return fail()
    return code === undefined
      ? characters[escape ?? ""] ?? escape ?? ""
      : String.fromCharCode(Number.parseInt(code, 16))
  })

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f", "\\": "\\\\" }

const encoded = (text: string, isAscii: boolean): string => {
  const spelled = text.replaceAll(/[\n\t\r\f\\]/g, (found) => escapes[found] ?? found).replace(/^ /, "\\ ")
  return isAscii
    ? spelled.replaceAll(/[^\0-\x7f]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : spelled
}

/** Whether a text is one of `MessageFormat`, in which a quote is doubled. */
const isMessage = (raw: string): boolean => /\{\d/.test(raw) && !raw.replaceAll("''", "").includes("'")

/** A line of an entry, with those that continue it: a line with an odd number of backslashes at its end goes on. */
const entry =
  /[ \t\f]*((?:[^\\\r\n:= \t\f]|\\(?:\r?\n|[^]))+)[ \t\f]*(?:[:=][ \t\f]*)?(?:\\\r?\n[ \t\f]*)*((?:[^\\\r\n]|\\(?:\r?\n|[^]|$))*)/y

const read = (file: string): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  for (let at = file.startsWith("\ufeff") ? 1 : 0; at < file.length; at = nextLine(file, at)) {
    entry.lastIndex = at
    const line = file.slice(at, nextLine(file, at)).trim()
    const [whole, key = "", raw = ""] = line === "" || /^[#!]/.test(line) ? [] : entry.exec(file) ?? []
    if (whole === undefined) continue
    const end = at + whole.length
    const value = { from: end - raw.length, to: end }
    const fail = () => {
      throw new Malformed({ message: `${positionOf(file, value.from)}: an escape \\u without four digits` })
    }
    const range = { from: commentAbove(file, at, comments), to: nextLine(file, end) }
    const text = decoded(raw, fail)
    lines.push({
      ...range,
      key: decoded(key, fail),
      value,
      raw: text,
      text: isMessage(text) ? text.replaceAll("''", "'") : text,
      before: file.slice(at, value.from),
      after: "",
      context: commentOf(file, range, at, comments)
    })
    at = end
  }
  return lines
}

const isAscii = (file: string): boolean => !/[^\0-\x7f]/.test(file.replace(/^\ufeff/, ""))

/** Properties. */
export const properties = formatOfLines(
  "icu",
  read,
  (text, file, { raw }) => encoded(isMessage(raw) ? text.replaceAll("'", "''") : text, isAscii(file))
)
