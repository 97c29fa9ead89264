/** Apple `.strings` files. */
import * as Edits from "./edits.ts"
import { formatOfLines, type Line } from "./lines.ts"

const comments: Edits.Comments = { line: /^\/\//, marks: ["/*", "*/"] }

const characters: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" }

const decoded = (raw: string): string =>
  raw.replaceAll(
    /\\(?:[uU]([\da-fA-F]{4})|([0-7]{3})|([^]))/g,
    (_, code?: string, octal?: string, escape?: string) =>
      code !== undefined
        ? String.fromCharCode(Number.parseInt(code, 16))
        : octal !== undefined
        ? String.fromCharCode(Number.parseInt(octal, 8))
        : characters[escape ?? ""] ?? escape ?? ""
  )

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" }

const encoded = (text: string): string =>
  `"${text.replaceAll(/["\\\n\t\r]/g, (found) => escapes[found] ?? `\\${found}`)}"`

const space = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)+/y

/** A key or value. Old files omit the quotes. */
const part = /"((?:[^"\\]|\\[^])*)"|([\w.$:/-]+)/y

const sign = /[=;]/y

const read = (file: string): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  let at = file.startsWith("\ufeff") ? 1 : 0
  const next = (pattern: RegExp): RegExpExecArray | null => {
    space.lastIndex = at
    if (space.test(file)) at = space.lastIndex
    pattern.lastIndex = at
    const found = pattern.exec(file)
    if (found !== null) at = pattern.lastIndex
    return found
  }
  const expected = (what: string) => Edits.malformed(file, at, `${what} is expected`)
  for (let key = next(part); key !== null; key = next(part)) {
    const start = key.index
    if (next(sign)?.[0] !== "=") throw expected("an equals sign")
    const raw = next(part)
    if (raw === null) throw expected("a text")
    const value = { from: raw.index, to: at }
    const content = raw[1] ?? raw[2] ?? ""
    if (next(sign)?.[0] !== ";") throw expected("a semicolon")
    const line = Edits.indentStart(file, start)
    const range = {
      from: line === undefined ? start : Edits.commentAbove(file, line, comments),
      to: line !== undefined && /^[ \t]*(?:\/\/|\/\*[^\n]*\*\/|\r?\n)/.test(file.slice(at, at + 1000))
        ? Edits.nextLine(file, at)
        : at
    }
    lines.push({
      ...range,
      key: decoded(key[1] ?? key[2] ?? ""),
      value,
      raw: content,
      text: decoded(content),
      before: file.slice(start, value.from),
      after: ";",
      context: Edits.commentOf(file, range, start, comments)?.replace(/^No comment provided by engineer\.$/, "") ||
        undefined
    })
  }
  if (at < file.length) throw expected("a key")
  return lines
}

export const strings = formatOfLines("printf", read, () => encoded)
